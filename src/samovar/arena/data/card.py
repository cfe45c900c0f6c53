"""The card of a data set: what it is, how it was made, how to read it, and how to make it again."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from samovar.arena.data.files import ARRAYS, COLUMNS, MINARI, PARQUET, RECORDS
from samovar.arena.outcome import Tournament
from samovar.engine.assembly.versions import registry_name
from samovar.engine.contract import Game, Value
from samovar.engine.installed import own_version
from samovar.engine.registry import find_game

HOW = {
    RECORDS: """Each line of a file is the record of a match, as JSON: the deal's seed, the options, every move as a
text, the bots by seat (`table`), points and places. `samovar.replay` plays it again and compares; all else follows.

```python
import gzip, json, samovar
with gzip.open("records-00000.jsonl.gz", "rt", encoding="utf-8") as file:
    match = samovar.replay(json.loads(next(file)))
seat, move = match.history[0]
print(match.places, match.at(0).observation(seat), match.at(0).legal(seat), move)
```
""",
    ARRAYS: """A file has a row for each decision, match after match, and a row for each match.

| array | type | rows | says |
|---|---|---|---|
| `observations` | int8 | decisions | what the seat to act knew: {size} numbers, see the game's rules page |
| `seats` | int8 | decisions | who acted |
| `moves` | int32 | decisions | the number of the move that was made, below {moves:,} |
| `legal`, `legal_starts` | int32, int64 | decisions | decision k: `legal[legal_starts[k]:legal_starts[k + 1]]` |
| `match_starts` | int64 | matches | match m has the decisions from `match_starts[m]` to `match_starts[m + 1]` |
| `rewards` | float32 | matches | by seat, by place: 1 for the first, -1 for the last |
| `scores`, `places` | int32, int8 | matches | by seat: points and places at the end |
| `bots`, `names` | int16, text | matches | by seat: who played; `names[bots[m, seat]]` |

Where several seats choose at the same time, each has a decision of its own, and knew nothing of the others'.

