"""The table in a browser: how a move is chosen and said, and what lies on the island as one viewer sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samovar.engine.contract import Words
from samovar.engine.face import Example, Face

from .state import CARD_NAMES, CENTRE, MIDDLES, PLACE_NAMES, PLACES, SIDE_NAMES, WIDTH, count_volcanoes
from .view import View, memory

Cards = tuple[tuple[str, str], ...]  # place and card

_TURNED = ("opens", "connects", "fails")
_TOOK_VOLCANO = ("takes_volcano", "all_revealed", "only_blocked")
_TOOK_TREASURE = ("takes_treasure", "takes_rubies")


@dataclass(frozen=True)
class Cell:
    """A place of the island, and how the viewer comes to see its card."""

    place: str
    card: str | None  # None: clouds
    how: str  # "up", "look", "gone" (turned back with the round), "truth", "memory" (drawn on the clouds) or "clouds"
    marks: tuple[str, ...]  # words `table.mark.*`
    looker: int | None  # who looked here before round 1, while it matters
    source: str  # where the card lay before the last move, "" here

    @property
    def is_face(self) -> bool:
        return self.how in ("up", "look", "gone", "truth")

    @property
    def all_marks(self) -> tuple[str, ...]:
        return self.marks if self.how in ("up", "clouds") else (self.how, *self.marks)


@dataclass(frozen=True)
class Truth:
    """All that is hidden, in words of the game."""

    cards: Cards  # of the whole island
    box: str  # the card in the box
    volcanoes: tuple[int, ...]  # birds of this round, from the top, taken ones too
    rubies: tuple[int, ...]  # by round


# Moves.


def steps(view: View, text: str) -> tuple[str, ...]:
    """One click: on a place, whatever is done there, or on a side."""
    return (text.split()[-1],)


def say(view: View, text: str, words: Words) -> str:
    if text in SIDE_NAMES:
        return words["table.look"].format(places=_listed(MIDDLES[SIDE_NAMES.index(text)], words), side=words[text])
    verb, place = text.split() if " " in text else ("open" if view.last is None else "reveal", text)
    if verb == "swap":
        return _say_swap(view, place, words)
    cell = _cell(view, PLACE_NAMES.index(place), _seen(view))
    told = words[f"table.{verb}"].format(place=place)
    if cell.card is not None:
        told = words["table.place"].format(place=told, card=words[cell.card])
    return _with_marks(told, cell.all_marks, words)


def _say_swap(view: View, place: str, words: Words) -> str:
    card = view.island[PLACE_NAMES.index(place)]
    if card is None:
        return words["table.swap"].format(place=view.last, other=place)
    return words["table.swap_card"].format(place=view.last, other=place, card=words[card])


def _listed(names: tuple[str, ...], words: Words) -> str:
    return words["table.and"].format(first=", ".join(names[:-1]), last=names[-1])


def _with_marks(told: str, marks: tuple[str, ...], words: Words) -> str:
    for mark in marks:
        told = words["table.known"].format(what=told, how=words[f"table.mark.{mark}"])
    return told


# The island.


def cells(view: View, remembered: Cards | None = None, truth: Truth | None = None) -> tuple[Cell, ...]:
    """All places as they are read: row by row from the north, c3 among them."""
    order = (WIDTH * row + column for row in reversed(range(WIDTH)) for column in range(WIDTH))
    seen = _seen(view, remembered or (), () if truth is None else truth.cards)
    return tuple(_cell(view, number, seen) for number in order)


def _cell(view: View, number: int, seen: Mapping[str, Mapping[str, str]]) -> Cell:
    place = PLACE_NAMES[number]
    how, card = _shown(view.island[number], place, seen)
    return Cell(place, card, how, _marks(view, place), _looker(view, place), _source(view, place))


def _seen(view: View, remembered: Cards = (), truth: Cards = ()) -> dict[str, dict[str, str]]:
    """How the viewer comes to see cards that do not lie face up; the first way counts."""
    return {"look": dict(view.looks), "gone": _turned_back(view), "truth": dict(truth), "memory": dict(remembered)}


def _shown(card: str | None, place: str, seen: Mapping[str, Mapping[str, str]]) -> tuple[str, str | None]:
    if card is not None:
        return "up", card
    for how, cards in seen.items():
        if place in cards:
            return how, cards[place]
    return "clouds", None


def _facts(view: View, *kinds: str) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((event.kind, dict(event.facts)) for event in view.news if event.kind in kinds)


def _turned_back(view: View) -> dict[str, str]:
    """The location that ended a round was seen by all, and lies under clouds again already."""
    turned = {facts["place"]: facts["card"] for _, facts in _facts(view, *_TURNED)}
    return {place: card for place, card in turned.items() if view.island[PLACE_NAMES.index(place)] is None}


def _marks(view: View, place: str) -> tuple[str, ...]:
    lies = {"last": place == view.last, "blocked": place == view.blocked, "barred": place in view.barred}
    done = (kind for kind, facts in _facts(view, *_TURNED, "peeks", "swaps") if place in (facts["place"], facts.get("other")))
    return (*(mark for mark, holds in lies.items() if holds), *done)


def _source(view: View, place: str) -> str:
    """Where the card lay before the last move, if that was a swap: each of the two lay where the other is."""
    for _, facts in _facts(view, "swaps"):
        if place in (facts["place"], facts["other"]):
            return str(facts["other"] if place == facts["place"] else facts["place"])
    return ""


def _looker(view: View, place: str) -> int | None:
    """R2, R3: who looked where is shown until the very first reveal."""
    if view.phase != "look" and not view.barred:
        return None
    return next((looker for middle, looker in zip(MIDDLES, view.lookers, strict=True) if place in middle), None)


# What the template asks for.


class Table(Face):
    """This game's face, with what its template asks for beside the scene."""

    def cells(self, scene: Any) -> tuple[Cell, ...]:
        return cells(scene.view, scene.memory, scene.truth)

    def label(self, cell: Cell, words: Words, name: Callable[[int], str]) -> str:
        """A place in words; `name` gives the name of a seat."""
        card = words["table.clouds"] if cell.card is None else words[cell.card]
        told = _with_marks(words["table.place"].format(place=cell.place, card=card), cell.all_marks, words)
        if cell.looker is not None:
            told = words["table.known"].format(what=told, how=words["table.mark.looked"].format(name=name(cell.looker)))
        return told

    def others(self, scene: Any) -> tuple[int, ...]:
        """The seats in turn order after the viewer's; a spectator sees all from the first on."""
        if scene.viewer is None:
            return tuple(range(scene.view.seats))
        return tuple((scene.viewer + k) % scene.view.seats for k in range(1, scene.view.seats))

    def treasures(self, scene: Any, seat: int) -> tuple[tuple[int, int | None], ...]:
        """Round and rubies of each treasure of a seat; None: face down."""
        rubies = {} if scene.truth is None else dict(enumerate(scene.truth.rubies))
        return tuple((number + 1, rubies.get(number, shown)) for number, (owner, shown) in enumerate(scene.view.won) if owner == seat)

    def took(self, scene: Any) -> tuple[str, ...]:
        """What seats took in the last move: `volcano-2`, `treasure-0`."""
        volcanoes = [f"volcano-{facts['seat']}" for _, facts in _facts(scene.view, *_TOOK_VOLCANO)]
        return (*volcanoes, *(f"treasure-{facts['seat']}" for _, facts in _facts(scene.view, *_TOOK_TREASURE)))


