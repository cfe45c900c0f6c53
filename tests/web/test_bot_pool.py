"""Bots think in processes of their own: the same answers, in turn, whatever becomes of the
processes, and none of them is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from samovar import processes
from samovar.bots import make_bot
from samovar.bots.bot_worker import Host, HostReply, Make, Prepare, Think
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import Backend
from samovar.errors import BotFailed
from samovar.processes import Process
from samovar.web.jobs import bot_pool
from samovar.web.jobs.bot_pool import BotPool, Question
from samovar.web.jobs.fair_queue import FairQueue, QuestionJob

pytestmark = pytest.mark.processes

GAME = "connect_four"
HOST = [sys.executable, "-P", "-m", "samovar.bots.bot_worker", "1"]


def after(*columns: int, bot: str) -> Question:
    match = Match(GAME, 2, 1, plain=True, first=0)
    for number, column in enumerate(columns):
        match.play(number % 2, column)
    number = len(columns) % 2
    return Question(GAME, bot, 7, match.seat(number).to_bytes, tuple(match.legal(number)))


BEGIN = after(bot="random")
LONG = replace(BEGIN, bot="search:30s")


def order(question: Question, is_plain: bool = False) -> Think:
    return Think(Make(question.bot, question.game, question.bot_seed, is_plain), question.seat())


def expected(question: Question) -> tuple[Any, ...]:
    """What the bot answers in this process."""
    seat = Seat.from_bytes(question.seat())
    answer = make_bot(question.bot, seat.game, question.bot_seed).choose(seat)
    return answer.move, answer.reasons


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    """The processes that were started. Only one game is there to be compiled."""
    noted: list[Process] = []

    class Noted(Process):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            noted.append(self)

    monkeypatch.setattr(processes, "Process", Noted)
    monkeypatch.setattr(bot_pool, "game_ids", lambda: (GAME,))
    return noted


@pytest.fixture
def plain(started: list[Process], monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    return started


def with_pool(do: Callable[[BotPool], Awaitable[None]], processes: int = 1) -> BotPool:
    """Does it, and closes them however it ends."""
    pool = BotPool(processes)

    async def run() -> None:
        await pool.start()
        try:
            async with asyncio.timeout(90):
                await do(pool)
        finally:
            await pool.close()

    asyncio.run(run())
    return pool


def make_children(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """The processes run this instead of the module they should."""

    class Changed(processes.Child):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.command = ["-c", code]

    monkeypatch.setattr(processes, "Child", Changed)


def make_nasty(monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    """The processes are made of a bot `random` that does this before it answers."""
    code = f"""
import os, signal, sys, time
from samovar.bots import bot_worker as host
from samovar.bots.bot import Answer
from samovar.bots.simple import RandomBot
choose = RandomBot.choose
def nasty(self, seat):
    {action}
    return choose(self, seat)
