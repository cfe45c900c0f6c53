"""The table in a browser: how a move is chosen and said, and what lies on the island as one viewer
sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from samovar.engine.contract import Words
from samovar.engine.face import BrowserFace, Choice, Example, Scene

from .sizes import ROUNDS, WIDTH
from .state import (
    CARD_NAMES,
    CENTRE,
    MIDDLES,
    MOST_BIRDS,
    PLACE_NAMES,
    PLACES,
    SIDE_NAMES,
    State,
    count_volcanoes,
    has,
    known,
)
from .view import View

Cards = tuple[tuple[str, str], ...]  # place and card

_TOOK_VOLCANO = ("takes_volcano", "all_revealed", "only_blocked")
_TOOK_TREASURE = ("takes_treasure", "takes_rubies")


class Cell(NamedTuple):
    """A place of the island, and how the viewer comes to see its card: a tuple, because pieces of
    the drawing are looked up by it."""

    place: str
    card: str | None  # None: clouds
    how: str  # "up", "look", "gone" (turned back with the round), "truth", "memory" (drawn on the clouds) or "clouds"
    marks: tuple[str, ...]  # words `table.mark.*`
    looker: int | None  # who looked here before round 1, while it matters
    looker_name: str
    source: str  # where the card lay before the last move, "" here
    choice: Choice | None  # what a click does, None: nothing

    @property
    def is_face(self) -> bool:
        return self.how in ("up", "look", "gone", "truth")

    @property
    def all_marks(self) -> tuple[str, ...]:
        return _with_how(self.how, self.marks)


def _with_how(how: str, marks: tuple[str, ...]) -> tuple[str, ...]:
    return marks if how in ("up", "clouds") else (how, *marks)


_cell = partial(tuple.__new__, Cell)  # without the questions of a call with names: there are many
_CLOUDS = ("clouds", None)


class Belongings(NamedTuple):
    """What lies before a seat, and what it took in the last move."""

    seat: int
    begins: bool  # the next round
    birds: int  # on its volcano, 0: none
    treasures: tuple[tuple[int, int | None], ...]  # round and rubies of each; None: face down
    rubies: int | None  # all of them, where that is public
    took_volcano: bool
    took_treasure: bool


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
    how, card = _shown(view, _NUMBERS[place], view.glimpsed)
    sentence = words[f"table.{verb}"].format(place=place)
    if card is not None:
        sentence = words["table.place"].format(place=sentence, card=words[card])
    return _with_marks(sentence, _with_how(how, view.marks.get(place, ())), words)


def _say_swap(view: View, place: str, words: Words) -> str:
    card = view.island[PLACE_NAMES.index(place)]
    if card is None:
        return words["table.swap"].format(place=view.last, other=place)
    return words["table.swap_card"].format(place=view.last, other=place, card=words[card])


def _listed(names: tuple[str, ...], words: Words) -> str:
    return words["table.and"].format(first=", ".join(names[:-1]), last=names[-1])


def _with_marks(sentence: str, marks: tuple[str, ...], words: Words) -> str:
    for mark in marks:
        sentence = words["table.known"].format(what=sentence, how=words[f"table.mark.{mark}"])
    return sentence


# The island.

_NUMBERS = {name: number for number, name in enumerate(PLACE_NAMES)}
_ROWS = tuple(range(start, start + WIDTH) for start in reversed(range(0, PLACES, WIDTH)))
_AS_READ = tuple((number, PLACE_NAMES[number]) for row in _ROWS for number in row)


def cells(scene: Scene[View]) -> tuple[Cell, ...]:
    """All places as they are read: row by row from the north, c3 among them."""
    view, choices = scene.view, scene.choices
    seen = _seen(view, scene.memory or (), () if scene.truth is None else scene.truth.cards, _lay_open(scene))
    marks, sources, lookers = view.marks, _sources(view), _lookers(view)
    names = {place: scene.name(looker) for place, looker in lookers.items()}
    island, choice_of = view.island, choices.__getitem__
    found = []
    for number, place in _AS_READ:
        card = island[number]
        how, card = seen.get(place, _CLOUDS) if card is None else ("up", card)
        looker, name = (lookers.get(place), names.get(place, "")) if lookers else (None, "")
        source = sources.get(place, "") if sources else ""
        found.append(_cell((place, card, how, marks.get(place, ()), looker, name, source, choice_of(place))))
    return tuple(found)


def _seen(view: View, remembered: Cards, truth: Cards, lay_open: Cards) -> Mapping[str, tuple[str, str]]:
    """By place how the viewer comes to see a card that does not lie face up, and the card; the last
    way counts."""
    ways = (("memory", remembered), ("truth", truth), ("gone", lay_open))
    return {place: (how, card) for how, cards in ways for place, card in cards} | dict(view.glimpsed)


def holds(view: View) -> bool:
    """At the end of a round people look once more at the locations before they are turned back."""
    return view.phase != "over" and any(event.kind in _TOOK_TREASURE for event in view.news)


def _lay_open(scene: Scene[View]) -> Cards:
    """The locations of the round that the last move ended, each where it lies since."""
    if scene.before is None:
        return ()
    island, sources = scene.before.island, _sources(scene.view)
    if not sources:
        return tuple([(place, card) for place, card in zip(PLACE_NAMES, island, strict=True) if card is not None])
    cards = ((place, island[PLACE_NAMES.index(sources.get(place, place))]) for place in PLACE_NAMES)
    return tuple((place, card) for place, card in cards if card is not None)


def _shown(view: View, number: int, seen: Mapping[str, tuple[str, str]]) -> tuple[str, str | None]:
    card = view.island[number]
    return seen.get(PLACE_NAMES[number], _CLOUDS) if card is None else ("up", card)


def _sources(view: View) -> dict[str, str]:
    """Where cards lay before the last move, if that was a swap: each of the two lay where the other
    is."""
    swapped = [(facts["place"], facts["other"]) for _, facts in view.news_texts("swaps")]
    return {end: start for place, other in swapped for end, start in ((place, other), (other, place))}


def _lookers(view: View) -> dict[str, int]:
    """R2, R3: who looked where is shown until the very first reveal."""
    if view.phase != "look" and not view.barred:
        return {}
    return {
        place: looker
        for middle, looker in zip(MIDDLES, view.lookers, strict=True)
        for place in middle
        if looker is not None
    }


# What the template asks for.


class MemoarrrrFace(BrowserFace):
    """With what the template asks for beside the scene."""

    cells = staticmethod(cells)

    def sides(self, scene: Scene[View]) -> tuple[Choice, ...]:
        """The sides that can be looked at, from the north to the south."""
        if scene.view.phase != "look":
            return ()
        return tuple(choice for side in ("north", "west", "east", "south") if (choice := scene.choices[side]))

    def marks(self, cells: tuple[Cell, ...]) -> frozenset[str]:
        """All marks that are there now."""
        found = {mark for cell in cells for mark in cell.marks}
        return frozenset(found.union(cell.how for cell in cells).difference(("up", "clouds")))

    def after(self, scene: Scene[View]) -> tuple[tuple[Cell, ...], frozenset[str]]:
        """The places of locations that are still shown, as they are once these are turned back, and
        all marks that are there then."""
        gone = {place for place, _ in (*_lay_open(scene), *scene.view.turned_back.items())}
        settled = cells(scene.settled())
        return tuple(cell for cell in settled if cell.place in gone), self.marks(settled)

    def last_card(self, view: View, cells: tuple[Cell, ...]) -> str | None:
        """The last location revealed in this round."""
        return next((cell.card for cell in cells if cell.place == view.last), None)

    def remembered(self, cells: tuple[Cell, ...]) -> Cards:
        return tuple((cell.place, cell.card) for cell in cells if cell.how == "memory" and cell.card)

    def label(self, cell: Cell, words: Words) -> str:
        """A place in words."""
        card = words["table.clouds"] if cell.card is None else words[cell.card]
        label = _with_marks(words["table.place"].format(place=cell.place, card=card), cell.all_marks, words)
        if cell.looker is not None:
            mark = words["table.mark.looked"].format(name=cell.looker_name)
            label = words["table.known"].format(what=label, how=mark)
        return label

    def others(self, scene: Scene[View]) -> tuple[int, ...]:
        """The seats in turn order after the viewer's; a spectator sees all from the first on."""
        if scene.viewer is None:
            return tuple(range(scene.view.seats))
        return tuple((scene.viewer + k) % scene.view.seats for k in range(1, scene.view.seats))

    def treasures(self, scene: Scene[View], seat: int) -> tuple[tuple[int, int | None], ...]:
        """Round and rubies of each treasure of a seat; None: face down."""
        rubies = {} if scene.truth is None else dict(enumerate(scene.truth.rubies))
        return tuple(
            (number + 1, rubies.get(number, shown))
            for number, (owner, shown) in enumerate(scene.view.won)
            if owner == seat
        )

    def belongings(self, scene: Scene[View], seat: int) -> Belongings:
        view: View = scene.view
        birds = view.volcanoes[seat]
        return Belongings(
            seat=seat,
            begins=birds == MOST_BIRDS and view.round < ROUNDS,
            birds=birds,
            treasures=self.treasures(scene, seat),
            rubies=None if view.rubies is None else view.rubies[seat],
            took_volcano=_has_taken(view, seat, _TOOK_VOLCANO),
            took_treasure=_has_taken(view, seat, _TOOK_TREASURE),
        )