def truth(state: Any) -> Truth:
    return Truth(
        cards=tuple((PLACE_NAMES[place], CARD_NAMES[state.card[place]]) for place in range(PLACES) if place != CENTRE),
        box=CARD_NAMES[state.card[CENTRE]],
        volcanoes=tuple(state.volcano[state.round, k] for k in range(count_volcanoes(state))),
        rubies=tuple(state.treasure),
    )


# The island of the examples: every card that is seen in one of them lies where its sentence says.
_CARDS = {
    "b2": "penguin-ocean",
    "d4": "penguin-jungle",
    "b4": "octopus-jungle",
    "a3": "crab-lava",
    "c5": "turtle-beach",
    "b5": "walrus-flowers",
    "e3": "turtle-flowers",
}

EXAMPLES = {
    "sides": Example({"seats": 3, "cards": _CARDS, "sides": ["north", None, None], "turn": 1, "looks": [["b5", "c5", "d5"], [], []]}, seat=0),
    "first": Example({"seats": 3, "cards": _CARDS, "sides": ["north", "west", "south"]}, seat=0),
    "connection": Example({"seats": 3, "cards": _CARDS, "round": 2, "revealed": ["b2", "d4"], "turn": 2}, seat=2),
    "volcano": Example({"seats": 3, "cards": _CARDS, "round": 2, "revealed": ["b2", "d4", "a3"], "volcanoes": [7, 3], "takers": [2]}, seat=0),
    "octopus": Example({"seats": 3, "cards": _CARDS, "round": 2, "expert": True, "revealed": ["d4", "b4"], "phase": "swap"}, seat=0),
    "walrus": Example({"seats": 3, "cards": _CARDS, "round": 2, "expert": True, "revealed": ["e3", "b5"], "blocked": "d2", "turn": 1}, seat=1),
}

FACE = Table(steps=steps, say=say, memory=memory, truth=truth, examples=EXAMPLES)
