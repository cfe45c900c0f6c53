"""Players read *a game* where programs say match: in one of our games a match is a little stick."""

import ast
import re
from pathlib import Path

import pytest

import samovar
from samovar.engine.registry import find_game
from samovar.language.languages import ENGLISH
from samovar.language.locale import collect

SOURCE = Path(samovar.__file__).parent
DOCS = SOURCE.parents[1] / "docs"
MATCH = re.compile(r"\bmatch(?:es)?\b", re.IGNORECASE)
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|\{#[^}]*\}")  # and addresses
# Where the word may stand, and why.
FOR_RESEARCHERS = ("lab/", "arena/")  # reports of what was measured: a match is what they count
OTHER_SENSES = {
    "varvitikud": r"\bmatch(es)?\b",  # the little stick on the edge of a card
    "memoarrrr": "must match the last",  # the verb
}
# What is said in the terminal is partly said to those who started it in English, and is in no catalogue.
TERMINAL = ("cli/terminal.py", "cli/tables.py", "client/guest.py", "insight/review.py", "insight/report.py")
PLAYERS_PAGES = ("players.md", "with-friends.md", "at-the-table.md", "play/index.md")


def said_in(path):
    """The texts of a Python file, but for its docstrings, and words that are no sentences."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            if " " in node.value.strip():
                yield node.value


def test_no_sentence_of_the_site_and_the_terminal_calls_a_game_a_match():
    found = [
        (path, message) for path, message in collect.sentences() if not path.startswith(FOR_RESEARCHERS)
        if any(MATCH.search(text) for text in ([message] if isinstance(message, str) else message))
    ]  # fmt: skip
    assert not found


@pytest.mark.parametrize("name", TERMINAL)
def test_nothing_that_is_said_in_a_terminal_calls_a_game_a_match(name):
    texts = [*said_in(SOURCE / name)]
    assert texts
    assert not [text for text in texts if MATCH.search(text)]


@pytest.mark.parametrize("game_id", samovar.game_ids())
def test_no_word_rule_or_lesson_of_a_game_calls_it_a_match(game_id):
    game = find_game(game_id)
    folder = Path(game.folder)
    files = [folder / "RULES.md", *folder.glob(f"lessons/*.{ENGLISH}.toml")]
    texts = [*game.words[ENGLISH].values(), *(path.read_text(encoding="utf-8") for path in files if path.exists())]
    if other := OTHER_SENSES.get(game_id):
        assert any(re.search(other, text) for text in texts), "what is not said any more needs no reason"
        texts = [re.sub(other, "", text) for text in texts]
    assert not [text for text in texts if MATCH.search(text)]


@pytest.mark.parametrize("page", PLAYERS_PAGES)
def test_no_page_for_players_calls_a_game_a_match(page):
    assert not MATCH.findall(CODE.sub("", (DOCS / page).read_text(encoding="utf-8")))
