"""The file of a network: whole numbers and a card that says where they come from.

The layout is that of safetensors, which many tools read: eight bytes say how long the header is, the header
is JSON (what each array is and where it lies, and texts by name), and the arrays follow. A file is taken as
it is or refused: it has a checksum, everything in it must be as the game's `Plan` asks for, and no number
can grow beyond 32 bits while it is reckoned with.

Vectors that are added are kept in 16 bits, in 1/256. A matrix has 8 bits for each weight and a scale for
each column, in 2 ** -24; what is added to its products has 32 bits, in 1/256.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache, cached_property
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import TypeAlias

import numpy as np

from samovar.bots import network_rules as rules
from samovar.bots.network_rules import INPUTS, MOST, ONE, SHIFT, Net
from samovar.engine.arrays import Array, Float32s, Floats, Int64s
from samovar.engine.contract import Game
from samovar.engine.tokens import POINT, WEIGH, Key, Plan
from samovar.errors import BadNetwork
from samovar.json_types import JsonObject

FORMAT = "samovar network 1"
SUFFIX = ".safetensors"
MOST_BYTES = 1 << 26
MOST_WIDTH, MOST_LAYERS = 1024, 32
DIRECTIONS = 8
LARGEST = 127  # of a weight
LIMIT = 2**31  # no number may reach it while it is reckoned with

Shape: TypeAlias = tuple[int, ...]
Arrays: TypeAlias = Mapping[str, Array]
WholeType: TypeAlias = np.dtype[np.int8] | np.dtype[np.int16] | np.dtype[np.int32]
FileArray: TypeAlias = tuple[WholeType, Shape]

_TYPES: dict[str, WholeType] = {"I8": np.dtype("<i1"), "I16": np.dtype("<i2"), "I32": np.dtype("<i4")}
_CODES = {kind: code for code, kind in _TYPES.items()}
_UNSIGNED = "0" * 32  # stands for the checksum while it is taken


@dataclass(frozen=True)
class NetworkCard:
    """Where a network comes from, as texts."""

    commit: str = ""
    command: str = ""
    seed: str = ""
    moves: str = ""  # how many it has learned from
    date: str = ""
    strength: str = ""


def weight_shapes(plan: Plan, width: int, layers: int) -> dict[str, Shape]:
    """The weights of a network by name: what a learner has to give."""
    whole = width * (1 + len(plan.groups))
    shapes: dict[str, Shape] = {"embed": (plan.embedded, width), "own": (plan.tokens, width)}
    for layer in range(layers):
        shapes |= _through(f"{layer}.table", whole, width)
        for number, group in enumerate(plan.groups):
            shapes |= _through(f"{layer}.{number}", width * (2 + len(plan.keys_of(number))), width)
            if group.beside:
                shapes[f"{layer}.{number}.beside"] = (DIRECTIONS, width)
    answers = plan.seats * (1 + plan.seats)
    shapes |= {"value.in": (whole, width), "value.in_bias": (width,)}
    shapes |= {"value.out": (width, answers), "value.out_bias": (answers,)}
    shapes |= {"move.embed": (plan.move_embedded, width), "move.in": (width, width), "move.in_bias": (width,)}
    shapes |= {f"move.role.{role}": (width, width) for role in range(len(plan.roles))}
    return {**shapes, "move.out": (width,)}


def _through(name: str, inputs: int, width: int) -> dict[str, Shape]:
    return {
        f"{name}.in": (inputs, width),
        f"{name}.in_bias": (width,),
        f"{name}.out": (width, width),
        f"{name}.out_bias": (width,),
    }


def is_rows(name: str) -> bool:
    """Vectors that are added as they are."""
    return name in ("embed", "own", "move.embed")


def is_matrix(name: str) -> bool:
    return not is_rows(name) and not name.endswith("_bias")


def file_shapes(plan: Plan, width: int, layers: int) -> dict[str, FileArray]:
    """The arrays of a file, in their order."""
    found: dict[str, FileArray] = {}
    for name, shape in weight_shapes(plan, width, layers).items():
        if is_matrix(name):
            found[name] = (_TYPES["I8"], shape)
            found[f"{name}.scale"] = (_TYPES["I32"], shape[1:] or (1,))
        else:
            found[name] = (_TYPES["I16" if is_rows(name) else "I32"], shape)
    return found


def plan_mark(plan: Plan) -> str:
    """What changes whenever a network would read something else than it has learned to read."""
    features = [
        (f.part, f.row_of_part, f.kind.is_count, f.kind.first, f.kind.values, f.base, f.rows)
        for f in (*plan.features, *plan.move_features)
    ]
    groups = [(group.name, group.size, group.shape, group.beside) for group in plan.groups]
    facts = (groups, plan.starts, plan.keys, features, plan.roles, plan.seen.tolist(), plan.factors.tolist())
    return digest(repr((facts, plan.embedded, plan.move_embedded, plan.tokens, plan.seats)).encode())


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=len(_UNSIGNED) // 2).hexdigest()


def largest_inputs(plan: Plan, name: str, rows: int, width: int) -> Floats:
    """How large each input of a matrix can be."""
    largest = np.full(rows, float(MOST))
    _, group, what = (*name.split("."), "", "")[:3]
    if what == "in" and group.isdigit():
        for number, key in enumerate(plan.keys_of(int(group))):
            sharing = _most_sharing(key, plan.groups[int(group)].size)
            largest[(1 + number) * width : (2 + number) * width] = MOST * sharing / rules.CLOSE
    return largest


def _most_sharing(key: Key, size: int) -> int:
    return int(np.bincount(key.numbers).max()) if key.numbers else size


@dataclass(frozen=True, eq=False)
class Network:
    """A network of a game as whole numbers: `arrays` as `file_shapes` names them."""

    game: Game
    width: int
    layers: int
    arrays: Arrays
    card: NetworkCard = NetworkCard()

    def __post_init__(self) -> None:
        _check_reach(self)

    @classmethod
    def find(cls, game: Game) -> Network | None:
        """The network that lies in the game's folder, None without one."""
        return _find(game, shipped(game))

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> Network:
        try:
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise BadNetwork(
                f"No network can be read from {os.fspath(path)!r}: {error.strerror or error}. "
                f"Name a file that `samovar learn {game.id}` has written."
            ) from error
        return cls.from_bytes(data, game, os.fspath(path))

    @classmethod
    def from_bytes(cls, data: bytes, game: Game, name: str = "these bytes") -> Network:
        try:
            return _read(data, game)
        except BadNetwork as error:
            raise BadNetwork(f"The network in {name!r} cannot be used: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_bytes(self.to_bytes())

    def to_bytes(self) -> bytes:
        texts = {
            "format": FORMAT,
            "game": self.game.id,
            "rules": str(self.game.version),
            "width": str(self.width),
            "layers": str(self.layers),
            "plan": plan_mark(self.game.plan),
            **asdict(self.card),
            "checksum": _UNSIGNED,
        }
        ends = list(accumulate(array.nbytes for array in self.arrays.values()))
        header = {"__metadata__": texts} | {
            name: {"dtype": _CODES[array.dtype], "shape": array.shape, "data_offsets": [end - array.nbytes, end]}
            for (name, array), end in zip(self.arrays.items(), ends, strict=True)
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)  # as tools of that layout like it
        data = b"".join([len(text).to_bytes(8, "little"), text, *(array.tobytes() for array in self.arrays.values())])
        return data.replace(_UNSIGNED.encode(), digest(data).encode(), 1)

    def weights(self) -> dict[str, Float32s]:
        """What `quantise` was given, but for what was rounded."""
        found = {}
        for name in weight_shapes(self.game.plan, self.width, self.layers):
            scale = self.arrays[f"{name}.scale"] / 2**SHIFT if is_matrix(name) else 1 / ONE
            found[name] = (self.arrays[name] * scale).astype(np.float32)
        return found

    def matrix(self, name: str) -> Int64s:
        """Rows as rules read them: how much each column weighs, what is added, the weights."""
        weights = self.arrays[name]
        weights = weights.reshape(len(weights), -1)
        bias = self.arrays.get(f"{name}_bias", np.zeros(weights.shape[1], np.int32))
        return np.vstack([self.arrays[f"{name}.scale"], bias, weights]).astype(np.int64)

    def ready(self) -> Net:
        """For rules, with working space of its own: one for each thread."""
        plan = self.game.plan
        sizes, *known, buckets = self._known
        meant = len(plan.roles) * plan.tokens
        work = np.zeros((int(sizes[rules.MEANT]) + meant, self.width), np.int32)
        facts = np.zeros(rules.DONE + meant, np.int64)
        logits = np.zeros(plan.seats * (1 + plan.seats), np.int32)
        row = np.zeros(max(self.game.longest_row, 1), np.int8)
        return Net._make((sizes, *known, work, buckets.copy(), facts, logits, row))

    @cached_property
    def _known(self) -> tuple[Array, ...]:
        """A `Net` up to its working space, and the buckets that never change."""
        plan = self.game.plan
        rows: list[Array] = [self.arrays[name].astype(np.int64) for name in ("embed", "own", "move.embed")]
        starts: dict[str, int] = {}
        used = sum(map(len, rows))
        for name in weight_shapes(plan, self.width, self.layers):
            if is_matrix(name) and name not in ("value.out", "move.out"):
                starts[name] = used
                rows.append(self.matrix(name))
                used += len(rows[-1])
        groups, keys, bucket_of, buckets = _relations(plan)
        layers = [[starts.get(name, 0) for name in _layer_names(layer, len(groups))] for layer in range(self.layers)]
        spans = (rules.VECTORS, len(groups), buckets, buckets, plan.tokens, plan.tokens, plan.tokens)
        sizes = [
            *(self.layers, len(groups), plan.tokens, len(plan.roles), plan.seats),
            *(plan.embedded, plan.embedded + plan.tokens),
            *(starts["value.in"], starts["move.in"], starts.get("move.role.0", 0)),
            *accumulate(spans),
        ]
        heads = np.hstack([self.matrix("value.out"), self.matrix("move.out")])
        return (
            *(np.array(sizes, np.int64), groups, keys, np.array(layers, np.int64), plan.seen, plan.factors),
            *(np.vstack(rows).astype(np.int32), heads.astype(np.int32), bucket_of),
        )


def shipped(game: Game) -> Path:
    """Where the network of a game is, if there is one."""
    return Path(game.folder) / f"{game.id}{SUFFIX}"


@cache
def _find(game: Game, path: Path) -> Network | None:
    return Network.load(path, game) if path.is_file() else None


def _layer_names(layer: int, groups: int) -> Iterator[str]:
    """The matrices of a layer as `Net.matrices` has them."""
    yield from (f"{layer}.table.in", f"{layer}.table.out")
    for group in range(groups):
        yield from (f"{layer}.{group}.in", f"{layer}.{group}.out", f"{layer}.{group}.beside")


def _relations(plan: Plan) -> tuple[Int64s, Int64s, Int64s, int]:
    """`Net.groups`, `Net.keys` and `Net.bucket_of`, and how many buckets a group has at most."""
    groups: list[tuple[int, ...]] = []
    keys: list[tuple[int, ...]] = []
    most = 0
    bucket_of = np.full((len(plan.keys), max((group.size for group in plan.groups), default=0)), -1, np.int64)
    for number, group in enumerate(plan.groups):
        own = plan.keys_of(number)
        shape = group.shape if group.beside and group.shape else (0, 0)
        groups.append((plan.starts[number], group.size, len(keys), len(own), *shape))
        buckets = 0
        for key in own:
            if key.numbers:
                bucket_of[len(keys), : group.size] = np.array(key.numbers) + buckets
            keys.append((-1 if key.numbers else key.first_raw, key.first, key.values, buckets))
            buckets += key.values
        most = max(most, buckets)
    return (
        np.array(groups, np.int64).reshape(-1, rules.COLUMNS + 1),
        np.array(keys, np.int64).reshape(-1, rules.BUCKET + 1),
        bucket_of,
        most,
    )


# Making one of what was learned


def quantise(game: Game, weights: Mapping[str, Array], card: NetworkCard) -> Network:
    """The network that has these weights, as near as whole numbers come."""
    width, layers = _sizes_of(weights)
    shapes = weight_shapes(game.plan, width, layers)
    if weights.keys() != shapes.keys():
        wrong = sorted(weights.keys() ^ shapes.keys())
        raise BadNetwork(f"These weights are not of {game.name}: {', '.join(wrong[:5])} should not be, or is missing.")
    arrays: dict[str, Array] = {}
    for name, shape in shapes.items():
        values = np.asarray(weights[name], np.float64)
        if values.shape != shape:
            raise BadNetwork(f"The weights {name!r} have the shape {values.shape}, for {game.name} it must be {shape}.")
        if not np.isfinite(values).all():
            raise BadNetwork(f"The weights {name!r} are not all numbers. Learn again, with smaller steps.")
        if is_matrix(name):
            limits = largest_inputs(game.plan, name, shape[0], width)
            arrays[name], arrays[f"{name}.scale"] = _quantise_matrix(name, values.reshape(shape[0], -1), limits)
            arrays[name] = arrays[name].reshape(shape)
        else:
            kind = np.int16 if is_rows(name) else np.int32
            bounds = np.iinfo(kind)
            arrays[name] = np.rint(values * ONE).clip(bounds.min, bounds.max).astype(kind)
    return Network(game, width, layers, arrays, card)


def _sizes_of(weights: Mapping[str, Array]) -> tuple[int, int]:
    own = np.asarray(weights.get("own", 0))
    layers = [int(first) for name in weights if (first := name.partition(".")[0]).isdecimal()]
    if own.ndim != 2 or not 1 <= own.shape[1] <= MOST_WIDTH or not 0 <= max(layers, default=-1) < MOST_LAYERS:
        raise BadNetwork(
            f"These weights are no network: 'own' must have rows of 1 to {MOST_WIDTH} numbers, and there must be 1 to "
            f"{MOST_LAYERS} layers, numbered from 0."
        )
    return own.shape[1], max(layers) + 1


def _quantise_matrix(name: str, values: Floats, limits: Floats) -> tuple[Array, Array]:
    """One scale a column: as fine as the largest weight allows, and the sum of all products 32 bits."""
    room = LIMIT - limits.sum() / 2 - 1  # rounding can add half a weight for each input
    scale = np.maximum(np.abs(values).max(0) / LARGEST, (np.abs(values) * limits[:, None]).sum(0) / room)
    steps = np.maximum(np.ceil(scale * 2**SHIFT), 1)
    if room <= 0 or steps.max() >= LIMIT:
        raise BadNetwork(f"The weights {name!r} are too large, or too many, for whole numbers. Learn smaller ones.")
    return np.rint(values / (steps / 2**SHIFT)).astype(np.int8), steps.astype(np.int32)


# Reading what somebody has written


def _read(data: bytes, game: Game) -> Network:
    header, body = _parted(data)
    texts = header.pop("__metadata__", None)
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise BadNetwork("it has no card. Name a file that `samovar learn` has written.")
    if texts.get("format") != FORMAT:
        raise BadNetwork(f"its format is not {FORMAT!r}. Name a file that this version of Samovar has written.")
    checksum = texts.get("checksum", "")
    if len(checksum) != len(_UNSIGNED) or digest(data.replace(checksum.encode(), _UNSIGNED.encode(), 1)) != checksum:
        raise BadNetwork("it was changed or damaged after it was written. Get it again.")
    if texts.get("game") != game.id:
        raise BadNetwork(f"it is of the game {texts.get('game')!r}, not of {game.id!r}. Name one of {game.name}.")
    if texts.get("rules") != str(game.version) or texts.get("plan") != plan_mark(game.plan):
        raise BadNetwork(
            f"it has learned {game.name} by other rules, or to be told otherwise what is seen, than are installed. "
            f"Learn anew: `samovar learn {game.id}`."
        )
    width, layers = _number(texts, "width", MOST_WIDTH), _number(texts, "layers", MOST_LAYERS)
    arrays = _arrays(header, body, file_shapes(game.plan, width, layers))
    card = NetworkCard(**{field.name: texts.get(field.name, "") for field in fields(NetworkCard)})
    return Network(game, width, layers, arrays, card)


def _parted(data: bytes) -> tuple[JsonObject, bytes]:
    """The header and what follows it."""
    if len(data) > MOST_BYTES:
        raise BadNetwork(f"it has more than {MOST_BYTES} bytes. Name a file that `samovar learn` has written.")
    end = 8 + int.from_bytes(data[:8], "little")
    if len(data) < 8 or end > len(data):
        raise BadNetwork("it ends too early, or is no safetensors file. Get it again.")
    try:
        header = json.loads(data[8:end])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise BadNetwork("its header is no JSON, so it is damaged or no safetensors file. Get it again.")
    return header, data[end:]


def _number(texts: Mapping[str, str], name: str, most: int) -> int:
    text = texts.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= most):
        raise BadNetwork(f"its {name} is {text[:20]!r}, which must be a number from 1 to {most}. Learn anew.")
    return int(text)