def _has_taken(view: View, seat: int, kinds: tuple[str, ...]) -> bool:
    return ("seat", seat) in [fact for event in view.news if event.kind in kinds for fact in event.facts]


def memory(state: State, seat: int) -> Cards:
    """C5: place and card of all that a seat has seen, where it lies now; for tables that help to
    remember."""
    seen = known(state, seat)
    return tuple((PLACE_NAMES[place], CARD_NAMES[state.card[place]]) for place in range(PLACES) if has(seen, place))


def truth(state: State) -> Truth:
    return Truth(
        cards=tuple((PLACE_NAMES[place], CARD_NAMES[state.card[place]]) for place in range(PLACES) if place != CENTRE),
        box=CARD_NAMES[state.card[CENTRE]],
        volcanoes=tuple(state.volcano[state.round, k] for k in range(count_volcanoes(state))),
        rubies=tuple(state.treasure),
    )


def hidden(state: State) -> frozenset[tuple[int | str, tuple[str, ...]]]:
    """The cards that lie face down."""
    return frozenset(
        (PLACE_NAMES[place], (CARD_NAMES[state.card[place]],))
        for place in range(PLACES)
        if place != CENTRE and not has(state.up, place)
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
    "sides": Example(
        {"seats": 3, "cards": _CARDS, "sides": ["north", None, None], "turn": 1, "looks": [["b5", "c5", "d5"], [], []]},
        seat=0,
    ),
    "first": Example({"seats": 3, "cards": _CARDS, "sides": ["north", "west", "south"]}, seat=0),
    "connection": Example({"seats": 3, "cards": _CARDS, "round": 2, "revealed": ["b2", "d4"], "turn": 2}, seat=2),
    "volcano": Example(
        {"seats": 3, "cards": _CARDS, "round": 2, "revealed": ["b2", "d4", "a3"], "volcanoes": [7, 3], "takers": [2]},
        seat=0,
    ),
    "octopus": Example(
        {"seats": 3, "cards": _CARDS, "round": 2, "expert": True, "revealed": ["d4", "b4"], "phase": "swap"}, seat=0
    ),
    "walrus": Example(
        {"seats": 3, "cards": _CARDS, "round": 2, "expert": True, "revealed": ["e3", "b5"], "blocked": "d2", "turn": 1},
        seat=1,
    ),
}


def counts(view: View, words: Mapping[str, str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Rubies lie on treasures: one per round that was won."""
    owners = [owner for owner, _ in view.won]
    return ((words["table.sheet.treasures"], tuple(owners.count(seat) for seat in range(view.seats))),)


FACE = MemoarrrrFace(
    steps=steps,
    say=say,
    memory=memory,
    truth=truth,
    hidden=hidden,
    holds=holds,
    counts=counts,
    sound="card",
    examples=EXAMPLES,
)
