"""What reports share: figures as JSON, tables in a terminal, curves."""

import json
from dataclasses import dataclass
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from samovar.reports.figures import picked, rounded
from samovar.reports.plots import curve
from samovar.reports.tables import terminal_table


@dataclass
class Found:
    name: str
    share: float | None
    rating: float
    counts: tuple[tuple[int, int], ...] = ()


@pytest.mark.parametrize(
    ("figure", "written"),
    [
        (1 / 3, 0.3333),
        (np.float64(2 / 3), 0.6667),
        (7, 7),
        (None, None),
        ("1/3", "1/3"),
        (((1 / 3, 2), (0.5, None)), [[0.3333, 2], [0.5, None]]),
        ({"a": [1 / 3]}, {"a": [0.3333]}),
        ([Found("x", 1 / 3, 2.0)], [{"name": "x", "share": 0.3333, "rating": 2.0, "counts": []}]),
    ],
)
def test_every_number_in_a_figure_is_rounded_and_all_of_it_is_json(figure, written):
    assert rounded(figure, 4) == written
    assert json.loads(json.dumps(rounded(figure, 4))) == written


def test_what_is_picked_comes_in_the_order_named_with_digits_of_its_own():
    found = picked(Found("x", 1 / 3, 1512.3456, ((1, 2),)), "rating counts name share", 4, rating=1)
    assert list(found.items()) == [("rating", 1512.3), ("counts", [[1, 2]]), ("name", "x"), ("share", 0.3333)]


def test_words_break_and_numbers_stand_to_the_right():
    console = Console(width=24, record=True, file=StringIO())
    console.print(terminal_table(["Name", "N"], [("a long name indeed, longer", "7"), ("b", "1234")], (0,)))
    lines = console.export_text().splitlines()
    assert [line[-4:] for line in lines if line.endswith(("7", "1234"))] == ["   7", "1234"]
    assert sum("long" in line for line in lines) == 2


def test_a_curve_is_in_parts_of_a_hundred_from_the_top():
    assert curve([0.25, 1.0], 50) == "0.00,75.00 50.00,0.00"
