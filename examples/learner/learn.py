"""A first learner: it plays against itself, thousands of matches at once, and learns a game for two
from nothing.

    python examples/learner/learn.py --device cuda --minutes 4 --out learned     learns Memoarrrr!,
    and is measured against `greedy` on the way python examples/learner/learn.py --play
    learned/network.pt                   what was learned as a program that can sit at any table

The method is proximal policy optimisation (PPO) with one network for both seats. It needs PyTorch.
Nothing in here knows the game.
"""

import argparse
import csv
import json
import sys
import time
from pathlib import Path

import numpy as np

import samovar
from samovar.engine.contract import Game
from samovar.errors import SamovarError

try:
    import torch
except ImportError:
    sys.exit("The learner needs PyTorch, which is not installed here: pip install torch")
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional

STEPS = 32  # moves made in every match before the network is improved
# what was played is learned from in so many portions, so many times; new moves cost less than they
# teach
PORTIONS, PASSES = 16, 1
RATE = 1e-3  # of learning; like the bonus for curiosity it sinks to 0 as time runs out
CURIOSITY = 0.01  # a bonus for not being sure yet
TRUST = 0.2  # how far a move may become more or less probable at a time
LAMBDA = 0.9  # 0: a move is judged by the position after it; 1: by the end of the match
HEADS, SCORES = 4, 8
MEASURINGS = 8  # on the way
# deals against each bot on the way, and at the end: each is played twice, with seats exchanged
PAIRS, LAST_PAIRS = 50, 200
RIVALS = ("random", "greedy")
FIRST_DEAL = 2**40  # of these matches: far from those that are learned from


class Network(nn.Module):
    """From what a seat knows to its moves and its prospects.

    The first part of an observation is taken for the board, with all other parts of its size: what
    they say of one field is read together, by the same weights for every field. Then the fields
    look at each other, as words do in a language model. Numbers in an observation are mostly names
    (of an animal, of a seat), and names are good for one thing: to see whether two are the same. So
    that is what the network gets to see.
    """

    def __init__(self, game: Game, width: int = 64, layers: int = 2) -> None:
        super().__init__()
        self.game, self.width, self.layers = game, width, layers
        fields, ends = game.observation[0].size, np.cumsum([part.size for part in game.observation])
        board = [
            range(end - part.size, end)
            for part, end in zip(game.observation, ends, strict=True)
            if part.size % fields == 0
        ]
        # where each part of each field is
        self.register_buffer("board", torch.tensor(np.concatenate(board)).view(-1, fields))
        self.register_buffer("rest", torch.tensor(np.setdiff1d(np.arange(game.observation_size), self.board)))
        self.register_buffer("values", torch.arange(-1, 8, dtype=torch.int8))  # that are told apart
        self.field = nn.Linear(len(self.board) * (len(self.values) + len(self.rest)), width)
        self.table = nn.Linear(game.observation_size * len(self.values), width)
        self.place = nn.Parameter(torch.randn(fields, width) / 10)
        self.alike = nn.Linear(len(self.board), HEADS, bias=False)
        self.norm = nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(width, HEADS, 2 * width, dropout=0, batch_first=True, norm_first=True)
        self.look = nn.TransformerEncoder(layer, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.scores = nn.Linear(width, SCORES)
        self.policy = nn.Linear(fields * SCORES, game.moves)
        self.value = nn.Linear(width, 1)
        # All moves are equally likely at first, and the first guess is that a move has the number
        # of the field it is about.
        nn.init.eye_(self.policy.weight)
        for zero in (self.policy.bias, self.scores.weight, self.scores.bias, self.value.weight, self.value.bias):
            nn.init.zeros_(zero)

    def forward(self, observations: Tensor, legal: Tensor) -> tuple[Categorical, Tensor]:
        flags = observations.unsqueeze(-1) == self.values  # by match, entry, value
        board = observations[:, self.board].transpose(1, 2)  # by match, field, part
        as_table = board.unsqueeze(-1) == observations[:, None, None, self.rest]
        as_other = board.unsqueeze(1) == board.unsqueeze(2)  # by match, field, field, part
        fields = self.field(
            torch.cat([flags[:, self.board].transpose(1, 2).flatten(2), as_table.flatten(2)], 2).float()
        )
        fields = fields + self.place + self.table(flags.flatten(1).float()).unsqueeze(1)
        # what fields have in common draws it, or keeps it away
        attention = self.alike(as_other.float()).permute(0, 3, 1, 2).flatten(0, 1)
        fields = self.look(functional.relu(self.norm(fields)), attention)
        logits = self.policy(self.scores(fields).transpose(1, 2).flatten(1))
        moves = Categorical(logits=logits.masked_fill(~legal, -1e9), validate_args=False)
        return moves, self.value(fields.mean(1)).squeeze(1).tanh()

    @torch.no_grad()
    def best(self, observations: np.ndarray, legal: list[list[int]]) -> list[int]:
        """The moves that it holds for the best, for some seats at once; among equals any."""
        mask = torch.zeros(len(legal), self.policy.out_features, dtype=torch.bool)
        for flags, moves in zip(mask, legal, strict=True):
            flags[moves] = True
        moves, _ = self(torch.from_numpy(observations).to(self.place.device), mask.to(self.place.device))
        return (moves.logits + torch.rand_like(moves.logits) / 1000).argmax(1).tolist()

    def save(self, file: Path) -> None:
        torch.save(
            {"game": self.game.id, "width": self.width, "layers": self.layers, "weights": self.state_dict()}, file
        )

    @classmethod
    def load(cls, file: Path) -> "Network":
        saved = torch.load(file, map_location="cpu")
        network = cls(samovar.find_game(saved["game"]), saved["width"], saved["layers"])
        network.load_state_dict(saved["weights"])
        return network


class Learner:
    def __init__(
        self, game: str | Game, matches: int, device: str = "cpu", seed: int = 1, width: int = 64, layers: int = 2
    ) -> None:
        torch.manual_seed(seed)
        self.batch = samovar.Batch(game, matches, seats=2, seed=seed, device=device)
        # Made once: tensors and batch share their memory, so these show the new numbers after every
        # step.
        names = ("observations", "legal_mask", "actor", "rewards", "ended")
        self.observations, self.legal, self.actor, self.rewards, self.ended = (
            torch.from_dlpack(getattr(self.batch, name)) for name in names
        )
        self.network = Network(self.batch.game, width, layers).to(device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), eps=1e-5)
        self.moves = 0

    def learn(self, left: float) -> float:
        """Plays on for some moves and learns from them; `left` is how much of the time is, from 1
        to 0. Says how unsure it is (entropy)."""
        observations, legal, moves, chances, values, gains = (part.flatten(0, 1) for part in self.play())
        worth = values + gains
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        self.optimizer.param_groups[0]["lr"] = RATE * left
        for _ in range(PASSES):
            for some in torch.randperm(len(moves), device=moves.device).chunk(PORTIONS):
                policy, value = self.network(observations[some], legal[some])
                # A move that was better than expected shall become more probable, but not by too
                # much at once.
                ratio = (policy.log_prob(moves[some]) - chances[some]).exp()
                gain = torch.min(ratio * gains[some], ratio.clamp(1 - TRUST, 1 + TRUST) * gains[some]).mean()
                unsure = policy.entropy().mean()
                loss = functional.mse_loss(value, worth[some]) / 2 - gain - CURIOSITY * left * unsure
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimizer.step()
        return unsure.item()

    @torch.no_grad()
    def play(self) -> tuple[Tensor, ...]:
        """Moves in every match. By step and match: what the actor knew, its legal moves, its move,
        how likely it was, its prospects and its gain."""
        steps = []
        for _ in range(STEPS):
            policy, value = self.network(self.observations, self.legal)
            moves = policy.sample()
            before = self.observations.clone(), self.legal.clone(), moves, policy.log_prob(moves), value
            actor = self.actor.clone()
            self.batch.step(moves)
            reward = self.rewards.gather(1, actor.long().unsqueeze(1)).squeeze(1)
            steps.append((*before, reward, side(actor, self.actor, self.ended)))
        *known, values, rewards, sides = (torch.stack(part) for part in zip(*steps, strict=True))
        _, last = self.network(self.observations, self.legal)
        self.moves += rewards.numel()
        return *known, values, gains(torch.cat([values, last.unsqueeze(0)]), rewards, sides)


