"""Bots think in processes of their own (`insight/advice_worker.py`), and so do those who give hints: the site never
waits for them. What they are told is a seat; the deal stays here. A process is started by the first question, and ends
when there has been none for a while: with all games loaded it takes 200 MB.

A game's search must be compiled once on every machine, which takes a while. One more process sees
to that, first for the games that are asked about; of a site's several processes one has it done, and the others hear
of each game that is on disk. Until a game is ready its questions are answered by the plain search: by the same level,
with as many of its simulations as fit into a moment.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

import msgspec

from samovar.bots.bot import Reason
from samovar.bots.bot_worker import HostReply, Make, Prepare, Think
from samovar.engine.registry import game_ids
from samovar.engine.rule import is_plain
from samovar.errors import BotFailed, SamovarError
from samovar.insight.advice import Advised
from samovar.insight.advice_worker import ADVICE, HOST, AdviceReply, Advise, Order
from samovar.processes import AsyncChild, Lost
from samovar.web import figures
from samovar.web.jobs.compiling import turn_to_compile
from samovar.web.jobs.fair_queue import FairQueue, QuestionJob

MOST_PROCESSES = 4
PREPARING_NICENESS = 10
PATIENCE = 4.0  # seconds to wait for a game: one that was compiled on this machine before is ready by then
LIMIT = 60.0  # seconds for an answer; then the process counts as hanging
PREPARING_LIMIT = 300.0  # seconds to compile a game
IDLE_SECONDS = 300.0  # without a question, after which a process ends
ENDING_LIMIT = 5.0  # seconds for a killed process to be gone
MASTER = "master"  # its search is compiled by itself, after that of all others

CLOSED = HostReply(
    error="The site is closing or has not opened yet, and its bots do not think. Ask again when it is open."
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What would this bot play in this seat?"""

    game: str
    bot: str
    bot_seed: int
    # All that the bot is told of the match. To imagine a world may take a while, so it is made when the bot is next.
    seat: Callable[[], bytes]
    legal: tuple[int, ...]  # what it may answer


@dataclass(frozen=True, slots=True)
class Thought:
    move: int
    reasons: tuple[Reason, ...]
    is_plain: bool  # answered by the plain search because the compiled one was not ready


