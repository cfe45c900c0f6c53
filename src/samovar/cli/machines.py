"""Commands for machines: networks that learn, WebAssembly, speed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from samovar.engine.contract import Game
from samovar.engine.registry import find_game, game_ids
from samovar.learn.settings import ON_CPU, LearningSettings

from .shared import GameArgument, JsonOption, working


def compile_games(
    game: Annotated[
        list[str] | None, typer.Argument(help="The games to compile. Default: all that are installed.")
    ] = None,
) -> None:
    """Compile all that a site needs, so that it starts without compiling.

    It is kept where NUMBA_CACHE_DIR says, or else beside the sources, or in ~/.cache.

    Example: `samovar compile matryoshka`"""
    from samovar.web.jobs.ready import make_ready

    with working("Compiling") as tell:
        for what in make_ready(game or [*game_ids()]):
            tell(f"Compiling {what}")
    print("All is compiled.")


BUSY = 0.5  # of the cores, in the last minute


def learn(
    game: GameArgument,
    minutes: Annotated[float | None, typer.Option(help="Minutes to learn, in all. Default: 10.", min=0)] = None,
    moves: Annotated[int | None, typer.Option(help="Learn from this many moves instead, in all.", min=1)] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of the run. Default: learned/GAME.")] = None,
    device: Annotated[
        Literal["cuda", "cpu"] | None, typer.Option(help="Where to learn. Default: the GPU, if there is one.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same run; on a GPU nearly.")] = None,
    width: Annotated[int | None, typer.Option(help=f"Width of the network. Default: {LearningSettings.width}.")] = None,
    layers: Annotated[
        int | None,
        typer.Option(
            help=f"Layers of the network. Default: {LearningSettings.layers}, or {ON_CPU['layers']} on a CPU."
        ),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            help=f"Matches at the same time. Default: {LearningSettings.matches}, or {ON_CPU['matches']} on a CPU."
        ),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A variant to learn: all, seats=2, 'seats=3,expert=true'. Can be repeated."),
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="BOT", help="Also measure against this bot, beside random and greedy.")
    ] = None,
    measurings: Annotated[int, typer.Option(help="How often to measure on the way.", min=1)] = 8,
    deals: Annotated[
        int, typer.Option(help="Deals against each bot, each time; four times as many at the end; 0 for none.", min=0)
    ] = 50,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    start_from: Annotated[Path | None, typer.Option("--from", metavar="FILE", help="Begin with this network.")] = None,
    compiled: Annotated[
        bool | None, typer.Option("--compile/--no-compile", help="Compile the network. Default: only on a GPU.")
    ] = None,
    graph: Annotated[
        bool | None, typer.Option("--graph/--no-graph", help="Play and learn in CUDA graphs. Default: on a GPU.")
    ] = None,
    log: Annotated[
        Literal["tensorboard", "wandb"] | None,
        typer.Option(help="Also tell TensorBoard (in the folder) or Weights & Biases. Needs that package."),
    ] = None,
    keep: Annotated[
        str | None, typer.Option(metavar="NAME", help="In the end, keep a copy of the run in the folder NAME in it.")
    ] = None,
    numbers: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=NUMBER", help="Set another number of samovar/learn/settings.py: rate=3e-4."
        ),
    ] = None,
) -> None:
    """Teach a network a game, by play against itself.

    Press Ctrl+C to stop; `--resume` goes on from there.

    Example: `samovar learn memoarrrr --minutes 30`"""
    from samovar.learn import needs_torch

    needs_torch()
    from samovar.learn.run import LearningOrder, default_device
    from samovar.learn.run import learn as start
    from samovar.learn.settings import parse_settings
    from samovar.learn.variants import find_variants

    played = find_game(game)
    given = {"seed": seed, "width": width, "layers": layers, "matches": matches}
    order = LearningOrder(
        game=played,
        out=out or Path("learned") / played.id,
        variants=find_variants(played, variants) if variants else None,
        settings={name: value for name, value in given.items() if value is not None} | parse_settings(numbers or ()),
        minutes=10.0 if minutes is None and moves is None else minutes,
        moves=moves,
        device=device or default_device(),
        resume=resume,
        start=start_from,
        rivals=("random", "greedy", *(against or ())) if deals else (),
        measurings=measurings,
        deals=deals,
        last_deals=4 * deals,
        compile=compiled,
        graph=graph,
        log=log or "",
        keep=keep or "",
    )
    start(order, lambda text: print(text, flush=True))


def wasm(
    game: GameArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for the files.")] = Path(),
) -> None:
    """Write a game for browsers: rules and bots as WebAssembly, with a script to use them.

    Example: `samovar wasm memoarrrr -o site`"""
    from samovar.wasm import write_wasm

    for path in write_wasm(find_game(game), output):
        print(f"{path.stat().st_size:>8,} bytes  {path}")


def site(
    output: Annotated[Path, typer.Argument(metavar="DIR", help="The folder for the files.")],
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Ids of games. Default: all.")] = None,
) -> None:
    """Write all games, with their bots, as static files for a site without a server.

    Example: `samovar site www`, then `python -m http.server -d www`"""
    from samovar.web.static_site.files import write_site

    written = write_site(map(find_game, names or game_ids()), output)
    print(f"{sum(path.stat().st_size for path in written):,} bytes in {len(written)} files in {output}")


def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Ids of games. Default: all.")] = None,
    as_json: JsonOption = False,
    lists: Annotated[
        bool, typer.Option("--lists", help="Measure single steps instead: moves from lists, and from masks.")
    ] = False,
    browser: Annotated[
        bool, typer.Option("--wasm", help="Measure WebAssembly beside the CPU instead. Needs Node.")
    ] = False,
    learning: Annotated[bool, typer.Option("--learn", help="Measure how fast networks learn instead.")] = False,
    network: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="With --learn: 64x1 (plain layers), tokens, 'tokens 96x2'. Can be repeated."),
    ] = None,
    seconds: Annotated[float, typer.Option(help="With --learn: seconds for each.", min=0)] = 10.0,
) -> None:
    """Measure how fast the games are on this machine, in moves per second.

    To compare with other libraries, run `benchmarks/peers.py` of the repository.

    Example: `samovar bench memoarrrr --json`"""
    chosen = [find_game(name) for name in names or game_ids()]
    if learning:
        tell_busy()
        _bench_learning(chosen, as_json, network, seconds)
        return
    from samovar.bench import measure, measure_steps, steps_table, table

    look, tell = (measure_steps, steps_table) if lists else (measure, table)
    if browser:
        from samovar.bench.wasm import measure_wasm as look
        from samovar.bench.wasm import wasm_table as tell
    tell_busy()
    measured = {}
    for game in chosen:
        with working(f"{game.name} is measured"):
            measured[game.id] = look(game)
        if not as_json:
            print(tell({game.id: measured[game.id]}, head=game is chosen[0]), flush=True)
    if as_json:
        print(json.dumps({"games": measured}))


def tell_busy() -> None:
    """Figures of a machine that does something else as well are too low, and nobody could tell by them."""
    if sys.platform == "win32":  # it does not say
        return
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > BUSY * cores:
        print(
            f"samovar: this machine is busy (load {load:.1f} on {cores} cores), so it will seem slower than it is.",
            file=sys.stderr,
        )


def _bench_learning(games: list[Game], as_json: bool, networks: list[str] | None, seconds: float) -> None:
    from samovar.learn import needs_torch

    needs_torch()
    from samovar.bench.learning import NETWORKS, learning_table, measure_learning

    measured: dict[str, dict[str, object]] = {}
    for game in games:
        for network in networks or NETWORKS:
            figures = measure_learning(game, network, seconds, lambda text: print(text, file=sys.stderr))
            if not as_json:
                print(learning_table(game.id, figures, head=not measured), flush=True)
            measured.setdefault(game.id, {})[network] = figures
    if as_json:
        print(json.dumps({"games": measured}))
