"""The table in a browser: how a move is clicked and said, and what `table.html` asks about a view
beyond what the view says itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from samovar.engine.contract import Words
from samovar.engine.face import BrowserFace, Choice, Example, Scene

from .deck import CARDS, COLOUR_NAMES, DECK
from .moves import is_lying
from .state import DEALT, State
from .view import Card, LyingCard, View

SIDES = (("north", 0, 1), ("east", 1, 0), ("south", 0, -1), ("west", -1, 0))
_PLACEMENT = re.compile(r"(\d+)('?)@(-?\d+),(-?\d+)")
_SWAP = re.compile(r"(\w+)>(\d):(\w+)")


@dataclass(frozen=True)
class Joined:
    """An edge that a card would join."""

    side: str
    colour: str
    has_stick: bool  # whether the reserve still has the stick for it (5.2)


@dataclass(frozen=True)
class Placement:
    """What placing a card would do."""

    card: int
    turned: bool
    x: int
    y: int
    edges: tuple[str, ...]  # as the card would lie
    joined: tuple[Joined, ...]

    @property
    def won(self) -> int:
        return sum(edge.has_stick for edge in self.joined)

    @property
    def ends(self) -> bool:
        """8.1: a stick would be missing."""
        return self.won < len(self.joined)


class Place(NamedTuple):
    """A place for the card that is picked."""

    choice: Choice
    placed: Placement


class Cell(NamedTuple):
    """A place of the field as it is drawn: a tuple, because pieces of the drawing are looked up by
    it."""

    axis: int | None  # the number at the edge of the drawing: of the column in the north, of the row in the west
    is_beside: bool  # empty, next to a card
    is_aim: bool  # a small screen should show it first
    card: LyingCard | None
    is_latest: bool  # the card was placed last
    source: str  # the key that the card had before the last move, "" this one
    place: Place | None
    x: int
    y: int


class Sticks(NamedTuple):
    """The sticks of a seat."""

    seat: int
    is_own: bool
    counts: tuple[int, ...]  # by colour
    came: tuple[tuple[str, str], ...]  # keys of those that came in the last move, each with the key it had before
    choices: tuple[Choice | None, ...]  # by colour: what a click on it does


class Set(NamedTuple):
    """9.1: one set of a seat's sticks."""

    number: int  # from 1; it holds the sticks that are the first, second ... of their colour
    colours: tuple[str, ...]
    points: int


@dataclass(frozen=True)
class Traces:
    """What the last move left to be seen."""

    came: Mapping[str, str]  # where each thing that moved came from: both as keys of the drawing
    missed: frozenset[str]  # colours of which a stick was missing
    skipped: frozenset[int]  # seats that had to skip


@dataclass(frozen=True)
class RuledOut:
    """10.3: what a skip told. Of these cards the seat holds at most as many as it has drawn
    since."""

    seat: int
    at_most: int
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Truth:
    hands: tuple[tuple[Card, ...], ...]  # by seat
    pile: tuple[Card, ...]  # from its top


@cache
def _card(number: int) -> Card:
    return Card(number, tuple(COLOUR_NAMES[colour] for colour in DECK[number]))


def half_turn(edges: tuple[str, ...]) -> tuple[str, ...]:
    return edges[2:] + edges[:2]


def placement(view: View, text: str) -> Placement | None:
    """What a move would do; None: it places no card."""
    match = _PLACEMENT.fullmatch(text)
    if not match:
        return None
    number, turned, x, y = int(match[1]), bool(match[2]), int(match[3]), int(match[4])
    edges = half_turn(_card(number).edges) if turned else _card(number).edges
    return Placement(number, turned, x, y, edges, tuple(_joined(view, edges, x, y)))


