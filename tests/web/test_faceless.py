"""A game without a face tells its moves and its view in the reader's language: on pages, in hints,
to programs and in the terminal."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import samovar
from samovar.cli.terminal import TerminalMatch
from samovar.engine import registry
from samovar.engine.contract import Game, event
from samovar.starter.template.tall_pile import GAME
from samovar.testing import worlds
from samovar.testing.checks import check_told_moves
from samovar.web.drawing.scene import face_of
from samovar.web.names import Person
from support.visitors import Visitor, running

PEOPLE = (Person("Anna"), Person("Boris"))
DEAL = {"hands": [["3", "7", "12"], ["2", "5", "9"]], "stock": ["1", "4", "6", "8", "10", "11"]}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    known = {**registry.found_in(registry.GROUP), GAME.id: SimpleNamespace(load=lambda: GAME)}
    monkeypatch.setattr(registry, "found_in", lambda group: known)
    registry.find_game.cache_clear()
    yield GAME
    registry.find_game.cache_clear()


def after(*moves: str) -> samovar.Match:
    match = samovar.Match.arranged(GAME, **DEAL, plain=True)
    for move in moves:
        match.play(match.actors[0], move)
    return match


@pytest.mark.parametrize(
    ("language", "label", "view", "hint"),
    [
        (
            "en",
            "Play the ",
            ["Your hand:", "On top: –", "Cards in each hand: 3 3"],
            "Hint: the best moves 1 Play the ",
        ),
        (
            "fr",
            "Poser le ",
            ["Votre main :", "Sur la pile : –", "Cartes de chaque main : 3 3"],
            "Conseil : les meilleurs coups 1 Poser le ",
        ),
    ],
)
def test_a_table_speaks_the_language_of_its_reader(
    installed: Game, tmp_path: Path, language: str, label: str, view: list[str], hint: str
) -> None:
    with running(tmp_path) as client:
        guest = Visitor(client, language)
        guest.go(f"/new/{installed.id}")
        guest.send(f"/new/{installed.id}", name="Anna", seats="2", first="0", hints="on", **{"chair-1": "easy"})
        words = guest.page.words.replace("\u00a0", " ")
        for text in view:
            assert text in words
        buttons = [button for button in guest.page.form("/move")["buttons"] if button.get("name") == "move"]
        assert len(buttons) == 3
        for button in buttons:
            assert f"{label}{button['value']}" in words
        assert "table.css" not in guest.page.html, "it has none"
        guest.send("/hint")
        assert hint in guest.page.words.replace("\u00a0", " ")


def test_programs_are_told_moves_in_words_beside_their_texts(installed: Game, tmp_path: Path) -> None:
    with running(tmp_path) as client:
        order = {"game": installed.id, "chairs": ["token", "token"], "options": {"first": 0}}
        made = client.post("/api/tables", json=order).json()
        token = made["tokens"][0]
        address = f"/api/tables/{made['table']}"
        look = client.get(f"{address}?language=fr", headers={"authorization": f"Bearer {token}"}).json()
        assert [move["sentence"] for move in look["legal"]] == [f"Poser le {move['text']}" for move in look["legal"]]
        assert all(move["told"] == move["sentence"] for move in look["legal"]), "the old name, for one release"
        assert len(look["legal"]) == 3


def test_a_move_is_told_with_what_it_means_now() -> None:
    match = after("3", "5")
    said = {
        language: [
            face_of(match, 0).say(None, text, {**GAME.words[language], "name.0": "Anna", "name.1": "Boris"})
            for text in match.moves(0)
        ]
        for language in GAME.words
    }
    assert said["en"] == ["Play the 1 and take 2 cards", "Play the 7", "Play the 12"]
    assert said["fr"] == ["Poser le 1 et ramasser 2 cartes", "Poser le 7", "Poser le 12"]


def test_players_are_told_by_their_names() -> None:
    game = replace(
        GAME,
        tell_move=lambda state, seat, move: event("ask", other_seat=1 - seat, card=move + 1),
        words={"en": {**GAME.words["en"], "ask": "Give {other_seat} the {card}"}},
    )
    match = samovar.Match(game, 2, seed=1, plain=True, first=0)
    words = {**game.words["en"], "name.0": "Anna", "name.1": "Boris"}
    assert face_of(match, 0).say(None, match.moves(0)[0], words) == f"Give Boris the {match.moves(0)[0]}"


def test_a_face_and_texts_are_left_alone() -> None:
    memoarrrr = samovar.Match("memoarrrr", seed=1, plain=True)
    assert face_of(memoarrrr, 0) is memoarrrr.game.face
    silent = samovar.Match(replace(GAME, tell_move=None), seed=1, plain=True)
    assert face_of(silent, silent.actors[0]).say(None, "7", {}) == "7"


def test_the_terminal_lists_moves_in_words_and_still_takes_their_texts(tmp_path: Path) -> None:
    match = samovar.Match(GAME, 2, seed=1, plain=True, first=0)
    typed = iter(["?", match.moves(0)[0], "q"])
    with open(tmp_path / "screen.txt", "w", encoding="utf-8") as screen:
        console = Console(file=screen, width=80)
        TerminalMatch(match, 0, "fr", tmp_path / "m.json", console, lambda _: next(typed), "random").play()
    shown = (tmp_path / "screen.txt").read_text(encoding="utf-8").replace("\u00a0", " ")
    first = match.told_history()[0][1]
    assert re.search(rf"^   {first} *   Poser le {first}$", shown, re.MULTILINE)
    assert "Votre main : " in shown
    assert f" pose le {first}." in shown


def test_the_kit_reads_told_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    match = after("3", "5")
    check_told_moves(match, 0)

    def broken(tell_move: object) -> samovar.Match:
        changed = samovar.Match(replace(GAME, tell_move=tell_move), seed=1, plain=True)
        changed.states = match.states.copy()
        changed._read_actors()
        return changed

    with pytest.raises(AssertionError, match="no words for 'nothing'"):
        check_told_moves(broken(lambda state, seat, move: event("nothing")), 0)
    with pytest.raises(AssertionError, match="told in the same words"):
        check_told_moves(broken(lambda state, seat, move: event("play", card=1)), 0)
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    telling = replace(GAME, tell_move=lambda state, seat, move: event("play", card=100 * state.where[1] + move))
    with pytest.raises(AssertionError, match="receives something else"):
        worlds.check_variety(telling, 2, {}, deals=300)
