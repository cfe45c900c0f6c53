"""One batch with matches of several kinds: each of them is the match that it would be alone."""

from typing import Any

import pytest

import samovar
from samovar.engine.contract import Game
from samovar.engine.ways.backend import backend
from samovar.engine.ways.rewards import paid
from samovar.errors import BadBatch, BadOption, UnknownOption, UnknownSeat, WrongSeats
from support import outcome_games

GAME = samovar.find_game("memoarrrr")
MIXED: list[dict[str, Any]] = [{"seats": 2}, {"seats": 4, "expert": True}, {"seats": 3, "first": 1}]
SEED = 70


def twins(batch: samovar.Batch) -> list[samovar.Match]:
    """The same matches, each by itself."""
    variants = [batch.variants[i % len(batch.variants)] for i in range(batch.size)]
    return [samovar.Match(batch.game, seed=int(seed), **kind) for seed, kind in zip(batch.seeds, variants, strict=True)]


def check_alike(batch: samovar.Batch, matches: list[samovar.Match]) -> None:
    points, places = batch.results()
    for i, match in enumerate(matches):
        assert batch.states[i].tobytes() == match.state_bytes, i
        assert batch.actor[i] == match.actors[0]
        assert batch.legal_moves[i, : batch.legal_counts[i]].tolist() == match.legal(match.actors[0])
        assert batch.observations[i].tobytes() == match.observation(match.actors[0]).tobytes()
        nobody = [0] * (batch.seats - match.seats)
        assert points[i].tolist() == [*match.scores, *nobody]
        assert places[i].tolist() == [*match.places, *nobody]


@pytest.mark.parametrize(
    ("size", "threads"),
    [(8, 1), (8, 3), pytest.param(3, 3, id="as many as variants"), pytest.param(2, 2, id="fewer than variants")],
)
def test_match_i_has_variant_i_modulo_their_number(size: int, threads: int) -> None:
    batch = samovar.Batch(GAME, size, seed=SEED, threads=threads, variants=MIXED)
    assert batch.seat_counts.tolist() == [MIXED[i % 3]["seats"] for i in range(size)]
    check_alike(batch, twins(batch))


@pytest.mark.parametrize("rewards", ["place", "both"])
def test_mixed_matches_are_played_paid_and_dealt_anew_as_alone(rewards: str) -> None:
    batch = samovar.Batch(GAME, 6, seed=SEED, threads=2, variants=MIXED, rewards=rewards)
    check_play(batch, rewards, 160)
    assert (batch.seeds >= 2**40).all(), "not every match has ended"


