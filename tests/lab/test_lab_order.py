"""What cannot be measured is refused, with what is wrong and what would be right."""

from collections.abc import Callable
from typing import Any

import pytest

from samovar.errors import BadLab, BadOption, SamovarError, UnknownGame, UnknownOption, WrongSeats
from samovar.lab.order import MOST_MATCHES, MOST_RANDOM, LabOrder, make_order
from samovar.lab.run import measuring
from support import outcome_games


def test_what_is_usual() -> None:
    order = make_order("connect_four")
    assert (order.seats, order.players, order.thinkers) == (2, ("random", "easy", "medium"), ("easy", "medium"))
    assert [variant["first"] for variant in order.variants] == [None]


def test_every_choice_of_what_is_varied_is_a_variant_and_the_first_is_of_the_first_values() -> None:
    order = make_order("memoarrrr", vary={"expert": [True, False], "first": [1, 0, None]}, options={"first": 0})
    assert [(v["expert"], v["first"]) for v in order.variants] == [
        (expert, first) for expert in (True, False) for first in (1, 0, None)
    ]


def test_a_player_named_twice_plays_once() -> None:
    assert make_order("connect_four", players=["easy", "random", "easy"]).players == ("easy", "random")


def lab(game: Any = "connect_four", **wishes: Any) -> Callable[[], LabOrder]:
    return lambda: make_order(game, **wishes)


@pytest.mark.parametrize(
    ("order", "error", "says"),
    [
        (lab("conect_four"), UnknownGame, ("conect_four", "connect_four")),
        (lab(seats=5), WrongSeats, ("5", "2")),
        (lab(outcome_games.GAME, seats=1), BadLab, ("1 player has", "Take a game with opponents")),
        (lab(outcome_games.GAME, seats=3), BadLab, ("3 players", "nobody to play against")),
        (lab(vary={"frist": [0, 1]}), UnknownOption, ("frist", "first")),
        (lab(vary={"first": [0, 7]}), BadOption, ("7", "random, 0, 1")),
        (lab(vary={"first": [0, 0]}), BadLab, ("the same", "Name each value once")),
        (lab(vary={"first": []}), BadLab, ("'first'", "Name")),
        (lab("babuschka", vary={"patience": range(1, 14)}), BadLab, ("13 variants", "12 can be compared", "Vary less")),
        (lab(players=[]), BadLab, ("--players medium",)),
        (lab(random=-1), BadLab, ("-1", f"0 to {MOST_RANDOM}")),
        (lab(random=MOST_RANDOM + 1), BadLab, (f"not {MOST_RANDOM + 1}",)),
        (lab(players=["random"], random=0), BadLab, ("No match would be played", "--random 100000")),
        (lab(matches=0), BadLab, ("not 0", f"1 to {MOST_MATCHES}")),
        (lab(matches=MOST_MATCHES + 1), BadLab, (f"not {MOST_MATCHES + 1}",)),
        (lab(seconds=0), BadLab, ("not 0", "seconds")),
        (lab(seconds=float("nan")), BadLab, ("not nan",)),
        (lab(seconds=86_401), BadLab, ("86400",)),
        (lab(pace=0), BadLab, ("0 seconds", "--pace")),
        (lab(device="tpu"), BadLab, ("'tpu'", "cpu or cuda")),
        (lab(seed=-1), SamovarError, ("-1",)),
        (lambda: next(measuring(make_order("connect_four", workers=0))), SamovarError, ("--workers", "not 0")),
    ],
)
def test_a_refusal_says_what_and_how_to_mend_it(
    order: Callable[[], object], error: type[Exception], says: tuple[str, ...]
) -> None:
    with pytest.raises(error) as refused:
        order()
    assert [word for word in says if word not in str(refused.value)] == []
