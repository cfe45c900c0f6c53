"""The search of the bots as entries of a WebAssembly module, beside those of the rules."""

from __future__ import annotations

from collections.abc import Mapping

from samovar.bots.tree import NODE_FIELDS, ORDERS, PATH, STATES, keep, search
from samovar.engine.chance import RNG_WORDS
from samovar.engine.ways.wasm import ENTRIES, ROOM, Address, WasmEntry, int32s_at, int64s_at, states_at


def search_entry(
    states: Address, nodes: Address, room: int, path: Address, orders: Address, rng: Address, out: Address
) -> None:
    """Simulations as the orders say; `out` has room for two lists of moves."""
    both = int32s_at(out, 2 * ROOM)
    search(
        states_at(states, STATES),
        int64s_at(nodes, (room, NODE_FIELDS)),
        int64s_at(path, PATH),
        int64s_at(orders, ORDERS),
        int64s_at(rng, RNG_WORDS),
        both[:ROOM],
        both[ROOM:],
    )


def keep_entry(nodes: Address, room: int, kept: Address, kept_room: int, node: int) -> int:
    """What is below a node as a tree of its own; says how many nodes it has."""
    return keep(int64s_at(nodes, (room, NODE_FIELDS)), int64s_at(kept, (kept_room, NODE_FIELDS)), node)


ALL_ENTRIES: Mapping[str, WasmEntry] = {**ENTRIES, "search": search_entry, "keep": keep_entry}
