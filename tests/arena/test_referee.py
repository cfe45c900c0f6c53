"""Matches in a process of their own, and each bot in another: whatever a bot does to its own, the
match has an outcome, and the right one."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import samovar
from samovar.arena.outcome import Tournament
from samovar.arena.plan import PlannedMatch, TournamentPlan
from samovar.arena.players import ArenaPlayers
from samovar.arena.playing import play_match
from samovar.arena.referee import Referee
from samovar.bots import hosted
from samovar.bots.hosted import KILLED
from samovar.errors import BadBot, BadTournament, BotFailed, BrokenBot, UnknownBot
from samovar.processes import WorkerNotStarted
from support import nasty_bots

pytestmark = pytest.mark.processes


@pytest.fixture(autouse=True)
def _bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nasty_bots.install(tmp_path, monkeypatch)


def plan(*bots: str, game: str = "varvitikud") -> TournamentPlan:
    return TournamentPlan(Tournament(game, bots, len(bots), 100, 5, {}))


def planned(*bots: str, number: int = 0) -> PlannedMatch:
    return plan(*bots).match(number)


def test_a_match_goes_as_in_one_process_and_its_record_comes_with_it() -> None:
    with Referee(records=True) as referee:
        for number in range(3):
            match = plan("random", "greedy", game="connect_four").match(number)
            assert referee(match) == play_match(match, record=True)


def test_modules_in_the_working_folder_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path / "here")
    with Referee() as referee:
        assert referee(planned("polite", "polite")).outcome.forfeit is None


def test_what_a_bot_does_wrong_is_told_as_in_one_process() -> None:
    with Referee(records=True) as referee:
        for bot in ("throws", "illegal", "nothing", "unmakable"):
            match = planned("polite", bot)
            played = referee(match)
            assert played.outcome.forfeit == 1, bot
            assert played == play_match(match, record=True)


@pytest.mark.parametrize(
    ("bot", "reason"), [("quits", KILLED), ("shot", KILLED), ("interrupts", "KeyboardInterrupt()")]
)
def test_a_bot_that_kills_its_process_forfeits_where_it_stood(bot: str, reason: str) -> None:
    with Referee(records=True) as referee:
        outcome, record = referee(planned("polite", bot))
    expected = play_match(planned("polite", "throws")).outcome
    assert (outcome.forfeit, outcome.reason) == (expected.forfeit, reason)
    assert (outcome.scores, outcome.places, outcome.length) == (expected.scores, expected.places, expected.length)
    assert record is not None
    assert len(samovar.replay(record).history) == outcome.length


def test_a_process_that_is_frozen_counts_as_one_that_is_late() -> None:
    with Referee(0.5, allowance=0) as referee:
        outcome = referee(planned("freezes", "polite")).outcome
    assert (outcome.forfeit, outcome.reason) == (0, "It took longer than 0.5 s.")
    assert outcome.moves[0] == 1


def test_a_first_match_has_an_allowance() -> None:
    with Referee(0.5, allowance=60) as referee:
        assert referee(planned("slow:2", "polite")).outcome.forfeit is None
        assert referee(planned("slow:2", "polite")).outcome.reason == "It took longer than 0.5 s."


def test_our_own_bots_have_no_more_time_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    with Referee(1e-6, allowance=0) as referee:
        outcome = referee(planned("random", "greedy")).outcome
    assert (outcome.forfeit, outcome.reason, outcome.length) == (0, "It took longer than 1e-06 s.", 0)


def test_a_bot_that_hangs_forfeits_and_has_no_allowance_again() -> None:
    with Referee(1.0, allowance=0.5) as referee:
        for reason in ("It took longer than 1.5 s.", "It took longer than 1 s."):
            outcome = referee(planned("hangs", "polite")).outcome
            assert (outcome.forfeit, outcome.reason, outcome.moves[0]) == (0, reason, 1)
        assert referee(planned("polite", "polite")).outcome.forfeit is None


def test_a_bot_that_does_no_wrong_in_play_loses_nothing() -> None:
    expected = play_match(planned("polite", "polite")).outcome
    with Referee() as referee:
        for bot in ("prints", "throwsclosing", "alone", "quitsclosing", "prints"):
            outcome = referee(planned(bot, "polite")).outcome
            assert outcome.forfeit is None, bot
            assert (outcome.places, outcome.length) == (expected.places, expected.length)


def test_a_bot_that_hangs_when_it_is_closed_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted, "CLOSING_SECONDS", 0.5)
    players = ArenaPlayers(10, 0)
    try:
        assert play_match(planned("hangsclosing", "polite"), players.make).outcome.forfeit is None
    finally:
        players.close()


@pytest.mark.parametrize("whose", ["the bot's", "the referee's"])
def test_a_process_killed_from_outside_costs_nothing(whose: str) -> None:
    pipe = nasty_bots.arrange_to_meet(match=1)
    matches = [planned("meets", "random", number=number) for number in range(3)]
    with ThreadPoolExecutor() as pool, Referee(600) as referee:
        playing = pool.submit(lambda: [referee(match) for match in matches])
        child = int(pipe.read_text())
        os.kill(child if whose == "the bot's" else nasty_bots.parent_of(child), signal.SIGKILL)
        played = playing.result(60)
    assert nasty_bots.ended(child)
    assert [outcome.forfeit for outcome, _ in played] == [None] * 3
    pipe.with_name("meet").write_text("never")
    assert played == [play_match(match) for match in matches]


def test_a_bot_that_is_made_anew_has_been_asked_all_that_it_was_asked_before(tmp_path: Path) -> None:
    """Its process is killed while it was not asked: it goes on where it was."""
    match = planned("counts", "random")
    expected = play_match(match).outcome
    for number in (1, 3):
        (tmp_path / "die").write_text(str(number))
        with Referee() as referee:
            assert referee(match).outcome == expected
        assert not (tmp_path / "die").exists()


def test_a_process_that_goes_again_and_again_while_nobody_is_asked_is_not_replaced_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hosted, "MOST_REPLACED", 2)
    players = ArenaPlayers(20, 0)
    try:
        outcome = play_match(planned("leaves", "dawdles"), players.make).outcome
    finally:
        players.close()
    assert (outcome.forfeit, outcome.reason) == (0, KILLED)
    assert outcome.moves[0] == 3


def test_every_seat_of_other_peoples_bots_has_a_process_of_its_own_and_no_other_bot_gets_it(tmp_path: Path) -> None:
    with Referee() as referee:
        for number in range(2):
            for bots in (("signs", "signs"), ("signs:2", "signs"), ("random", "greedy")):
                assert referee(planned(*bots, number=number)).outcome.forfeit is None
    pids = {path.name: set(path.read_text().split()) for path in tmp_path.glob("signs*")}
    assert {name: len(numbers) for name, numbers in pids.items()} == {"signs": 2, "signs:2": 1}
    assert not pids["signs"] & pids["signs:2"]


@pytest.mark.parametrize("bot", ["meets", "hogs"])
def test_the_process_ends_when_the_one_that_gave_the_orders_is_killed(bot: str) -> None:
    """Even if a bot is thinking, and even if it lets no other thread run."""
    pipe = nasty_bots.arrange_to_meet(match=0)
    code = (
        "from samovar.arena.outcome import Tournament; from samovar.arena.plan import TournamentPlan; from "
        "samovar.arena.referee import Referee\n"
        f"Referee(600)(TournamentPlan(Tournament('varvitikud', ({bot!r}, 'polite'), 2, 1, 5, {{}})).match(0))"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        child = int(pipe.read_text())
        parent.kill()
    assert child != parent.pid
    assert nasty_bots.ended(child)


def test_leaving_ends_the_process() -> None:
    pipe = nasty_bots.arrange_to_meet(match=0)
    with ThreadPoolExecutor() as pool:
        with Referee(600) as referee:
            playing = pool.submit(referee, planned("meets", "polite"))
            child = int(pipe.read_text())
            referee.stop()
            assert isinstance(playing.exception(60), RuntimeError)
        assert nasty_bots.ended(child)


def test_bots_that_cannot_be_made_are_found_before_play() -> None:
    wrong = {
        "nobody": UnknownBot,
        "random:9": BadBot,
        "unmakable": BrokenBot,
        "exitsmade": BotFailed,
        "quitsmade": BotFailed,
        "hangsmade": BotFailed,
    }
    with Referee(1.0, allowance=0) as referee:
        for bot, error in wrong.items():
            with pytest.raises(error, match=bot.partition(":")[0]):
                referee.check_bots(plan("polite", bot))


def test_a_referee_that_cannot_be_started_is_an_error_and_no_forfeit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samovar.arena.referee.WORKER", "samovar.errors")
    with Referee() as referee, pytest.raises(BadTournament, match="again and again"):
        referee(planned("polite", "polite"))


def test_a_process_for_bots_that_cannot_be_started_is_nobodys_forfeit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samovar.arena.players.HOST", "samovar.errors")
    with pytest.raises(WorkerNotStarted):
        play_match(planned("polite", "polite"), ArenaPlayers(10, 0).make)
