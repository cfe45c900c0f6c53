"""The network that learns: one token for the table and one for each thing the game names (`Tokens`),
which hear from their neighbours layer by layer; from the table's token and the means of the things to
the prospects of every seat, and from what a legal move points at to its score.

The arithmetic is that of `bots/network_rules.py`, where the same is done in whole numbers: whatever is
changed here must be changed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from samovar.engine.arrays import Array, Float32s
from samovar.engine.contract import Game
from samovar.engine.kinds import Kind
from samovar.engine.tokens import COUNT, MARK, NAME, POINT, WEIGH, Feature, Plan, Tokens, make_plan

MOST = 16383 / 256  # what a number in the network can be at most: see `bots/network_rules.py`
BUCKET = 1 / 4  # by which sums over neighbours are made smaller
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # rows and columns


class Output(NamedTuple):
    scores: Tensor  # by match and place in the list of legal moves: the logarithm of its chance
    shares: Tensor  # by match and seat counted from the observer: of the opponents left behind, as logits
    places: Tensor  # by match, seat so counted, and place: the chance of it, as logits


@dataclass(frozen=True)
class Columns:
    """Where the planes of a feature of things lie: a slice of `count` x `rows` x `size` numbers."""

    start: int
    count: int
    rows: int
    size: int
    is_mark: bool


def limited(x: Tensor) -> Tensor:
    return x.clamp(0, MOST)


def matrix(inputs: int, outputs: int, *, zero: bool = False) -> nn.Parameter:
    return nn.Parameter(torch.zeros(inputs, outputs) if zero else torch.randn(inputs, outputs) / sqrt(inputs))


def vector(size: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(size))


class Block(nn.Module):  # type: ignore[misc]
    """What a token makes of all it hears, added to what it was. It begins as nothing."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.into, self.into_bias = matrix(inputs * width, width), vector(width)
        self.out, self.out_bias = matrix(width, width, zero=True), vector(width)


class Kept(Protocol):
    """What torch keeps on the way forward, for the way back."""

    saved_tensors: tuple[Tensor, ...]

    def save_for_backward(self, *tensors: Tensor) -> None: ...


class Neighbours(torch.autograd.Function):  # type: ignore[misc]
    """A board by row, column and number, to which the eight fields around each are added, every direction
    by weights of its own. What a convolution is given back is found by hand: for many boards cuDNN takes
    ways that are twenty times as slow."""

    @staticmethod
    def forward(ctx: Kept, board: Tensor, weights: Tensor) -> Tensor:
        ctx.save_for_backward(board, weights)
        return Neighbours.look(board, weights)

    @staticmethod
    def backward(ctx: Kept, given: Tensor) -> tuple[Tensor, Tensor]:
        board, weights = ctx.saved_tensors
        rows, columns = board.shape[1:3]
        around = functional.pad(board, (0, 0, 1, 1, 1, 1))
        seen = [around[:, 1 + y : 1 + y + rows, 1 + x : 1 + x + columns] for y, x in DIRECTIONS]
        return Neighbours.look(given, weights.flip(0)), torch.stack([(one * given).sum((0, 1, 2)) for one in seen])

    @staticmethod
    def look(board: Tensor, weights: Tensor) -> Tensor:
        window = torch.cat([weights[:4], torch.ones_like(weights[:1]), weights[4:]]).T.reshape(-1, 1, 3, 3)
        seen = functional.conv2d(board.permute(0, 3, 1, 2), window, padding=1, groups=len(window))
        return seen.permute(0, 2, 3, 1)


