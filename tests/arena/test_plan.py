"""The plan of a tournament: fair, and the same everywhere."""

from collections import Counter, defaultdict

import pytest

from samovar.arena.outcome import Tournament
from samovar.arena.plan import TournamentPlan
from samovar.engine.chance import derive_seed
from samovar.errors import BadTournament


def plan(bots: str, seats: int, matches: int, seed: int = 7) -> TournamentPlan:
    return TournamentPlan(Tournament("memoarrrr", tuple(bots.split(",")), seats, matches, seed, {"expert": True}))


@pytest.mark.parametrize(("bots", "seats"), [("a,b", 2), ("a,b,c", 2), ("a,b,c,d", 3), ("a,b,b", 3), ("a,a,b", 2)])
def test_every_bot_has_every_seat_of_every_deal_equally_often(bots: str, seats: int) -> None:
    had: dict[int, Counter[tuple[str, int]]] = defaultdict(Counter)
    for match in plan(bots, seats, 30):
        had[match.deal].update((bot, seat) for seat, bot in enumerate(match.bots))
    assert len(had) > 1
    named = Counter(bots.split(","))
    line_ups = len(plan(bots, seats, 1).line_ups)
    for counted in had.values():
        for bot, times in named.items():
            assert {counted[bot, seat] for seat in range(seats)} == {line_ups * seats * times // len(bots.split(","))}


def test_matches_of_one_deal_have_one_seed_and_others_another() -> None:
    seeds = defaultdict(set)
    for match in plan("a,b,c", 2, 60):
        seeds[match.deal].add(match.seed)
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds) == 10


def test_no_two_bots_have_the_same_seed() -> None:
    seeds = [seed for match in plan("a,b,c", 2, 60) for seed in match.bot_seeds]
    assert len(set(seeds)) == len(seeds) == 120


def test_matches_are_rounded_up_to_whole_groups_and_numbered() -> None:
    assert plan("a,b,c", 2, 1).planned_matches == 6
    assert plan("a,b,c", 2, 6).planned_matches == 6
    assert plan("a,b,c", 2, 7).planned_matches == 12
    assert [match.number for match in plan("a,b,c", 2, 7)] == list(range(12))


def test_seeds_are_those_of_every_other_machine() -> None:
    """Pinned: another derivation would make old files and other machines disagree."""
    assert derive_seed(7, "deal", 0) == 8167166740038332575
    first = plan("a,b", 2, 2).match(1)
    assert (first.seed, first.bots, first.options) == (8167166740038332575, ("b", "a"), {"expert": True})
    assert all(0 <= seed < 2**63 for seed in (first.seed, *first.bot_seeds))
    assert plan("a,b", 2, 2, seed=8).match(1).seed != first.seed


def test_too_few_bots_are_refused_and_the_remedy_named() -> None:
    with pytest.raises(BadTournament, match=r"3 seats and only 2 bots: a, b\..*several times: --bots expert,hard,hard"):
        plan("a,b", 3, 10)


def test_a_tournament_without_matches_is_refused() -> None:
    with pytest.raises(BadTournament, match="at least one match, not 0"):
        plan("a,b", 2, 0)