@pytest.mark.parametrize("rewards", ["place", "margin"])
def test_teams_are_those_of_as_many_seats(rewards: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two and three seats all play together, with four in two teams."""
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    variants = [{"seats": seats} for seats in (2, 4, 3)]
    batch = samovar.Batch(outcome_games.GAME, 6, seed=SEED, variants=variants, rewards=rewards)
    check_play(batch, rewards, 20)
    assert (batch.seeds >= 2**40).all(), "not every match has ended"


def check_play(batch: samovar.Batch, rewards: str, steps: int) -> None:
    """Every step is that of the same matches alone, and each end pays what it pays there."""
    matches = twins(batch)
    for step in range(steps):
        check_alike(batch, matches)
        moves = [match.legal(match.actors[0])[step % len(match.legal(match.actors[0]))] for match in matches]
        for match, move in zip(matches, moves, strict=True):
            match.play(match.actors[0], move)
        batch.step(moves)
        assert batch.ended.tolist() == [match.over for match in matches]
        for i, match in enumerate(matches):
            own = pay(batch.game, match, rewards) if match.over else [0] * match.seats
            assert batch.rewards[i].tolist() == pytest.approx([*own, *[0] * (batch.seats - match.seats)])
        again = twins(batch)
        matches = [again[i] if match.over else match for i, match in enumerate(matches)]


def pay(game: Game, match: samovar.Match, rewards: str) -> list[float]:
    return paid(game, match.seats, rewards, backend(game), match.states)[0].tolist()


def test_what_is_asked_at_any_time_fits_the_variant_of_each_match() -> None:
    batch = samovar.Batch(GAME, 6, seed=SEED, threads=2, variants=MIXED)
    batch.play_random(9)
    masks = batch.actors()
    assert not any(batch.faults())
    last = batch.seat_counts - 1
    seen, (moves, counts) = batch.observe(last), batch.legal(batch.actor)
    kept = batch.snapshot()
    assert batch.play_endless(40) > 0
    assert batch.states["seats"].tolist() == batch.seat_counts.tolist()
    batch.restore(kept)
    for i in range(batch.size):
        match = samovar.Match.standing(GAME, int(batch.seat_counts[i]), batch.states[i].tobytes())
        assert match.observation(int(last[i])).tobytes() == seen[i].tobytes()
        assert match.actors == tuple(seat for seat in range(4) if masks[i] >> seat & 1)
        assert moves[i, : counts[i]].tolist() == match.legal(match.actors[0])
    batch.imagine(last, seed=5)
    assert batch.observe(last).tobytes() == seen.tobytes()
    assert batch.states.tobytes() != kept.states.tobytes()


def test_snapshots_and_clones_have_the_same_variants() -> None:
    batch, other = (samovar.Batch(GAME, 5, seed=seed, threads=1, variants=MIXED) for seed in (1, 100))
    for _ in range(20):
        batch.step(batch.random_moves())
    other.restore(batch.snapshot())
    twin = batch.clone()
    for _ in range(70):
        moves = batch.random_moves()
        for each in (batch, other, twin):
            each.step(moves)
        assert batch.states.tobytes() == other.states.tobytes() == twin.states.tobytes()
    before = batch.states.tobytes()
    for variants in (MIXED[::-1], MIXED[:2]):
        with pytest.raises(BadBatch, match="like the one it was taken of"):
            batch.restore(samovar.Batch(GAME, 5, seed=1, threads=1, variants=variants).snapshot())
    assert batch.states.tobytes() == before


def test_variants_say_all_and_options_what_all_have() -> None:
    batch = samovar.Batch(GAME, 4, threads=1, variants=[{"expert": True}, {"seats": 3, "expert": True, "first": 0}])
    assert [(kind["seats"], kind["first"]) for kind in batch.variants] == [(2, None), (3, 0)]
    assert batch.seats == 3
    assert batch.options["expert"] is True
    assert not {"first", "seats"} & batch.options.keys()


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"variants": []}, BadBatch, "one entry at least"),
        ({"variants": {"seats": 2}}, BadBatch, "is a list such as"),
        ({"variants": [(2, {})]}, BadBatch, r"variants\[0\] is \(2, {}\)"),
        ({"variants": [{1: 2}]}, BadBatch, r"variants\[0\]"),
        ({"variants": [{"seats": 2}, {"seats": 9}]}, WrongSeats, r"variants\[1\]: .* not with 9"),
        ({"variants": [{"seats": "2"}]}, WrongSeats, r"variants\[0\]"),
        ({"variants": [{}, {}, {"experts": True}]}, UnknownOption, r"variants\[2\]: .*expert"),
        ({"variants": [{"expert": 7}]}, BadOption, r"variants\[0\]: .*'expert' cannot be 7"),
        ({"variants": [{"seats": 2, "first": 2}]}, BadOption, r"variants\[0\]"),
        ({"variants": MIXED, "seats": 2}, BadBatch, "Write them there"),
        ({"variants": MIXED, "expert": True}, BadBatch, "Write them there"),
    ],
)
def test_wrong_variants_are_named(arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        samovar.Batch(GAME, 4, **arguments)


@pytest.mark.parametrize("wrong", [2, -1, [0, 3, 3, 1]])
def test_a_seat_that_a_match_does_not_have_is_refused(wrong: Any) -> None:
    batch = samovar.Batch(GAME, 4, seed=1, threads=1, variants=MIXED)
    before = batch.states.tobytes()
    for ask in (batch.observe, batch.legal, lambda seats: batch.imagine(seats, 3)):
        with pytest.raises(UnknownSeat, match=r"There is no seat -?\d in match [02]; its seats are 0 to [12]\."):
            ask(wrong)
    assert batch.states.tobytes() == before
