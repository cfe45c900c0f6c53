"""A game in work: its match, the process that holds its rules, and the kit behind it. Nothing of the game is ever
loaded into this process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

import msgspec

from samovar.dev.messages import Check, Course, Finding, Fold, Mistake, MovePiece, Question, ShowSteps, TableAnswer
from samovar.engine.installed import GROUP, found_in
from samovar.errors import BrokenGame, UnknownGame, did_you_mean
from samovar.processes import AFTER_PEOPLE, AsyncChild, Lost

LOOK_EVERY = 0.2  # seconds, at the files
ANSWER_SECONDS = 30.0  # longer than rules may take before they are stopped, and named
CHECK_SECONDS = 40.0  # for one check of the kit
KIT_SECONDS = 90.0  # for all that are begun
LARGEST = 2**25  # bytes: all boards of a table
READ = (".py", ".md", ".toml", ".csv", ".html", ".css", ".svg", ".jsonl", ".txt")
NO_ANSWER = "A rule that does not end is the usual reason: look at the loops of what you changed last."


class Workshop:
    def __init__(self, game_id: str, language: str) -> None:
        self.game_id, self.language = game_id, language
        self.folder = folder_of(game_id)
        self.told = TableAnswer()  # the last answer that has boards
        self.fault: Mistake | None = None
        self.refused = ""
        self.course = Course()
        self.seconds = 0.0  # from the last save to the boards
        self.boards_number = 0  # changes with every new board
        self.findings: list[Finding] = []
        self.checked = 0
        self.checks = 0  # 0: the kit has not begun
        self.number = 0  # changes with whatever a page shows
        self._changed = asyncio.Condition()
        self._asking = asyncio.Lock()
        self._table, self._spare = _new_table(), _new_table()
        self._kit: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            await self._stop_kit()
            await self._table.close()
            await self._spare.close()

    async def ask(self, question: Question) -> None:
        """Something is done at the table, and every page is told."""
        async with self._asking:
            self._take(await self._answer(question))
        await self._tell()

    async def begin(self, course: Course) -> None:
        """Another match, or the same with fewer moves."""
        self.course = course
        await self.ask(Fold(self.game_id, course, self.language))

    async def refuse(self, why: str) -> None:
        """What was asked cannot even be read."""
        self.refused = why
        await self._tell()

    async def board(self, eye: str, question: ShowSteps | MovePiece) -> str:
        """One drawing, while somebody chooses step by step."""
        async with self._asking:
            told = await self._answer(question)
        return told.boards.get(eye, "")

    async def changes(self) -> AsyncIterator[int]:
        """The number of what there is to be seen, now and whenever it has changed."""
        seen = -1
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda seen=seen: self.number != seen)  # type: ignore[misc]
                seen = self.number
            yield seen

    async def _watch(self) -> None:
        seen: dict[Path, tuple[int, int]] = {}
        while True:
            saved = {path: (stat.st_mtime_ns, stat.st_size) for path, stat in _files_in(self.folder)}
            if saved != seen:
                seen = saved
                await self._read_anew()
            await asyncio.sleep(LOOK_EVERY)

    async def _read_anew(self) -> None:
        """Another process takes over: the spare one has loaded everything but the game."""
        began = monotonic()
        await self._stop_kit()
        self._table.kill()  # whatever it is at is of the old rules
        async with self._asking:
            await self._table.close()
            self._table, self._spare = self._spare, _new_table()
            self._take(await self._answer(Fold(self.game_id, self.course, self.language)))
        self.seconds = monotonic() - began
        await self._tell()
        self._kit = asyncio.create_task(self._look_behind(self._spare))

    async def _answer(self, question: Question) -> TableAnswer:
        try:
            answer = await self._table.ask(msgspec.json.encode(question), ANSWER_SECONDS)
            return msgspec.json.decode(answer, type=TableAnswer)
        except Lost as error:
            return TableAnswer(fault=Mistake(f"The process that holds the rules {error}.", remedy=NO_ANSWER))

    def _take(self, told: TableAnswer) -> None:
        self.fault, self.refused = told.fault, told.refused
        if told.boards and not told.fault:
            self.told, self.course = told, told.course
            self.boards_number += 1

    async def _tell(self) -> None:
        async with self._changed:
            self.number += 1
            self._changed.notify_all()

    async def _look_behind(self, spare: AsyncChild) -> None:
        """The next save comes first; then check after check, until all are made or the time is up."""
        await asyncio.shield(asyncio.create_task(_warm(spare)))
        if self.fault:
            return
        self.findings, self.checked, self.checks = [], 0, 1
        child = AsyncChild("samovar.dev.kit_worker", AFTER_PEOPLE)
        until = monotonic() + KIT_SECONDS
        try:
            while self.checked < self.checks and monotonic() < until:
                line = msgspec.json.encode(Check(self.game_id, self.checked))
                try:
                    finding = msgspec.json.decode(await child.ask(line, CHECK_SECONDS), type=Finding)
                except Lost as error:
                    finding = Finding(f"check {self.checked + 1}", self.checks, f"The kit {error}.")
                self.checked, self.checks = self.checked + 1, finding.checks
                if finding.what:
                    self.findings.append(finding)
                await self._tell()
        finally:
            await child.close()

    async def _stop_kit(self) -> None:
        if self._kit:
            self._kit.cancel()
            with suppress(asyncio.CancelledError):
                await self._kit
            self._kit = None
        self.findings, self.checked, self.checks = [], 0, 0


def _new_table() -> AsyncChild:
    return AsyncChild("samovar.dev.table_worker", 0, LARGEST)


async def _warm(child: AsyncChild) -> None:
    with suppress(Lost):
        await child.ask(b"", ANSWER_SECONDS)


def folder_of(game_id: str) -> Path:
    """Where the files of an installed game lie; nothing of it is imported, for it may be broken."""
    known = found_in(GROUP)
    if game_id not in known:
        raise UnknownGame(
            f"There is no game {game_id!r}.{did_you_mean(game_id, known)} A new one must be installed once: "
            f"pip install -e {game_id}."
        )
    first, *rest = known[game_id].module.split(".")
    found = find_spec(first)
    if found is None or not found.origin:
        raise BrokenGame(f"The module {first!r} of {game_id} is not found. Install its package: pip install -e FOLDER.")
    return Path(found.origin).parent.joinpath(*rest)


def _files_in(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """What a game is read from: in its folder and those in it."""
    for path in (*folder.glob("*.*"), *folder.glob("[!_.]*/*.*")):
        if path.suffix in READ:
            with suppress(OSError):  # an editor may have taken it away by now
                yield path, path.stat()
