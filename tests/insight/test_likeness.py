"""Which level somebody's choices are like: said where it is clear, and nowhere else."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.errors import BrokenGame
from samovar.insight import likeness
from samovar.insight.likeness import DEAREST, LevelLoss, levels_like, likeliest, losses_of, mean_loss, measured
from samovar.insight.report import Telling
from samovar.insight.review import ChosenMove, Review
from samovar.insight.written import write

LEVELS = {
    "easy": LevelLoss(0.020, 0.004, 20, 30),
    "medium": LevelLoss(0.012, 0.003, 20, 30),
    "hard": LevelLoss(0.006, 0.002, 20, 30),
    "expert": LevelLoss(0.001, 0.001, 20, 30),
}
MEASURED = ("matryoshka", "memoarrrr", "varvitikud")


@pytest.mark.parametrize(
    ("cost", "choices", "like"),
    [
        (0.001, 20, ("expert",)),
        (0.006, 20, ("hard",)),
        (0.0155, 20, ("easy", "medium")),
        (0.009, 20, ("medium", "hard")),
        (0.012, 1, ()),
        (0.012, 200, ("medium",)),
    ],
)
def test_more_choices_say_more(cost: float, choices: int, like: tuple[str, ...]) -> None:
    assert likeliest(LEVELS, [cost] * choices) == like


def test_levels_that_lose_alike_are_not_told_apart() -> None:
    assert likeliest(dict.fromkeys(LEVELS, LEVELS["hard"]), [0.006] * 50) == ()


def test_one_accident_is_no_more_than_one_dear_choice() -> None:
    assert mean_loss([0.0, 0.9]) == DEAREST / 2
    assert measured([[0.0, 0.9], [0.0, 0.02]]).mean == pytest.approx((DEAREST / 2 + 0.01) / 2)
    assert measured([[0.0], [0.0]]).spread > 0, "nobody is that sure"


def test_nothing_is_said_where_nothing_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other options, another number of seats, no figures, no choices."""
    monkeypatch.setattr(likeness, "losses_of", lambda game: {"2": LEVELS})
    costs = [0.006] * 20
    assert levels_like(Match("memoarrrr", 2, plain=True), costs) == ("hard",)
    assert levels_like(Match("memoarrrr", 2, plain=True), []) == ()
    assert levels_like(Match("memoarrrr", 3, plain=True), costs) == ()
    option = next(one for one in find_game("memoarrrr").own_options if isinstance(one.default, bool))
    assert levels_like(Match("memoarrrr", 2, plain=True, **{option.name: not option.default}), costs) == ()
    monkeypatch.undo()
    assert levels_like(Match("connect_four", 2, plain=True), costs) == ()


@pytest.mark.parametrize("name", MEASURED)
def test_stronger_levels_lose_less_by_what_was_measured(name: str) -> None:
    for levels in losses_of(find_game(name)).values():
        means = [loss.mean for loss in levels.values()]
        assert means[0] > means[-2] > means[-1]


def folder_with(tmp_path: Path, text: str) -> Game:
    (tmp_path / likeness.FILE).write_text(text, encoding="utf-8")
    return SimpleNamespace(folder=str(tmp_path), name="Draughts", version=3)  # type: ignore[return-value]


def test_what_cannot_be_read_is_told_and_what_is_of_other_rules_left_aside(tmp_path: Path) -> None:
    with pytest.raises(BrokenGame, match=r"losses\.json of Draughts"):
        losses_of.__wrapped__(folder_with(tmp_path, '{"rules": 3}'))
    written = '{"rules": 2, "seats": {"2": {}}, "command": "", "date": ""}'
    assert losses_of.__wrapped__(folder_with(tmp_path, written)) == {}


def test_a_review_keeps_it_for_every_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "losses_of", lambda game: {"2": LEVELS})
    match = Match("connect_four", 2, plain=True, first=0)
    match.play(0, "a")
    move = match.history[0][1]
    choices = (ChosenMove(0, 0, move, move, 0.6, 0.006, 0.0, 0.0),) * 20
    review = Review(match, ((0.5, 0.5),) * 2, choices, (1.0, 0.0), (0.0, 0.0), 1.0)
    assert write(review, with_moments=True).like == (("hard",), ())
    assert write(review).like == (), "it is not done yet"


def test_it_is_said_to_whoever_played() -> None:
    match = Match("connect_four", 2, plain=True, first=0)
    match.play(0, "a")
    choice = ChosenMove(0, 0, match.history[0][1], match.history[0][1], 0.6, 0.0, 0.0, 0.0)
    telling = Telling(Review(match, ((0.5, 0.5),) * 2, (choice,), (1.0, 0.0), (0.0, 0.0), 1.0), ["Anna", "Boris"])
    assert telling.well(0, [], [("hard",), ()])[-1] == "You played like hard, by what your choices cost."
    two = "You played between medium and hard, by what your choices cost."
    assert telling.well(0, [], [("medium", "hard"), ()])[-1] == two
    assert telling.well(0, [], [(), ("hard",)]) == telling.well(0, []), "a review kept without it"
    german = Telling(telling.review, ["Anna", "Boris"], "de")
    assert "wie „schwer“" in german.well(0, [], [("hard",), ()])[-1]
