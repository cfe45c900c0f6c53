"""The rules of a game as a WebAssembly module: made from the same functions as on the CPU, and the same bytes.

What a module can be asked is a set of *entries*: small functions that take addresses in the module's memory, as
numbers. They look at what lies there through `states_at` and its like, and call rules. Numba makes instructions of
them as it does for the CPU, LLVM makes WebAssembly of these, and a linker (`wasm-ld`) a module that imports nothing
and exports its entries, its memory, and from where on that is free (`__heap_base`). Who uses it, see
`samovar/wasm`, hands out the memory; nothing is ever allocated inside.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np

from samovar.engine.arrays import Int8s, Int32s, Int64s, StateType
from samovar.engine.chance import RNG_WORDS, seed_rng, word
from samovar.engine.contract import Game
from samovar.engine.rule import Compiled, Compiler, Rule, flags, rule, widened
from samovar.engine.ways.backend import TO_SPARE, bound_rules
from samovar.engine.ways.stand_ins import (
    DEAL_STREAM,
    MOVE_STREAM,
    WORLD_STREAM,
    act,
    actors,
    clear,
    forget,
    imagine,
    legal,
    observation_size,
    observe,
    places,
    rollout_move,
    scores,
    set_up,
    sights,
    success,
)
from samovar.errors import NoLinker

Address: TypeAlias = Any  # where something lies in the module's memory
Wide: TypeAlias = int  # a whole number of 64 bits (in JavaScript a BigInt); any other has 32
WasmEntry: TypeAlias = Callable[..., int | None]
Llvm: TypeAlias = Any  # of llvmlite, which has no types

LINKER = "wasm-ld"
TRIPLE = "wasm32-unknown-unknown"
# All browsers have had these since 2021. With SIMD searches were no faster.
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"
STACK_BYTES = 1 << 16


# How entries look at memory; bound in `compile_wasm`.

UNBOUND = "This looks at the memory of a WebAssembly module; compile_wasm binds it."


def states_at(address: Address, count: int) -> Any:
    raise NotImplementedError(UNBOUND)


def setups_at(address: Address, count: int) -> Any:
    raise NotImplementedError(UNBOUND)


def int8s_at(address: Address, shape: int | tuple[int, int]) -> Int8s:
    raise NotImplementedError(UNBOUND)


def int32s_at(address: Address, shape: int | tuple[int, int]) -> Int32s:
    raise NotImplementedError(UNBOUND)


def int64s_at(address: Address, shape: int | tuple[int, int]) -> Int64s:
    raise NotImplementedError(UNBOUND)


# What a client can ask. `state`: one state; `out`: room for the legal moves, or numbers by seat; `rng`: room for the
# generator.

ROOM = 1  # bound in `compile_wasm`: the numbers that `out` has room for


def deal_entry(state: Address, setup: Address, seed: Wide, rng: Address) -> None:
    """A new deal of a seed."""
    clear(states_at(state, 1)[0])
    seed_rng(int64s_at(rng, RNG_WORDS), seed, DEAL_STREAM, 0)
    set_up(states_at(state, 1)[0], setups_at(setup, 1)[0], int64s_at(rng, RNG_WORDS))


def deal_wide_entry(state: Address, setup: Address, words: Address, count: int) -> int:
    """A new deal of the words of a wide seed: the first of the numbers says how many were used, and must be 0. Says
    how many were asked for; if these are more than there were, it was no deal."""
    clear(states_at(state, 1)[0])
    drawn = int64s_at(words, count + 1)
    set_up(states_at(state, 1)[0], setups_at(setup, 1)[0], drawn)
    asked: int = drawn[0]
    return asked


def actors_entry(state: Address) -> int:
    """The seats that may act, a bit each."""
    return actors(states_at(state, 1)[0])


def legal_entry(state: Address, seat: int, out: Address) -> int:
    """Writes the legal moves of an actor; says how many."""
    return legal(states_at(state, 1)[0], seat, int32s_at(out, ROOM))


def act_entry(state: Address, seat: int, move: int, out: Address) -> int:
    """One checked move: the actors after it, or why it was refused."""
    return act(states_at(state, 1)[0], seat, move, int32s_at(out, ROOM))


def scores_entry(state: Address, out: Address) -> None:
    scores(states_at(state, 1)[0], int32s_at(out, ROOM))


def places_entry(state: Address, out: Address) -> None:
    places(states_at(state, 1)[0], int32s_at(out, ROOM))


def success_entry(state: Address) -> int:
    return success(states_at(state, 1)[0])


def observe_entry(state: Address, seat: int, seen: Address) -> None:
    """Writes what a seat knows, a byte each."""
    observe(states_at(state, 1)[0], seat, int8s_at(seen, observation_size()))


def imagine_entry(state: Address, seat: int, seed: Wide, rng: Address) -> None:
    """The state becomes a world that fits all that a seat knows."""
    seed_rng(int64s_at(rng, RNG_WORDS), seed, WORLD_STREAM, 0)
    imagine(states_at(state, 1)[0], seat, int64s_at(rng, RNG_WORDS))


def sights_entry(state: Address, seat: int) -> Wide:
    """The facts that a seat sees, a bit each."""
    return sights(states_at(state, 1)[0], seat)


def forget_entry(state: Address, seat: int, facts: Wide, seed: Wide, rng: Address) -> None:
    """Makes a seat forget facts."""
    seed_rng(int64s_at(rng, RNG_WORDS), seed, WORLD_STREAM, 0)
    forget(states_at(state, 1)[0], seat, facts, int64s_at(rng, RNG_WORDS))


def rollout_move_entry(state: Address, seat: int, seed: Wide, rng: Address, out: Address) -> int:
    """A move of a seat that is likely to be good."""
    seed_rng(int64s_at(rng, RNG_WORDS), seed, MOVE_STREAM, 0)
    return rollout_move(states_at(state, 1)[0], seat, int64s_at(rng, RNG_WORDS), int32s_at(out, ROOM))


def word_entry(seed: Wide, stream: int, counter: int, rng: Address) -> Wide:
    """One word of a stream of a seed."""
    seed_rng(int64s_at(rng, RNG_WORDS), seed, stream, counter)
    return word(int64s_at(rng, RNG_WORDS))


ENTRIES: Mapping[str, WasmEntry] = {
    "deal": deal_entry,
    "deal_wide": deal_wide_entry,
    "actors": actors_entry,
    "legal": legal_entry,
    "act": act_entry,
    "scores": scores_entry,
    "places": places_entry,
    "success": success_entry,
    "observe": observe_entry,
    "imagine": imagine_entry,
    "sights": sights_entry,
    "forget": forget_entry,
    "rollout_move": rollout_move_entry,
    "word": word_entry,
}
WIDE_ENTRIES = ("deal_wide",)  # of which `word` is `given_word`


@rule
def given_word(words: Any) -> int:
    """`word` where all words were made ahead: 0 once there are no more."""
    used: int = words[0] + 1
    words[0] = used
    return words[used] if used < words.shape[0] else 0


def compile_wasm(game: Game, entries: Mapping[str, WasmEntry] = ENTRIES) -> bytes:
    """A module that exports these entries."""
    linker = find_linker()
    bound = bound_rules(game)
    usual = Compiler(_jit, bound, f"{game.id}.wasm.")
    wide = Compiler(_jit, {**bound, word: given_word}, f"{game.id}.wide.")
    named = {**_views(game), "ROOM": out_room(game)}
    module = _parsed("")
    for name, entry in entries.items():
        compiler = wide if name in WIDE_ENTRIES else usual
        for part in _parts(name, compiler.copy(entry, f"{game.id}.{name}.", named)):
            module.link_in(_parsed(part))
    return _linked(linker, _emitted(module, entries), entries)


def out_room(game: Game) -> int:
    """How many numbers `out` must have room for."""
    return max(game.max_legal + TO_SPARE, max(game.seats))


def find_linker() -> str:
    if linker := shutil.which(LINKER):
        return linker
    raise NoLinker(
        f"WebAssembly needs {LINKER}, LLVM's linker, which is not installed. On Debian and Ubuntu it is in the package "
        "lld: apt install lld. Elsewhere LLVM brings it along. Only who makes the files needs it, not who uses them."
    )


def _jit(copied: Rule) -> Compiled:
    """A rule as LLVM's instructions and nothing else: neither optimised for this machine nor to be called on it."""
    import numba

    from samovar.engine.ways.numba_inner import InnerCompiler

    alone = {"_nrt": False, "no_cfunc_wrapper": True, "no_cpython_wrapper": True, "pipeline_class": InnerCompiler}
    return widened(numba.njit(**{**flags(), **alone})(copied))


