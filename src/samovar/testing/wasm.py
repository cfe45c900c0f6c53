"""A fourth way, the same answer: rules, bots and records as WebAssembly in Node, byte for byte as here."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from samovar.bots import make_bot
from samovar.engine.contract import Game, Options
from samovar.engine.match import Match
from samovar.engine.records.record import replay, to_text
from samovar.engine.registry import find_game, game_ids
from samovar.engine.ways.backend import backend
from samovar.engine.ways.stand_ins import MOVE_STREAM
from samovar.engine.ways.wasm import find_linker
from samovar.errors import NoLinker, NoNode
from samovar.json_types import JsonObject
from samovar.wasm import write_wasm

DRIVER = Path(__file__).with_name("wasm.mjs")
LIMIT_S = 600
SEED = 700
WIDE_SEED = "5a" * 32
SEEN = ("state", "actors", "legal moves", "scores", "places", "success", "observation", "worlds", "sights")
ORDERS = ("easy", "medium", "hard", "search:200")
MOMENTS = 4  # at which a bot is asked in one match
BOT_SEED = 2**62 + 5


def find_node() -> str:
    if node := shutil.which("node"):
        return node
    raise NoNode("Node is not installed. On Debian and Ubuntu it is in the package nodejs: apt install nodejs.")


def what_is_missing() -> str:
    """Why nothing can be compared on this machine; empty if all can be."""
    try:
        find_linker()
        find_node()
    except (NoLinker, NoNode) as error:
        return str(error)
    return ""


def run_node(script: Path, job: JsonObject) -> Any:
    """What a script answers to a job: JSON in, JSON out."""
    done = subprocess.run(
        [find_node(), str(script)], input=json.dumps(job), capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@cache
def _folder(game: Game) -> tempfile.TemporaryDirectory[str]:
    """The files of a game, written once in a process."""
    folder = tempfile.TemporaryDirectory(prefix=f"{game.id}-wasm-")
    write_wasm(game, Path(folder.name))
    return folder


def _in_node(game: Game, what: str, **job: object) -> Any:
    return run_node(DRIVER, {"folder": _folder(game).name, "game": game.id, "what": what, **job})


def check_wasm(game: Game, seats: int, options: Options) -> None:
    check_ends(game, seats, options)
    check_walk(game, seats, options)
    check_bots(game, seats, options)
    check_records(game, seats, options)


def check_ends(game: Game, seats: int, options: Options, matches: int = 300) -> int:
    """Many random matches come to the same ends; says how many moves were made."""
    setup = game.setup(seats, game.check_options(seats, options))
    states, lengths = np.zeros(matches, game.state), np.zeros(matches, np.int64)
    seeds = np.arange(SEED, SEED + matches, dtype=np.int64)
    ready = backend(game, False)
    ready.deal(states, setup, seeds)
    ready.play_random(states, seeds, lengths, 2**40)
    numbers = [int(number) for number in setup[0]]
    answer = _in_node(game, "play", setup=numbers, seed=SEED, matches=matches, stream=MOVE_STREAM)
    assert answer["made"] == lengths.sum(), "WebAssembly plays another number of moves"
    assert answer["ends"] == hashlib.sha256(states.tobytes()).hexdigest(), "WebAssembly comes to other ends"
    return int(lengths.sum())


def check_walk(game: Game, seats: int, options: Options, matches: int = 2) -> None:
    """All that can be asked after each move of some matches is the same, with a wide seed, too."""
    played = [Match(game, seats, seed, **options) for seed in (*range(SEED, SEED + matches), WIDE_SEED)]
    expected = []
    for number, match in enumerate(played):
        looks = [_look(match)]
        while not match.over:
            match.play_random(SEED + number + len(looks), 1)
            looks.append(_look(match))
        expected.append(looks)
    told = _in_node(game, "walk", matches=[_told(match) for match in played])
    for ours, theirs in zip(expected, told, strict=True):
        for number, (here, there) in enumerate(zip(ours, theirs, strict=True)):
            different = [name for name, one, other in zip(SEEN, here, there, strict=True) if one != other]
            assert not different, f"after move {number} WebAssembly says otherwise: {', '.join(different)}"


def _told(match: Match) -> JsonObject:
    return {"seats": match.seats, "options": match.options, "seed": str(match.seed), "moves": match.history}


def _look(match: Match) -> list[str]:
    """Hashes of what `SEEN` names."""
    seats = range(match.seats)
    seen = [
        match.state_bytes.hex(),
        match.actors,
        [match.legal(seat) for seat in seats],
        match.scores,
        match.places,
        match.success,
        [match.observation(seat).tobytes().hex() for seat in seats],
        [match.imagine(seat, len(match.history)).state_bytes.hex() for seat in seats],
        [[str(facts) for facts in match.seat(seat).sights] for seat in seats],
    ]
    return [hashlib.md5(json.dumps(one, separators=(",", ":")).encode()).hexdigest() for one in seen]


def check_bots(game: Game, seats: int, options: Options, orders: tuple[str, ...] = ORDERS, matches: int = 1) -> int:
    """Bots answer the same, at several moments of a match: what they keep from move to move is the same, too. Says
    how many answers there were."""
    asked, expected = [], []
    for number, order in enumerate(orders * matches):
        match = Match(game, seats, SEED + number, **options)
        match.play_random(SEED + number)
        seat = match.history[-1][0]
        turns = [at for at in range(len(match.history)) if len(match.at(at).legal(seat)) > 1]
        moments = turns[:MOMENTS] if number % 2 else turns[-MOMENTS:]
        bot = make_bot(order, game, BOT_SEED + number)
        for at in moments:
            answer = bot.choose(match.at(at).seat(seat))
            reasons = [[one.move, one.visits, one.place, one.success] for one in answer.reasons]
            expected.append([answer.move, reasons])
        bot.close()
        told = {"seat": seat, "moments": moments, "order": order, "bot_seed": str(BOT_SEED + number)}
        asked.append({**_told(match), **told})
    told_there = _in_node(game, "ask", asked=asked)
    assert len(told_there) == len(expected)
    for number, (here, there) in enumerate(zip(expected, told_there, strict=True)):
        assert here == there, f"answer {number} of the bots is {there} as WebAssembly, and {here} here"
    return len(expected)


def check_records(game: Game, seats: int, options: Options, matches: int = 2) -> None:
    """Records written there are replayed here, and the other way round, to the same end."""
    played = []
    for number in range(matches):
        match = Match(game, seats, 2**60 + number, **options)
        match.play_random(number)
        played.append(match)
    records = [to_text(match.record({"shown": 0.5}, by_number=True)) for match in played]
    answer = _in_node(game, "record", matches=[_told(match) for match in played], records=records)
    assert answer["replayed"] == [match.state_bytes.hex() for match in played], "a record replays to another end there"
    for match, text in zip(played, answer["written"], strict=True):
        assert replay(json.loads(text)).state_bytes == match.state_bytes, "a record replays to another end here"


def main(ids: list[str]) -> None:
    """`python -m samovar.testing.wasm [GAME ...]`: every variant, thousands of matches and hundreds of answers."""
    for game in map(find_game, ids or game_ids()):
        for seats, options in game.variants():
            moves = check_ends(game, seats, options, matches=5_000)
            check_walk(game, seats, options)
            check_records(game, seats, options)
            answers = check_bots(game, seats, options, (*ORDERS, "expert"), matches=2)
            told = f"{moves:,} moves and {answers} answers of bots"
            print(f"{game.id} with {seats} seats {options}: Python = WebAssembly, {told}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