```python
import numpy as np
data = np.load("arrays-00000.npz")
k = data["match_starts"][0]
legal = data["legal"][data["legal_starts"][k] : data["legal_starts"][k + 1]]
print(data["observations"][k], legal, data["moves"][k], data["rewards"][0, data["seats"][k]])
```
""",
    PARQUET: """A file is a table with a row for each decision, match after match: an observation of {size} numbers (see
the game's rules page), and moves by their numbers, below {moves:,}.

| column | type | says |
|---|---|---|
{columns}
Where several seats choose at the same time, each has a row of its own, and knew nothing of the others'.

```python
import pyarrow.parquet
table = pyarrow.parquet.read_table("decisions-00000.parquet")
first = table.slice(0, 1).to_pylist()[0]
print(first["observation"], first["legal"], first["move"])
print(first["bot"], first["reward"])
```
""",
    MINARI: """`data` is for Minari: an episode for every seat of every match, in the spaces of `samovar/{name}`: an
observation of {size} numbers (see the game's rules page), a mask of {moves:,} moves, and the reward at the end, by
place. Match, seat and bot are metadata of an episode. Its place for `minari.load_dataset` is named in
`data/metadata.json`. The records beside it say the same: `samovar.replay` plays them again.

```python
import minari
data = minari.MinariDataset("data")
episode = data[0]
print(len(data), episode.observations["observation"][0], episode.actions[0], episode.rewards[-1])
print(next(iter(data.storage.get_episode_metadata([0])))["bot"])
```
""",
}

# What the card says to people, and `croissant.json` to programs.
COLLECTION = "Bots played matches against each other by Samovar's rules; nothing was sampled from elsewhere or edited."
USES = (
    "Imitation and offline reinforcement learning, and learning what a seat cannot see.",
    "Tests and examples of tools that read such data.",
)
LIMITS = (
    "It shows how these bots play, not how people do, nor best play: what none of them ever does is not in it.",
    "It covers this number of seats and these options only.",
    "Strength measured on these deals is no measure of strength on others: measure in an arena, with other seeds.",
)
BIASES = (
    "Bots that choose at random or think for a fixed number of rounds make mistakes of their own kind.",
    "Matches that a bot forfeited are left out; if bots run out of time, those are its hardest positions.",
)
PEOPLE = "None. No person took part."


@dataclass(frozen=True)
class WrittenFile:
    size: int  # bytes
    sha256: str


@dataclass
class Written:
    """What was written so far."""

    order: Tournament
    format: str
    matches: int = 0
    decisions: int = 0  # moves made, each with what its seat knew
    left_out: int = 0  # matches that were forfeited
    files: dict[str, WrittenFile] = field(default_factory=dict)  # by name
    seats_taken: Counter[str] = field(default_factory=Counter)  # by bot
    rewards: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))  # by bot, of all its seats

    @property
    def is_whole(self) -> bool:
        return self.matches + self.left_out == self.order.matches


def title(written: Written) -> str:
    return f"{find_game(written.order.game).name}: {written.matches:,} matches between bots"


def card_text(written: Written) -> str:
    order, game = written.order, find_game(written.order.game)
    options = game.check_options(order.seats, order.options)
    how = HOW[written.format]
    if written.format != RECORDS:  # which has braces of its own
        how = how.format(size=game.observation_size, moves=game.moves, columns=_columns(), name=_name(game))
    return f"""# {title(written)}

{_state(written)}

| | |
|---|---|
| game | {game.name} (`{game.id}`) of samovar {own_version()} |
| versions | rules {game.version}, environment {game.environment_version} |
| seats | {order.seats} |
| options | {", ".join(f"`{name}` {_told(value)}" for name, value in options.items())} |
| seed | {order.seed} |
| matches | {written.matches:,}, each with a deal of its own |
| decisions | {written.decisions:,}, {written.decisions / max(written.matches, 1):.1f} a match |
| left out | {written.left_out:,} matches, which a bot forfeited |
| files | {len(written.files):,}, {sum(file.size for file in written.files.values()) / 1000:,.0f} kB |

| bot | seats taken | mean reward |
|---|---|---|
{_bots(written)}
Bots sit in every seat in turn. They are handed what their seat knows and nothing else.

## What it is for, and what it is not

{_list("For", USES)}
{_list("Limits", (*LIMITS, *BIASES))}
People: no person took part.
{COLLECTION}

## How to read it

`croissant.json` says the same to programs that read Croissant, with a checksum of every file.

{how}
## How to make it again

```
{_command(written)}
```

The same samovar, games and bots write the same bytes on every machine, unless a bot runs out of time. Other versions
of {PACKERS[written.format]} may pack them differently; what is in them is the same.

## Licence and citation

MIT, as Samovar itself; who publishes it under another licence changes this line. Please cite Samovar as its
CITATION.cff says, with the version above. Add `url`, `datePublished` and `publisher` to `croissant.json` then.
"""


PACKERS = {RECORDS: "zlib", ARRAYS: "zlib", PARQUET: "pyarrow", MINARI: "zlib, pyarrow and Minari"}


def _list(head: str, sentences: tuple[str, ...]) -> str:
    return "\n".join([f"{head}:", "", *(f"- {sentence}" for sentence in sentences), ""])


def _name(game: Game) -> str:
    return registry_name(game.id, game.environment_version).partition("/")[2]


def _columns() -> str:
    return "".join(
        f"| `{name}` | {kind.partition(':')[2].lower().replace('*', ', a list')} | {says} |\n"
        for name, (kind, says) in COLUMNS.items()
    )


def _state(written: Written) -> str:
    if written.is_whole:
        return "Written by `samovar dataset`."
    return (
        f"Written by `samovar dataset`, which was **interrupted**: these are the first {written.matches:,} of "
        f"{written.order.matches:,} matches. All files are whole."
    )


def _bots(written: Written) -> str:
    taken = written.seats_taken
    return "".join(
        f"| `{bot}` | {taken[bot]:,} | {written.rewards[bot] / max(taken[bot], 1):+.3f} |\n"
        for bot in written.order.names
    )


def _command(written: Written) -> str:
    order = written.order
    words = ["samovar", "dataset", order.game, "--bots", ",".join(order.bots), "--seats", str(order.seats)]
    words += ["--matches", str(order.matches), "--seed", str(order.seed)]
    for name, value in order.options.items():
        words.append(f"--{name.replace('_', '-')}={_told(value)}")
    words += [] if written.format == RECORDS else ["--format", written.format]
    words += ["--out", "FOLDER"]
    return shlex.join(words)


def _told(value: Value) -> str:
    return "random" if value is None else str(value).lower()
