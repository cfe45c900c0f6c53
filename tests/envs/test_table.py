"""How learners see a table, name their moves and are paid: the same in every adapter."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import samovar
from samovar import errors
from samovar.engine.contract import Game
from samovar.engine.rule import rule
from samovar.envs.table import Eyes, Terms

pytest.importorskip("gymnasium", reason="the extra 'research' is not installed")

GAMES = samovar.game_ids()


def some_match(game: str | Game, moves: int = 7, seats: int | None = None) -> samovar.Match:
    match = samovar.Match(game, seats, 5)
    match.play_random(3, moves)
    return match


# What is paid


@pytest.mark.parametrize("rewards", ["place", "margin", "both"])
@pytest.mark.parametrize(("game", "seats"), [("memoarrrr", 3), ("connect_four", 2)])
def test_all_adapters_pay_what_a_batch_pays(game: str, seats: int, rewards: str) -> None:
    terms = Terms.of(game, seats, rewards=rewards)
    batch = terms.batch(12)
    paid, ended = np.zeros((12, seats)), np.zeros(12, bool)
    while not ended.all():
        batch.step(np.where(ended, -1, batch.random_moves()))
        paid += batch.rewards
        ended |= batch.ended
    assert terms.pay(batch.states) == pytest.approx(paid, abs=1e-6)
    assert len({tuple(row) for row in paid.tolist()}) > 1


@rule
def pairs(seats, seat):
    return seat % 2


@rule
def together(seats, seat):
    return 0


@rule
def half(state):
    return 750


@pytest.mark.parametrize("rewards", ["place", "margin", "both"])
def test_teams_are_paid_against_each_other_and_those_who_play_together_alike(
    rewards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    match = some_match("memoarrrr", 30, 4)
    points = np.array(match.scores)
    game = samovar.find_game("memoarrrr")
    paid = Terms.of(replace(game, team=pairs), 4, rewards=rewards).pay(match.states)[0]
    places = np.array(match.places)
    for seat in range(4):
        others = [other for other in range(4) if other % 2 != seat % 2]
        margin = np.mean([points[seat] - points[other] for other in others])
        standing = np.sign(places - places[seat]).sum() / 2  # the places of teammates are one in a sound game
        wanted = {"place": standing, "margin": margin, "both": standing + margin / 100}[rewards]
        assert paid[seat] == pytest.approx(wanted)
    one = Terms.of(replace(game, team=together, success=half), 4, rewards=rewards).pay(match.states)[0]
    assert one == pytest.approx({"place": [0.5] * 4, "margin": points, "both": 0.5 + points / 100}[rewards])


# What is seen, and what an action means


@pytest.mark.parametrize(("game", "plain"), [("matryoshka", "0"), *((game, "1") for game in GAMES)])
def test_one_match_looks_like_a_row_of_a_batch(game: str, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", plain)
    match = some_match(game)
    seat = match.actors[0]
    for encoding, actions, turned in product(("raw", "planes"), ("numbers", "legal"), (False, True)):
        terms = Terms.of(match.game, match.seats, encoding=encoding, actions=actions, turned=turned)
        batch = terms.batch(1)
        batch.states[:] = match.states
        batch.restore(batch.snapshot())
        row, look = terms.look(batch, np.array([seat])), Eyes(terms).look(match.states, seat)
        assert {name: part[0].tobytes() for name, part in row.items()} == {
            name: part.tobytes() for name, part in look.items()
        }
        assert terms.observation_space().contains(look)
        assert terms.legal_lists(batch)[0].tolist() == Eyes(terms).legal_list(match.states, seat).tolist()
        assert ("moves" in look) == (actions == "legal" and bool(terms.game.factors))


@pytest.mark.parametrize("game", GAMES)
def test_every_action_is_a_legal_move_and_every_legal_move_an_action(game: str) -> None:
    match = some_match(game, 4)
    seat = match.actors[0]
    for actions, turned in product(("numbers", "legal"), (False, True)):
        eyes = Eyes(Terms.of(match.game, match.seats, actions=actions, turned=turned))
        mask = eyes.look(match.states, seat)["action_mask"]
        meant = [eyes.move(match.states, seat, action) for action in np.flatnonzero(mask)]
        assert sorted(meant) == match.legal(seat)
        if actions == "legal" or turned:
            with pytest.raises(errors.IllegalMove, match="Legal now"):
                eyes.move(match.states, seat, int((mask == 0).argmax()) if (mask == 0).any() else len(mask))


def test_a_turned_board_has_other_numbers() -> None:
    """Babuschka is seen from the side of the seat that moves."""
    match = some_match("babuschka", 5)
    seat = 1
    while match.actors != (seat,):
        match.play_random(1, 1)
    straight, turned = (Eyes(Terms.of("babuschka", 2, turned=turned)) for turned in (False, True))
    assert straight.legal_list(match.states, seat).tolist() != turned.legal_list(match.states, seat).tolist()


@pytest.mark.parametrize("actions", ["numbers", "legal"])
def test_what_is_not_legal_stands_for_something_that_is(actions: str) -> None:
    match = some_match("memoarrrr")
    seat, legal = match.actors[0], match.legal(match.actors[0])
    terms = Terms.of("memoarrrr", 2, actions=actions, illegal="replace")
    batch = terms.batch(2)
    batch.states[:] = match.states[0]
    batch.restore(batch.snapshot())
    for action in range(terms.action_count + 3):
        plain = legal[action % len(legal)]
        wanted = plain if actions == "legal" or action not in legal else action
        assert Eyes(terms).move(match.states, seat, action) == wanted
        assert terms.moves_of(np.array([action]), batch, np.array([1])).tolist() == [wanted]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ({"encoding": "onehot"}, "'raw'.*'planes'"),
        ({"actions": "index"}, "'numbers' or 'legal'"),
        ({"turned": "yes"}, "False or True"),
        ({"rewards": "points"}, "'place'.*'margin'.*'both'"),
        ({"illegal": "ignore"}, "'refuse' or 'replace'"),
    ],
)
def test_other_words_are_refused(words: dict[str, Any], remedy: str) -> None:
    with pytest.raises(errors.SamovarError, match=remedy):
        Terms.of("connect_four", 2, **words)
