"""What one viewer sees at the table, and a text drawing of it. Built up from what is visible;
nothing here reads a hidden field for another seat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from samovar.engine.contract import Event, event

from .moves import LETTERS, card_text, cards_text, own_cards
from .scoring import scores, worth
from .sizes import LATER_DRAW, SETS_PER_SEAT, VALUES
from .state import (
    CARDS_PER_SEAT,
    DISPLAY,
    DISPLAY_SIZE,
    GROWTH,
    NEWS_ALL_OFFERED,
    NEWS_CHOSEN,
    NEWS_EXCHANGED,
    NEWS_OFFERED,
    NEWS_PUT,
    NEWS_REVEALED,
    NOTHING,
    OFFER,
    OVER,
    PUT,
    TAKE,
    State,
    active_in,
    cards_held,
    growth_of,
    long_columns_of,
    seat_drawing,
    starting_seat_of,
)

PHASE_NAMES = ("display", "put", "offer", "take", "over")


@dataclass(frozen=True)
class SeatView:
    """What lies at one seat."""

    seat: int
    display: tuple[str, ...]  # cards, ascending
    hand_count: int  # cards in hand, those put up or offered included
    has_committed: bool  # has chosen its display or made its offer, face down
    offer: str | None  # the card it puts up or offers, where the viewer sees it
    points: int  # of the display as it lies
    place: int  # as if the match ended now


@dataclass(frozen=True)
class View:
    seats: tuple[SeatView, ...]
    viewer: int | None
    hand: tuple[str, ...]  # the viewer's own, ascending; empty for a spectator
    chosen: tuple[str, ...]  # the display the viewer has chosen and not revealed yet
    phase: str
    prompt: Event  # what is asked of the viewer
    waiting: tuple[int, ...]  # seats that are to act
    round: int  # 0 is the set-up
    display_size: int  # cards in the display of this round
    starting: int
    active: int | None
    put_up: str | None
    deck_count: int
    colours: int  # in play
    long_columns: str
    growth: int
    news: tuple[Event, ...]

    @cached_property
    def open_cards(self) -> frozenset[str]:
        """All that the viewer sees now: displays, what is put up or offered, and the own hand."""
        offers = (self.put_up, *(seat.offer for seat in self.seats))
        return frozenset([*self.hand, *filter(None, offers), *(card for seat in self.seats for card in seat.display)])


def view(state: State, seat: int | None) -> View:
    """What the seat sees; None is a spectator, who sees what is public."""
    exchanging = PUT <= state.phase <= TAKE
    active = active_in(state, state.exchange) if exchanging else None
    waiting = tuple(other for other in range(state.seats) if (state.waiting >> other) & 1)
    points, ranks = _standing(state)
    return View(
        seats=tuple(_seat_view(state, other, seat, points[other], ranks[other]) for other in range(state.seats)),
        viewer=seat,
        hand=() if seat is None else hand_of(state, seat),
        chosen=() if seat is None else _masked(state, seat, state.pending[seat]),
        phase=PHASE_NAMES[state.phase],
        prompt=_prompt(state, seat, waiting),
        waiting=waiting,
        round=state.round,
        display_size=DISPLAY_SIZE[state.round],
        starting=starting_seat_of(state, state.round),
        active=active,
        put_up=None if active is None else _offer(state, active, seat),
        deck_count=CARDS_PER_SEAT * state.seats - state.drawn,
        colours=SETS_PER_SEAT * state.seats,
        long_columns=("extend", "cap")[long_columns_of(state)],
        growth=growth_of(state),
        news=news(state, seat),
    )


def _prompt(state: State, seat: int | None, waiting: tuple[int, ...]) -> Event:
    if state.phase == OVER:
        return event("prompt.over")
    if seat not in waiting:
        return event("prompt.wait", seats=", ".join(str(seat + 1) for seat in waiting))
    if state.phase == DISPLAY:
        return event("prompt.display", count=DISPLAY_SIZE[state.round])
    if state.phase == TAKE:
        others = [f"p{other + 1}" for other in range(state.seats) if other != seat]
        return event("prompt.take", players=", ".join(others))
    return event(f"prompt.{PHASE_NAMES[state.phase]}")


def _masked(state: State, seat: int, mask: int) -> tuple[str, ...]:
    return tuple(card_text(card) for i, card in enumerate(own_cards(state, seat)) if (mask >> i) & 1)


def hand_of(state: State, seat: int) -> tuple[str, ...]:
    return _masked(state, seat, ~state.shown[seat])


def _offer(state: State, seat: int, viewer: int | None) -> str | None:
    """M3: a card put up is seen by all, an offer by its owner and, once all are made, by the active
    seat."""
    card = state.offers[state.exchange, seat]
    active = active_in(state, state.exchange)
    if card != NOTHING and (seat in (active, viewer) or (viewer == active and state.phase == TAKE)):
        return card_text(card)
    return None


def _standing(state: State) -> tuple[list[int], list[int]]:
    """Points and places, from what lies on the table."""
    points = [0] * state.seats
    scores(state, points)
    worths = [worth(state, seat) for seat in range(state.seats)]
    return points, [1 + sum(other > own for other in worths) for own in worths]


def _seat_view(state: State, seat: int, viewer: int | None, points: int, place: int) -> SeatView:
    shown = _masked(state, seat, state.shown[seat])
    offering = state.phase in (OFFER, TAKE)
    return SeatView(
        seat=seat,
        display=shown,
        hand_count=cards_held(state.round) - len(shown),
        has_committed=state.pending[seat] != 0 or (offering and state.offers[state.exchange, seat] != NOTHING),
        offer=_offer(state, seat, viewer) if offering else None,
        points=points,
        place=place,
    )


# What the last move brought

NAMES_CARDS = ("card", "cards")
FADES = (*NAMES_CARDS, "points")  # what a display was worth says what was in it
# What is told once a card that was named is hidden again; what says nothing without it is not here.
FADED = {"shows": "shown", "draws": "drawn", "puts_up": "put_up", "trades": "traded"}


def faded(past: Event, view: View) -> Event | None:
    """M3, C5: a card that went back into another hand has to be remembered."""
    named = [str(fact) for name, fact in past.facts if name in NAMES_CARDS]
    if view.open_cards.issuperset(" ".join(named).split()):
        return past
    kind = FADED.get(past.kind)
    return Event(kind, tuple(fact for fact in past.facts if fact[0] not in FADES)) if kind else None


def in_sight(view: View) -> frozenset[str]:
    return view.open_cards


def news(state: State, viewer: int | None) -> tuple[Event, ...]:
    """What this viewer saw of the last move."""
    seat = state.news_seat
    if state.news == NEWS_CHOSEN:
        return (event("chooses", seat=seat),)
    if state.news == NEWS_REVEALED:
        return _news_of_displays(state, viewer)
    if state.news == NEWS_PUT:
        return (event("puts_up", seat=seat, card=card_text(state.offers[state.exchange, seat])),)
    if state.news == NEWS_OFFERED:
        return (event("offers", seat=seat),)
    if state.news == NEWS_ALL_OFFERED:
        return (event("all_offered", seat=active_in(state, state.exchange)),)
    if state.news == NEWS_EXCHANGED:
        return _news_of_exchange(state, viewer)
    return ()


def _news_of_displays(state: State, viewer: int | None) -> tuple[Event, ...]:
    """The displays, and the round that begins with them or the end of the match."""
    points, _ = _standing(state)
    displays = [_masked(state, seat, state.shown[seat]) for seat in range(state.seats)]
    events = [
        event("shows", seat=seat, cards=" ".join(display), count=len(display), points=points[seat])
        for seat, display in enumerate(displays)
    ]
    if state.phase == OVER:
        return (*events, event("over"), *_news_of_the_end(state))
    events.append(event("round_begins", seat=starting_seat_of(state, state.round), round=state.round))
    if viewer is not None:
        fresh = range(state.drawn - LATER_DRAW * state.seats, state.drawn)
        events.append(
            event(
                "draws", cards=cards_text(state.deck[place] for place in fresh if seat_drawing(state, place) == viewer)
            )
        )
    return tuple(events)


def _news_of_the_end(state: State) -> tuple[Event, ...]:
    points, ranks = _standing(state)
    kind = "wins" if ranks.count(1) == 1 else "shares"
    return tuple(event(kind, seat=seat, points=points[seat]) for seat in range(state.seats) if ranks[seat] == 1)


def _news_of_exchange(state: State, viewer: int | None) -> tuple[Event, ...]:
    """M3: everybody sees who traded and the card put up; what came back only the two."""
    exchange = state.exchange - 1
    active, chosen = active_in(state, exchange), state.chosen[exchange]
    events = [event("trades", seat=active, other_seat=chosen, card=card_text(state.offers[exchange, active]))]
    if viewer in (active, chosen):
        events.append(event("gets", seat=active, other_seat=chosen, card=card_text(state.offers[exchange, chosen])))
    if state.phase == DISPLAY:
        events.append(event("displays_next", count=DISPLAY_SIZE[state.round]))
    return tuple(events)


# The drawing

GRID = 14  # columns of the terminal for one seat


def draw(view: View, words: Mapping[str, str]) -> str:
    """Displays side by side, a row for each colour and a column for each value; then the exchange
    and the hand."""
    lines = [_headline(view, words), "", *_grids(view, words), ""]
    lines += _exchange_lines(view, words)
    if view.viewer is not None:
        head = words["view.field"].format(name=words["draw.hand"])  # French has a space before the colon
        lines.append(f"{head} {' '.join(view.hand)}")
    if view.chosen:
        lines.append(words["draw.own_choice"].format(cards=" ".join(view.chosen)))
    if view.long_columns == "cap":
        lines.append(words["draw.capped"])
    if view.growth != GROWTH:
        lines.append(words["draw.growth"].format(points=view.growth))
    return "\n".join(lines)


STYLES = (
    "#e98a15", "#2b7bd3", "#d8274c", "#d3ad0c", "#119a4e", "#df2a9b", "#8b929b", "#9a6840", "#7a6bf0", "#2aa595",
)  # fmt: skip


def paint(words: Mapping[str, str]) -> dict[str, str]:
    """The row of a colour in the displays, and its cards wherever they are named."""
    return {
        rf"(?m)^{letter} [\d· ]+$|\b{letter}\d\b": f"bold {style}"
        for letter, style in zip(LETTERS, STYLES, strict=False)
    }


def _name(seat: int, words: Mapping[str, str]) -> str:
    return words["draw.seat"].format(seat=seat + 1)


def _headline(view: View, words: Mapping[str, str]) -> str:
    stage = words["draw.round"].format(round=view.round) if view.round else words["draw.setup"]
    starting = _name(view.starting, words)
    if view.active is None:
        seats = words["draw.starting_only"].format(seat=starting)
    else:
        seats = words["draw.starting"].format(seat=starting, active=_name(view.active, words))
    return f"{stage}, {words['phase.' + view.phase]}\n{seats}"


def _grids(view: View, words: Mapping[str, str]) -> list[str]:
    """Two columns for the letter, then GRID for each seat: 72 with five."""

    def row(label: str, cells: list[str]) -> str:
        return (label.ljust(2) + "".join(cell.ljust(GRID) for cell in cells)).rstrip()

    def mark(seat: SeatView) -> str:
        return "*" if seat.seat in view.waiting else ""

    points = "draw.place" if view.phase == "over" else "draw.points"
    lines = [
        row("", [_name(seat.seat, words) + mark(seat) for seat in view.seats]),
        row("", [words[points].format(points=seat.points, place=seat.place) for seat in view.seats]),
        row("", [words["draw.in_hand"].format(count=seat.hand_count) for seat in view.seats]),
    ]
    for letter in LETTERS[: view.colours]:
        lines.append(row(letter, [_row_of(seat, letter) for seat in view.seats]))
    return lines


def _row_of(seat: SeatView, letter: str) -> str:
    return "".join(str(value) if f"{letter}{value}" in seat.display else "·" for value in range(1, VALUES + 1))


def _exchange_lines(view: View, words: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    for seat in view.seats:
        name = _name(seat.seat, words)
        if seat.seat == view.active:
            if view.put_up is not None:
                lines.insert(0, words["draw.put_up"].format(seat=name, card=view.put_up))
        elif seat.offer is not None:
            lines.append(words["draw.offer"].format(seat=name, card=seat.offer))
        elif seat.has_committed and seat.seat != view.viewer:
            lines.append(words["draw.chosen" if view.phase == "display" else "draw.offered"].format(seat=name))
    return lines
