"""One match between bots: who is asked, what is counted, and who forfeits."""

import re
from pathlib import Path

import pytest

import samovar
from samovar.arena.outcome import Tournament
from samovar.arena.plan import PlannedMatch, TournamentPlan
from samovar.arena.playing import play_match
from samovar.bots.bot import Answer, Order
from samovar.bots.bot_worker import describe
from samovar.bots.simple import RandomBot
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from support import nasty_bots


@pytest.fixture(autouse=True)
def _bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nasty_bots.install(tmp_path, monkeypatch)


def planned(*bots: str, game: str = "connect_four", number: int = 0) -> PlannedMatch:
    return TournamentPlan(Tournament(game, bots, len(bots), 100, 5, {})).match(number)


def test_a_match_is_played_to_its_end_and_counted() -> None:
    match = planned("random", "greedy")
    outcome, record = play_match(match, record=True)
    assert record is not None
    replayed = samovar.replay(record)
    assert replayed.over
    assert (outcome.scores, outcome.places, outcome.length) == (replayed.scores, replayed.places, len(replayed.history))
    assert outcome.bots == ("random", "greedy")
    assert outcome.forfeit is None
    assert outcome.moves == tuple(sum(seat == each for seat, _ in replayed.history) for each in range(2))
    assert all(0 < slowest < seconds for slowest, seconds in zip(outcome.slowest, outcome.seconds, strict=True))
    assert record["table"] == {"match": 0, "bots": ["random", "greedy"]}
    assert record["seed"] == match.seed


def test_the_same_plan_gives_the_same_match_and_another_another() -> None:
    again = [play_match(planned("random", "greedy"), record=True).record for _ in range(2)]
    other = play_match(planned("random", "greedy", number=2), record=True).record
    assert again[0] == again[1]
    assert other is not None
    assert again[0] is not None
    assert other["moves"] != again[0]["moves"]


def test_simultaneous_actors_are_asked_one_after_the_other() -> None:
    asked: list[int] = []

    class Asked(RandomBot):
        def choose(self, seat: Seat) -> Answer:
            asked.append(seat.number)
            return super().choose(seat)

    match = planned("random", "random", "random", game="matryoshka")
    outcome = play_match(match, lambda name, game, seed: Asked(Order(name, "", game, seed))).outcome
    assert asked[:3] == [0, 1, 2]
    assert len(asked) == outcome.length


REASONS = {
    "throws": r"ZeroDivisionError\('two\\nlines'\)",
    "exits": r"SystemExit\(3\)",
    "givesup": r"I give \[31mup \.",
    "unspeakable": "something of type Mute that cannot be shown",
    "illegal": r"Seat \d may not play .* now\. Legal now: .*",
    "nothing": r"It answered None, not an Answer with the number of a move\.",
    "bare": r"It answered \d+, not an Answer with .*",
    "text": r"It answered Answer\(move='.*', reasons=\(\)\), not an Answer with .*",
    "fraction": r"It answered Answer\(move=\d+\.0, .*",
    "truth": r"It answered Answer\(move=True, .*",
    "huge": "It answered something of type Answer that cannot be shown, .*",
    "unmakable": "The bot 'unmakable' cannot be made by .*no model.*",
}


@pytest.mark.parametrize("bot", REASONS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_that_breaks_the_rules_forfeits(bot: str, seat: int) -> None:
    bots = ("polite", bot) if seat else (bot, "polite")
    outcome, record = play_match(planned(*bots, game="varvitikud"), record=True)
    assert outcome.forfeit == seat
    assert re.fullmatch(REASONS[bot], outcome.reason), outcome.reason
    assert outcome.places == ((1, 2) if seat else (2, 1))
    assert outcome.moves[seat] == (0 if bot == "unmakable" else 1)
    assert record is not None
    assert not samovar.replay(record).over
    assert (list(outcome.scores), outcome.length) == (record["scores"], len(record["moves"]))
    assert record["table"]["forfeit"] == seat


def test_a_long_reason_is_cut() -> None:
    assert len(describe("x" * 10_000)) < 400


def test_a_number_of_numpy_is_a_number() -> None:
    assert play_match(planned("numpy", "polite")).outcome.forfeit is None


@pytest.mark.parametrize(
    ("bots", "closed"), [("polite polite", 2), ("polite throws", 2), ("polite unmakable", 1), ("unmakable polite", 0)]
)
def test_bots_are_closed_in_all_cases(bots: str, closed: int) -> None:
    play_match(planned(*bots.split()))
    assert len(nasty_bots.closed) == closed


def test_an_error_in_close_changes_nothing_and_the_others_are_closed() -> None:
    outcome = play_match(planned("throwsclosing", "polite")).outcome
    assert outcome.forfeit is None
    assert nasty_bots.closed == ["polite"]


def test_our_own_faults_are_nobodys_forfeit(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(match: Match, number: int) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Match, "seat", broken)
    with pytest.raises(ZeroDivisionError):
        play_match(planned("polite", "polite"))
    assert nasty_bots.closed == ["polite", "polite"]


def test_somebody_at_the_keyboard_is_nobodys_forfeit() -> None:
    with pytest.raises(KeyboardInterrupt):
        play_match(planned("interrupts", "polite"))