RandomBot.choose = nasty
host.main()
"""
    make_children(monkeypatch, code)


def all_ended(started: list[Process]) -> bool:
    return bool(started) and all(process.status is not None for process in started)


# The answers


def test_answers_are_those_of_the_bots_themselves(started: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_pool, "PATIENCE", 80.0)  # until it is compiled
    questions = [
        after(*columns, bot=bot)
        for bot in ("easy", "expert", "greedy", "master:20", "random", "search:500")
        for columns in ((), (3, 3, 2))
    ]

    async def ask(pool: BotPool) -> None:
        for question in questions:
            thought = await pool.think(question)
            assert (thought.move, thought.reasons) == expected(question), question
            assert not thought.is_plain

    with_pool(ask)


def test_a_level_gives_the_same_answer_plain_and_compiled_if_it_has_the_time(plain: list[Process]) -> None:
    question = after(3, 3, 2, bot="medium")

    async def ask(pool: BotPool) -> None:
        thought = await pool.think(question)
        assert thought.is_plain
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("SAMOVAR_PLAIN")
            assert (thought.move, thought.reasons) == expected(question)

    with_pool(ask)


def test_until_a_game_is_compiled_the_plain_search_answers(
    started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_pool, "PATIENCE", 0.0)
    question = after(3, 3, 2, bot="medium")

    async def ask(pool: BotPool) -> None:
        assert (await pool.think(question)).is_plain
        assert pool.metrics()["games_compiled"] == 0
        await pool._settled[GAME].wait()
        assert pool.metrics()["games_compiled"] == 1
        assert not (await pool.think(question)).is_plain

    with_pool(ask)


def test_a_game_that_is_asked_about_is_compiled_next(started: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_pool, "game_ids", lambda: ("babuschka", "memoarrrr", "varvitikud", GAME))

    async def ask(pool: BotPool) -> None:
        asked = asyncio.create_task(pool.think(BEGIN))
        await pool._settled[GAME].wait()
        assert pool._compiled <= {"babuschka", GAME}  # the first may have been begun before
        await asked

    with_pool(ask)


CANNOT_COMPILE = """
import os, signal
from samovar.bots import bot_worker as host
host.prepare = lambda game: os.kill(os.getpid(), signal.SIGKILL)
host.main()
"""


def test_a_game_that_cannot_be_compiled_is_played_plain(
    started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_pool, "PATIENCE", 80.0)
    make_children(monkeypatch, CANNOT_COMPILE)

    async def ask(pool: BotPool) -> None:
        assert (await pool.think(after(bot="medium"))).is_plain
        assert pool.metrics()["restarts"] == 2

    with_pool(ask)


NOTHING_LEFT = """
from samovar.bots.bot_worker import Host, Make, Think, prepare
from samovar.engine.ways.backend import backend
from samovar.engine.match import Match
from samovar.engine.registry import find_game

def compiled(game):
    return {name: len(entry.signatures) for name, entry in backend(game)._entries.items()}

for name in ("connect_four", "memoarrrr"):
    prepare(name)
    game = find_game(name)
    before = compiled(game)
    host = Host()
    match = Match(game, 2, 1, plain=True)
    for bot in ("easy", "medium", "hard", "greedy", "random") * 3:
        seat = match.actors[0]
        match.play(seat, host.carry_out(Think(Make(bot, name, 5), match.seat(seat).to_bytes())).answer.move)
    assert compiled(game) == before, (before, compiled(game))
    print(name, len(before))
"""


def test_what_was_prepared_leaves_nothing_to_compile() -> None:
    done = subprocess.run([sys.executable, "-c", NOTHING_LEFT], capture_output=True, text=True)
    assert not done.stderr
    assert len(done.stdout.splitlines()) == 2


NOT_KEPT = """
from numba.core.caching import FunctionCache

def no_folder(self, function):
    raise RuntimeError("no locator available")

