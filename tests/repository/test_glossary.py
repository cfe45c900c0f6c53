"""One word for one thing: the glossary is short, says each word once, and what it has given up stays away."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
WORDS = re.findall(r"^\| (\w+) \| ", PAGE.partition("## Old names")[0], re.MULTILINE)
MOST = 60
# What the site called otherwise before; on the wire and in databases it still does.
GIVEN_UP = {
    *("deed", "deeds", "door", "doorkeeper", "film", "luck", "occasion", "occasions"),
    *("postman", "reel", "reels", "refusal", "refusals", "workshop"),
}
GIVEN_UP_BELOW = {"ply", "plies"}
BELOW = (
    *("engine", "games", "bots", "solver", "insight", "teach", "arena", "lab", "envs", "learn", "testing", "bench"),
    *("models", "wasm", "starter"),
)


def parts_of(code):
    """The words that names are made of: `told_parts` is two."""
    names = (
        token.string for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type == tokenize.NAME
    )
    return {part.lower() for name in names for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def may_name(code, words):
    """Whether it is worth taking apart, which takes long."""
    found = "|".join(f"{word.title()}(?![a-z])|(?<![A-Za-z]){word}(?![a-z])|{word.upper()}" for word in words)
    return re.search(found, code)


def test_the_glossary_is_short_and_has_each_word_once():
    words = [word for word in WORDS if word != "word"]
    assert 40 < len(words) <= MOST
    assert len(set(words)) == len(words)


def test_no_word_of_the_glossary_was_given_up():
    assert not {*WORDS} & GIVEN_UP


@pytest.mark.parametrize(
    ("folder", "words"), [("web", GIVEN_UP), ("client", GIVEN_UP), *((folder, GIVEN_UP_BELOW) for folder in BELOW)]
)
def test_words_that_were_given_up_are_in_no_name(folder, words):
    codes = {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for path in (ROOT / "src" / "samovar" / folder).rglob("*.py")
        if "migrations" not in path.parts
    }
    assert codes
    found = {
        f"{path}: {word}" for path, code in codes.items() if may_name(code, words) for word in parts_of(code) & words
    }
    assert not found


def test_old_names_are_mapped_where_the_page_says():
    """Each file of the table of old names is there."""
    for path in re.findall(r"`((?:web|client|engine|insight)/[\w/.]*)`", PAGE.partition("## Old names")[2]):
        assert (ROOT / "src" / "samovar" / path).exists(), path
