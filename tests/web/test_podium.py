"""The picture of an end that is sent to others."""

import xml.etree.ElementTree as ET

import pytest

from samovar.engine.registry import find_game
from samovar.web.drawing.podium import podium_picture, steps_of


@pytest.mark.parametrize("places", [(1,), (2, 1), (1, 1, 3), (4, 1, 2, 3), (5, 4, 1, 2, 3)])
def test_nobody_stands_in_anothers_place_and_the_best_stand_highest(places):
    steps = steps_of(places)
    assert len({step.x for step in steps}) == len({step.sign for step in steps}) == len(places)
    assert [step.place for step in steps] == sorted(places)
    assert [step.y for step in steps] == sorted(step.y for step in steps)
    assert all(0 < step.x < 600 for step in steps)


def test_the_picture_can_be_read():
    ET.fromstring(podium_picture(find_game("babuschka"), (2, 1)))