from samovar.engine.ways.backend import backend
from samovar.engine.match import Match
kept = backend(Match("connect_four").game).is_kept
FunctionCache.__init__ = no_folder
print(kept, backend(Match("babuschka").game).is_kept)
"""


def test_it_is_known_whether_what_was_compiled_is_kept() -> None:
    assert subprocess.run([sys.executable, "-c", NOT_KEPT], capture_output=True, text=True).stdout.split() == [
        "True",
        "False",
    ]


def test_what_cannot_be_kept_does_not_count_as_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Backend, "is_kept", False)
    assert "Let NUMBA_CACHE_DIR name one" in Host().answer(msgspec.json.encode(Prepare(GAME))).decode()


def start_together(folder: Path, compiled: str = "") -> None:
    """Three processes of one site, until all know that everything is compiled."""
    shared = folder / "compiled"
    shared.write_text(compiled)
    pools = [BotPool(1, str(shared)) for _ in range(3)]

    async def run() -> None:
        for pool in pools:
            await pool.start()
        try:
            async with asyncio.timeout(90):
                while not all(pool._compiled == {*bot_pool.all_needs()} for pool in pools):
                    await asyncio.sleep(0.05)
        finally:
            for pool in pools:
                await pool.close()

    asyncio.run(run())


def test_of_several_that_start_together_one_compiles_and_the_others_are_told(
    started: list[Process], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_children(monkeypatch, NOTES.format(folder=str(tmp_path)))
    start_together(tmp_path)
    who, what = zip(*notes(tmp_path), strict=True)
    assert len(what) == len(bot_pool.all_needs()), "each is compiled once"
    assert len({*who}) == len(started) == 1, "nobody else starts a process to load what one has compiled"


def test_what_was_compiled_before_one_died_is_not_compiled_again(
    started: list[Process], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_children(monkeypatch, NOTES.format(folder=str(tmp_path)))
    start_together(tmp_path, f"{GAME}\n")
    assert len(notes(tmp_path)) == len(bot_pool.all_needs()) - 1


def notes(folder: Path) -> list[tuple[str, str]]:
    """Who has prepared what, one after the other."""
    file = folder / "notes"
    return [tuple(line.split()) for line in file.read_text().splitlines()] if file.exists() else []  # type: ignore[misc]


def test_a_process_is_started_by_the_first_question_and_ends_when_there_is_none(
    plain: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_pool, "IDLE_SECONDS", 0.2)

    async def ask_rest_and_ask(pool: BotPool) -> None:
        await asyncio.sleep(0.5)
        assert plain == []
        for count in (1, 2):
            await pool.think(BEGIN)
            assert len(plain) == count
            while plain[-1].status is None:
                await asyncio.sleep(0.05)

    with_pool(ask_rest_and_ask)


def test_what_others_play_is_loaded_before_anybody_asks_here(
    started: list[Process], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_children(monkeypatch, NOTES.format(folder=str(tmp_path)))

    async def wait(pool: BotPool) -> None:
        async def noted(count: int) -> None:
            while len(notes(tmp_path)) < count:
                await asyncio.sleep(0.05)

        compiled = len(bot_pool.all_needs())
        await noted(compiled)
        for _ in range(3):
            pool.keep_ready([GAME, "of another package"])
        await noted(compiled + 1)
        *others, (process, game) = notes(tmp_path)
        assert game == GAME
        assert process not in {compiler for compiler, _ in others}
        assert await pool.think(BEGIN)
        assert notes(tmp_path)[compiled + 1 :] == [], "once is enough"

    with_pool(wait)


NOTES = """
import os, time
from samovar.bots import bot_worker as host

def prepare(game, *bots):
    time.sleep(0.1)
    with open({folder!r} + "/notes", "a") as file:
        file.write(f"{{os.getpid()}} {{game}}\\n")