def _views(game: Game) -> dict[str, Compiled]:
    """How entries look at memory: by the types that lie there."""
    from samovar.engine.ways.numba_inner import array_at

    kinds: dict[Callable[..., object], StateType] = {
        states_at: game.state,
        setups_at: game.setup_type,
        int8s_at: np.dtype(np.int8),
        int32s_at: np.dtype(np.int32),
        int64s_at: np.dtype(np.int64),
    }
    return {view.__name__: array_at(kind) for view, kind in kinds.items()}


# What an entry takes and gives, by annotation: as Numba and as LLVM call it.
_KINDS = {"Address": ("voidptr", "ptr"), "int": ("int32", "i32"), "Wide": ("int64", "i64"), "None": ("none", "void")}


def _parts(name: str, entry: Rule) -> tuple[str, str]:
    """What Numba makes of an entry and of all rules it calls; and a function of this name that calls it. Numba's own
    takes two addresses more, for its answer and for an exception, which rules never raise."""
    from numba import types

    *taken, given = entry.__annotations__.values()
    compiled = _jit(entry)
    compiled.compile(tuple(getattr(types, _KINDS[kind][0]) for kind in taken))
    (result,) = compiled.overloads.values()
    own = [f"{_KINDS[kind][1]} %a{k}" for k, kind in enumerate(taken)]
    wanted = _KINDS[given][1]
    answer = "ptr" if wanted == "void" else f"i{result.signature.return_type.bitwidth}"
    inner = f'i32 @"{result.fndesc.llvm_func_name}"(ptr %answer, ptr %error, {", ".join(own)})'
    caller = f"""
        declare {inner}
        define {wanted} @"{name}"({", ".join(own)}) {{
            %answer = alloca {answer}
            %error = alloca ptr
            call {inner}
            {_given(wanted, answer)}
        }}"""
    return str(result.library._final_module), caller


