"""`samovar lab --aim`: the search of a game's options for what its author wants."""

import math

import numpy as np
import pytest
from typer.testing import CliRunner

from samovar.cli import app
from samovar.cli.laboratory import parse_vary
from samovar.engine.registry import find_game
from samovar.errors import BadLab
from samovar.lab import propose as search
from samovar.lab.aims import Aim, read_aims
from samovar.lab.intervals import Interval
from samovar.lab.order import RANDOM, make_order
from samovar.lab.propose import MOST_PROPOSED, Sampler, propose
from samovar.lab.propose_report import proposal_json, told_proposal
from samovar.language.languages import LANGUAGES

FAMILY = {"columns": [4, 5, 6, 7], "rows": [4, 5, 6], "connect": [3, 4, 5]}


def test_aims_are_read_as_they_are_written() -> None:
    assert read_aims("first=50±1, length=40..60,skill>=3, ties<=2.5") == (
        Aim("first", 49, 51),
        Aim("length", 40, 60),
        Aim("skill", 3, math.inf),
        Aim("ties", -math.inf, 2.5),
    )
    assert read_aims("first=50+-1") == read_aims("first = 50 ± 1")
    aim = Aim("length", 40, 60)
    assert (aim.missed_by(50), aim.missed_by(70), aim.missed_by(20)) == (0, 1, 2)
    assert aim.may_hold(Interval(61, 59, 63, 9))
    assert not aim.surely_holds(Interval(59, 57, 61, 9))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "No aim is named"),
        ("first=fifty", "is no aim. Write one such as first=50±1"),
        ("frist>=1", "no figure 'frist' to aim at. Did you mean 'first'"),
        ("length=60..40", "leave nothing between"),
        ("length>=1, length<=2", "has two aims"),
    ],
)
def test_what_is_no_aim_is_told(text: str, told: str) -> None:
    with pytest.raises(BadLab, match=told):
        read_aims(text)


def order(matches: int, **more: object):
    given = {"vary": FAMILY, "players": [RANDOM], "random": 1, "most": MOST_PROPOSED, "matches": matches, **more}
    return make_order("connect_four", **given)


class Noisy(Sampler):
    """Instead of matches: figures of which the truth is known, with noise that the variants share in part."""

    def _count(self, variants, deals):
        rows = {}
        for variant in variants:
            options = self.order.variants[variant]
            truth = [0.5 + (options["columns"] - 5) / 20, options["rows"] * 5.0 + options["connect"]]
            own = [np.random.default_rng([variant, deal]).normal(size=2) for deal in deals]
            shared = [np.random.default_rng([99, deal]).normal(size=2) for deal in deals]
            rows[variant] = np.array(truth) + 0.02 * np.array(own) + 0.1 * np.array(shared)
        self.asked = [*getattr(self, "asked", []), (len(variants), deals)]
        return rows


def test_the_best_is_found_with_a_fifth_of_the_matches_of_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Noisy] = []
    monkeypatch.setattr(search, "Sampler", lambda *given: made.append(Noisy(*given)) or made[0])
    heard: list[tuple[int, int]] = []
    found = propose(order(640), read_aims("first=50±1, length=29±0.2"), lambda *told: heard.append(told))
    assert {name: found.best.options[name] for name in FAMILY} == {"columns": 5, "rows": 5, "connect": 4}
    assert found.of_grid == 36 * 640 >= 5 * found.matches
    assert [left for left, _ in heard] == [36, 18, 9, 5, 3, 2, 1]
    assert found.matches == sum(count * len(deals) for count, deals in made[0].asked)
    assert made[0].asked[-1] == (1, range(640, 1280))  # deals that had no part in the choice
    assert found.best.found[0].holds(50)
    assert not found.never
    assert not found.not_together


def test_what_cannot_be_had_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "Sampler", Noisy)
    found = propose(order(64), read_aims("first>=58, length<=10"))
    assert [aim.figure for aim, _ in found.never] == ["length"]
    assert found.never[0][1].options["rows"] == 4

    def count(self, variants, deals):
        """One variant is long and all others are fair."""
        return {variant: np.full((len(deals), 2), [0.5, 20] if variant else [0.6, 40]) for variant in variants}

    monkeypatch.setattr(Noisy, "_count", count)
    found = propose(order(64), read_aims("first=50±1, length>=30"))
    assert not found.never
    assert [(one.figure, other.figure) for one, other in found.not_together] == [("first", "length")]
    for language in LANGUAGES:
        told = "\n".join(told_proposal(found, language))
        assert "columns=" in told
        assert "first=49..51" in told
    assert proposal_json(found)["not_together"] == [["first=49..51", "length>=30"]]


def test_what_the_players_cannot_tell_is_refused() -> None:
    with pytest.raises(BadLab, match="name two or more"):
        propose(order(10), read_aims("skill>=1"))
    with pytest.raises(BadLab, match="measured by chance alone"):
        propose(order(10, players=["easy"]), read_aims("choices>=1"))


def test_values_are_stretched_and_other_flags_refused() -> None:
    game = find_game("connect_four")
    assert parse_vary(game, ["columns=4..6,7"]) == {"columns": [4, 5, 6, 7]}
    for words in (["--aim", "length>=1"], ["--over", "rows=4..5", "--aim", "length>=1", "--vary", "rows=4,5"]):
        result = CliRunner().invoke(app, ["lab", "connect_four", *words])
        assert isinstance(result.exception, BadLab)


@pytest.mark.processes
def test_bots_and_chance_tell_the_same_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random players as bots, match by match, and as the engine counts them."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    aims = read_aims("first>=1, length>=1, ties>=0, ahead>=0, skill>=0")
    sizes = {"columns": [4], "rows": [4], "connect": [3]}
    by_bots = Sampler(order(80, vary=sizes, players=["random", "greedy"]), aims)
    by_bots._player = "random"  # so that both are the same players
    bots = by_bots.figures(by_bots.sample([0], range(40))[0])
    counted = Sampler(order(200, vary=sizes), aims[:-1])
    chance = counted.figures(counted.sample([0], range(200))[0])
    assert by_bots.matches == 40 * 4
    for one, other in zip(bots[:4], chance, strict=True):
        assert abs(one.value - other.value) <= 1.6 * (one.margin + other.margin)
    assert bots[4].value > 1  # greedy is stronger