host.prepare = host.try_bots = prepare
host.main()
"""


# In turn


NOBODY: Any = None  # waits for the answer


def queue_of(*asked: tuple[str, bool]) -> FairQueue:
    """Jobs of these levels, of tables with or without people."""
    questions = FairQueue()
    for level, people in asked:
        questions.put_nowait(QuestionJob(b"", NOBODY, level, people))
    return questions


def served(questions: FairQueue, count: int, **seconds: float) -> list[QuestionJob]:
    """The next jobs, each of which takes as long as its level does; another like it comes at
    once."""
    taken = []
    for _ in range(count):
        job = questions.get_nowait()
        questions.put_nowait(job)
        questions.charge(job, seconds[job.level])
        taken.append(job)
    return taken


def test_a_quick_level_waits_for_one_slow_answer_however_many_are_asked_for() -> None:
    questions = queue_of(*[("expert", True)] * 200)
    served(questions, 30, expert=0.5)
    questions.put_nowait(QuestionJob(b"", NOBODY, "easy"))
    assert served(questions, 1, easy=0.001)[0].level == "easy"


def test_no_level_keeps_another_waiting_for_ever() -> None:
    questions = queue_of(*[("easy", True)] * 50, ("expert", True))
    levels = Counter(job.level for job in served(questions, 5000, easy=0.001, expert=0.5))
    assert levels["expert"] >= 9, "half of the time is theirs"


def test_a_level_that_was_not_asked_for_a_while_has_saved_nothing_up() -> None:
    questions = queue_of(("expert", True))
    served(questions, 1000, expert=0.5)
    for _ in range(10):
        questions.put_nowait(QuestionJob(b"", NOBODY, "easy"))
    levels = Counter(job.level for job in served(questions, 1000, easy=0.1, expert=0.5))
    assert levels["expert"] > 150, "a sixth of the answers, half of the time"


def test_what_a_level_was_given_while_nobody_waited_does_not_count() -> None:
    questions = queue_of(("easy", True))
    questions.charge(questions.get_nowait(), 60.0)  # its rules had to be loaded
    for level in ("expert", "expert", "easy"):
        questions.put_nowait(QuestionJob(b"", NOBODY, level))
    assert "easy" in [job.level for job in served(questions, 2, expert=0.5, easy=0.001)]


def test_tables_without_people_get_on_but_keep_no_people_waiting() -> None:
    questions = queue_of(*[("expert", False)] * 200, ("expert", True))
    taken = Counter(job.people for job in served(questions, 220, expert=0.5))
    assert 15 <= taken[False] <= 25, "a tenth of the time"


def test_tables_without_people_have_all_the_time_that_nobody_else_needs() -> None:
    questions = queue_of(*[("expert", False)] * 5)
    assert len(set(served(questions, 5, expert=0.5))) == 5


def test_a_quick_question_overtakes_long_ones_that_wait(plain: list[Process]) -> None:
    order: list[str] = []

    async def ask(pool: BotPool) -> None:
        async def one(bot: str) -> None:
            await pool.think(replace(BEGIN, bot=bot))
            order.append(bot)

        await pool.think(replace(BEGIN, bot="search:300"))  # so that its process is there
        await asyncio.gather(*map(one, ["search:300"] * 5 + ["random"]))

    with_pool(ask)
    assert order.index("random") <= 1


def test_questions_of_a_level_are_answered_in_the_order_in_which_they_came(plain: list[Process]) -> None:
    order: list[int] = []

    async def ask(pool: BotPool) -> None:
        async def one(number: int) -> None:
            await pool.think(replace(BEGIN, bot="search:50", bot_seed=number))
            order.append(number)

        asked = asyncio.gather(*map(one, range(10)))
        await asyncio.sleep(0)
        assert pool.metrics()["waiting"] == 10
        await asked

    figures = with_pool(ask).metrics()
    assert order == list(range(10))
    assert len(plain) == 1
    assert {name: figures[name] for name in ("asked", "answered", "failed", "restarts", "waiting")} == {
        "asked": 10, "answered": 10, "failed": 0, "restarts": 0, "waiting": 0
    }  # fmt: skip
    assert figures["thinking_seconds"] > 0


def test_two_processes_answer_side_by_side(
    plain: list[Process], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each waits until the other has been asked, too."""
    meeting = (
        f"open({str(tmp_path)!r} + f'/{{os.getpid()}}', 'w').close()\n    while "
        f"len(os.listdir({str(tmp_path)!r})) < 2: time.sleep(0.01)"
    )
    make_nasty(monkeypatch, meeting)

    async def ask(pool: BotPool) -> None:
        await asyncio.gather(pool.think(BEGIN), pool.think(BEGIN))

    with_pool(ask, processes=2)


