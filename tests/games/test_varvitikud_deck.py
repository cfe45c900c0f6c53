"""The deck of Värvitikud: the facts of ruling V1, and that each check finds what breaks it."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from samovar.games.varvitikud import deck as deck_file
from samovar.games.varvitikud.deck import DECK, BadDeck, Card, check_deck, read_deck


def changed(changes: dict[int, Card]) -> list[Card]:
    return [changes.get(number, card) for number, card in enumerate(DECK)]


@pytest.mark.rules("1.1")
def test_deck_has_all_facts() -> None:
    check_deck(DECK)
    assert len(DECK) == 54


@pytest.mark.rules("1.1")
def test_deck_is_nine_families_of_six() -> None:
    """How it was made: six cards from one, by adding 0 to 5 to all edges."""
    for first in range(0, 54, 6):
        family = [tuple((colour + step) % 6 for colour in DECK[first]) for step in range(6)]
        assert list(DECK[first : first + 6]) == family


@pytest.mark.rules("1.1")
@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (list(DECK[:53]), "54 cards, this one has 53"),
        (changed({0: (0, 1, 2)}), "Card 0 has 3 edges"),
        (changed({0: (0, 1, 2, 6)}), "Card 0 has a colour"),
        (changed({0: (0, 0, 0, 0)}), "Card 0 .rrrr. has one colour only"),
        (changed({0: (0, 1, 2, 3)}), "17 cards have 2 colours"),
        (changed({0: (0, 5, 0, 0)}), "is on the east edge of"),
        (changed({number: tuple(reversed(DECK[number])) for number in (0,)}), "is on the"),
        (
            changed({number: (number % 6, (number + 3) % 6, number % 6, (number + 3) % 6) for number in range(6)}),
            "are together on|half turn",
        ),
        (
            changed({number: DECK[6 + number][1:] + DECK[6 + number][:1] for number in range(6)}),
            "are together on|are alike",
        ),
    ],
)
def test_check_finds_a_broken_deck(broken: list[Card], words: str) -> None:
    with pytest.raises(BadDeck, match=words):
        check_deck(broken)


@pytest.mark.rules("1.1")
@pytest.mark.parametrize(
    ("check", "broken", "words"),
    [
        (deck_file.check_pairs, changed({0: (0, 0, 4, 0)}), "red and blue are together on 13 cards"),
        (deck_file.check_half_turn, changed({7: (1, 2, 1, 2)}), "Card 7 .oyoy. looks the same after a half turn"),
        (deck_file.check_alike, changed({7: (0, 0, 0, 5)}), "Cards 0 and 7 .rrrp. are alike"),
    ],
)
def test_single_check_names_what_is_wrong(check: Callable[[list[Card]], None], broken: list[Card], words: str) -> None:
    with pytest.raises(BadDeck, match=words):
        check(broken)


@pytest.mark.rules("1.1")
def test_file_is_shipped_and_says_that_it_is_an_assumption(tmp_path: Path) -> None:
    text = files("samovar.games.varvitikud").joinpath("deck.json").read_text(encoding="utf-8")
    assert "assumption" in json.loads(text)["note"]
    other = tmp_path / "deck.json"
    other.write_text(text.replace('"rrpr"', '"rrxr"'), encoding="utf-8")
    with pytest.raises(BadDeck, match=r"Card 0 .rrxr. has x"):
        read_deck(other)