class BotPool:
    """All processes of a site. `fair_queue.py` says whose question is answered next."""

    def __init__(self, processes: int | None = None, compiling: str = "") -> None:
        self._compiling = compiling  # a file that the processes of one site share: see `turn_to_compile`
        self._processes = processes or max(1, min(MOST_PROCESSES, (os.cpu_count() or 1) - 1))
        self._tasks: list[asyncio.Task[None]] = []
        self._jobs = FairQueue()
        self._unanswered: set[QuestionJob] = set()
        # By game, or by bot of a game that needs more than others: see `need_of`. Those asked about before they were
        # ready, and until when to wait for them;
        self._due: dict[str, float] = {}
        # it is ready, or never will be;
        self._settled: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._compiled: set[str] = set()
        self._used: dict[str, float] = {}  # when a process here had the rules of a game in hand
        self._counts = dict.fromkeys(("asked", "answered", "failed", "restarts", "thinking_seconds"), 0.0)

    async def start(self) -> None:
        """Returns at once; the processes come up while the site goes on."""
        self._tasks = [asyncio.create_task(self._work()) for _ in range(self._processes)]
        if not is_plain():
            self._tasks.append(asyncio.create_task(self._prepare()))

    async def close(self) -> None:
        """Ends all processes; whoever still waits for a thought gets `BotFailed`."""
        tasks, self._tasks = self._tasks, []
        for job in self._unanswered:
            job.settle(CLOSED)
        for event in self._settled.values():
            event.set()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2 * ENDING_LIMIT)

    def metrics(self) -> dict[str, float]:
        return {
            **self._counts,
            "waiting": float(self._jobs.qsize()),
            "games_compiled": float(len(self._compiled & {*game_ids()})),
        }

    async def think(self, question: Question, *, people: bool = True) -> Thought:
        """What the bot would play; `BotFailed` if that cannot be found out. Tables without people
        wait for the others."""
        with self._counted():
            needs_plain = not await self._is_compiled(need_of(question.game, question.bot))
            make = Make(question.bot, question.game, question.bot_seed, needs_plain)
            reply = await self._answer_to(lambda: Think(make, question.seat()), question.bot, people)
            if reply.answer is None:
                raise BotFailed(reply.error)
            self._used[question.game] = time.monotonic()
            if reply.answer.move not in question.legal:
                raise BotFailed(
                    f"The bot {question.bot!r} chose {reply.answer.move!r}, which is not a legal move. Mend or "
                    "uninstall its package."
                )
            return Thought(reply.answer.move, reply.answer.reasons, needs_plain)

    def keep_ready(self, games: Iterable[str]) -> None:
        """A process has these loaded, though nobody asks here: who does may be another process of the site, whose
        tables are taken over when it dies. To start a process only then keeps them waiting for seconds."""
        now = time.monotonic()
        for game in self._compiled.intersection(games):
            if now - self._used.get(game, -IDLE_SECONDS) > IDLE_SECONDS / 2:
                self._used[game] = now
                self._put(partial(Prepare, game), "", people=False)

    async def advise(self, question: Question) -> tuple[Advised, ...]:
        """The best moves for a person who asks; `BotFailed` if they cannot be found out."""
        with self._counted():
            needs_plain = not await self._is_compiled(need_of(question.game, ADVICE))
            order = partial(_advise, question, needs_plain)
            reply = await self._answer_to(order, ADVICE, people=True)
            if reply.error or not isinstance(reply, AdviceReply):
                raise BotFailed(reply.error)
            return tuple(one for one in reply.advice if one.move in question.legal)

    def _count(self, what: str, more: float = 1.0) -> None:
        self._counts[what] += more
        figures.BOTS[what].add(more)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._count("asked")
        outcome = "failed"
        try:
            yield
            outcome = "answered"
        finally:
            self._count(outcome)

    async def _answer_to(self, order: Callable[[], Order], level: str, people: bool) -> HostReply:
        if not self._tasks:
            return CLOSED
        job = self._put(order, level, people)
        self._unanswered.add(job)
        try:
            return await job.answer
        finally:
            self._unanswered.discard(job)

    def _put(self, order: Callable[[], Order], level: str, people: bool = True) -> QuestionJob:
        job = QuestionJob(order, asyncio.get_running_loop().create_future(), level, people)
        self._jobs.put_nowait(job)
        figures.BOTS_WAITING.set(self._jobs.qsize())
        return job

    # Thinking

    async def _work(self) -> None:
        child = AsyncChild(HOST)
        try:
            while True:
                job = await self._next_job(child)
                figures.BOTS_WAITING.set(self._jobs.qsize())
                figures.BOT_WAIT_SECONDS.observe(time.monotonic() - job.since)
                if not job.answer.done():
                    await self._see_to(job, child)
        finally:
            await child.close()

    async def _next_job(self, child: AsyncChild) -> QuestionJob:
        with suppress(TimeoutError):
            async with asyncio.timeout(IDLE_SECONDS):
                return await self._jobs.get()
        await child.end()
        return await self._jobs.get()

    async def _see_to(self, job: QuestionJob, child: AsyncChild) -> None:
        began = time.monotonic()
        try:
            order = await child.run(job.order)
        except SamovarError as error:
            job.settle(HostReply(error=str(error)))
            return
        reply = await self._ask_twice(child, msgspec.json.encode(order), LIMIT)
        seconds = time.monotonic() - began
        self._count("thinking_seconds", seconds)
        self._jobs.charge(job, seconds)
        job.settle(reply)

    async def _ask_twice(self, child: AsyncChild, order: bytes, seconds: float) -> HostReply:
        """A process may have been ended by somebody else, so a fresh one is asked the same."""
        what = ""
        for _ in range(2):
            try:
                return AdviceReply.read(await child.ask(order, seconds))
            except Lost as lost:
                what = str(lost)
                self._count("restarts")
                log.warning("A process in which bots think %s. It is replaced.", what)
        return HostReply(
            error=f"The process in which the bot thinks {what}, twice. The log of the site may say why; try another "
            "bot."
        )

    # Compiling

    async def _is_compiled(self, need: str) -> bool:
        if need in self._compiled or is_plain() or need not in all_needs():
            return need in self._compiled
        due = self._due.setdefault(need, time.monotonic() + PATIENCE)
        with suppress(TimeoutError):
            async with asyncio.timeout(due - time.monotonic()):
                await self._settled[need].wait()
        return need in self._compiled

    async def _prepare(self) -> None:
        """Has one game after the other compiled by a process of its own; those who think then find
        it on disk, also those of the site's other processes, which are told."""
        async with turn_to_compile(self._compiling, self._note_compiled) as tell:
            await self._compile_all(tell)

    async def _compile_all(self, tell: Callable[[str], None]) -> None:
        child = AsyncChild(HOST, PREPARING_NICENESS)
        try:
            while (need := self._next_need()) is not None:
                game, _, bot = need.partition(":")
                order = Prepare(game, bot)
                reply = await self._ask_twice(child, msgspec.json.encode(order), PREPARING_LIMIT)
                if reply.error:
                    log.warning(
                        "The rules of %s cannot be compiled, so its bots are weaker than they could be. %s",
                        game,
                        reply.error,
                    )
                    self._settled[need].set()
                else:
                    self._note_compiled(need)
                    tell(need)
        finally:
            await child.close()

    def _note_compiled(self, need: str) -> None:
        self._compiled.add(need)
        self._settled[need].set()

    def _next_need(self) -> str | None:
        return next((need for need in (*self._due, *all_needs()) if not self._settled[need].is_set()), None)


def _advise(question: Question, is_plain: bool) -> Advise:
    return Advise(question.seat(), question.bot_seed, is_plain)


def need_of(game: str, bot: str) -> str:
    """What must be compiled before a bot plays a game: what all need, or what only this one does."""
    name = bot.partition(":")[0]
    return f"{game}:{name}" if name in (ADVICE, MASTER) else game


def all_needs() -> tuple[str, ...]:
    return (*game_ids(), *(need_of(game, what) for what in (ADVICE, MASTER) for game in game_ids()))