def _given(wanted: str, answer: str) -> str:
    if wanted == "void":
        return "ret void"
    load = f"%given = load {answer}, ptr %answer\n"
    if wanted == answer:
        return f"{load} ret {wanted} %given"
    resize = "trunc" if int(wanted[1:]) < int(answer[1:]) else "sext"
    return f"{load} %resized = {resize} {answer} %given to {wanted}\n ret {wanted} %resized"


def _parsed(code: str) -> Llvm:
    import llvmlite.binding as llvm

    return llvm.parse_assembly(code)


def _emitted(module: Llvm, entries: Iterable[str]) -> bytes:
    """An object file of a module in which only the entries can be called from outside, optimised for WebAssembly."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="mvp", features=FEATURES, opt=3)
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and part.name not in entries:
            part.linkage = "internal"
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    emitted: bytes = machine.emit_object(module)
    return emitted


def _linked(linker: str, emitted: bytes, entries: Iterable[str]) -> bytes:
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "game.o"), Path(folder, "game.wasm")
        source.write_bytes(emitted)
        exports = [f"--export={name}" for name in (*entries, "__heap_base")]
        stack = ["-z", f"stack-size={STACK_BYTES}", "--stack-first"]
        done = subprocess.run(
            [linker, "--no-entry", "--strip-all", "-O2", *stack, *exports, "-o", target, source],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise NoLinker(f"{LINKER} could not link the module: {done.stderr.strip()}")
        return target.read_bytes()