def test_a_question_that_nobody_waits_for_any_more_is_not_asked(
    plain: list[Process], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    make_nasty(monkeypatch, f"print(self._seed, file=open({str(asked)!r}, 'a'), flush=True)")

    async def ask(pool: BotPool) -> None:
        first, second, third = (asyncio.create_task(pool.think(replace(BEGIN, bot_seed=seed))) for seed in (1, 2, 3))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(first, third)

    with_pool(ask)
    assert asked.read_text().split() == ["1", "3"]


def test_pages_come_before_thoughts(plain: list[Process]) -> None:
    async def ask(pool: BotPool) -> None:
        await pool.think(BEGIN)
        assert os.getpriority(os.PRIO_PROCESS, plain[0].pid) == min(
            19, os.getpriority(os.PRIO_PROCESS, 0) + processes.NICENESS
        )

    with_pool(ask)


def test_the_site_need_not_wait_for_its_processes_to_start(plain: list[Process]) -> None:
    async def run() -> None:
        pool = BotPool(1)
        await pool.start()
        assert not plain
        await pool.close()

    asyncio.run(run())


# What can go wrong


OTHERS_TURN = Match(GAME, 2, 1, plain=True, first=0).seat(1).to_bytes()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"game": "chess"}, "There is no game 'chess'"),
        ({"bot": "genius"}, "There is no bot 'genius'"),
        ({"bot": "search:never"}, "is no budget"),
        ({"seat": lambda: BEGIN.seat()[:-1]}, "damaged on their way"),
        ({"seat": lambda: OTHERS_TURN}, "may not act now"),
    ],
)
def test_a_wrong_question_is_refused_and_costs_no_process(
    wrong: dict[str, Any], says: str, plain: list[Process]
) -> None:
    async def ask(pool: BotPool) -> None:
        with pytest.raises(BotFailed, match=says):
            await pool.think(replace(BEGIN, **wrong))
        assert (await pool.think(BEGIN)).move == expected(BEGIN)[0]

    figures = with_pool(ask).metrics()
    assert (figures["restarts"], figures["failed"], figures["answered"]) == (0, 1, 1)