def _joined(view: View, edges: tuple[str, ...], x: int, y: int) -> Iterator[Joined]:
    """5.2: edge by edge, as long as the sticks last."""
    left = dict(zip(view.colours, view.reserve, strict=True))
    for (side, right, up), colour in zip(SIDES, edges, strict=True):
        if (x + right, y + up) in view.taken:
            yield Joined(side, colour, left[colour] > 0)
            left[colour] -= 1


# Moves as steps, and in words


def steps(view: View, text: str) -> tuple[str, ...]:
    """First the card in hand, then its place; first the stick to give, then the one to take."""
    swap = _SWAP.fullmatch(text)
    if swap:
        return f"give-{swap[1]}", f"take-{swap[2]}-{swap[3]}"
    card, at, place = text.partition("@")
    return (f"card-{card}", place) if at else (text,)


def say(view: View, text: str, words: Words) -> str:
    swap = _SWAP.fullmatch(text)
    if swap:
        return words["table.swap"].format(given=words[swap[1]], name=words[f"name.{swap[2]}"], taken=words[swap[3]])
    placed = placement(view, text)
    return _say_placement(placed, words) if placed else words["table.stop"]


def _say_placement(placed: Placement, words: Words) -> str:
    joined = [
        words["table.joined"].format(colour=words[edge.colour], side=words[f"table.side.{edge.side}"])
        for edge in placed.joined
    ]
    kind = "table.place_turned" if placed.turned else "table.place"
    won = words["table.won"].format(count=placed.won)
    sentences = [
        words[kind].format(
            card=placed.card, x=placed.x, y=placed.y, joined=_listed(joined, words["table.and"]), won=won
        )
    ]
    if len(placed.joined) > 1:
        sentences.append(words["table.swaps"].format(count=len(placed.joined) - 1))
    if placed.ends:
        missing = dict.fromkeys(words[edge.colour] for edge in placed.joined if not edge.has_stick)
        sentences.append(words["table.ends"].format(colours=_listed(list(missing), words["table.or"])))
    return " ".join(sentences)


def _listed(parts: list[str], last: str) -> str:
    """`last`: what joins the last one."""
    return last.join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def say_step(view: View, names: tuple[str, ...], words: Words) -> str:
    kind, _, what = names[-1].partition("-")
    if kind == "give":
        return words["table.give"].format(colour=words[what])
    card = _card(int(what.rstrip("'")))
    if what.endswith("'"):
        return words["table.pick_turned"].format(card=card.card, edges=say_edges(half_turn(card.edges), words))
    return words["table.pick"].format(card=card.card, edges=say_edges(card.edges, words))


def say_edges(edges: tuple[str, ...], words: Words) -> str:
    return words["table.edges"].format(**{side: words[colour] for (side, *_), colour in zip(SIDES, edges, strict=True)})


# What is hidden, and what can be known of it


def memory(state: State, seat: int) -> tuple[RuledOut, ...] | None:
    """What the others' skips told about the cards that the seat has not seen."""
    own = {state.hand[seat, k] for k in range(state.hand_size[seat])}
    unseen = [card for card in range(CARDS) if not is_lying(state, card) and card not in own]
    return (
        tuple(skip for other in range(state.seats) if other != seat for skip in _ruled_out(state, other, unseen))
        or None
    )


def _ruled_out(state: State, other: int, unseen: list[int]) -> Iterator[RuledOut]:
    """From the latest on, as long as the seat still holds a card that it held when it skipped."""
    drawn = 0
    placed = [number for number in reversed(range(state.placements)) if state.placer[number] == other]
    for number in (*placed, DEALT + other):
        if drawn >= state.hand_size[other]:
            return
        cards = tuple(_card(card) for card in unseen if state.skipped[number] >> card & 1)
        if cards:
            yield RuledOut(other, drawn, cards)
        drawn += number < state.draws


def truth(state: State) -> Truth:
    hands = tuple(
        tuple(_card(state.hand[seat, k]) for k in range(state.hand_size[seat])) for seat in range(state.seats)
    )
    return Truth(hands, tuple(_card(state.pile[i]) for i in reversed(range(state.pile_size))))


