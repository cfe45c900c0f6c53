"""Writes the sources of the documentation site into a folder: `python docs/generate.py FOLDER`. With `--without-play`
the games of the page Play are not compiled, which takes half a minute.

They are the pages of docs/, CONTRIBUTING.md and CHANGELOG.md, a page of the command line made from its commands, and
for every registered game a page of facts and its rules in each language that they are written in, made from its code.
`FOLDER/mkdocs.yml` is the repository's with the games in its navigation, so MkDocs and Zensical
build the same pages without plugins of ours. `llms.txt` lists them all, for programs that read.
"""

from __future__ import annotations

import random
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from command_line import command_line
from llms import llms_text
from play import write_play

import samovar
from samovar.engine.contract import Game, Option, Value
from samovar.engine.kinds import Layout, Part
from samovar.language.languages import ENGLISH, LANGUAGES, own_name
from samovar.teach.rules_pages import observation_table, programs_text, rules_language, rules_page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
# Files outside docs/ that are pages of the site.
OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
ICON = ROOT / "src" / "samovar" / "web" / "static" / "icon.svg"
SHOWN_MOVES = 12
RULINGS = "rulings-explained.md"
# Sections of PROGRAMS.md that stand under headings of their own.
OWN_HEADINGS = ("Moves", "Observation")


