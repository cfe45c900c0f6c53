"""A game is one folder: nothing outside it names it, and all that people read of it comes from its
own words, in English where it does not speak the reader's language."""

import ast
import random
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import samovar
from samovar.cli.terminal import TerminalMatch
from samovar.engine import registry
from samovar.engine.contract import Game, Option
from samovar.engine.words import words_in
from samovar.language.languages import LANGUAGES
from samovar.teach.rules_pages import rules_page
from samovar.testing import checks
from support.visitors import Visitor, running

SOURCE = Path(samovar.__file__).parent
GAMES = [path.parent.name for path in sorted((SOURCE / "games").glob("*/__init__.py"))]
# Files that name a game although they need none, and why.
EXCEPTIONS = {
    "web/api/api.py": "the example of a new table in the description of the API",
    "web/templates/api.html": "the example of a request",
}
CONNECT_FOUR = registry.find_game("connect_four")


def code_of(path: Path) -> str:
    """What runs: Python without its comments and docstrings, which show games as examples."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = None
    return ast.unparse(tree)


def test_nothing_outside_its_folder_names_a_game() -> None:
    assert len(GAMES) == 4
    names = re.compile("|".join([*GAMES, *(re.escape(registry.find_game(game).name) for game in GAMES)]), re.IGNORECASE)
    files = [
        path for path in SOURCE.rglob("*") if path.suffix in (".py", ".html", ".css", ".js", ".svg", ".po", ".cfg")
    ]
    outside = [path for path in files if path.relative_to(SOURCE).parts[0] != "games"]
    suspect = [path for path in outside if names.search(path.read_text(encoding="utf-8"))]  # few are worth parsing
    naming = {str(path.relative_to(SOURCE)) for path in suspect if names.search(code_of(path))}
    assert len(outside) > 100
    assert naming == set(EXCEPTIONS)


@pytest.fixture
def english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    """A game with switches that speaks English only."""
    (tmp_path / "RULES.md").write_text("# English Four\n\n- **1.1** Four in a row win.\n", encoding="utf-8")
    words = {**CONNECT_FOUR.words["en"], "option.depth": "How deep it goes", "option.depth.deep": "as a well"}
    game = replace(
        CONNECT_FOUR,
        id="english_four",
        name="English Four",
        words={"en": words},
        folder=str(tmp_path),
        own_options=(
            *CONNECT_FOUR.own_options,
            Option("depth", "flat", ("flat", "deep"), "never shown"),
            Option("slow", False, (False, True), "Play slowly"),
            Option("loud", False, (False, True), ""),
        ),
    )
    installed = {**registry.found_in(registry.GROUP), game.id: SimpleNamespace(load=lambda: game)}
    monkeypatch.setattr(registry, "found_in", lambda group: installed)
    registry.find_game.cache_clear()
    yield game
    registry.find_game.cache_clear()


def test_a_game_without_french_is_served_on_the_french_site(english: Game, tmp_path: Path) -> None:
    with running(tmp_path) as client:
        guest, choose = Visitor(client, "fr"), random.Random(1)
        page = guest.go(f"/new/{english.id}")
        assert guest.status == 200
        for text in ("Votre nom", "How deep it goes", "as a well", "flat", "Play slowly", "loud", "Who begins"):
            assert text in page.words
        assert "never shown" not in page.words
        guest.send(f"/new/{english.id}", name="Anna", depth="deep", first="0", **{"chair-1": "easy"})
        assert guest.status == 200
        assert "How deep it goes : as a well" in guest.page.words
        assert words_in(english, "fr")["prompt.move"] in guest.page.words
        for _ in range(60):
            if guest.move(choose) is None:
                guest.go(guest.address)
            assert guest.status == 200
            if "Revoir la partie" in guest.page.words:
                break
        assert "drops a man into column" in guest.page.words
        table = guest.address.split("/")[-1]
        assert client.get(f"/api/tables/{table}?language=fr").status_code == 200
        assert "Four in a row win." in guest.go(f"/rules/{english.id}").words
        options = next(game for game in client.get("/api/games").json() if game["game"] == english.id)["options"]
        helps = ["How deep it goes (deep = as a well)", "Play slowly", "loud", "Who begins"]
        assert [option["help"] for option in options[len(CONNECT_FOUR.own_options) :]] == helps


def test_a_game_without_french_is_played_in_a_french_terminal(english: Game, tmp_path: Path) -> None:
    assert rules_page(english, "fr") == rules_page(english, "en")
    match = samovar.Match(english, seed=3, plain=True)
    with open(tmp_path / "screen.txt", "w", encoding="utf-8") as screen:
        console = Console(file=screen, width=80)
        TerminalMatch(
            match, 0, "fr", tmp_path / "match.json", console, lambda prompt: match.moves(0)[0], "random"
        ).play()
    shown = (tmp_path / "screen.txt").read_text(encoding="utf-8")
    assert match.over
    assert "joueur 2 drops a man into column" in shown.lower()
    assert "La partie est terminée." in shown


def test_the_kit_asks_for_the_languages_that_a_game_speaks(english: Game) -> None:
    checks.check_facts(english)
    checks.check_pages(english)
    checks.check_walk(english, 2, {}, 1)
    french = replace(english, words={**english.words, "fr": words_in(english, "en")})
    checks.check_pages(french)
    page = Path(english.folder) / "RULES.fr.md"
    page.write_text("# English Four\n\n- **1.2** Quatre.\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"RULES\.md and RULES\.fr\.md number different rules"):
        checks.check_pages(french)
    page.unlink()
    (Path(english.folder) / "RULES.md").unlink()
    with pytest.raises(AssertionError, match=r"has no RULES\.md"):
        checks.check_pages(english)
    with pytest.raises(AssertionError, match="words in English are missing"):
        checks.check_facts(replace(english, words={"fr": words_in(english, "en")}))
    with pytest.raises(AssertionError, match="options that the game does not have"):
        checks.check_facts(replace(english, words={"en": {**words_in(english, "en"), "option.deep": "?"}}))


@pytest.mark.parametrize("game_id", GAMES)
def test_our_games_name_their_switches_in_every_language(game_id: str) -> None:
    game = registry.find_game(game_id)
    assert set(game.words) == set(LANGUAGES)
    for language in LANGUAGES:
        for option in game.options:
            assert f"option.{option.name}" in words_in(game, language)
            for choice in option.choices:
                is_named = f"option.{option.name}.{choice}" in words_in(game, language)
                assert is_named or not isinstance(choice, str), f"{option.name}={choice} has no name"


def test_a_language_that_is_not_spoken_names_those_that_are(tmp_path: Path) -> None:
    match = samovar.Match("connect_four", seed=3, plain=True)
    with pytest.raises(samovar.SamovarError, match=f"There are {', '.join(LANGUAGES)}"):
        TerminalMatch(match, 0, "tlh", tmp_path / "match.json", Console(), input)
