"""A run: learning for so many minutes or moves, told on the way, kept in a folder and gone on with
later.

The folder has `checkpoint.pt` (all that it takes to go on), `curve.csv` and `curve.svg`, and in the
end the network as a file that sits at every table, `GAME.safetensors`. Each file is written whole,
so whatever ends a run costs no more than what came after the last checkpoint.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import TypedDict

import torch

from samovar.bots import make_bot
from samovar.bots.network_file import SUFFIX, Network, NetworkCard, quantise
from samovar.engine.contract import Game, Options
from samovar.engine.ways.backend import thread_count
from samovar.errors import BadLearning
from samovar.learn.curve import AGAINST, CurveRow, picture, table
from samovar.learn.log import open_log
from samovar.learn.measure import share_won
from samovar.learn.ppo import LEARNING, PLAYING, KeptLearner, Learner
from samovar.learn.settings import LearningSettings, SomeSettings
from samovar.learn.variants import all_variants, usual_variant

FORMAT = 1
CHECKPOINT, TABLE, PICTURE = "checkpoint.pt", "curve.csv", "curve.svg"
# What a run cannot change when it goes on
FIXED = ("seed", "width", "layers", "tokens", "matches")
LINE_S = 5.0  # seconds between two lines


class TimeIsUp(Exception):
    """The minutes are over in the middle of a round."""


def default_device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(frozen=True, kw_only=True)
class LearningOrder:
    """What is to be done."""

    game: Game
    out: Path
    variants: Sequence[Options] | None = None  # None: all of the game, or those of the run that goes on
    settings: SomeSettings = field(default_factory=dict)  # those that are not as usual
    minutes: float | None = None  # of playing and learning, in all
    moves: int | None = None  # or so many in all
    device: str = field(default_factory=default_device)
    resume: bool = False
    start: Path | None = None  # a network to go on from, as a file; None: one that knows nothing
    rivals: tuple[str, ...] = ("random", "greedy")
    measurings: int = 8  # after the first one
    deals: int = 50  # each time
    last_deals: int = 200  # in the end
    checkpoint_s: float = 60.0
    compile: bool | None = None  # the network; None: on a GPU
    graph: bool | None = None  # play and learn in CUDA graphs; None: on a GPU
    log: str = ""  # also tell TensorBoard or Weights & Biases, see `log.py`
    keep: str = ""  # in the end, keep a copy of the run in a folder of this name beside its files
    command: str = field(default_factory=lambda: shlex.join(["samovar", *sys.argv[1:]]))

    @property
    def is_compiled(self) -> bool:
        return self.device == "cuda" if self.compile is None else self.compile

    @property
    def is_graph(self) -> bool:
        return self.device == "cuda" and self.graph is not False


class KeptRun(TypedDict):
    """What a checkpoint holds."""

    format: int
    game: str
    rules: int
    settings: SomeSettings
    variants: list[Options]
    seconds: float
    rows: list[CurveRow]
    learner: KeptLearner


class LearningRun:
    def __init__(self, order: LearningOrder, say: Callable[[str], None]) -> None:
        self.order, self.say = order, say
        for rival in order.rivals:
            make_bot(rival, order.game, 0).close()  # better said now than after minutes
        if order.minutes is None and order.moves is None:
            raise BadLearning("Say how long to learn: so many minutes, or so many moves.")
        if order.keep and (order.keep in (".", "..") or Path(order.keep).name != order.keep):
            raise BadLearning(f"{order.keep!r} is no name for a folder. Take one like 'ten-minutes'.")
        if order.keep and (order.out / order.keep).exists():
            raise BadLearning(f"{order.out / order.keep} is there already. Keep this one by another name.")
        kept = self._open()
        self.variants = list(order.variants or all_variants(order.game)) if kept is None else kept["variants"]
        self.measured = usual_variant(order.game, self.variants)
        network = self._start()
        sizes = {} if network is None else {"width": network.width, "layers": network.layers}
        if kept is None:
            settings = LearningSettings.usual(order.device, {**sizes, **order.settings})
        else:
            settings = LearningSettings.from_dict({**kept["settings"], **order.settings})
        self.learner = Learner(order.game, settings, self.variants, order.device, compile=order.is_compiled)
        self.learner.lap = self._look_at_clock
        self.seconds = self.playing = 0.0
        self._end = inf  # of the minutes, by the clock
        self._looked = 0  # updates at the last look at the means
        self.rows: list[CurveRow] = []
        self.means = self.learner.means()
        if kept is not None:
            self.learner.restore(kept["learner"])
            self.seconds, self.rows = kept["seconds"], kept["rows"]
            if self.done >= 1:
                raise BadLearning(
                    f"This run has learned for {self.seconds / 60:.1f} minutes and {self.learner.moves:,} moves "
                    "already. Say more --minutes or --moves in all to go on."
                )
        elif network is not None:
            self.learner.start(network.weights())
        self.begun = self.learner.moves, self.seconds
        self.log = open_log(order.log, order.out, order.game.id, settings.to_dict()) if order.log else None

    def _start(self) -> Network | None:
        """The network to begin with. A run that goes on has its own."""
        order = self.order
        if order.start is None or order.resume:
            return None
        network = Network.load(order.start, order.game)
        for name, size in (("width", network.width), ("layers", network.layers)):
            if order.settings.get(name, size) != size:
                raise BadLearning(f"The network in {order.start} has {name} {size}. Leave {name} out, or begin anew.")
        if not order.settings.get("tokens", True):
            raise BadLearning(f"The network in {order.start} sees tokens. Leave tokens out, or begin anew.")
        return network

    # The folder

    def _open(self) -> KeptRun | None:
        """The run that the folder holds, if it is to go on."""
        order, file = self.order, self.order.out / CHECKPOINT
        if not order.resume:
            if file.exists():
                raise BadLearning(f"{order.out} holds a run. Go on with it by --resume, or give another --out.")
            order.out.mkdir(parents=True, exist_ok=True)
            return None
        if not file.exists():
            raise BadLearning(f"There is no run to go on with in {order.out}. Begin one without --resume.")
        try:
            kept: KeptRun = torch.load(file, map_location="cpu", weights_only=True)
            facts = kept["format"], kept["game"], kept["rules"]
        except Exception as error:  # whatever torch says of a file that is none
            raise BadLearning(f"{file} cannot be read: {error}. Begin another run.") from error
        if facts != (FORMAT, order.game.id, order.game.version):
            raise BadLearning(
                f"{order.out} holds a run of {kept['game']} (rules {kept['rules']}, format {kept['format']}), not of "
                f"{order.game.id} (rules {order.game.version}, format {FORMAT}). Give another --out."
            )
        for name in FIXED:
            if name in order.settings and order.settings[name] != kept["settings"][name]:
                raise BadLearning(
                    f"The run in {order.out} has {name} {kept['settings'][name]}, which cannot become "
                    f"{order.settings[name]}. Leave it out, or give another --out."
                )
        if order.variants is not None and list(order.variants) != kept["variants"]:
            raise BadLearning(f"The run in {order.out} plays other variants. Leave them out, or give another --out.")
        return kept

    def _write(self, name: str, write: Callable[[Path], object]) -> None:
        """Whole, or not at all."""
        file = self.order.out / name
        draft = file.with_name(f"{name}.{os.getpid()}.new")
        write(draft)
        os.replace(draft, file)

    def checkpoint(self) -> None:
        kept: KeptRun = {
            "format": FORMAT,
            "game": self.order.game.id,
            "rules": self.order.game.version,
            "settings": self.learner.settings.to_dict(),
            "variants": self.variants,
            "seconds": self.seconds,
            "rows": self.rows,
            "learner": self.learner.to_dict(),
        }
        self._write(CHECKPOINT, lambda file: torch.save(kept, file))

    # Going on

    @property
    def done(self) -> float:
        """How much of what was asked for, from 0 to 1."""
        order = self.order
        parts = [self.seconds / (60 * order.minutes)] if order.minutes else []
        parts += [self.learner.moves / order.moves] if order.moves else []
        return max(parts)

    def go(self) -> None:
        kept_at = spoken = time.monotonic()
        with stopping() as is_stopped:
            if not self.rows:
                self.measure(self.order.deals)
            if self.order.is_compiled or self.order.device == "cuda":
                self.round(is_counted=False)  # something is compiled, which is no learning
            if self.order.is_graph:
                self._capture()
            while self.done < 1 and not is_stopped():
                self.round()
                now = time.monotonic()
                if now - spoken >= LINE_S or self.done >= 1:
                    self._look()
                if self.done < 1 and self.done >= len(self.rows) / self.order.measurings:
                    self.measure(self.order.deals)
                if now - spoken >= LINE_S:
                    spoken = now
                    self.tell()
                if now - kept_at >= self.order.checkpoint_s:
                    kept_at = now
                    self.checkpoint()
            self.checkpoint()
            self.tell()
            if not self.learner.updates:
                self.say("Nothing was learned: the time was over first. Say more --minutes, or fewer --matches.")
            if is_stopped():
                self.say(f"Stopped. {self.order.out} holds all of it: the same command with --resume goes on.")
            else:
                self.measure(self.order.last_deals)
                self.checkpoint()
                self.tell()
            self.ship()
            self._keep()
        if self.log:
            self.log.close()

    def _look(self) -> None:
        """What was learned since the last look, if anything was."""
        if self.learner.updates > self._looked:
            self.means, self._looked = self.learner.means(), self.learner.updates

    def round(self, *, is_counted: bool = True) -> None:
        """Plays for some steps, and learns from them. When the minutes are over, it ends in between; what was played
        and not learned from yet is lost."""
        begin = time.perf_counter()
        left = max(0.0, 1 - self.done)
        if is_counted and self.order.minutes:
            self._end = begin + 60 * self.order.minutes - self.seconds
        with suppress(TimeIsUp):
            self.learner.play()
            self.learner.wait()
            if is_counted:
                self.playing += time.perf_counter() - begin
            self.learner.learn(left)
        self.learner.optimizer.zero_grad(set_to_none=True)  # of a portion that was not learned from
        self.learner.wait()
        if is_counted:
            self.seconds += time.perf_counter() - begin
        else:
            self.begun = self.learner.moves, self.seconds

    def _look_at_clock(self, done: str) -> None:
        """Each time that the learner has done a part of a round."""
        if time.perf_counter() >= self._end:
            raise TimeIsUp

    def _capture(self) -> None:
        for what, capture in (
            (PLAYING, self.learner.capture_playing),
            (LEARNING, self.learner.capture_learning),
        ):
            try:
                capture()
            except Exception:  # slower, but it learns
                traceback.print_exc()
                self.say(f"{what} could not be captured in a CUDA graph; it goes on without one.")

    def tell(self) -> None:
        means, moves, seconds = self.means, self.learner.moves - self.begun[0], self.seconds - self.begun[1]
        share = self.playing / seconds if seconds else 0.0
        if self.log:
            speed = {"moves a second": moves / max(seconds, 1e-9), "share of time playing": share}
            self.log.add({**means, **speed}, self.learner.moves)
        strength = ", ".join(f"{self.rows[-1][AGAINST + rival]:.0%} against {rival}" for rival in self.order.rivals)
        cut = f"  long lists cut {means['cut']:.1%}" if means["cut"] else ""
        self.say(
            f"{self.seconds:6.0f} s {self.learner.moves:15,} moves {moves / max(seconds, 1e-9):11,.0f} a second "
            f"({share:.0%} playing, {1 - share:.0%} learning)  entropy {means['entropy']:.3f}  shares "
            f"{means['shares']:.4f}  places {means['places']:.4f}  clipped {means['clipped']:.1%}{cut}  {strength}"
        )

    def measure(self, deals: int) -> None:
        """A point of the curve."""
        average = self.learner.average
        row: CurveRow = {"minutes": round(self.seconds / 60, 3), "moves": self.learner.moves}
        row |= {name: round(self.means[name], 4) for name in ("entropy", "shares", "places")}
        for rival in self.order.rivals:
            row[AGAINST + rival] = round(share_won(average, rival, self.measured, deals), 4)
        self.rows.append(row)
        if self.log:
            self.log.add({name: share for name, share in row.items() if name.startswith(AGAINST)}, self.learner.moves)
        begun = f"with {self.order.start.name}" if self.order.start else "with nothing"
        title = f"{self.order.game.name}: matches won by a network that began {begun}"
        self._write(TABLE, lambda file: file.write_text(table(self.rows), encoding="utf-8"))
        self._write(PICTURE, lambda file: file.write_text(picture(self.rows, title), encoding="utf-8"))

    # What comes out

    def ship(self) -> None:
        """The network as a file of whole numbers, with its card."""
        name = f"{self.order.game.id}{SUFFIX}"
        network = quantise(self.order.game, self.learner.average.weights(), self.card())
        self._write(name, network.save)
        self.say(f"The network is in {self.order.out / name}.")

    def _keep(self) -> None:
        """A copy that going on does not change; one can go on from it, too."""
        if not self.order.keep:
            return
        folder = self.order.out / self.order.keep
        draft = folder.with_name(f"{folder.name}.{os.getpid()}.new")
        draft.mkdir()
        for name in (CHECKPOINT, TABLE, PICTURE, f"{self.order.game.id}{SUFFIX}"):
            shutil.copyfile(self.order.out / name, draft / name)
        os.replace(draft, folder)
        self.say(f"A copy of the run is in {folder}.")

    def card(self) -> NetworkCard:
        last, settings = self.rows[-1], self.learner.settings
        seats = self.measured["seats"]
        strength = ", ".join(f"{last[AGAINST + rival]:.1%} against {rival}" for rival in self.order.rivals)
        return NetworkCard(
            commit=commit(),
            command=self.order.command,
            seed=str(settings.seed),
            moves=str(self.learner.moves),
            date=datetime.now(UTC).date().isoformat(),
            strength=f"{strength} ({seats} seats, without search)" if strength else "",
        )


def commit() -> str:
    """Of the sources, where they are in git."""
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"


@contextmanager
def stopping() -> Iterator[Callable[[], bool]]:
    """Says whether Ctrl+C was pressed: what is under way is brought to its end. The second one ends it
    at once."""
    asked: list[int] = []

    def note(number: int, frame: object) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, before)

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # not in the main thread: nobody presses anything
        yield lambda: False
        return
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)


def learn(order: LearningOrder, say: Callable[[str], None] = print) -> LearningRun:
    """The whole of it."""
    if order.device == "cuda":
        torch.set_float32_matmul_precision("high")
    else:
        # The portions are too small to be shared out, and PyTorch's threads wait for each other without rest: beside
        # other programs two of them on two cores were ten times as slow as one.
        torch.set_num_threads(thread_count(1))
    run = LearningRun(order, say)
    parameters = sum(weights.numel() for weights in run.learner.net.parameters())
    say(
        f"{order.game.name}: {len(run.variants)} variants, {run.learner.settings.matches:,} matches at once, a network "
        f"of {parameters:,} numbers on {order.device}, in {order.out}"
    )
    run.go()
    return run
