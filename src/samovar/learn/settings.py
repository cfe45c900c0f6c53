"""The numbers of a run. All of them are kept with what was learned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import TypeAlias

from samovar.errors import BadLearning, did_you_mean
from samovar.json_types import JsonObject

PORTION = 8192

SomeSettings: TypeAlias = JsonObject  # some of those below, by name

# What is usual on a CPU, where it is not as below. It plays a thousandth of the moves in the same time. So the network
# is smaller, it is improved after far fewer moves and in larger steps, and it learns from each several times.
ON_CPU: SomeSettings = {"width": 32, "layers": 2, "matches": 128, "steps": 16, "passes": 4, "rate": 3e-3}


@dataclass(frozen=True, kw_only=True)
class LearningSettings:
    """What a network is, how it plays against itself and how it learns from that."""

    seed: int = 1
    # the network
    width: int = 64
    layers: int = 3
    tokens: bool = True  # False: the table alone, plain layers
    # playing
    matches: int = 16_384  # at once
    steps: int = 32  # moves in each of them before the network is improved
    # Lists of legal moves are as long as the longest there can be, and most are short. So only so many
    # of a list are scored, and whole lists in this share of the matches: those that have the most.
    narrow: int = 0  # 0: as many as the matches at the beginning suggest
    wide: float = 0.125
    past: float = 0.0  # share of the matches in which all seats but one are played as it played earlier
    pool: int = 4  # so many earlier networks are kept for that
    past_every: int = 50  # a new one after so many times of playing and learning
    # learning
    # What was played is learned from in so many portions; 0: of about PORTION moves each, but at least 8. The
    # smaller they are, the more steps a network takes: Matryoshka learned next to nothing from portions of 65,536.
    portions: int = 0
    passes: int = 1  # so many times; new moves cost less than they teach
    rate: float = 7e-4  # of learning; it rises for a short while at first and sinks to 0 as time runs out
    warm_up: int = 40  # portions
    trace: float = 0.95  # 0: a move is judged by the position after it; 1: by the end of the match
    clip: float = 0.2  # how far a move may become more or less probable at a time
    entropy: float = 0.01  # a bonus for not being sure yet, which sinks
    last_entropy: float = 0.001  # to this
    shares: float = 1.0  # weight of a wrong guess of the shares
    places: float = 0.1  # and of the places
    pull: float = 0.0  # towards the last of the earlier networks
    norm: float = 0.5  # of a gradient, at most
    average: float = 0.995  # what is measured and shipped are weights averaged over the last portions: so much is kept

    def __post_init__(self) -> None:
        for name in ("width", "layers", "matches", "steps", "passes", "pool", "past_every"):
            if getattr(self, name) < 1:
                raise BadLearning(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in ("wide", "past", "trace", "average"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadLearning(f"{name} is {getattr(self, name)}; it is a share, from 0 to 1.")
        if not self.portions:
            played = self.matches * self.steps
            fitting = (count for count in range(max(8, played // PORTION), 0, -1) if played % count == 0)
            object.__setattr__(self, "portions", next(fitting))
        if self.portions < 0 or (self.matches * self.steps) % self.portions:
            raise BadLearning(
                f"{self.matches} matches x {self.steps} steps cannot be parted into {self.portions} equal portions. "
                "Take another number of one of them."
            )

    def to_dict(self) -> SomeSettings:
        return asdict(self)

    @classmethod
    def usual(cls, device: str, given: SomeSettings) -> LearningSettings:
        """What is not given is as usual on the device."""
        return cls.from_dict({**(ON_CPU if device == "cpu" else {}), **given})

    @classmethod
    def from_dict(cls, kept: SomeSettings) -> LearningSettings:
        """Of a run of another version: what it did not know is as it is by default now."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in kept.items() if name in known})


def parse_settings(texts: Iterable[str]) -> SomeSettings:
    """Numbers as a terminal says them: `rate=3e-4`."""
    known: dict[str, type[int | float]] = {
        field.name: type(getattr(LearningSettings, field.name)) for field in fields(LearningSettings)
    }
    found: SomeSettings = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in known:
            raise BadLearning(f"There is no setting {name!r}.{did_you_mean(name, known)}")
        try:
            found[name] = bool(int(value)) if known[name] is bool else known[name](value)
        except ValueError as error:
            raise BadLearning(
                f"{name} is a number, as {getattr(LearningSettings, name)}; {value!r} is none."
            ) from error
    return found