def generate(folder: Path, *, with_play: bool = True) -> None:
    """What was in the folder before is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for name, text in generated().items():
        page = folder / "docs" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    write_play(folder / "docs", with_games=with_play)
    for page in folder.rglob("*.md"):
        page.write_text(with_links_inside(page.read_text(encoding="utf-8")), encoding="utf-8")
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    config["nav"].append({"Games": places()})
    (folder / "docs" / "llms.txt").write_text(llms_text(config, folder / "docs"), encoding="utf-8")
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config, allow_unicode=True, sort_keys=False), encoding="utf-8")


def places() -> list[Any]:
    """The games in the navigation."""
    return ["games/index.md"] + [{game.name: [f"games/{game.id}/index.md", *rules_places(game)]} for game in games()]


def rules_places(game: Game) -> list[dict[str, str]]:
    titles = {language: f"Rules: {own_name(language)}" for language in rules_languages(game)}
    titles[ENGLISH] = f"Rules of {game.name}"
    return [{title: f"games/{game.id}/{rules_name(language)}"} for language, title in titles.items()]


def with_links_inside(markdown: str) -> str:
    """Links to files outside this folder, as they are right in the repository, become links to
    their pages."""
    for name, page in OUTSIDE.items():
        markdown = markdown.replace(f"](../{name}", f"]({page}").replace(f"]({name}", f"]({page}")
    return markdown


# The pages


def generated() -> dict[str, str]:
    """All generated files by name."""
    pages = {page: (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](") for name, page in OUTSIDE.items()}
    pages["icon.svg"] = ICON.read_text(encoding="utf-8")
    pages["cli.md"] = command_line()
    samples = {game: sample_of(game) for game in games()}
    pages["games/index.md"] = overview(samples)
    for game, sample in samples.items():
        pages[f"games/{game.id}/index.md"] = facts_page(game, sample)
        for language in rules_languages(game):
            pages[f"games/{game.id}/{rules_name(language)}"] = rules_in(game, language)
    return pages


def rules_languages(game: Game) -> list[str]:
    """Those in which the game has rules of its own, English first."""
    return [language for language in LANGUAGES if rules_language(game, language) == language]


def rules_name(language: str) -> str:
    return "rules.md" if language == ENGLISH else f"rules.{language}.md"


def rules_in(game: Game, language: str) -> str:
    """The site is in English, so a page in another language says which, for screen readers, and is
    not found by its search."""
    page = rules_page(game, language)
    if language == ENGLISH:
        return page
    head = f"---\ntitle: {game.name} ({own_name(language)})\nsearch:\n  exclude: true\n---\n"
    return f'{head}\n<div lang="{language}" markdown>\n\n{page}\n</div>\n'


def games() -> list[Game]:
    return [samovar.find_game(game_id) for game_id in samovar.game_ids()]


def overview(samples: dict[Game, Sample]) -> str:
    rows = [
        [
            f"[{game.name}]({game.id}/index.md)",
            either(game.seats),
            sample.choices,
            sample.secrets,
            f"{game.moves:,}",
            f"{game.observation_size:,}",
        ]
        for game, sample in samples.items()
    ]
    return (
        "# The games\n\nEach game has two pages, made from its code: its facts for programs, and its rules as we "
        "play them, in our own words.\n\n"
        + table(["game", "seats", "choices", "secrets", "move numbers", "observation"], rows)
        + "\n*Secrets*: whether anything is hidden from a seat. *Observation*: how many numbers a seat's knowledge "
        "is.\n"
    )


def facts_page(game: Game, sample: Sample) -> str:
    parts = [
        f"# {game.name}",
        picture(game),
        rules_sentence(game),
        facts(game, sample),
        "## Options\n\n" + options(game),
        "## Longest match\n\n" + longest(game),
        "## Move numbers\n\n" + move_numbers(game, sample),
        "## Observation\n\nWhat a seat knows, as numbers from -128 to 127: `Match.observation(seat)`, "
        "`Batch.observations`.",
        section(programs_text(game), "Observation"),
        observation_table(game),
        for_networks(game),
        without_sections(programs_text(game), OWN_HEADINGS),
    ]
    return with_rulings("\n\n".join(part for part in parts if part)) + "\n"


def with_rulings(page: str) -> str:
    """One of ours that a game names leads to where it is explained."""
    numbers = re.findall(r"^### ([A-Z]\d+):", (DOCS / RULINGS).read_text(encoding="utf-8"), re.MULTILINE)
    ours = re.compile(rf"\bruling ({'|'.join(numbers)})\b")
    return ours.sub(lambda found: f"[{found[0]}](../../{RULINGS}#{found[1].lower()})", page)


def rules_sentence(game: Game) -> str:
    others = [language for language in rules_languages(game) if language != ENGLISH]
    links = ", ".join(f"[{own_name(language)}]({rules_name(language)})" for language in others)
    flags = ", ".join(f"`--lang {language}`" for language in others)
    return (
        f"The rules, as we play them, have [a page of their own](rules.md){f' ({links})' if others else ''}; in a "
        f"terminal: `samovar rules {game.id}`{f' (and {flags})' if others else ''}."
    )


def picture(game: Game) -> str:
    """The table in a browser, where there is a picture of it."""
    if not (PICTURES / f"{game.id}.jpg").exists():
        return ""
    return f"![A table of {game.name} in the browser](../../pictures/{game.id}.jpg)"


def facts(game: Game, sample: Sample) -> str:
    rows = [
        ["id", f"`{game.id}`"],
        ["seats", either(game.seats)],
        ["choices", sample.choices],
        ["secrets", sample.secrets],
        ["move numbers", f"{game.moves:,}, at most {game.max_legal:,} legal at once"],
        ["observation", f"{game.observation_size:,} numbers (`int8`)"],
        ["state", f"{game.state.itemsize:,} bytes a match"],
        ["version of the rules", str(game.version)],
    ]
    return table(["fact", "value"], rows)


def options(game: Game) -> str:
    rows = [[f"`{option.name}`", choices(option), told(option.default), option.help] for option in game.options]
    return (
        "By keyword in Python, with two dashes in a terminal (`_` becomes `-`).\n\n"
        + table(["option", "choices", "default", "meaning"], rows)
        + f"\n```\nsamovar play {game.id} --seats {game.seats[-1]} {flag(game.options[0])}\n```"
    )


def longest(game: Game) -> str:
    """Moves in the longest match: a row for each combination of switches, a column for each number
    of seats."""
    combinations = [values for seats, values in game.variants() if seats == game.seats[0]]
    rows = [
        [
            variant_name(game, values),
            *(f"{game.max_length(seats, game.check_options(seats, values)):,}" for seats in game.seats),
        ]
        for values in combinations
    ]
    ranges = [option for option in game.own_options if isinstance(option.choices, range)]
    note = "".join(f"\nWith `{option.name}` at its default, {option.default}.\n" for option in ranges)
    return (
        "No match has more moves than this.\n\n"
        + table(["variant", *(f"{seats} seats" for seats in game.seats)], rows)
        + note
    )


def for_networks(game: Game) -> str:
    """Where the planes of an observation lie, what is related besides, and a move as parts."""
    if game.encoding.has_unnamed:
        return ""
    parts = [
        "## For networks",
        f'With `encoding="planes"` an observation is {game.encoding.size:,} zeros and ones: a flag is one plane, a '
        "name one plane for each thing that it may name, a count one plane for each step up to it (at most 16). The "
        "planes of a part lie one after another.",
        planes(game.encoding),
    ]
    if game.relations:
        parts += ["The last of them, `relations`, follow from the observation:", meanings(game.relations)]
    if game.factors:
        parts += [
            f"A move as parts, `Batch.legal_factors`: {game.factor_encoding.raw_size} numbers, or "
            f"{game.factor_encoding.size} as planes.",
            planes(game.factor_encoding),
            meanings(game.factors),
        ]
    if game.rotate_move:
        parts += ["With `turned=True` move numbers are those of the table as the seat to move sees it."]
    return "\n\n".join(parts)


def planes(layout: Layout) -> str:
    rows = [
        [str(planes.start), f"`{planes.name}`", part.kind.help, str(planes.count), " x ".join(map(str, planes.shape))]
        for part, planes in zip(layout.parts, layout.planes, strict=True)
        if part.kind
    ]
    return table(["from", "name", "kind", "planes", "each"], rows)


def meanings(parts: tuple[Part, ...]) -> str:
    return table(["name", "meaning"], [[f"`{part.name}`", part.help] for part in parts])


def move_numbers(game: Game, sample: Sample) -> str:
    """What the game says about moves, and examples from play."""
    said = section(programs_text(game), "Moves")
    rows = [[str(move), f"`{text}`"] for move, text in spread(sorted(sample.texts.items()), SHOWN_MOVES)]
    head = f"Moves are numbered from 0 to {game.moves - 1:,}; a number means the same in every position."
    return "\n\n".join(
        part
        for part in (head, said, "Some that were legal in random matches:", table(["number", "text"], rows))
        if part
    )


# What is found out by playing


@dataclass
class Sample:
    """What was seen in a few random matches, one of each variant."""

    texts: dict[int, str] = field(default_factory=dict)  # move number -> its text where it was first legal
    at_once: bool = False
    hidden: bool = False

    @property
    def choices(self) -> str:
        return "some at the same time" if self.at_once else "in turn"

    @property
    def secrets(self) -> str:
        return "yes" if self.hidden else "none"


def sample_of(game: Game, looks: int = 3) -> Sample:
    """Plays plain: nothing is compiled to build a page. In each position a few legal moves are
    noted."""
    sample = Sample()
    for seats, values in game.variants():
        match = samovar.Match(game, seats, seed=1, plain=True, **values)
        chance = random.Random(1)
        while not match.over:
            seat = chance.choice(match.actors)
            legal = match.legal(seat)
            sample.at_once |= len(match.actors) > 1
            sample.hidden = sample.hidden or match.imagine(seat, 1).state_bytes != match.state_bytes
            for move in chance.sample(legal, min(looks, len(legal))):
                sample.texts.setdefault(move, match.move_text(seat, move))
            match.play(seat, chance.choice(legal))
    return sample


# Markdown


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def section(page: str, name: str) -> str:
    """What stands under a heading of a page, or nothing."""
    part = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    return part[1].strip() if part else ""


def without_sections(page: str, names: tuple[str, ...]) -> str:
    for name in names:
        page = re.sub(rf"^## {name}\n.*?(?=^## |\Z)", "", page, flags=re.DOTALL | re.MULTILINE)
    return page.strip()


def variant_name(game: Game, values: dict[str, Value]) -> str:
    defaults = {option.name: option.default for option in game.options}
    changed = [
        f"`{name}`" if value is True else f"`{name}={told(value)}`"
        for name, value in values.items()
        if value != defaults[name]
    ]
    return ", ".join(changed) or "base"


def choices(option: Option) -> str:
    if isinstance(option.choices, range):
        return f"{option.choices[0]} to {option.choices[-1]:,}"
    return ", ".join(map(told, option.choices))


def flag(option: Option) -> str:
    """The option in a terminal, set to something else than its default."""
    other = next(choice for choice in option.choices if choice != option.default)
    name = f"--{option.name.replace('_', '-')}"
    return name if other is True else f"{name} {told(other)}"


def told(value: Value) -> str:
    """A value as a terminal takes it."""
    return "random" if value is None else str(value).lower()


def either(numbers: tuple[int, ...]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last


def spread(items: list[Any], count: int) -> list[Any]:
    """So many of them, evenly from the first to the last."""
    if len(items) <= count:
        return items
    return [items[index * (len(items) - 1) // (count - 1)] for index in range(count)]


if __name__ == "__main__":
    generate(Path(sys.argv[1]), with_play="--without-play" not in sys.argv)
