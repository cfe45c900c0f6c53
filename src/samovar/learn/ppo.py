"""Learning by playing against oneself: proximal policy optimisation, one network for all seats, seat
counts and variants of a game.

All that happens between two looks at the clock stays on the device, and nothing in it waits for the
host. Policies score the legal moves, as lists; there is no mask over all move numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import replace
from typing import NamedTuple, TypeAlias, TypedDict

import torch
from torch import Tensor, nn
from torch.nn import functional

from samovar.engine.arrays import Array
from samovar.engine.contract import Game, Options
from samovar.learn.gains import gains, outcome, turned
from samovar.learn.network import TorchNet
from samovar.learn.settings import LearningSettings
from samovar.learn.tables import LearnerTables

Lap: TypeAlias = Callable[[str], None]  # told what has just been done, to measure how long it took
Acts: TypeAlias = Callable[..., tuple[Tensor, Tensor, Tensor]]

PLAYING, LEARNING = "Playing", "Learning"  # what can be a CUDA graph
SUMS = ("policy", "entropy", "shares", "places", "clipped", "weight")  # what is added up while learning


def nobody_asks(what: str) -> None: ...


def captured(work: Callable[[], None]) -> torch.cuda.CUDAGraph:
    """What is done once more here, and whenever the graph is replayed."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        work()  # nothing may be made for the first time while it is captured
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        work()
    return graph