def _arrays(header: Mapping[str, object], body: bytes, wanted: Mapping[str, FileArray]) -> dict[str, Array]:
    """The arrays, each of which is where it is expected: one after another, and no byte besides."""
    begin, arrays = 0, {}
    if list(header) != list(wanted):
        raise BadNetwork("it has other arrays than a network of this game. Learn anew.")
    for name, (kind, shape) in wanted.items():
        end = begin + kind.itemsize * prod(shape)
        if header[name] != {"dtype": _CODES[kind], "shape": list(shape), "data_offsets": [begin, end]}:
            raise BadNetwork(f"its array {name!r} is not as in a network of this game. Learn anew.")
        if end > len(body):
            raise BadNetwork("it ends too early. Get it again.")
        arrays[name] = np.frombuffer(body, kind, prod(shape), begin).reshape(shape).astype(kind.newbyteorder("="))
        begin = end
    if begin != len(body):
        raise BadNetwork("it goes on after its end. Get it again.")
    return arrays


def _check_reach(network: Network) -> None:
    """Refuses numbers that could outgrow 32 bits, whatever is seen."""
    plan = network.game.plan
    reach: dict[str, int] = {}
    for name in weight_shapes(plan, network.width, network.layers):
        if is_matrix(name):
            matrix = network.matrix(name)
            limits = largest_inputs(plan, name, len(matrix) - INPUTS, network.width)
            sums = (np.abs(matrix[INPUTS:]) * limits[:, None]).sum(0)
            scale, bias = matrix[rules.WEIGHT], np.abs(matrix[rules.BIAS])
            if sums.max() >= LIMIT or scale.min() < 0:
                raise _too_large(name)
            reach[name] = int((sums * scale / 2**SHIFT + bias).max()) + 1
            if reach[name] >= LIMIT:
                raise _too_large(name)
    row = int(np.iinfo(np.int16).max) + 1
    outs = [max(n for name, n in reach.items() if _is_out(name, layer)) for layer in range(network.layers)]
    if row * (1 + plan.seen.shape[1]) + sum(outs) >= LIMIT:
        raise _too_large("out")
    most = reach["move.in"]
    for mode, _, base, _, values in plan.factors.T.tolist():
        pointed = reach.get(f"move.role.{base}", 0) if mode >= POINT else row
        most += pointed * (values - 1 if mode == WEIGH else 1)
    if most >= LIMIT:
        raise _too_large("move")


def _is_out(name: str, layer: int) -> bool:
    return name.startswith(f"{layer}.") and name.endswith(".out")


def _too_large(name: str) -> BadNetwork:
    return BadNetwork(f"its numbers {name!r} are too large to be reckoned with in 32 bits. Learn smaller ones.")
