"""The description of a data set for programs, `croissant.json`, by Croissant 1.0 of MLCommons:
https://docs.mlcommons.org/croissant/docs/croissant-spec.html

Whoever publishes the set adds what only they know: `url`, `datePublished`, `publisher`. Neither is
written here, so the same order gives the same bytes.
"""

from __future__ import annotations

import json

from samovar.arena.data.card import BIASES, COLLECTION, LIMITS, PEOPLE, USES, Written, title
from samovar.arena.data.files import ARRAYS, COLUMNS, FORMATS, PARQUET
from samovar.engine.installed import own_version
from samovar.engine.registry import find_game
from samovar.json_types import JsonObject

CROISSANT = "croissant.json"
LICENSE = "https://spdx.org/licenses/MIT.html"
OURS = (  # words of Croissant, as its own examples shorten them
    "citeAs column conformsTo:dct data dataType equivalentProperty examples extract field fileObject fileProperty "
    "fileSet format includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated "
    "replace samplingRate separator source subField transform"
)
RECORD_FIELDS = {
    "game": ("sc:Text", "the id of the game"),
    "rules": ("cr:Int64", "the version of its rules"),
    "seats": ("cr:Int64", "how many seats there were"),
    "seed": ("cr:Int64", "the seed of the deal"),
    "scores": ("cr:Int64*", "by seat: points at the end"),
    "places": ("cr:Int64*", "by seat: place at the end"),
}


def croissant_text(written: Written) -> str:
    return json.dumps(described(written), ensure_ascii=False, indent=2) + "\n"


def described(written: Written) -> JsonObject:
    order, game = written.order, find_game(written.order.game)
    fields = {} if written.format == ARRAYS else COLUMNS if written.format == PARQUET else RECORD_FIELDS
    return {
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": f"samovar-{order.game}-{order.seats}-{order.seed}",
        "alternateName": title(written),
        "description": (
            f"{title(written)}: {written.decisions:,} decisions of {', '.join(order.names)}, {order.seats} seats, "
            f"seed {order.seed}. Rules version {game.version}, environment version {game.environment_version}. "
            f"{LAYOUTS[written.format]} CARD.md explains it and says how to make it again."
        ),
        "license": LICENSE,
        "creator": {"@type": "sc:Organization", "name": "The Samovar founders"},
        "citeAs": f"The Samovar founders. Samovar, version {own_version()}. Software.",
        "version": own_version(),
        "keywords": ["board games", "imperfect information", "offline reinforcement learning", game.name],
        "isLiveDataset": False,
        "rai:dataCollection": COLLECTION,
        "rai:dataUseCases": list(USES),
        "rai:dataLimitations": list(LIMITS),
        "rai:dataBiases": list(BIASES),
        "rai:personalSensitiveInformation": [PEOPLE],
        "distribution": [*map_files(written), *([file_set(written)] if fields else [])],
        "recordSet": [record_set(fields)] if fields else [],
    }


LAYOUTS = {
    "records": "Each line is the record of a match, with all its moves; samovar.replay plays it again.",
    "arrays": "NumPy arrays with a row for each decision, and a row for each match.",
    "parquet": "A table with a row for each decision.",
    "minari": "Records as lines, and the folder data for Minari, an episode for every seat of every match.",
}


def context() -> JsonObject:
    words: JsonObject = {"@language": "en", "@vocab": "https://schema.org/"}
    words |= {"cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/"}
    words |= {"dct": "http://purl.org/dc/terms/", "sc": "https://schema.org/"}
    for word in OURS.split():
        name, _, prefix = word.partition(":")
        words[name] = f"{prefix or 'cr'}:{name}"
    words["dataType"] = {"@id": "cr:dataType", "@type": "@vocab"}
    for name in ("data", "examples"):
        words[name] = {"@id": f"cr:{name}", "@type": "@json"}
    return words


def map_files(written: Written) -> list[JsonObject]:
    return [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "contentUrl": name,
            "contentSize": f"{file.size} B",
            "encodingFormat": FORMATS[written.format].media_type,
            "sha256": file.sha256,
        }
        for name, file in written.files.items()
    ]


def file_set(written: Written) -> JsonObject:
    form = FORMATS[written.format]
    return {
        "@type": "cr:FileSet",
        "@id": "files",
        "name": "files",
        "encodingFormat": form.media_type,
        "includes": f"{form.kind}-*.{form.ending}",
    }


def record_set(fields: dict[str, tuple[str, str]]) -> JsonObject:
    return {
        "@type": "cr:RecordSet",
        "@id": "rows",
        "name": "rows",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"rows/{name}",
                "name": name,
                "description": says,
                "dataType": kind.removesuffix("*"),
                **({"repeated": True} if kind.endswith("*") else {}),
                "source": {"fileSet": {"@id": "files"}, "extract": {"column": name}},
            }
            for name, (kind, says) in fields.items()
        ],
    }