class Experience:
    """What was seen and done in some matches, by step: lists of at most `length` legal moves."""

    def __init__(self, tables: LearnerTables, steps: int, matches: int, length: int) -> None:
        def room(like: Tensor, *shape: int) -> Tensor:
            return torch.zeros(steps, matches, *shape, dtype=like.dtype, device=like.device)

        self.length, self.matches = length, matches
        self.planes = room(tables.planes, *tables.planes.shape[1:])
        self.factors = room(tables.factors, length, tables.factors.shape[2])
        self.counts = room(tables.counts)
        self.choice = room(tables.moves_in)
        self.logs = room(tables.rewards)  # of the chance that the choice had
        self.rows = room(tables.moves_in)  # the match of each
        self.weight = room(tables.rewards)

    def keep(self, step: int, tables: LearnerTables, rows: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Takes over what is to be seen now, for a network to look at."""
        seen = tables.planes, tables.factors[:, : self.length], tables.counts
        for room, now in zip((self.planes, self.factors, self.counts), seen, strict=True):
            if rows is None:
                room[step].copy_(now)
            else:
                torch.index_select(now, 0, rows, out=room[step])
        self.counts[step].clamp_(max=self.length)
        return self.planes[step], self.factors[step], self.counts[step]


class Portion(NamedTuple):
    """Some of what was played, to learn from."""

    planes: Tensor
    factors: Tensor
    counts: Tensor
    choice: Tensor
    logs: Tensor
    weight: Tensor
    gain: Tensor
    target: Tensor  # by seat counted from the actor, and prospect
    seats: Tensor


def narrow_enough(counts: Tensor, most: int, wide: float) -> int:
    """How much of a list to score, so that few lists go on beyond it."""
    length = 16
    while length < most and (counts > length).float().mean() > wide / 2:
        length *= 2
    return most if most <= 2 * length else length


def draw(scores: Tensor, counts: Tensor, uniform: Tensor) -> Tensor:
    """A place in each list, by its chance: where the sum of the chances so far passes a number from 0 to 1."""
    passed = scores.exp().cumsum(1) <= uniform.unsqueeze(1)
    return torch.minimum(passed.sum(1), counts.long() - 1).clamp(min=0)


def place_chances(places: Tensor, seats: Tensor) -> Tensor:
    """Their logarithms, of the places that there are."""
    is_there = torch.arange(places.shape[2], device=places.device) < seats.unsqueeze(1)
    return places.masked_fill(~is_there.unsqueeze(1), -1e9).log_softmax(2)


def act(
    net: TorchNet, planes: Tensor, factors: Tensor, counts: Tensor, uniform: Tensor, actor: Tensor, seats: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """What the actors choose, the logarithm of the chance it had, and the prospects by absolute seat."""
    out = net(planes, factors, counts)
    choice = draw(out.scores, counts, uniform)
    values = torch.cat([out.shares.sigmoid().unsqueeze(2), place_chances(out.places, seats).exp()], 2)
    is_there = torch.arange(values.shape[1], device=seats.device) < seats.unsqueeze(1)
    values = turned(values, actor, seats, -1) * is_there.unsqueeze(2)
    return choice, out.scores.gather(1, choice.unsqueeze(1)).squeeze(1), values


class KeptLearner(TypedDict):
    """All that it takes to go on as if nothing had happened."""

    net: Mapping[str, Tensor]
    average: Mapping[str, Tensor]
    optimizer: Mapping[str, object]
    pool: list[dict[str, Tensor]]
    counters: list[int]  # moves, rounds, updates
    tables: dict[str, Tensor]
    chance: Tensor
    chance_cuda: Tensor | None


class Learner:
    lap: Lap = staticmethod(nobody_asks)

    def __init__(
        self,
        game: Game,
        settings: LearningSettings,
        variants: Sequence[Options],
        device: str = "cpu",
        *,
        compile: bool = False,
    ) -> None:
        torch.manual_seed(settings.seed)
        self.device = torch.device(device)
        self.tables = tables = LearnerTables(game, settings.matches, variants, settings.seed, device)
        self.game = tables.game
        tables.stagger()
        narrow = settings.narrow or narrow_enough(tables.counts, tables.game.max_legal, settings.wide)
        self.settings = settings = replace(settings, narrow=narrow)
        self.net = TorchNet(self.game, settings.width, settings.layers, tokens=settings.tokens).to(self.device)
        self.average = self._twin()
        self.has_past = settings.past > 0 or settings.pull > 0
        self.past = self._twin()
        self.pool: deque[dict[str, Tensor]] = deque(maxlen=settings.pool)
        self.optimizer = torch.optim.Adam(
            self.net.parameters(), lr=settings.rate, eps=1e-5, fused=self.device.type == "cuda"
        )
        self.moves, self.rounds, self.updates = 0, 0, 0
        self.sums = torch.zeros(len(SUMS), device=self.device)
        self._make_rooms()
        self.graphs: dict[str, torch.cuda.CUDAGraph] = {}
        self._act: Acts = torch.compile(act, dynamic=False) if compile else act
        self._loss = torch.compile(self._judge, dynamic=False) if compile else self._judge

    def start(self, weights: Mapping[str, Array]) -> None:
        """From what was learned before, by name as in `Net.weights`."""
        self.net.set_weights(weights)
        self.average.load_state_dict(self.net.state_dict())

    def _twin(self) -> TorchNet:
        twin: TorchNet = deepcopy(self.net)
        twin.requires_grad_(False)
        return twin

    def _make_rooms(self) -> None:
        steps, tables, settings = self.settings.steps, self.tables, self.settings
        size, most = tables.size, tables.game.max_legal
        narrow = min(settings.narrow, most)
        self.store = Experience(tables, steps, size, narrow)
        self.store.rows.copy_(torch.arange(size, device=self.device))
        room = 0 if narrow == most else max(1, int(size * settings.wide))
        self.wide = Experience(tables, steps, room, most) if room else None
        self.stores = [self.store, *([self.wide] if self.wide else [])]
        self.indices = [  # which samples of each are learned from next
            torch.zeros(store.rows.numel() // settings.portions, dtype=torch.long, device=self.device)
            for store in self.stores
        ]
        seats = self.net.plan.seats
        zeros = {"device": self.device, "dtype": torch.float32}
        self.values = torch.zeros(steps + 1, size, seats, 1 + seats, **zeros)
        self.rewards = torch.zeros(steps, size, seats, **zeros)
        self.ended = torch.zeros(steps, size, dtype=torch.bool, device=self.device)
        self.actors = torch.zeros(steps, size, dtype=torch.long, device=self.device)
        self.uniform = torch.zeros(steps, size, **zeros)
        self.others = size - int(size * settings.past)  # from this match on, others sit there, too
        self.own_seat = torch.arange(size, device=self.device) // 7 % tables.seats
        self.curiosity = torch.zeros((), device=self.device)
        self.gain = torch.zeros(steps * size, **zeros)
        self.target = torch.zeros(steps * size, seats, 1 + seats, **zeros)
        self.seats = tables.seats.repeat(steps)
        self.cut = torch.zeros((), dtype=torch.long, device=self.device)  # long lists that were not scored whole

    def _precise_enough(self) -> AbstractContextManager[None]:
        """On a GPU, multiplications in 16 bits."""
        is_gpu = self.device.type == "cuda"
        return torch.autocast("cuda", torch.bfloat16, cache_enabled=False) if is_gpu else nullcontext()

    # Playing

    def play(self) -> None:
        """So many steps in every match."""
        torch.rand(self.uniform.shape, out=self.uniform)
        if self.settings.past and self.pool:
            self.past.load_state_dict(self.pool[self.rounds % len(self.pool)])
        if PLAYING in self.graphs:
            self.graphs[PLAYING].replay()
        else:
            with torch.no_grad():
                self._play()
        self.moves += self.actors.numel()

    def _play(self) -> None:
        tables, store = self.tables, self.store
        with self._precise_enough():
            for step in range(self.settings.steps):
                self._step(step)
            lists = tables.factors[:, : store.length].contiguous()  # as they are stored: one form to be compiled
            seen = tables.planes, lists, tables.counts.clamp(max=store.length)
            self.values[-1].copy_(self._act(self.net, *seen, self.uniform[0], tables.actor.long(), tables.seats)[2])
        self.lap("network")

    def _step(self, step: int) -> None:
        tables, store = self.tables, self.store
        seen = store.keep(step, tables)
        actor, uniform = self.actors[step].copy_(tables.actor), self.uniform[step]
        store.weight[step].fill_(1)
        self.lap("storing")
        choice, logs, values = self._act(self.net, *seen, uniform, actor, tables.seats)
        self.values[step].copy_(values)
        store.choice[step].copy_(choice)
        store.logs[step].copy_(logs)
        self.lap("network")
        if self.wide is not None:
            self._look_at_long_lists(self.wide, step, choice)
        if self.settings.past:
            self._others_choose(step, choice)
        tables.send(choice)
        self.lap("rules")
        self.rewards[step, :, : tables.rewards.shape[1]].copy_(tables.rewards)
        self.ended[step].copy_(tables.ended)
        self.lap("storing")

    def _look_at_long_lists(self, wide: Experience, step: int, choice: Tensor) -> None:
        """Chooses anew where a list goes on beyond what was scored of it."""
        tables, store = self.tables, self.store
        rows = wide.rows[step].copy_(tables.counts.topk(wide.matches, sorted=False).indices)
        seen = wide.keep(step, tables, rows)
        self.lap("storing")
        chosen, logs, _ = self._act(
            self.net, *seen, self.uniform[step][rows], self.actors[step][rows], tables.seats[rows]
        )
        is_long = wide.counts[step] > store.length
        wide.choice[step].copy_(chosen)
        wide.logs[step].copy_(logs)
        wide.weight[step].copy_(is_long)
        choice[rows] = torch.where(is_long, chosen, choice[rows])
        store.weight[step, rows] = 1 - wide.weight[step]
        self.cut += (tables.counts > store.length).sum() - is_long.sum()
        self.lap("network")

    def _others_choose(self, step: int, choice: Tensor) -> None:
        """In the last matches all seats but one are played by an earlier network, and nothing is
        learned from that. It knows the beginning of long lists only."""
        store, there, wide = self.store, slice(self.others, None), self.wide
        actor, seats = self.actors[step, there], self.tables.seats[there]
        is_other = actor != self.own_seat[there]
        seen = (room[step, there] for room in (store.planes, store.factors, store.counts))
        chosen, _, _ = self._act(self.past, *seen, self.uniform[step, there], actor, seats)
        choice[there] = torch.where(is_other, chosen, choice[there])
        store.weight[step, there] *= ~is_other
        if wide is not None:
            rows = wide.rows[step]
            wide.weight[step] *= (rows < self.others) | (self.actors[step][rows] == self.own_seat[rows])

    # CUDA graphs: the host asks for thousands of small things once, and for all of them at once ever after.
    # Only after they have been done without: everything must be compiled.

    def capture_playing(self) -> None:
        with torch.no_grad():
            self.graphs[PLAYING] = captured(self._play)

    def capture_learning(self) -> None:
        for group in self.optimizer.param_groups:  # a rate that is a number would stay as it is
            group["lr"], group["capturable"] = torch.tensor(float(group["lr"]), device=self.device), True
        self.graphs[LEARNING] = captured(self._learn_portion)

    # Learning

    def learn(self, left: float) -> None:
        """From what was played last; `left` is how much of the time is, from 1 to 0."""
        settings = self.settings
        self._set_out(left)
        with torch.no_grad():
            self._find_worth()
        self.lap("gains")
        for _ in range(settings.passes):
            orders = [torch.randperm(store.rows.numel(), device=self.device) for store in self.stores]
            for k in range(settings.portions):
                for index, order in zip(self.indices, orders, strict=True):
                    index.copy_(order[k * len(index) : (k + 1) * len(index)])
                if LEARNING in self.graphs:
                    self.graphs[LEARNING].replay()
                else:
                    self._learn_portion()
                self._take_over()
                self.lap("optimizer")
        self.rounds += 1
        if self.has_past and (self.rounds % settings.past_every == 0 or not self.pool):
            self.pool.append({name: value.clone() for name, value in self.average.state_dict().items()})
            self.past.load_state_dict(self.pool[-1])

    def _set_out(self, left: float) -> None:
        settings = self.settings
        warm = min(1.0, (self.updates + 1) / settings.warm_up)
        rate = settings.rate * left * warm
        for group in self.optimizer.param_groups:
            group["lr"] = group["lr"].fill_(rate) if isinstance(group["lr"], Tensor) else rate
        self.curiosity.fill_(settings.last_entropy + (settings.entropy - settings.last_entropy) * left)

    def _find_worth(self) -> None:
        """By sample: the gain of the actor, and what the prospects should have been."""
        seats = self.tables.seats.expand(self.actors.shape)
        found = gains(self.values, outcome(self.rewards, seats), self.ended, self.settings.trace)
        target = turned(found + self.values[:-1], self.actors, seats, 1)
        gain = found[..., 0].gather(2, self.actors.unsqueeze(2)).squeeze(2)
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        self.gain.copy_(gain.flatten())
        self.target.copy_(target.flatten(0, 1))

    def _learn_portion(self) -> None:
        for store, index in zip(self.stores, self.indices, strict=True):
            portion = self._portion(store, index)
            self.lap("gathering")
            with self._precise_enough():
                loss, sums = self._loss(portion, self.curiosity)
            self.sums += sums
            self.lap("forward")
            loss.backward()
            self.lap("backward")
        nn.utils.clip_grad_norm_(self.net.parameters(), self.settings.norm, foreach=True)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def _portion(self, store: Experience, index: Tensor) -> Portion:
        def some(room: Tensor) -> Tensor:
            return room.flatten(0, 1).index_select(0, index)

        step = torch.div(index, store.matches, rounding_mode="floor")
        sample = index if store is self.store else step * self.tables.size + some(store.rows)
        return Portion(
            some(store.planes),
            some(store.factors),
            some(store.counts),
            some(store.choice),
            some(store.logs),
            some(store.weight),
            self.gain[sample],
            self.target[sample],
            self.seats[sample],
        )

    def _judge(self, at: Portion, curiosity: Tensor) -> tuple[Tensor, Tensor]:
        """What is to become smaller, and what is told of it."""
        settings = self.settings
        out = self.net(at.planes, at.factors, at.counts)
        # A move that was better than expected shall become more probable, but not by too much at once.
        ratio = (out.scores.gather(1, at.choice.unsqueeze(1)).squeeze(1) - at.logs).exp()
        least = torch.min(ratio * at.gain, ratio.clamp(1 - settings.clip, 1 + settings.clip) * at.gain)
        scores = out.scores.clamp(min=-50)
        chances = out.scores.exp()
        entropy = -(chances * scores).sum(1)
        most = at.target.shape[1]
        is_there = (torch.arange(most, device=self.device) < at.seats.unsqueeze(1)) / at.seats.unsqueeze(1)
        shares = functional.binary_cross_entropy_with_logits(out.shares, at.target[:, :, 0], reduction="none")
        shares = (shares * is_there).sum(1)
        places = -(at.target[:, :, 1:] * place_chances(out.places, at.seats).clamp(min=-50)).sum(2)
        places = (places * is_there).sum(1)
        loss = settings.shares * shares + settings.places * places - least - curiosity * entropy
        if settings.pull:
            with torch.no_grad():
                earlier = self.past(at.planes, at.factors, at.counts).scores.clamp(min=-50)
            loss = loss + settings.pull * (chances * (scores - earlier)).sum(1)
        size = self.store.rows.numel() // settings.portions
        is_clipped = (ratio - 1).abs() > settings.clip
        told = torch.stack([least, entropy, shares, places, is_clipped.float(), torch.ones_like(least)], 1).detach()
        return (loss * at.weight).sum() / size, (told * at.weight.unsqueeze(1)).sum(0)

    def _take_over(self) -> None:
        """What the network has become, into the average."""
        self.updates += 1
        keep = min(self.settings.average, (1 + self.updates) / (10 + self.updates))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.parameters()), list(self.net.parameters()), 1 - keep)

    def wait(self) -> None:
        """Until all is done that was asked for."""
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def means(self) -> dict[str, float]:
        """Means since the last time somebody asked; a move that was not legal is told now."""
        self.tables.settle()
        sums = dict(zip(SUMS, self.sums.tolist(), strict=True))
        self.sums.zero_()
        weight = max(sums.pop("weight"), 1.0)
        cut = int(self.cut)
        self.cut.zero_()
        return {name: value / weight for name, value in sums.items()} | {"cut": cut / weight}

    # To go on later

    def to_dict(self) -> KeptLearner:
        """On the CPU bit for bit."""
        return {
            "net": self.net.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "pool": list(self.pool),
            "counters": [self.moves, self.rounds, self.updates],
            "tables": self.tables.to_dict(),
            "chance": torch.get_rng_state(),
            "chance_cuda": torch.cuda.get_rng_state() if self.device.type == "cuda" else None,
        }

    def restore(self, kept: KeptLearner) -> None:
        self.net.load_state_dict(kept["net"])
        self.average.load_state_dict(kept["average"])
        self.optimizer.load_state_dict(kept["optimizer"])
        for group in self.optimizer.param_groups:  # it may come from a GPU, where it was in a graph
            group["lr"], group["capturable"] = float(group["lr"]), False
        self.pool.extend(kept["pool"])
        if self.pool:
            self.past.load_state_dict(self.pool[-1])
        self.moves, self.rounds, self.updates = kept["counters"]
        self.tables.restore(kept["tables"])
        torch.set_rng_state(kept["chance"])
        if self.device.type == "cuda" and kept["chance_cuda"] is not None:
            torch.cuda.set_rng_state(kept["chance_cuda"])
