"""What a seat or a spectator sees at the table, and a drawing of it for terminals. Built up from
what is visible."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from samovar.engine.contract import Event, Words, event

from .deck import (
    CARDS,
    COLOUR_NAMES,
    EDGES,
)
from .moves import STOP, coordinates, is_placement, placed_card, placed_turned, swap_offered, swap_opponent, swap_taken
from .rules import score_of
from .sizes import COLOURS
from .state import COLOUR, GOES_ON, MISSING_STICK, NOT_JOINED, OVER, STICK_MISSING, SWAP, State

PHASES = ("place", "swap", "over")
ENDINGS = (None, "missing_stick", "stuck")


@dataclass(frozen=True)
class Card:
    card: int
    edges: tuple[str, ...]  # colours north, east, south, west


@dataclass(frozen=True)
class LyingCard:
    card: int
    x: int
    y: int
    turned: bool
    edges: tuple[str, ...]  # colours north, east, south, west, as it lies


@dataclass(frozen=True)
class View:
    seat: int | None  # whose view it is; None: a spectator's
    seats: int
    half_turn: bool
    phase: str  # place, swap or over
    prompt: Event  # what is asked of the viewer
    turn: int | None  # whose turn it is
    swaps_left: int
    ending: str | None  # missing_stick (also before the last swaps are made) or stuck
    field: tuple[LyingCard, ...]  # by number
    latest: int | None  # the card placed last, still when swaps came after it; None before the first
    hand: tuple[Card, ...]  # the viewer's own; empty for a spectator
    hand_sizes: tuple[int, ...]
    pile_size: int
    reserve: tuple[int, ...]  # by colour, as in `colours`
    sticks: tuple[tuple[int, ...], ...]  # by seat and colour
    scores: tuple[int, ...]  # what the sticks are worth now
    colours: tuple[str, ...]
    news: tuple[Event, ...]

    @cached_property
    def taken(self) -> frozenset[tuple[int, int]]:
        """Where cards lie: x and y."""
        return frozenset((card.x, card.y) for card in self.field)


@cache
def _edges(turned: int, card: int) -> tuple[str, ...]:
    return tuple(COLOUR_NAMES[COLOUR[turned, card, edge]] for edge in range(EDGES))


@lru_cache(maxsize=4096)
def _lying(card: int, cell: int, turned: int) -> LyingCard:
    x, y = coordinates(cell)
    return LyingCard(card, x, y, bool(turned), _edges(turned, card))


def _field(state: State) -> tuple[LyingCard, ...]:
    lying, turned, place = state.lying, state.turned, state.place
    return tuple(_lying(card, place[card], turned >> card & 1) for card in range(CARDS) if lying >> card & 1)


def _prompt(state: State, seat: int | None) -> str:
    if state.phase == OVER:
        return "prompt.over"
    if seat != state.turn:
        return "prompt.wait"
    if state.phase == SWAP:
        return "prompt.swap"
    return "prompt.place_half_turn" if state.half_turn else "prompt.place"


def view(state: State, seat: int | None) -> View:
    own = [] if seat is None else [state.hand[seat, k] for k in range(state.hand_size[seat])]
    return View(
        seat=seat,
        seats=state.seats,
        half_turn=bool(state.half_turn),
        phase=PHASES[state.phase],
        prompt=event(_prompt(state, seat)),
        turn=None if state.phase == OVER else state.turn,
        swaps_left=state.swaps_left,
        ending=ENDINGS[state.ending],
        field=_field(state),
        latest=state.placed[state.placements - 1] if state.placements else None,
        hand=tuple(Card(card, _edges(0, card)) for card in own),
        hand_sizes=tuple(state.hand_size[other] for other in range(state.seats)),
        pile_size=state.pile_size,
        reserve=tuple(state.reserve[colour] for colour in range(COLOURS)),
        sticks=tuple(tuple(state.sticks[other, colour] for colour in range(COLOURS)) for other in range(state.seats)),
        scores=tuple(score_of(state, other) for other in range(state.seats)),
        colours=COLOUR_NAMES[:COLOURS],
        news=news(state, seat),
    )


# News: all of it is public.


def news(state: State, seat: int | None) -> tuple[Event, ...]:
    return (*_move_events(state), *_after_events(state), *_end_events(state))


def _move_events(state: State) -> list[Event]:
    move, seat = state.last_move, state.last_seat
    if move < 0:
        return []
    if move == STOP:
        return [event("stops", seat=seat)]
    if not is_placement(move):
        offered, taken = COLOUR_NAMES[swap_offered(move)], COLOUR_NAMES[swap_taken(move)]
        return [event("swaps", seat=seat, other_seat=swap_opponent(move), given=offered, taken=taken)]
    return _placement_events(state, seat, placed_turned(move), placed_card(move))


def _placement_events(state: State, seat: int, turned: int, card: int) -> list[Event]:
    x, y = coordinates(state.place[card])
    joined = [edge for edge in range(EDGES) if state.joined[edge] != NOT_JOINED]
    events = [event("places_turned" if turned else "places", seat=seat, card=card, x=x, y=y, edges=len(joined))]
    for edge in joined:
        kind = "misses" if state.joined[edge] == STICK_MISSING else "takes"
        events.append(event(kind, seat=seat, colour=COLOUR_NAMES[COLOUR[turned, card, edge]]))
    return events


def _after_events(state: State) -> list[Event]:
    drawn = [event("draws", seat=state.last_seat)] if state.drew else []
    return drawn + [event("skips", seat=(state.passed_first + k) % state.seats) for k in range(state.passed)]


def _end_events(state: State) -> list[Event]:
    if state.phase != OVER or state.ending == GOES_ON:
        return []
    points = [score_of(state, seat) for seat in range(state.seats)]
    first = [seat for seat in range(state.seats) if points[seat] == max(points)]
    kind = "wins" if len(first) == 1 else "shares"
    ends = event("ends_missing" if state.ending == MISSING_STICK else "ends_stuck")
    return [ends, *(event(kind, seat=seat, points=points[seat]) for seat in first)]


# The drawing

WIDTH = 80
AXIS = 4  # columns for the y numbers
WIDE, NARROW = 5, 4  # columns of a card: with and without a gap


def draw(view: View, words: Words) -> str:
    parts = [words["draw.field"], *_draw_field(view, words), "", *_draw_seats(view, words), *_draw_hand(view, words)]
    if view.half_turn:
        parts.append(words["draw.half_turn"])
    if view.swaps_left:
        parts.append(words["draw.swaps_left"].format(count=view.swaps_left))
    if view.ending == "missing_stick" and view.phase != "over":
        parts.append(words["draw.last_turn"])
    return "\n".join(line.rstrip() for line in parts)


STYLES = {
    "red": "#fff6e6 on #c4242e", "orange": "#35190a on #ef7f1a", "yellow": "#35190a on #f7cf3d",
    "green": "#fff6e6 on #23803d", "blue": "#fff6e6 on #1f62b4", "purple": "#fff6e6 on #87389f",
}  # fmt: skip


def paint(words: Words) -> dict[str, str]:
    """The letter of a colour where it is no part of a word."""
    return {rf"(?<![^\W\d]){words[f'letter.{colour}']}(?![^\W\d])": style for colour, style in STYLES.items()}


def _letters(edges: tuple[str, ...], words: Words) -> list[str]:
    return [words[f"letter.{colour}"] for colour in edges]


def _card_rows(card: Card | LyingCard, words: Words) -> tuple[str, str, str]:
    """Four columns: the edges around the number."""
    north, east, south, west = _letters(card.edges, words)
    return f" {north}  ", f"{west}{card.card:2}{east}", f" {south}  "


def _draw_field(view: View, words: Words) -> list[str]:
    """The field in bands of as many columns as fit, with a dot on every empty place next to a
    card."""
    xs = range(min(card.x for card in view.field) - 1, max(card.x for card in view.field) + 2)
    wide = AXIS + WIDE * len(xs) <= WIDTH
    in_a_band = (WIDTH - AXIS) // (WIDE if wide else NARROW)
    lines = []
    for start in range(0, len(xs), in_a_band):
        lines += _draw_band(view, words, xs[start : start + in_a_band], WIDE if wide else NARROW)
    return lines


def _draw_band(view: View, words: Words, xs: range, width: int) -> list[str]:
    cards = {(card.x, card.y): card for card in view.field if card.x in xs}
    near = [card.y for card in view.field if card.x + 1 >= xs[0] and card.x - 1 <= xs[-1]]
    spots = {(card.x + dx, card.y + dy) for card in view.field for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    axis = " " * AXIS + "".join(f"{x:3}".ljust(width) for x in xs)
    lines = [axis]
    for y in range(max(near) + 1, min(near) - 2, -1):
        rows = [[" " * AXIS], [f"{y:3} "], [" " * AXIS]]
        for x in xs:
            shown = (
                _card_rows(cards[x, y], words)
                if (x, y) in cards
                else ("    ", " .  " if (x, y) in spots else "    ", "    ")
            )
            for row, text in zip(rows, shown, strict=True):
                row.append(text.ljust(width))
        lines += ["".join(row) for row in rows]
    return lines


def _draw_seats(view: View, words: Words) -> list[str]:
    letters = _letters(view.colours, words)
    label = max(len(words["draw.reserve"]), len(words["draw.seat"].format(seat=1))) + 2
    lines = [" " * label + "".join(f"{letter:>3}" for letter in letters)]
    lines.append(
        words["draw.reserve"].ljust(label)
        + "".join(f"{count:3}" for count in view.reserve)
        + f"   {_headed('draw.pile', words)} {view.pile_size}"
    )
    for seat in range(view.seats):
        notes = [words["draw.points"].format(count=view.scores[seat])]
        notes += [words["draw.cards"].format(count=view.hand_sizes[seat])]
        notes += [words["draw.you"]] if seat == view.seat else []
        notes += [words["draw.turn"]] if seat == view.turn else []
        name = words["draw.seat"].format(seat=seat + 1).ljust(label)
        lines.append(name + "".join(f"{count:3}" for count in view.sticks[seat]) + "   " + ", ".join(notes))
    return lines


def _headed(key: str, words: Words) -> str:
    """With its colon, before which French has a space."""
    return words["view.field"].format(name=words[key])


def _draw_hand(view: View, words: Words) -> list[str]:
    if view.seat is None:
        return []
    if not view.hand:
        return [f"{_headed('draw.hand', words)} {words['draw.no_cards']}"]
    rows = zip(*(_card_rows(card, words) for card in view.hand), strict=True)
    return [words["draw.hand"], *("  " + "   ".join(row) for row in rows)]
