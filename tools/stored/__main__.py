"""Leaves behind what a version of Samovar writes, so that every later one is tested with it:
`make stored REVISION=v1.2.3 NAME=1.2.3`, which `make release` does for each release.

The revision is checked out into a folder of its own and runs there, with the packages that are
installed here. A site of it is visited as people with browsers do, by the forms of its pages: these
are what changes least from version to version. What a version has no form for is left out, and
`facts.json` says so. Besides there are records of every variant, tournaments, and a network with the
checkpoint of its learner.

In the folder that comes out: `samovar.db.gz` (the file itself, not a dump of it: a migration meets
what the old SQLite statements made), `facts.json` (who can come back to which table, and how),
`records.jsonl.gz`, `arena/` and `learned/`.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from stored.evening import GAMES, Evening
from stored.version import Lacking, Version

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "data" / "stored"
DATABASE = "samovar.db"
AWAY_S = 3

RECORDS = """
import json, random, samovar
from samovar.engine.registry import find_game
for name in {games}:
    for seats, options in find_game(name).variants():
        match, choose = samovar.Match(name, seats=seats, seed=7, plain=True, **options), random.Random(1)
        while not match.over:
            seat = match.actors[0]
            match.play(seat, choose.choice(match.legal(seat)))
        print(json.dumps(match.record(), sort_keys=True))
"""


def make(root: Path, revision: str, folder: Path) -> None:
    """All that this revision writes, into the folder, which must not be there yet."""
    told = subprocess.run(
        ["git", "show", "--no-patch", "--format=%H %ct", f"{revision}^{{commit}}"],
        cwd=root, check=True, capture_output=True, text=True,
    )  # fmt: skip
    commit, committed = told.stdout.split()
    with tempfile.TemporaryDirectory(prefix="samovar-stored-") as name:
        version = Version.unpack(root, revision, Path(name) / "version")
        out = Path(name) / "out"
        out.mkdir()
        keep_database(version, Path(name) / "data", out, {"commit": commit, "committed": int(committed)})
        keep_records(version, out)
        keep_tournaments(version, out / "arena")
        keep_network(version, out / "learned")
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(out, folder)


def keep_database(version: Version, data: Path, out: Path, facts: dict[str, Any]) -> None:
    made = time.time_ns() // 1_000_000
    with version.serving(data) as site:
        evening = Evening(site, partial(invite_owner, version, data))
        evening.all()
    time.sleep(AWAY_S)
    with version.serving(data):  # as every site is started again sometimes; clocks stood still meanwhile
        time.sleep(AWAY_S)
    with closing(sqlite3.connect(data / DATABASE)) as database:
        database.execute("VACUUM")
    pack(out / f"{DATABASE}.gz", (data / DATABASE).read_bytes())
    people = {name: one.cookies for name, one in evening.people.items() if one.cookies}
    facts |= {"made": made, "lacks": evening.lacks, "tables": evening.tables, "people": people}
    write_json(out / "facts.json", {**facts, **evening.kept})


def invite_owner(version: Version, data: Path) -> str:
    try:
        return version.run("-m", "samovar", "admin", "invite", "--owner", "--data", str(data)).strip()
    except RuntimeError as error:
        raise Lacking("owners") from error


def keep_records(version: Version, out: Path) -> None:
    pack(out / "records.jsonl.gz", version.run("-c", RECORDS.format(games=GAMES)).encode())


def keep_tournaments(version: Version, folder: Path) -> None:
    for game in GAMES:
        order = ["--bots", "random,greedy", "--matches", "4", "--workers", "1"]
        seats = {"matryoshka": ["--seats", "3", "--bots", "random,greedy,random"]}.get(game, ["--seats", "2"])
        options = ["--patience", "2"] if game == "babuschka" else []
        file = ["--file", str(folder / f"{game}.jsonl")]
        version.run("-m", "samovar", "arena", game, *order, *seats, *file, *options)


def keep_network(version: Version, folder: Path) -> None:
    """A network that has hardly learned anything, and what its learner goes on from."""
    if not version.has("samovar.learn"):
        return
    small = ["--width", "8", "--layers", "1", "--matches", "4", "--variants", "seats=2", "--set", "steps=8"]
    order = ["--moves", "64", "--deals", "0", "--device", "cpu", *small]
    version.run("-m", "samovar", "learn", "babuschka", "--out", str(folder), *order)
    for file in (*folder.glob("*.csv"), *folder.glob("*.svg")):
        file.unlink()


def pack(path: Path, content: bytes) -> None:
    """The same content makes the same bytes."""
    path.write_bytes(gzip.compress(content, mtime=0))


def write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main(words: list[str]) -> None:
    if len(words) != 2 or not all(words):
        sys.exit("Give a revision and the name of its folder: make stored REVISION=v1.2.3 NAME=1.2.3.")
    revision, name = words
    if (STORED / name).exists():
        sys.exit(f"There is {STORED / name} already. What a version wrote is not written anew: give another name.")
    make(ROOT, revision, STORED / name)


if __name__ == "__main__":
    main(sys.argv[1:])