class TorchNet(nn.Module):  # type: ignore[misc]
    """`tokens=False`: the table alone, plain layers one after another, whatever the game says."""

    name_columns: Tensor
    name_numbers: Tensor
    is_used: Tensor

    def __init__(self, game: Game, width: int = 64, layers: int = 3, *, tokens: bool = True) -> None:
        super().__init__()
        self.game, self.width, self.layers = game, width, layers
        parts = game.encoding.parts
        self.plan: Plan = game.plan if tokens else make_plan(Tokens(), parts, game.factors, game.moves, max(game.seats))
        self._lay_out()
        groups = self.plan.groups
        self.embed = matrix(self.table_size, width)
        self.things = nn.ParameterList([matrix(size, width) for size in self.thing_sizes])
        with torch.no_grad():  # few of the planes are lit at a time
            for embedding in (self.embed, *self.things):
                embedding *= sqrt(len(embedding) / 16)
        self.own = nn.ParameterList(
            [vector(width), *(matrix(g.size if g.told_apart else 1, width) for g in groups)]  # small: / sqrt(size)
        )
        self.table_blocks = nn.ModuleList([Block(1 + len(groups), width) for _ in range(layers)])
        self.thing_blocks = nn.ModuleList(
            [Block(2 + len(self.plan.keys_of(g)), width) for _ in range(layers) for g in range(len(groups))]
        )
        self.beside = nn.ParameterList(
            [nn.Parameter(torch.zeros(8 if g.beside else 0, width)) for _ in range(layers) for g in groups]
        )
        seats = self.plan.seats
        self.value_in, self.value_bias = matrix((1 + len(groups)) * width, width), vector(width)
        self.value_out, self.value_out_bias = (
            matrix(width, seats * (1 + seats), zero=True),
            vector(seats * (1 + seats)),
        )
        self.move_embed = matrix(self.plan.move_embedded, width)
        self.move_in, self.move_bias = matrix(width, width), vector(width)
        self.roles = nn.ParameterList([matrix(width, width) for _ in self.plan.roles])
        self.move_out = vector(width)

    # Where things are

    def _lay_out(self) -> None:
        """Which planes are read by the table, and which by the things of each group."""
        plan, encoding = self.plan, self.game.encoding
        modes, targets = plan.seen[0].tolist(), plan.seen[1].tolist()
        self.table_slices: list[tuple[int, int]] = []
        self.columns: list[list[Columns]] = [[] for _ in plan.groups]
        self._starts: dict[str, int] = {}  # of a part's planes, among those its reader reads
        self._planes_of: dict[int, int] = {}  # where the planes begin, by the part's first raw number
        self.table_size = 0
        self.thing_sizes = [0] * len(plan.groups)
        raw = 0
        for planes, part in zip(encoding.planes, encoding.parts, strict=True):
            mode, target, self._planes_of[raw] = modes[raw], targets[raw], planes.start
            raw += part.size
            if mode in (NAME, COUNT) and target == 0:
                end = planes.start + planes.count * planes.size
                self._starts[part.name] = self.table_size
                self.table_size += end - planes.start
                if self.table_slices and self.table_slices[-1][1] == planes.start:
                    self.table_slices[-1] = (self.table_slices[-1][0], end)
                else:
                    self.table_slices.append((planes.start, end))
            elif mode in (NAME, COUNT, MARK):
                number = max(g for g, start in enumerate(plan.starts) if start <= target)
                size = plan.groups[number].size
                is_mark = mode == MARK
                rows = part.size if is_mark else part.size // size
                self._starts[part.name] = self.thing_sizes[number]
                self.columns[number].append(Columns(planes.start, planes.count, rows, size, is_mark))
                self.thing_sizes[number] += rows if is_mark else planes.count * rows
        # By group: the number of a key, where its planes begin (-1: it never changes), values and things
        self.keys: list[list[tuple[int, int, int, int]]] = [[] for _ in plan.groups]
        for number, key in enumerate(plan.keys):
            start = -1 if key.numbers else self._planes_of[key.first_raw]
            self.keys[key.group].append((number, start, key.values, plan.groups[key.group].size))
            if key.numbers:  # where it is needed: nothing may travel to the device while it thinks
                in_bucket = torch.arange(key.values)[:, None] == torch.tensor(key.numbers)
                self.register_buffer(f"in_bucket_{number}", in_bucket.to(torch.int8), persistent=False)
        factors = self.factors = plan.factors.tolist()
        # A row of the moves' embedding is added where a number is just this one; none for a count of none.
        names = [
            (column, first + above, mode == NAME or above > 0)
            for column, (mode, first, values) in enumerate(zip(factors[0], factors[3], factors[4], strict=True))
            if mode in (NAME, COUNT)
            for above in range(values)
        ]
        columns, numbers, used = zip(*names, strict=True) if names else ((), (), ())
        self.register_buffer("name_columns", torch.tensor(columns, dtype=torch.long), persistent=False)
        self.register_buffer("name_numbers", torch.tensor(numbers, dtype=torch.int32), persistent=False)
        self.register_buffer("is_used", torch.tensor(used, dtype=torch.float32).unsqueeze(1), persistent=False)

    # What it does

    def forward(self, planes: Tensor, factors: Tensor, counts: Tensor) -> Output:
        """Planes of observations; the legal moves of each told as parts in raw numbers (or by their
        number, where the game tells no parts), and how many there are."""
        kind = torch.get_autocast_dtype(planes.device.type) if torch.is_autocast_enabled(planes.device.type) else None
        table, things = self._read(planes, kind or self.embed.dtype)
        keys = [self._buckets(g, planes, table.dtype) for g in range(len(things))]
        for layer in range(self.layers):
            table, things = self._hear(layer, table, things, keys)
        table, things = limited(table), [limited(thing) for thing in things]
        shares, places = self._value(table, things)
        return Output(self._score(table, things, factors, counts), shares, places)

    def _read(self, planes: Tensor, kind: torch.dtype) -> tuple[Tensor, list[Tensor]]:
        seen = torch.cat([planes[:, start:end] for start, end in self.table_slices], 1).to(kind)
        table = seen @ self.embed.to(kind) + self.own[0].to(kind)
        things = []
        for number, columns in enumerate(self.columns):
            features = torch.cat([self._about_things(planes, column) for column in columns], 1)
            about = features.transpose(1, 2).to(kind)  # by match, thing and feature
            things.append(about @ self.things[number].to(kind) + self.own[1 + number].to(kind))
        return table, things

    def _about_things(self, planes: Tensor, at: Columns) -> Tensor:
        """By match, feature and thing."""
        if not at.is_mark:
            return planes[:, at.start : at.start + at.count * at.rows * at.size].unflatten(1, (-1, at.size))
        named = planes[:, at.start : at.start + at.count * at.rows].unflatten(1, (at.count, at.rows)).transpose(1, 2)
        return functional.pad(named, (0, at.size - at.count))

    def _buckets(self, group: int, planes: Tensor, kind: torch.dtype) -> Tensor | None:
        """By match, value of a key and thing: whether the thing has it; all keys one after another."""
        found = [self._held(at, planes) for at in self.keys[group]]
        return torch.cat(found, 1).to(kind) if found else None

    def _held(self, at: tuple[int, int, int, int], planes: Tensor) -> Tensor:
        number, start, values, size = at
        if start >= 0:
            return planes[:, start : start + values * size].unflatten(1, (values, size))
        in_bucket: Tensor = getattr(self, f"in_bucket_{number}")
        return in_bucket.expand(len(planes), -1, -1)

    def _hear(
        self, layer: int, table: Tensor, things: list[Tensor], keys: list[Tensor | None]
    ) -> tuple[Tensor, list[Tensor]]:
        kind, width = table.dtype, self.width
        x = limited(table)
        after = []
        means = []
        for g, (thing, in_bucket) in enumerate(zip(things, keys, strict=True)):
            block = self._block(layer, g)
            own = limited(thing)
            means.append(own.mean(1))
            into = block.into.to(kind)
            heard = self._look_around(layer, g, own) @ into[:width]
            heard = heard + (x @ into[-width:] + block.into_bias.to(kind)).unsqueeze(1)
            if in_bucket is not None:
                sums = (in_bucket @ own) * BUCKET
                values = [values for _, _, values, _ in self.keys[g]]
                from_each = [
                    part @ into[width * (1 + k) : width * (2 + k)] for k, part in enumerate(sums.split(values, 1))
                ]
                heard = heard + in_bucket.transpose(1, 2) @ torch.cat(from_each, 1)
            after.append(thing + limited(heard) @ block.out.to(kind) + block.out_bias.to(kind))
        block = self._block(layer)
        heard = torch.cat([x, *means], 1) @ block.into.to(kind) + block.into_bias.to(kind)
        return table + limited(heard) @ block.out.to(kind) + block.out_bias.to(kind), after

    def _block(self, layer: int, group: int | None = None) -> Block:
        groups = len(self.plan.groups)
        block = self.table_blocks[layer] if group is None else self.thing_blocks[layer * groups + group]
        assert isinstance(block, Block)
        return block

    def _look_around(self, layer: int, group: int, own: Tensor) -> Tensor:
        """What a thing is, and what those beside it are, each direction by weights of its own."""
        shape = self.plan.groups[group].shape
        weights = self.beside[layer * len(self.plan.groups) + group].to(own.dtype)
        if not len(weights) or shape is None:
            return own
        seen: Tensor = Neighbours.apply(own.unflatten(1, shape), weights)
        return seen.flatten(1, 2).clamp(-MOST, MOST)

    def _value(self, table: Tensor, things: list[Tensor]) -> tuple[Tensor, Tensor]:
        kind, seats = table.dtype, self.plan.seats
        seen = torch.cat([table, *(thing.mean(1) for thing in things)], 1)
        hidden = limited(seen @ self.value_in.to(kind) + self.value_bias.to(kind)).float()
        with torch.autocast(table.device.type, enabled=False):
            out = hidden @ self.value_out + self.value_out_bias
        return out[:, :seats], out[:, seats:].unflatten(1, (seats, seats))

    def _score(self, table: Tensor, things: list[Tensor], factors: Tensor, counts: Tensor) -> Tensor:
        kind, plan = table.dtype, self.plan
        modes, _, bases, firsts, values = self.factors
        z = (table @ self.move_in.to(kind) + self.move_bias.to(kind)).unsqueeze(1)
        if len(self.name_columns):
            named = torch.eq(factors.index_select(2, self.name_columns), self.name_numbers)
            z = z + named.to(kind) @ (self.move_embed * self.is_used).to(kind)
        pointed = [things[group] @ role.to(kind) for group, role in zip(plan.roles, self.roles, strict=True)]
        weighed: dict[int, list[int]] = {}
        for column, mode in enumerate(modes):
            if mode == POINT:
                at = factors[:, :, column].long() - firsts[column]
                is_there = (at >= 0) & (at < values[column])
                rows = pointed[bases[column]]
                taken = rows.gather(1, at.clamp(0, rows.shape[1] - 1).unsqueeze(2).expand(-1, -1, self.width))
                z = z + taken * is_there.unsqueeze(2)
            elif mode == WEIGH:
                weighed.setdefault(bases[column], []).append(column)
        for role, columns in weighed.items():
            first, last = columns[0], columns[-1]  # one for each thing, one after another
            much = (factors[:, :, first : last + 1] - firsts[first]).clamp(0, values[first] - 1)
            z = z + much.to(kind) @ pointed[role]
        scores = (limited(z) * self.move_out.to(kind)).sum(2).float()  # compiled, it is one with what is above
        is_legal = torch.arange(factors.shape[1], device=counts.device) < counts.unsqueeze(1)
        return scores.masked_fill(~is_legal, -torch.inf).log_softmax(1)

    # What it is made of, for `bots/network_file.py`

    def weights(self) -> dict[str, Float32s]:
        """Every matrix by the name it has in a file, its inputs in rows."""
        plan, own = self.plan, [self.own[0].unsqueeze(0)]
        own += [vectors.expand(g.size, -1) for g, vectors in zip(plan.groups, self.own[1:], strict=True)]
        found = {
            "embed": torch.cat([self._rows_of(feature) for feature in plan.features]),
            "own": torch.cat(own),
            "move.embed": self.move_embed * self.is_used,
            **self._as_they_are(),
        }
        return {name: value.detach().float().cpu().numpy().copy() for name, value in found.items()}

    def set_weights(self, weights: Mapping[str, Array]) -> None:
        """The other way round: goes on from a file."""
        given = {name: torch.from_numpy(np.array(value, np.float32)) for name, value in weights.items()}
        first = 0
        with torch.no_grad():
            for feature in self.plan.features:
                planes, kind = self._planes_of_feature(feature), feature.kind
                size = kind.values if self._is_sum(feature) else len(planes)
                rows = given["embed"][first : first + size]
                if self._is_sum(feature):  # what each plane adds
                    at = [lit(kind, above) for above in range(kind.values)]
                    rows = rows[[at.index(count) for count in range(kind.planes + 1)]].diff(dim=0)
                planes.copy_(rows)
                first += size
            self.own[0].copy_(given["own"][0])
            for group, start, vectors in zip(self.plan.groups, self.plan.starts, self.own[1:], strict=True):
                vectors.copy_(given["own"][start : start + group.size][: len(vectors)])
            self.move_embed.copy_(given["move.embed"])
            for name, value in self._as_they_are().items():
                value.copy_(given[name])

    def _as_they_are(self) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {
            "value.in": self.value_in,
            "value.in_bias": self.value_bias,
            "value.out": self.value_out,
            "value.out_bias": self.value_out_bias,
            "move.in": self.move_in,
            "move.in_bias": self.move_bias,
            "move.out": self.move_out,
            **{f"move.role.{number}": role for number, role in enumerate(self.roles)},
        }
        groups = self.plan.groups
        for layer in range(self.layers):
            blocks = {"table": self._block(layer)}
            blocks |= {str(number): self._block(layer, number) for number in range(len(groups))}
            for name, block in blocks.items():
                found[f"{layer}.{name}.in"], found[f"{layer}.{name}.in_bias"] = block.into, block.into_bias
                found[f"{layer}.{name}.out"], found[f"{layer}.{name}.out_bias"] = block.out, block.out_bias
            for number, group in enumerate(groups):
                if group.beside:
                    found[f"{layer}.{number}.beside"] = self.beside[layer * len(groups) + number]
        return found

    def _rows_of(self, feature: Feature) -> Tensor:
        """A row for every number: for a count the sum of the planes that it lights."""
        planes, kind = self._planes_of_feature(feature), feature.kind
        if not self._is_sum(feature):
            return planes
        sums = torch.cat([torch.zeros_like(planes[:1]), planes.cumsum(0)])
        return sums[torch.tensor([lit(kind, above) for above in range(kind.values)], device=sums.device)]

    def _mode_and_target(self, feature: Feature) -> tuple[int, int]:
        names = [part.name for part in self.game.encoding.parts]
        raw = sum(part.size for part in self.game.encoding.parts[: names.index(feature.part)])
        return int(self.plan.seen[0, raw]), int(self.plan.seen[1, raw])

    def _is_sum(self, feature: Feature) -> bool:
        return feature.kind.is_count and self._mode_and_target(feature)[0] != MARK

    def _planes_of_feature(self, feature: Feature) -> Tensor:
        """The weights of its planes, one row each: a view."""
        start = self._starts[feature.part]
        mode, target = self._mode_and_target(feature)
        part = next(part for part in self.game.encoding.parts if part.name == feature.part)
        if target == 0:
            step, weights = part.size, self.embed
        else:
            number = max(g for g, first in enumerate(self.plan.starts) if first <= target)
            step, weights = part.size // self.plan.groups[number].size, self.things[number]
        if mode == MARK:
            return weights[start + feature.row_of_part].unsqueeze(0)
        return weights[start + feature.row_of_part :: step][: feature.kind.planes]


def lit(kind: Kind, above: int) -> int:
    """How many planes of a count are lit by a number so far above the first: see `kinds.encode`."""
    return min(above * kind.planes // (kind.values - 1), kind.planes)
