"""Matryoshka in a browser: moves as clicks and in words, displays laid out in rows and columns with
what they are worth.

All that a page shows is made from a view; `memory` is made from what the seat has observed, and
only `truth` reads hidden cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby, pairwise, zip_longest

from samovar.engine.face import BrowserFace, Example, Scene

from .moves import LETTERS, card_text
from .observation import IN_HAND, MAY_HAVE_GONE, OBSERVATION, SURE, observe
from .scoring import BONUS, CAPPED_LENGTH, POINTS
from .sizes import VALUES
from .state import (
    CARDS_PER_SEAT,
    GROWTH,
    State,
)
from .view import View, hand_of, view

# Moves


def steps(view: View, text: str) -> tuple[str, ...]:
    """A card of the hand is clicked to put it up or to offer it, an offer to take it. A display has
    a form of its own."""
    verb, _, rest = text.partition(" ")
    if verb == "take":
        return (f"take-{rest}",)
    return (rest,) if verb in ("put", "offer") else (text,)


def is_several(view: View, text: str) -> bool:
    return text.startswith("show ")


def ticked(scene: Scene[View]) -> tuple[str, ...]:
    """The cards to be ticked where a display is chosen: what somebody has ticked before, else the
    display that lies."""
    lying = scene.view.seats[scene.viewer or 0].display
    if scene.ticked is None:
        return lying
    return tuple(card for card in (*scene.view.hand, *lying) if card in scene.ticked)


def say_card(card: str, words: Mapping[str, str]) -> str:
    return words["table.card"].format(card=card, colour=words[f"colour.{card[0]}"], value=card[1])


def say(view: View, text: str, words: Mapping[str, str]) -> str:
    """Who takes an offer sees it, so it is named by its card."""
    verb, _, rest = text.partition(" ")
    if verb == "show":
        return words["table.say.show"].format(cards=rest)
    card = view.seats[int(rest)].offer if verb == "take" else rest
    return words[f"table.say.{verb}"].format(card=say_card(card or "", words))


# Displays in rows of a colour and columns of a value


@dataclass(frozen=True)
class Run:
    """Neighbouring values of a colour, two or more (M7)."""

    length: int
    points: int  # without the bonus
    bonus: int  # M6


@dataclass(frozen=True)
class Cell:
    card: str | None
    has_left: bool = False  # whether it is joined to its neighbours, in a run
    has_right: bool = False


@dataclass(frozen=True)
class Row:
    letter: str
    cells: tuple[Cell, ...]  # by value
    runs: tuple[Run, ...]

    @property
    def points(self) -> int:
        return sum(run.points + run.bonus for run in self.runs)

    @property
    def lengths(self) -> str:
        return " + ".join(str(run.length) for run in self.runs)

    @property
    def parts(self) -> str:
        """What the points are made of: `2 + 4`, and with a bonus `10 + 1`."""
        return " + ".join(str(part) for run in self.runs for part in (run.points, run.bonus) if part)


@dataclass(frozen=True)
class Column:
    value: int
    count: int
    points: int
    is_capped: bool  # M5


@dataclass(frozen=True)
class Shelf:
    """A display as the rulebook lays it, only with the rows that are used."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]

    @property
    def row_points(self) -> int:
        return sum(row.points for row in self.rows)

    @property
    def column_points(self) -> int:
        return sum(column.points for column in self.columns)

    @property
    def points(self) -> int:
        return self.row_points + self.column_points

    @property
    def runs(self) -> tuple[int, ...]:
        """The lengths of the runs, longest first, which decide ties (M8)."""
        return tuple(sorted((run.length for row in self.rows for run in row.runs), reverse=True))

    def row(self, letter: str) -> Row | None:
        return next((row for row in self.rows if row.letter == letter), None)


def shelve(cards: Iterable[str], long_columns: str, growth: int = GROWTH) -> Shelf:
    shown = set(cards)
    return Shelf(
        rows=tuple(_row(letter, shown, growth) for letter in LETTERS if any(card[0] == letter for card in shown)),
        columns=tuple(
            _column(value, sum(card[1] == str(value) for card in shown), long_columns == "cap", growth)
            for value in range(1, VALUES + 1)
        ),
    )


def _row(letter: str, shown: set[str], growth: int) -> Row:
    have = [f"{letter}{value}" in shown for value in range(VALUES + 2)]
    cells = [
        Cell(f"{letter}{value}", have[value - 1], have[value + 1]) if have[value] else Cell(None)
        for value in range(1, VALUES + 1)
    ]
    lengths = [len(list(group)) for is_there, group in groupby(have) if is_there]
    runs = [Run(length, POINTS[growth, length], BONUS[length]) for length in lengths if length > 1]
    return Row(letter, tuple(cells), tuple(runs))


def _column(value: int, count: int, caps: bool, growth: int) -> Column:
    is_capped = caps and count > CAPPED_LENGTH
    return Column(value, count, POINTS[growth, CAPPED_LENGTH if is_capped else count], is_capped)


# What a page shows