def side(actor: Tensor, following: Tensor, ended: Tensor) -> Tensor:
    """What the prospects of the following actor are to this one: the same if it acts again, the
    opposite if the other does, nothing after the end."""
    return torch.where(actor == following, 1.0, -1.0) * ~ended


def gains(values: Tensor, rewards: Tensor, sides: Tensor) -> Tensor:
    """How much better than expected each move was for its actor (generalised advantage estimation).
    There is one value more than rewards."""
    gain, found = torch.zeros_like(values[0]), []
    for step in reversed(range(len(rewards))):
        gain = rewards[step] + sides[step] * (values[step + 1] + LAMBDA * gain) - values[step]
        found.append(gain)
    return torch.stack(found[::-1])


# How well it plays


def share_won(network: Network, rival: str, pairs: int, first: int = FIRST_DEAL) -> float:
    """The share of decided matches that the network wins against a bot, over so many deals, each
    played twice with seats exchanged."""
    game = network.game
    tables = [
        (samovar.Match(game, 2, first + deal), seat, samovar.make_bot(rival, game, deal))
        for deal in range(pairs)
        for seat in (0, 1)
    ]
    while going := [(match, match.seat(match.actors[0]), seat, bot) for match, seat, bot in tables if not match.over]:
        asked = [(match, chair) for match, chair, seat, _ in going if chair.number == seat]
        for match, chair, seat, bot in going:
            if chair.number != seat:
                match.play(chair.number, bot.choose(chair).move)
        if asked:  # all at once: a network has the same trouble with one as with a hundred
            best = network.best(
                np.stack([chair.observation for _, chair in asked]), [chair.legal for _, chair in asked]
            )
            for (match, chair), move in zip(asked, best, strict=True):
                match.play(chair.number, move)
    places = [(match.places[seat], match.places[1 - seat]) for match, seat, _ in tables]
    decided = sum(own != other for own, other in places)
    return sum(own < other for own, other in places) / decided if decided else 0.5


