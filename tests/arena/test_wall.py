"""The wall between bots and the truth: a bot that searches all of its process finds no deal, and
cannot read the process that has it."""

import asyncio
import ctypes
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from samovar.arena.outcome import Tournament
from samovar.arena.plan import TournamentPlan
from samovar.arena.referee import Referee
from samovar.engine.match import Match
from samovar.web.jobs.bot_pool import BotPool, Question
from support import nasty_bots

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

TOURNAMENT = Tournament("memoarrrr", ("spies", "polite"), 2, 2, 5, {"first": 0})
MATCH = TournamentPlan(TOURNAMENT).match(0)
CAP_SYS_PTRACE, PR_CAPBSET_DROP = 19, 24


@pytest.fixture(autouse=True)
def _bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nasty_bots.install(tmp_path, monkeypatch)


def truth() -> dict[str, bytes]:
    """What must not be in the loot: the deal and its seed, as Python, NumPy and texts keep them."""
    match = Match(MATCH.game, 2, MATCH.seed, plain=True, first=0)
    imagined = match.seat(0).imagine(0)
    assert match.states["card"].tobytes() != imagined.states["card"].tobytes()
    seed = MATCH.seed
    return {
        "the state": match.state_bytes,
        "the cards": match.states["card"].tobytes(),
        "the seed as a text": str(seed).encode(),
        "the seed as a number": struct.pack("<Q", seed),
        "the seed as an object": struct.pack("<III", *(seed >> shift & (1 << 30) - 1 for shift in (0, 30, 60))),
    }


def stolen() -> set[str]:
    loot = (nasty_bots.folder() / "loot").read_bytes()
    assert loot
    return {name for name, needle in truth().items() if needle in loot}


BEGIN = """
from samovar.arena.outcome import Tournament
from samovar.arena.plan import TournamentPlan
from samovar.arena.playing import play_match
from samovar.arena.players import ArenaPlayers
from samovar.processes import hide_memory
match = TournamentPlan(Tournament("memoarrrr", ({bot!r}, "polite"), 2, 2, 5, dict(first=0))).match(0)
"""


def run_alone(bot: str, code: str) -> None:
    """In a process of its own, which has no right to look into any other, even if it is root's."""
    subprocess.run(
        [sys.executable, "-c", BEGIN.format(bot=bot) + code],
        check=True,
        preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0),
    )


def test_a_bot_in_the_process_of_the_referee_finds_the_deal() -> None:
    """So the spy knows how to look."""
    run_alone("spies", "play_match(match)")
    assert {"the state", "the cards", "the seed as an object"} <= stolen()


def test_a_bot_of_the_arena_finds_nothing_of_the_deal_in_its_process() -> None:
    with Referee() as referee:
        assert referee(MATCH).outcome.forfeit is None
    assert stolen() == set()


def test_a_bot_of_the_site_finds_nothing_of_the_deal_in_its_process() -> None:
    match = Match(MATCH.game, 2, MATCH.seed, plain=True, first=0)
    question = Question(MATCH.game, "spies", 7, match.seat(0).to_bytes, tuple(match.legal(0)))

    async def ask() -> None:
        pool = BotPool(1)
        await pool.start()
        try:
            await pool.think(question)
        finally:
            await pool.close()

    asyncio.run(ask())
    assert stolen() == set()


HOSTED = "play_match(match, ArenaPlayers(60, 0).make)"


def test_a_bot_could_read_the_memory_of_a_referee_that_did_not_hide_it() -> None:
    run_alone("pries", HOSTED)
    if (nasty_bots.folder() / "loot").read_bytes() == b"PermissionError":
        pytest.skip("this system lets no process look into its parent")
    assert "the cards" in stolen()


def test_a_bot_cannot_read_the_memory_of_the_referee() -> None:
    run_alone("pries", "hide_memory()\n" + HOSTED)
    assert (nasty_bots.folder() / "loot").read_bytes() == b"PermissionError"


def test_the_process_of_the_referee_hides_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
from samovar.arena import referee_worker as worker
worker.hide_memory = lambda: print("hidden", flush=True)
worker.serve = lambda answer: print("serves", flush=True)
worker.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["hidden", "serves"]