def hidden(state: State) -> frozenset[tuple[int | str, tuple[str, ...]]]:
    """The cards in the hands: number and colours, clockwise from the north."""
    return frozenset(
        (seat, (str(card.card), *card.edges)) for seat, hand in enumerate(truth(state).hands) for card in hand
    )


class VarvitikudFace(BrowserFace):
    """With what the template asks for beside the scene."""

    colours = COLOUR_NAMES
    placement = staticmethod(placement)
    half_turn = staticmethod(half_turn)
    say_edges = staticmethod(say_edges)

    def others(self, view: View) -> tuple[int, ...]:
        """The seats that are not the viewer's, clockwise from it."""
        if view.seat is None:
            return tuple(range(view.seats))
        return tuple((view.seat + k) % view.seats for k in range(1, view.seats))

    def rows(
        self, cards: Iterable[LyingCard], latest: int | None, source: str, aim: str, places: Iterable[Place]
    ) -> list[tuple[Cell, ...]]:
        """The field from north to south with all places next to it. `source`: of the latest
        card."""
        lying = {(card.x, card.y): card for card in cards}
        beside = {(x + right, y + up) for x, y in lying for _, right, up in SIDES} - lying.keys()
        open_at = {(place.placed.x, place.placed.y): place for place in places}
        xs = range(min(x for x, _ in beside), max(x for x, _ in beside) + 1)
        ys = range(max(y for _, y in beside), min(y for _, y in beside) - 1, -1)
        north, west, aimed = ys[0], xs[0], tuple(map(int, aim.split(",")))

        def cell(x: int, y: int) -> Cell:
            at = (x, y)
            card = lying.get(at)
            is_latest = card is not None and card.card == latest
            axis = None if (y == north) == (x == west) else x if y == north else y
            return Cell(
                axis, at in beside, at == aimed, card, is_latest, source if is_latest else "", open_at.get(at), x, y
            )

        return [tuple(cell(x, y) for x in xs) for y in ys]

    def places(self, view: View, choices: Iterable[Choice]) -> tuple[Place, ...]:
        """Where the card that is picked may be placed."""
        return tuple(
            Place(choice, placed) for choice in choices if choice.move and (placed := placement(view, choice.move))
        )

    def aim(self, view: View, choices: Iterable[Choice]) -> str:
        """The place that a small screen should show first: the midmost of those to choose from,
        else where the last card was placed."""
        moves = [_PLACEMENT.fullmatch(choice.move) for choice in choices if choice.move]
        placed = [(int(move[3]), int(move[4])) for move in moves if move]
        if placed:
            x, y = min(placed, key=lambda one: max(max(abs(one[0] - x), abs(one[1] - y)) for x, y in placed))
            return f"{x},{y}"
        return next((f"{card.x},{card.y}" for card in view.field if card.card == view.latest), "0,0")

    def sticks(self, scene: Scene[View], seat: int, traces: Traces) -> Sticks:
        is_own = seat == scene.viewer
        names = [f"give-{colour}" if is_own else f"take-{seat}-{colour}" for colour in scene.view.colours]
        came = tuple((key, source) for key, source in traces.came.items() if key.startswith(f"stick-{seat}-"))
        return Sticks(seat, is_own, scene.view.sticks[seat], came, tuple(scene.choices[name] for name in names))

    def sets(self, view: View, seat: int) -> tuple[Set, ...]:
        """9.1: the sets of a seat, the largest first."""
        return self.sets_of(view.sticks[seat])

    def sets_of(self, counts: tuple[int, ...]) -> tuple[Set, ...]:
        levels = [
            tuple(colour for colour, count in zip(COLOUR_NAMES, counts, strict=True) if count >= level)
            for level in range(1, max(counts) + 1)
        ]
        return tuple(
            Set(number, colours, len(colours) * (len(colours) + 1) // 2) for number, colours in enumerate(levels, 1)
        )

    def traces(self, view: View) -> Traces:
        came: dict[str, str] = {}
        news = [(event.kind, dict(event.facts)) for event in view.news]
        for kind, facts in news:
            if kind in ("places", "places_turned"):
                came[f"card-{facts['card']}"] = _hand_key(view, kind, facts)
            elif kind == "takes":
                colour = str(facts["colour"])
                came[_newest(view, int(facts["seat"]), colour, came)] = f"reserve-{colour}"
            elif kind == "swaps":
                for giver, taker, what in (("seat", "other_seat", "given"), ("other_seat", "seat", "taken")):
                    colour, from_seat = str(facts[what]), int(facts[giver])
                    before = _count(view, from_seat, colour) + 1
                    came[_newest(view, int(facts[taker]), colour, came)] = f"stick-{from_seat}-{colour}-{before}"
        missed = frozenset(str(facts["colour"]) for kind, facts in news if kind == "misses")
        return Traces(came, missed, frozenset(int(facts["seat"]) for kind, facts in news if kind == "skips"))


def _hand_key(view: View, kind: str, facts: Mapping[str, int | str]) -> str:
    """Where a card came from: one's own is known by its face, the others' hands are seen from
    behind."""
    if facts["seat"] != view.seat:
        return f"hand-{facts['seat']}"
    return f"card-{facts['card']}" + ("'" if kind == "places_turned" else "")


def _count(view: View, seat: int, colour: str) -> int:
    return view.sticks[seat][view.colours.index(colour)]


def _newest(view: View, seat: int, colour: str, known: Mapping[str, str]) -> str:
    """The key of the newest stick of a colour that is not known yet."""
    number = _count(view, seat, colour)
    while f"stick-{seat}-{colour}-{number}" in known:
        number -= 1
    return f"stick-{seat}-{colour}-{number}"


# Around (1, 0), which is empty; card 34 fits there on all four sides.
_RING = [[0, 0, 0], [9, 0, 1], [23, 1, 1], [13, 2, 1], [25, 2, 0], [43, 2, -1], [31, 1, -1]]
_RING_HANDS = [[34, 2, 3, 4], [6, 7, 10, 12]]
_GREEN = [[3, 0, 0], [6, 1, 0]]
_EMMA = {"red": 3, "orange": 1, "yellow": 1, "green": 2, "blue": 1, "purple": 1}

EXAMPLES = {
    "hole": Example({"field": _RING, "hands": _RING_HANDS}, seat=0),
    "one": Example({"field": [[0, 0, 0]], "hands": [[9, 2, 3, 4], [6, 7, 10, 1]], "moves": ["9@1,0"]}, seat=0),
    "four": Example(
        {"field": _RING, "hands": _RING_HANDS, "sticks": [{}, {"green": 2, "yellow": 1}], "moves": ["34@1,0"]}, seat=0
    ),
    "sets": Example({"field": _RING, "hands": _RING_HANDS, "sticks": [_EMMA]}, seat=0),
    "missing": Example(
        {
            "field": _GREEN,
            "hands": [[15, 0, 1, 2], [4, 5, 7, 8]],
            "sticks": [{"green": 3}, {"green": 5}],
            "moves": ["15@0,1"],
        },
        seat=0,
    ),
}


def counts(view: View, words: Mapping[str, str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """9.1: set by set."""
    sets = [[one.points for one in FACE.sets(view, seat)] for seat in range(view.seats)]
    return tuple(
        (words["table.set"].format(number=number + 1), tuple(own[number] if number < len(own) else 0 for own in sets))
        for number in range(max(map(len, sets)))
    )


FACE = VarvitikudFace(
    steps=steps,
    say=say,
    say_step=say_step,
    memory=memory,
    truth=truth,
    hidden=hidden,
    counts=counts,
    examples=EXAMPLES,
)