@dataclass(frozen=True)
class Trade:
    """The exchange just made, as far as the viewer saw it."""

    seat: int  # who was active
    other: int
    given: str  # the card put up, which `other` got
    taken: str | None


@dataclass(frozen=True)
class Tie:
    """Two seats with the same points, one place after the other or both on the same (M8)."""

    seat: int
    other: int
    number: int  # which of the longest runs decided, from 1; 0: none did, they share the place
    length: int = 0
    other_length: int = 0


@dataclass(frozen=True)
class Layout:
    """What lies where. A display is laid out in rows and columns only where that is asked for: most
    are drawn already."""

    view: View
    others: tuple[int, ...]  # seats from the viewer's left on, without the viewer
    own: tuple[str, ...]  # the display the viewer has chosen, else the one that lies
    hand: tuple[str, ...]  # the viewer's cards that lie neither in `own` nor on the table
    trade: Trade | None
    moved: Mapping[str, str]  # what the last move moved: its key, and the key it had before
    fresh: frozenset[str]  # the keys among them to be marked
    ranking: tuple[int, ...]  # seats from the first place on

    def moved_among(self, cards: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Those of the cards that the last move moved, each with the key it had before."""
        return tuple((card, self.moved[card]) for card in cards if card in self.moved)

    @property
    def own_points(self) -> int:
        """What `own` is worth."""
        return shelve(self.own, self.view.long_columns, self.view.growth).points

    @cached_property
    def shelves(self) -> tuple[Shelf, ...]:
        """By seat."""
        return tuple(shelve(seat.display, self.view.long_columns, self.view.growth) for seat in self.view.seats)

    @property
    def ties(self) -> tuple[Tie, ...]:
        equal = (pair for pair in pairwise(self.ranking) if len({self.view.seats[seat].points for seat in pair}) == 1)
        return tuple(_tie(self.shelves, *pair) for pair in equal)

    @property
    def table(self) -> tuple[tuple[int, int, int], ...]:
        """Cards, points, bonus of a row."""
        return _points_table(self.view.colours, self.view.long_columns, self.view.growth)


def lay_out(view: View) -> Layout:
    viewer, count = view.viewer, len(view.seats)
    moved, fresh = _moved(view)
    return Layout(
        view=view,
        others=tuple(range(count)) if viewer is None else tuple((viewer + turn) % count for turn in range(1, count)),
        own=() if viewer is None else view.chosen or view.seats[viewer].display,
        hand=_hand(view),
        trade=_trade(view),
        moved=moved,
        fresh=fresh,
        ranking=tuple(sorted(range(count), key=lambda seat: view.seats[seat].place)),
    )


def _hand(view: View) -> tuple[str, ...]:
    if view.viewer is None:
        return ()
    own = view.seats[view.viewer]
    cards = sorted((*view.hand, *own.display)) if view.chosen else view.hand
    lying = {*view.chosen, own.offer}
    return tuple(card for card in cards if card not in lying)


@cache
def _points_table(colours: int, long_columns: str, growth: int) -> tuple[tuple[int, int, int], ...]:
    """The table of points as far as a match needs it: a column has as many cards as there are
    colours."""
    longest = min(colours, CAPPED_LENGTH) if long_columns == "cap" else colours
    bonus = dict(enumerate(BONUS))
    return tuple(
        (length, POINTS[growth, length], bonus.get(length, 0)) for length in range(2, max(longest, VALUES) + 1)
    )


def _tie(shelves: tuple[Shelf, ...], seat: int, other: int) -> Tie:
    own, others = shelves[seat].runs, shelves[other].runs
    for number, (length, other_length) in enumerate(zip_longest(own, others, fillvalue=0), start=1):
        if length != other_length:
            return Tie(seat, other, number, length, other_length)
    return Tie(seat, other, 0)


# What the last move brought


def _trade(view: View) -> Trade | None:
    news = {event.kind: dict(event.facts) for event in view.news}
    if "trades" not in news:
        return None
    facts, taken = news["trades"], news.get("gets", {}).get("card")
    return Trade(
        int(facts["seat"]), int(facts["other_seat"]), str(facts["card"]), None if taken is None else str(taken)
    )


def _moved(view: View) -> tuple[dict[str, str], frozenset[str]]:
    """Keys: a card seen is its own key; unseen ones are `hand-2`, `offer-2`, `chosen-2` (by seat)
    and `deck`."""
    moved: dict[str, str] = {}
    unmarked: set[str] = set()
    for event in view.news:
        brought = _moved_by(event.kind, dict(event.facts), view)
        moved |= brought
        if event.kind in ("shows", "all_offered"):
            unmarked |= brought.keys()
    return moved, frozenset(moved.keys() - unmarked)


def _moved_by(kind: str, facts: dict[str, int | str], view: View) -> dict[str, str]:
    seat = facts.get("seat")
    is_own = seat == view.viewer
    card, cards = str(facts.get("card")), str(facts.get("cards")).split()
    if kind == "puts_up":
        return {card: card if is_own else f"hand-{seat}"}
    if kind == "offers":
        own = view.seats[int(facts["seat"])].offer
        return {own: own} if is_own and own else {f"offer-{seat}": f"hand-{seat}"}
    if kind == "all_offered" and is_own:
        return {other.offer: f"offer-{other.seat}" for other in view.seats if other.offer and other.seat != seat}
    if kind in ("trades", "gets") and card in view.hand:
        return {card: card}
    if kind == "chooses":
        return {f"chosen-{seat}": f"hand-{seat}"}
    if kind == "shows":
        return {card: card if is_own else f"hand-{seat}" for card in cards}
    if kind == "draws":
        return dict.fromkeys(cards, "deck")
    return {}


# What is not on the table


@dataclass(frozen=True)
class Known:
    """What a seat remembers of another one's hand."""

    seat: int
    certain: tuple[str, ...]
    perhaps: tuple[str, ...]  # seen there, but that seat has given a card away unseen since


def memory(state: State, seat: int) -> tuple[Known, ...]:
    """By seat, from the observation, which holds all sightings; the own seat has nothing to
    remember."""
    seen = [0] * sum(part.size for part in OBSERVATION)
    observe(state, seat, seen)

    def cards(turn: int, sure: int) -> tuple[str, ...]:
        if turn == 0:
            return ()
        return tuple(
            card_text(card)
            for card in range(CARDS_PER_SEAT * state.seats)
            if seen[card] == turn and seen[SURE + card] == sure
        )

    turns = [(other - seat) % state.seats for other in range(state.seats)]
    return tuple(Known(other, cards(turn, IN_HAND), cards(turn, MAY_HAVE_GONE)) for other, turn in enumerate(turns))


@dataclass(frozen=True)
class Truth:
    """All that is hidden from somebody; by seat where it is at a seat."""

    hands: tuple[tuple[str, ...], ...]
    offers: tuple[str | None, ...]
    chosen: tuple[tuple[str, ...], ...]
    deck: tuple[str, ...]  # from the top


def truth(state: State) -> Truth:
    views = [view(state, seat) for seat in range(state.seats)]
    return Truth(
        hands=tuple(seen.hand for seen in views),
        offers=tuple(seen.seats[seat].offer for seat, seen in enumerate(views)),
        chosen=tuple(seen.chosen for seen in views),
        deck=tuple(card_text(state.deck[place]) for place in range(state.drawn, CARDS_PER_SEAT * state.seats)),
    )


def hidden(state: State) -> frozenset[tuple[int | str, tuple[str, ...]]]:
    """The cards in the hands, offers among them."""
    return frozenset((seat, (card,)) for seat in range(state.seats) for card in hand_of(state, seat))


# Examples of the rules page

_ROUND_2: dict[str, object] = {
    "seats": 4,
    "round": 2,
    "first": 3,
    "displays": ["B3 B4 E4 G4", "A1 A2 C1 H6", "D5 D6 F6 H2", "C7 E7 G7 H7"],
    "hands": ["A6 B5 C2 D1 F3 H1", "B1 D3 E1 F5 G6 H5", "A5 C6 D7 E2 F1 G2", "A7 B7 C3 D2 E5 F7"],
}
_EXCHANGE = [[0, "put D1"], [1, "offer B1"], [2, "offer E2"], [3, "offer E5"]]

EXAMPLES = {
    "exchange": Example({**_ROUND_2, "phase": "put", "moves": _EXCHANGE}, seat=0),
    "offers": Example({**_ROUND_2, "phase": "put", "moves": _EXCHANGE[:-1]}, seat=1),
    "display": Example({**_ROUND_2, "phase": "display", "moves": [[0, "show B3 B4 B5 E4 G4 H1"]]}, seat=0),
    "score": Example(
        {
            "seats": 3,
            "round": 4,
            "phase": "over",
            "displays": [
                "A1 A3 A4 B2 B3 B5 B6 B7 C2 C3 C4 C5 C6",
                "C1 D1 D2 D3 D4 D5 D6 D7 E1 E2 E3 F1 F2",
                "A5 A6 A7 C7 E4 E5 E6 E7 F3 F4 F5 F6 F7",
            ],
        },
        seat=0,
    ),
}


@dataclass(frozen=True)
class MatryoshkaFace(BrowserFace):
    """With what the template asks for beside the scene."""

    lay_out: Callable[[View], Layout] = lay_out
    shelve: Callable[[Iterable[str], str], Shelf] = shelve
    ticked: Callable[[Scene[View]], tuple[str, ...]] = ticked


def counts(view: View, words: Mapping[str, str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Columns and rows, as the score sheet adds them up."""
    shelves = lay_out(view).shelves
    return (
        (words["table.sheet_columns"], tuple(shelf.column_points for shelf in shelves)),
        (words["table.sheet_rows"], tuple(shelf.row_points for shelf in shelves)),
    )


FACE = MatryoshkaFace(
    steps=steps,
    say=say,
    several=is_several,
    memory=memory,
    truth=truth,
    hidden=hidden,
    counts=counts,
    sound="card",
    examples=EXAMPLES,
)
