"""Golden playthroughs: a random match of every seat count and variant as a text file beside the
game, compared line by line.

`python -m samovar.testing.golden` compares, `--write GAME ...` writes anew; the difference is then
read like code. Each step has the legal moves (all of them at the first step of a kind, later their
number), the state's hash, and what each viewer was told. What learners meet stands beside them as
digests: see `learners.py`.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np

from samovar.engine.contract import Game, Options
from samovar.engine.match import Match
from samovar.engine.registry import find_game, game_ids
from samovar.errors import BrokenGame
from samovar.testing import learners

SEED = 7
STEPS = 40
DRAWN_STEP = 20


def golden_path(game: Game, seats: int, options: Options) -> Path:
    named = "".join(f"-{name}_{str(value).lower()}" for name, value in options.items() if value is not False)
    return Path(game.folder) / "golden" / f"{seats}{named}.txt"


def playthrough(game: Game, seats: int, options: Options) -> str:
    """The text of a golden file."""
    match = Match(game, seats, SEED, **options)
    choose = np.random.default_rng(SEED)
    lines = [f"{game.name}, rules version {game.version}, {seats} seats, seed {SEED}, options {match.options}"]
    lines += [
        f"state {game.state.itemsize} bytes, {game.moves} move numbers, observation {game.observation_size}, "
        f"{_hash(match.state_bytes)}"
    ]
    lines += ["", *_drawing(match, None)]
    while not match.over and len(match.history) < STEPS:
        seat = match.actors[0]
        texts = match.moves(seat)
        number = int(choose.integers(len(texts)))
        listed = " ".join(texts) if len(texts) <= 60 else f"{' '.join(texts[:20])} ... {' '.join(texts[-5:])}"
        lines += ["", f"{len(match.history) + 1}. actors {match.actors}, seat {seat} of {len(texts)}: {listed}"]
        match.play(seat, texts[number])
        lines.append(f"   plays {texts[number]} -> {_hash(match.state_bytes)}")
        lines += _told(match)
        if len(match.history) == DRAWN_STEP:
            for viewer in (None, *range(seats)):
                lines += [
                    f"   seen by {'a spectator' if viewer is None else f'seat {viewer}'}:",
                    *_drawing(match, viewer),
                ]
    more = match.play_random(SEED)
    lines += ["", f"... and {more} random moves more", *_told(match), *_drawing(match, None)]
    lines += [f"scores {match.scores}, places {match.places}, {_hash(match.state_bytes)}", ""]
    return "\n".join(line.rstrip() for line in lines)


def _told(match: Match) -> list[str]:
    """What a spectator was told, and what seats were told beyond it."""

    def tell(viewer: int | None) -> list[str]:
        return [event.tell(match.game.words["en"], lambda number: f"seat {number}") for event in match.news(viewer)]

    public = tell(None)
    lines = [f"   {line}" for line in public]
    for seat in range(match.seats):
        lines += [f"   (seat {seat}) {line}" for line in tell(seat) if line not in public]
    return lines


def _drawing(match: Match, viewer: int | None) -> list[str]:
    return [f"   | {line}" for line in match.game.draw(match.view(viewer), match.game.words["en"]).splitlines()]


def _hash(state: bytes) -> str:
    return hashlib.blake2b(state, digest_size=6).hexdigest()


def check_golden(game: Game, seats: int, options: Options) -> None:
    path = golden_path(game, seats, options)
    remedy = f"look at the change, then: python -m samovar.testing.golden --write {game.id}"
    assert path.exists(), f"{game.name} has no golden file {path.name}; {remedy}"
    old, new = path.read_text(encoding="utf-8").splitlines(), playthrough(game, seats, options).splitlines()
    for number, (was, now) in enumerate(zip(old, new, strict=False), 1):
        assert was == now, f"{path.name}, line {number}:\n was {was!r}\n now {now!r}\n{remedy}"
    assert len(old) == len(new), f"{path.name} has {len(old)} lines, the playthrough {len(new)}; {remedy}"
    learners.check_stored(game, path.stem, digest(game, seats, options))


def digest(game: Game, seats: int, options: Options) -> str:
    return learners.digest(game, seats, options, SEED, STEPS)


def main(arguments: list[str]) -> None:
    ids = [argument for argument in arguments if not argument.startswith("-")] or game_ids()
    for game in map(find_game, ids):
        if "--write" in arguments:
            learners.store(game, {golden_path(game, *one).stem: digest(game, *one) for one in game.variants()})
        for seats, options in game.variants():
            path = golden_path(game, seats, options)
            if "--write" in arguments:
                path.write_text(playthrough(game, seats, options), encoding="utf-8")
            else:
                check_golden(game, seats, options)
            print(f"{'wrote' if '--write' in arguments else 'same'} {game.id} {path.name}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BrokenGame as error:
        sys.exit(str(error))
