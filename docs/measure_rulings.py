"""Measures what our rulings do and writes it into docs/rulings.md: `python docs/measure_rulings.py [GAME ...]`.

The sections of the games that are named (of all, if none is) are written anew, the others stay. By chance a match is
played in a moment; the matches between bots take minutes. The figures depend on the seed and the numbers alone."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import samovar
from samovar.engine.contract import Game, Value
from samovar.engine.registry import find_game
from samovar.lab.compare import Difference, differences, name_of, text_of, winners
from samovar.lab.intervals import Interval
from samovar.lab.measures import PART, RATE, measures
from samovar.lab.order import make_order
from samovar.lab.portrait import BY_CHANCE, Figure
from samovar.lab.run import Findings, measuring
from samovar.lab.telling import TITLES, ToldFindings

PAGE = Path(__file__).parent / "rulings.md"
PLAYER = "medium"
DEALS = 40
RANDOM = 200_000
SEED = 1
MOST_DIGITS = 6
TOLD = ("moves", "choices", "ties", "points", "best", "ahead")  # the measures that are told, by their keys

HEAD = """# What our rulings do

Where a rulebook leaves something open we had to decide; where others may decide differently there is an option.
This page shows what each option does to its game, against the default, measured by the [lab](lab.md).
[Our rulings](rulings-explained.md) explains all of them, also those without an option.
[Below](#how-it-was-measured) is how it was measured, and what is left out.
"""

FOOT = f"""## How it was measured

```
python docs/measure_rulings.py
```

writes this page, or only the sections of the games you name.
The seed is {SEED}; each section gives its version and date.

- **By chance**: {RANDOM:,} matches of each variant with random moves.
  Match by match, all variants have the same deals.
- **By `{PLAYER}`**: {DEALS} deals, each played as often as there are players, with bots of that level in every chair.
  A deal counts once.
- The first number of a pair is that of the default, the second what the variant adds to it (percentages: in percentage
  points).
  Every figure has a 95 % interval.
- *Noise*: it may well be nothing, when everything compared for a ruling is looked at together (Holm's correction).
  With {DEALS} deals only large differences between bots are more than noise; a small one may exist all the same.
- *Played again*: after one different move bots think on differently, and another player may win whatever the rule does.
  This says how often that happens when the same deal is played again by the same rules, by bots with other seeds.
  Only a clearly higher number would say that the rule itself decides.
- Random players do not play for what a rule rewards.
  Where the two disagree, bots are nearer to people.

Left out:

- what a rulebook itself offers as a variant (`expert`, `ordered_stack`);
- the memory aid (C5), which helps people and changes no rule;
- rulings without an option;
- C1 in Matryoshka, where all choose together before anybody begins, so that the lab does not see who does.
"""


@dataclass(frozen=True)
class Ruling:
    """An option that a rulebook leaves open; the first of its values is the default."""

    number: str  # on the page of our rulings, docs/rulings-explained.md
    game: str
    seats: int
    title: str
    says: str
    option: str
    values: tuple[Value, ...]
    options: dict[str, Value] = field(default_factory=dict)  # without which it does nothing
    told: tuple[str, ...] = (*TOLD, "begins")


RULINGS = (
    Ruling(
        "M5",
        "matryoshka",
        5,
        "long columns",
        "The table of points ends at seven cards, but with four players a column can have eight, with five ten. By "
        "default it goes on by 3 points a card; with `long_columns=cap` more than seven score as seven do. With three "
        "players there are no such columns.",
        "long_columns",
        ("extend", "cap"),
        told=TOLD,
    ),
    Ruling(
        "R9",
        "memoarrrr",
        2,
        "the first reveal of a round",
        "In the expert game an animal's ability works after a connection. The first reveal of a round connects to "
        "nothing, so by default it has no ability; with `first_reveal_ability=true` it has.",
        "first_reveal_ability",
        (False, True),
        {"expert": True},
    ),
    Ruling(
        "V2",
        "varvitikud",
        2,
        "half turns",
        "All cards lie in the same direction. By default that means that a card is never turned; with `half_turn=true` "
        "it may be turned by 180 degrees when it is placed.",
        "half_turn",
        (False, True),
    ),
    Ruling(
        "B10",
        "babuschka",
        2,
        "patience",
        "The rulebook does not say how a match ends that nobody can finish. Here it does after so many moves for each "
        "player, 40 by default, in which nobody gets on.",
        "patience",
        (40, 20, 80),
    ),
)


def measure(ruling: Ruling, deals: int, random: int) -> Findings:
    vary = {ruling.option: ruling.values}
    matches = deals * ruling.seats
    order = make_order(
        ruling.game, ruling.seats, ruling.options, vary, (PLAYER,), random=random, matches=matches, seed=SEED
    )
    shown = -1
    for findings in measuring(order):
        if int(10 * findings.done) != shown:
            shown = int(10 * findings.done)
            print(f"{ruling.number} {findings.stage} {10 * shown} %", flush=True)
    return findings


def section(game: Game, found: list[tuple[Ruling, Findings]]) -> str:
    """All that is told of a game."""
    today = datetime.now(UTC).date()
    parts = [f"## {game.name}\n\nSamovar {samovar.__version__}, rules version {game.version}, {today:%-d %B %Y}."]
    for ruling, findings in found:
        parts.append(_ruling(ruling, findings))
        if "begins" in ruling.told:
            parts.append(_first(ruling, findings))
    return "\n\n".join(parts) + "\n"


def _ruling(ruling: Ruling, findings: Findings) -> str:
    also = "".join(f" --{name.replace('_', '-')}" for name, value in ruling.options.items() if value is True)
    command = (
        f"samovar lab {ruling.game} --seats {ruling.seats}{also} --vary "
        f"{ruling.option}={','.join(map(text_of, ruling.values))} --players {PLAYER} "
        f"--matches {findings.order.matches} --random {findings.order.random} --seed {SEED}"
    )
    sentences = [_sentence(ruling, findings, variant) for variant in range(1, len(ruling.values))]
    return "\n\n".join(
        [
            f"### {ruling.number}: {ruling.title}",
            ruling.says,
            *sentences,
            _table(ruling, findings),
            f"{ruling.seats} players. The same by hand, with all that the lab can tell:",
            f"```\n{command}\n```",
        ]
    )


def _told(ruling: Ruling, findings: Findings) -> list[Difference]:
    return [row for row in differences(findings) if row.measure.key in ruling.told]


def _sentence(ruling: Ruling, findings: Findings, variant: int) -> str:
    """What is sure, and who wins."""
    rows = [row for row in _told(ruling, findings) if row.variant == variant]
    told_by = [f"{_who(by)} {_sure([row for row in rows if row.by == by])}" for by in (BY_CHANCE, PLAYER)]
    return f"**`{name_of(findings, variant)}`**: {'; '.join(told_by)}. {_winners(findings, variant)}"


def _who(by: str) -> str:
    return by if by == BY_CHANCE else f"between `{by}` bots"


def _sure(rows: list[Difference]) -> str:
    if not rows:
        return "nothing differs"
    sure = [row for row in rows if row.is_sure]
    if not sure:
        return "all that is told here is within noise"
    return "it " + ", ".join(
        f"{'raises' if row.interval.value > 0 else 'lowers'} *{TITLES[row.measure.key].lower()}* by {_amount(row)}"
        f"{' percentage points' if _is_share(row) else ''}"
        for row in sure
    )


def _amount(row: Difference) -> str:
    """Without its sign, as exact as it is known: `3.83 ± 0.31`."""
    factor = 100 if _is_share(row) else 1
    value, margin = factor * abs(row.interval.value), factor * row.interval.margin
    digits = max(0, min(MOST_DIGITS, 1 - math.floor(math.log10(margin)))) if margin else 1
    return f"{value:.{digits}f} ± {margin:.{digits}f}"


def _is_share(row: Difference) -> bool:
    return row.measure.unit in (RATE, PART)


def _winners(findings: Findings, variant: int) -> str:
    found = winners(findings)[variant - 1]
    if found.other is None:
        return ""
    return (
        f"Between `{PLAYER}` bots somebody else wins in {_share(found.other)} of the matches (played again by the same "
        f"rules: {_share(found.again)})."
    )


def _share(interval: Interval | None) -> str:
    """With its bounds, which are not symmetrical."""
    if interval is None:
        return "–"
    value, low, high = (f"{100 * each:.0f}" for each in (interval.value, interval.low, interval.high))
    return f"{value} % ({low}–{high})"


def _table(ruling: Ruling, findings: Findings) -> str:
    """A row for each variant and measure; what is the same for all is left out."""
    rows = {(row.variant, row.measure.key, row.by): row for row in _told(ruling, findings)}
    lines = [f"| | | by chance | difference | `{PLAYER}` | difference |", "|---|---|---:|---:|---:|---:|"]
    for variant in range(1, len(findings.studies)):
        for measure in measures(findings.order.seats):
            pair = [rows.get((variant, measure.key, by)) for by in (BY_CHANCE, PLAYER)]
            if any(pair):
                cells = " | ".join(map(_cells, pair))
                lines.append(f"| `{name_of(findings, variant)}` | {TITLES[measure.key]} | {cells} |")
    return "\n".join(lines)


def _cells(row: Difference | None) -> str:
    if row is None:
        return "| same"
    before = f"{100 * row.first:.1f} %" if _is_share(row) else f"{row.first:.2f}"
    sign = "+" if row.interval.value > 0 else "−"
    amount = f"{sign}{_amount(row)}"
    return f"{before} | {amount}" if row.is_sure else f"{before} | *noise:* {amount}"


def _first(ruling: Ruling, findings: Findings) -> str:
    """C1 where the lab sees who begins: what it would be worth to be named, from the matches of the default."""
    begins = [figure for figure in ToldFindings(findings).portrait() if figure.key == "begins"]
    shares = ", ".join(f"{figure.text} {_who(figure.by)}" for figure in begins)
    return (
        f"### C1: who begins in {findings.order.game.name}\n\nBy default chance names the starting player; `first` "
        f"names one. With {ruling.seats} players{_expert(ruling)} who begins wins {shares}. Even would be "
        f"{100 / ruling.seats:.0f} %. {_verdict(begins, ruling.seats)}"
    )


def _expert(ruling: Ruling) -> str:
    return "".join(f" and `{name}`" for name in ruling.options)


def _verdict(begins: Sequence[Figure], seats: int) -> str:
    sure = [each for each in begins if each.interval and not each.interval.holds(1 / seats)]
    if not sure:
        return "Both are even, as far as this can tell: it does not matter who is named."
    ahead = ", ".join(f"{_who(each.by)} it is {_good(each.interval, seats)} to begin" for each in sure)
    others = " Otherwise it is within noise." if len(sure) < len(begins) else ""
    return f"So {ahead}.{others}"


def _good(interval: Interval | None, seats: int) -> str:
    return "an advantage" if interval and interval.value > 1 / seats else "a disadvantage"


def write(sections: dict[str, str]) -> None:
    """Those that are not given stay as they are."""
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    for game in dict.fromkeys(ruling.game for ruling in RULINGS):
        title = find_game(game).name
        old = re.search(rf"^## {re.escape(title)}\n.*?(?=^## )", before, re.DOTALL | re.MULTILINE)
        if game not in sections and old:
            sections[game] = old[0].rstrip() + "\n"
    parts = [sections[game] for game in dict.fromkeys(ruling.game for ruling in RULINGS) if game in sections]
    PAGE.write_text("\n".join([HEAD, *parts, FOOT]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help="those to be measured; all, if none is named")
    parser.add_argument("--deals", type=int, default=DEALS, help="between bots")
    parser.add_argument("--random", type=int, default=RANDOM, help="matches by chance")
    asked = parser.parse_args()
    for game in asked.games or dict.fromkeys(ruling.game for ruling in RULINGS):
        found = [
            (ruling, measure(ruling, asked.deals, asked.random))
            for ruling in RULINGS
            if ruling.game == find_game(game).id
        ]
        write({game: section(find_game(game), found)})
        print(f"{game} is written", flush=True)


if __name__ == "__main__":
    main()