def measure(learner: Learner, seconds: float, unsure: float, pairs: int) -> dict[str, float]:
    """A row of the curve."""
    shares = {rival: round(share_won(learner.network, rival, pairs), 4) for rival in RIVALS}
    return {"minutes": round(seconds / 60, 3), "moves": learner.moves, "entropy": round(unsure, 3), **shares}


def draw(rows: list[dict[str, float]], title: str) -> str:
    """The curve as a picture: the share won against each bot, over the minutes."""
    end = rows[-1]["minutes"] or 1
    marks = [
        f'<text x="60" y="24" font-weight="bold">{title}</text><text x="340" y="394" text-anchor="middle">minutes of '
        "learning</text>"
    ]
    for quarter in range(5):
        across, up = 60 + 140 * quarter, 350 - 75 * quarter
        marks.append(f'<path d="M60,{up}h560" stroke="{"#666" if quarter == 2 else "#ddd"}"/>')
        marks.append(f'<text x="52" y="{up + 4}" text-anchor="end">{25 * quarter} %</text>')
        marks.append(f'<text x="{across}" y="372" text-anchor="middle">{end * quarter / 4:.1f}</text>')
    for number, (rival, colour) in enumerate(zip(RIVALS, ("#b08900", "#0b6e99"), strict=True)):
        points = " ".join(f"{60 + 560 * row['minutes'] / end:.1f},{350 - 300 * row[rival]:.1f}" for row in rows)
        marks.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        marks.append(f'<text x="{430 + 100 * number}" y="340" fill="{colour}">against {rival}</text>')
    box = 'viewBox="0 0 640 400" font-family="sans-serif" font-size="13"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}><rect width="640" height="400" '
        f'fill="#fff"/>{"".join(marks)}</svg>\n'
    )


# Commands


def train(learner: Learner, minutes: float, out: Path) -> None:
    """Learns for so many minutes, not counting those of measuring. The curve and the network are
    written whenever it was measured."""
    torch.set_float32_matmul_precision("high")
    out.mkdir(parents=True, exist_ok=True)
    name = learner.batch.game.name
    learner.play()  # compiles the rules, which is no learning either
    rows: list[dict[str, float]] = []
    seconds, spoken, unsure = 0.0, 0.0, float("nan")
    while True:
        is_over = seconds >= 60 * minutes
        if is_over or seconds >= len(rows) * 60 * minutes / MEASURINGS:
            rows.append(measure(learner, seconds, unsure, LAST_PAIRS if is_over else PAIRS))
            with open(out / "curve.csv", "w", newline="") as file:
                table = csv.DictWriter(file, rows[0])
                table.writeheader()
                table.writerows(rows)
            (out / "curve.svg").write_text(draw(rows, f"{name}: matches won by a network that began with nothing"))
            learner.network.save(out / "network.pt")
        if is_over or seconds >= spoken:
            spoken = seconds + 5
            against = ", ".join(f"{rows[-1][rival]:.0%} against {rival}" for rival in RIVALS)
            speed = learner.moves / seconds if seconds else 0
            print(
                f"{seconds:5.0f} s  {learner.moves:13,} moves  {speed:11,.0f} a second  entropy {unsure:.3f}  last "
                f"measured: {against}",
                flush=True,
            )
        if is_over:
            break
        start = time.perf_counter()
        unsure = learner.learn(1 - seconds / (60 * minutes))
        seconds += time.perf_counter() - start


def sit_down(file: Path) -> None:
    """Answers as a program at a table of samovar does: docs/writing-bots.md."""
    network = Network.load(file)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"type": "ready"}), flush=True)
        elif message["type"] == "ask":
            known = np.array([message["observation"]], np.int8)
            (move,) = network.best(known, [[one["move"] for one in message["legal"]]])
            print(json.dumps({"type": "move", "move": move}), flush=True)
        elif message["type"] == "quit":
            break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="memoarrrr", help="one that two can play (default: %(default)s)")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--minutes", type=float, default=4, help="of learning (default: %(default)s)")
    parser.add_argument("--matches", type=int, default=8192, help="played at once (default: %(default)s)")
    parser.add_argument("--width", type=int, default=64, help="of the network (default: %(default)s)")
    parser.add_argument("--layers", type=int, default=2, help="of the network (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path("learned"), help="folder for the network and the curve (default: %(default)s)"
    )
    parser.add_argument(
        "--play", type=Path, metavar="NETWORK", help="do not learn, but play with this network as a program at a table"
    )
    given = parser.parse_args()
    try:
        if given.play:
            sit_down(given.play)
        else:
            train(
                Learner(given.game, given.matches, given.device, given.seed, given.width, given.layers),
                given.minutes,
                given.out,
            )
    except (SamovarError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
