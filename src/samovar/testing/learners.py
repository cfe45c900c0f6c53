"""What a learner meets in a game, as digests: one for every variant, beside its golden playthroughs.

`golden/environment.txt` says for which `environment_version` of the game they are. Whoever changes
what a learner sees, may do or is paid, raises that number: results with another one cannot be
compared, and networks that learned with it may not fit. `samovar.testing.golden` writes the file,
and refuses to write other digests under the same number.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from samovar.engine.contract import Game, Options
from samovar.engine.kinds import Part
from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.engine.ways.rewards import REWARDS, paid
from samovar.errors import BrokenGame

HEAD = "environment version "


def digests_path(game: Game) -> Path:
    return Path(game.folder) / "golden" / "environment.txt"


def digest(game: Game, seats: int, options: Options, seed: int, steps: int) -> str:
    """Of the layout of what is seen, and of a random match: what each seat sees and may do in its
    first steps and at its end, and what it is paid by all kinds of rewards."""
    seen = hashlib.blake2b(digest_size=8)
    layout = [game.moves, *map(_laid_out, (*game.observation, *game.relations, *game.factors))]
    seen.update(repr(layout).encode())
    match = Match(game, seats, seed, **options)
    choose = np.random.default_rng(seed)
    for _ in range(steps):
        _look(match, seen)
        if match.over:
            break
        seat = match.actors[0]
        legal = match.legal(seat)
        match.play(seat, legal[int(choose.integers(len(legal)))])
    match.play_random(seed)
    _look(match, seen)
    for rewards in REWARDS:
        seen.update(paid(game, seats, rewards, backend(game), match.states).astype("<f8").tobytes())
    return seen.hexdigest()


def _laid_out(part: Part) -> tuple[object, ...]:
    """What of a part is for programs; its help is not."""
    return part.name, part.size, part.shape, part.kind and (part.kind.is_count, part.kind.first, part.kind.values)


def _look(match: Match, seen: hashlib.blake2b) -> None:
    seen.update(repr([(seat, match.legal(seat)) for seat in match.actors]).encode())
    for seat in range(match.seats):
        seen.update(match.observation(seat).tobytes())


def stored(game: Game) -> tuple[int, dict[str, str]]:
    """The version in the file, and its digests by variant; without a file, none of version 0."""
    path = digests_path(game)
    if not path.exists():
        return 0, {}
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    return int(head.removeprefix(HEAD)), dict(line.split() for line in lines)


def check_stored(game: Game, variant: str, found: str) -> None:
    version, known = stored(game)
    assert variant in known, (
        f"{game.name} has no digest of what learners meet in {variant!r}; write it with: "
        f"python -m samovar.testing.golden --write {game.id}"
    )
    assert version == game.environment_version, (
        f"{game.name} is in version {game.environment_version} of its environment, and the digests are of {version}. "
        f"Look at the change, then: python -m samovar.testing.golden --write {game.id}"
    )
    assert known[variant] == found, changed(game, variant)


def store(game: Game, found: dict[str, str]) -> None:
    """Writes the digests; under the number that is stored, only those of new variants."""
    version, known = stored(game)
    for variant in known.keys() & found.keys():
        if version == game.environment_version and known[variant] != found[variant]:
            raise BrokenGame(changed(game, variant))
    lines = [f"{HEAD}{game.environment_version}", *(f"{variant} {found[variant]}" for variant in sorted(found)), ""]
    digests_path(game).parent.mkdir(exist_ok=True)
    digests_path(game).write_text("\n".join(lines), encoding="utf-8")


def changed(game: Game, variant: str) -> str:
    number = game.environment_version
    return (
        f"What a learner sees, may do or is paid in {game.name} ({variant}) is no longer that of version {number} of "
        f"its environment. Raise the version: environment_version={number + 1}, then: python -m "
        f"samovar.testing.golden --write {game.id}. If nobody has version {number} yet, delete "
        f"{digests_path(game).name} in its folder golden/ instead, and write it anew."
    )