def test_a_bot_that_prints_and_reads_disturbs_nothing(plain: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    make_nasty(monkeypatch, "print('{}', flush=True); sys.stdin.read()")

    async def ask(pool: BotPool) -> None:
        assert (await pool.think(BEGIN)).move == expected(BEGIN)[0]

    with_pool(ask)


def test_an_illegal_move_is_the_fault_of_the_bot(plain: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    make_nasty(monkeypatch, "return Answer(3)")

    async def ask(pool: BotPool) -> None:
        with pytest.raises(BotFailed, match=r"The bot 'random' chose 3, which is not a legal move\."):
            await pool.think(after(3, 3, 3, 3, 3, 3, bot="random"))

    assert with_pool(ask).metrics()["restarts"] == 0


KILL = "os.kill(os.getpid(), signal.SIGKILL)"


def test_a_process_that_dies_is_replaced_and_asked_again(
    plain: list[Process], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    died = str(tmp_path / "died")
    make_nasty(monkeypatch, f"if not os.path.exists({died!r}):\n        open({died!r}, 'w').close()\n        {KILL}")

    async def ask(pool: BotPool) -> None:
        assert (await pool.think(BEGIN)).move == expected(BEGIN)[0]

    assert with_pool(ask).metrics()["restarts"] == 1
    assert len(plain) == 2
    assert all_ended(plain)


def test_what_a_bot_throws_is_its_own_fault_and_costs_no_process(
    plain: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_nasty(monkeypatch, "if self._seed == 7:\n        raise RuntimeError('a fault on purpose')")

    async def ask(pool: BotPool) -> None:
        with pytest.raises(BotFailed, match="a fault on purpose"):
            await pool.think(BEGIN)
        await pool.think(replace(BEGIN, bot_seed=8))

    assert with_pool(ask).metrics()["restarts"] == 0
    assert len(plain) == 1


def test_a_question_that_kills_every_process_fails_and_the_next_is_answered(
    plain: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_nasty(monkeypatch, f"if self._seed == 7:\n        {KILL}")

    async def ask(pool: BotPool) -> None:
        with pytest.raises(BotFailed, match="closed its output without an answer, twice"):
            await pool.think(BEGIN)
        await pool.think(replace(BEGIN, bot_seed=8))

    assert with_pool(ask).metrics()["restarts"] == 2
    assert len(plain) == 3
    assert all_ended(plain)


def test_a_process_that_hangs_is_replaced(plain: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    make_nasty(monkeypatch, "if self._seed == 7:\n        time.sleep(1000)")
    monkeypatch.setattr(bot_pool, "LIMIT", 0.1)

    async def ask(pool: BotPool) -> None:
        with pytest.raises(BotFailed, match=r"did not answer within 0\.1 seconds, twice"):
            await pool.think(BEGIN)
        monkeypatch.setattr(bot_pool, "LIMIT", 60.0)
        await pool.think(replace(BEGIN, bot_seed=8))

    with_pool(ask)
    assert len(plain) == 3
    assert all_ended(plain)


def test_a_process_killed_while_it_had_nothing_to_do_is_not_missed(plain: list[Process]) -> None:
    async def ask(pool: BotPool) -> None:
        await pool.think(BEGIN)
        os.kill(plain[0].pid, signal.SIGKILL)
        while plain[0].is_running:
            await asyncio.sleep(0.01)
        assert (await pool.think(BEGIN)).move == expected(BEGIN)[0]

    assert with_pool(ask).metrics()["restarts"] == 0  # no question was lost
    assert len(plain) == 2


def test_without_processes_a_question_fails(plain: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    async def ask(pool: BotPool) -> None:
        with pytest.raises(BotFailed, match="could not be started, twice"):
            await pool.think(BEGIN)

    with_pool(ask)


# The end


@pytest.mark.parametrize("waiting", [1, 3])
def test_closing_while_bots_think_leaves_nobody_waiting_and_no_process(
    waiting: int, plain: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_nasty(monkeypatch, "time.sleep(1000)")

    async def run() -> list[BaseException | Any]:
        pool = BotPool(1)
        await pool.start()
        asked = [asyncio.create_task(pool.think(BEGIN)) for _ in range(waiting)]
        while not plain:
            await asyncio.sleep(0.01)
        await pool.close()
        async with asyncio.timeout(10):
            with pytest.raises(BotFailed, match="closing"):
                await pool.think(BEGIN)
            return await asyncio.gather(*asked, return_exceptions=True)

    outcomes = asyncio.run(run())
    assert all(isinstance(outcome, BotFailed) for outcome in outcomes)
    assert all_ended(plain)


def test_closing_ends_those_who_wait_for_a_game_and_the_process_that_compiles_it(
    started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_pool, "PATIENCE", 80.0)

    async def run() -> None:
        pool = BotPool(1)
        await pool.start()
        asked = asyncio.create_task(pool.think(BEGIN))
        while len(started) < 2:
            await asyncio.sleep(0.01)
        await pool.close()
        async with asyncio.timeout(10):
            with pytest.raises(BotFailed, match="closing"):
                await asked

    asyncio.run(run())
    assert all_ended(started)


def test_it_ends_in_the_midst_of_thinking_when_nobody_is_left_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    line = msgspec.json.encode(order(LONG)) + b"\n"
    with subprocess.Popen(HOST, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(line)
        process.stdin.close()
        assert process.wait(15) == 0  # the search would take twice as long


MIDDLE = "import subprocess, sys; child = subprocess.Popen(sys.argv[1:]); print(child.pid, flush=True); child.wait()"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no signal for the death of a parent")
def test_it_dies_with_its_parent_even_if_its_input_stays_open() -> None:
    reading, writing = os.pipe()
    with subprocess.Popen([sys.executable, "-c", MIDDLE, *HOST], stdin=reading, stdout=subprocess.PIPE) as middle:
        assert middle.stdout is not None
        child = int(middle.stdout.readline())
        os.close(reading)
        os.write(writing, msgspec.json.encode(order(BEGIN, is_plain=True)) + b"\n")
        assert msgspec.json.decode(middle.stdout.readline(), type=HostReply).answer is not None
        middle.kill()
    try:
        assert gone(child, seconds=10)
    finally:
        os.close(writing)


def gone(pid: int, seconds: float) -> bool:
    """Whether the process, which is not ours, ends within this time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(FileNotFoundError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                time.sleep(0.05)
                continue
        return True
    return False
