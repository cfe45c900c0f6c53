"""What a seat sees at the table now, and a drawing of it for terminals. What it has seen before it
has to remember (C5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from samovar.engine.arrays import Ints
from samovar.engine.contract import Event, Words, event

from .news import looked_at, news
from .rules import barred, places, scores
from .sizes import ROUNDS, WIDTH
from .state import (
    CARD_NAMES,
    CENTRE,
    COLUMNS,
    ISLAND,
    LOOK,
    NOTHING,
    OVER,
    PHASE_NAMES,
    PLACE_NAMES,
    PLACES,
    REVEAL,
    SIDE_NAMES,
    State,
    are_rubies_public,
    birds_of,
    count_volcanoes,
    has,
)

TURNED = ("opens", "connects", "fails")  # what is told of a location that was turned up
# What is told of an earlier round instead of what names a card or its animal; None: nothing.
FADED = {
    **dict.fromkeys(TURNED, "turned"),
    **dict.fromkeys(("swaps", "peeks", "blocks", "extra_turn", "nothing_to_peek", "nothing_to_block")),
}


@dataclass(frozen=True)
class View:
    """All texts are words of the game: `penguin-lava`, `c4`, `north`."""

    seat: int | None  # whose view this is; None a spectator's
    seats: int
    expert: bool
    ordered_stack: bool
    first_reveal_ability: bool
    phase: str  # look, reveal, peek, swap, block, over: what is asked of the seat in turn
    prompt: Event  # what is asked of the viewer
    turn: int | None  # the seat to move, None at the end
    round: int  # 1 to 7
    starter: int  # the seat that began this round
    island: tuple[str | None, ...]  # by place a1, b1 ... e5: the card that lies face up, else None
    last: str | None  # the place of the last location revealed in this round
    blocked: str | None  # the place that the seat in turn may not reveal
    barred: tuple[str, ...]  # the places that the very first reveal may not turn up, else ()
    lookers: tuple[int | None, ...]  # who looked at the north, east, south, west before round 1
    top_volcano: int | None  # birds on the top volcano of the stack
    volcanoes_left: int
    volcanoes: tuple[int, ...]  # by seat: birds on the volcano in front of it, 0 none
    treasures: tuple[int, ...]  # by seat: treasure cards
    treasures_left: int
    rubies: tuple[int, ...] | None  # by seat, where they are public
    next_rubies: int | None  # on the top treasure, where that is public
    # by finished round: the seat that took its treasure, and the rubies where they are public
    won: tuple[tuple[int, int | None], ...]
    places: tuple[int, ...] | None  # by seat, at the end
    looks: tuple[tuple[str, str], ...]  # place and card of what the viewer looked at in its last move
    news: tuple[Event, ...]

    def news_texts(self, *kinds: str) -> list[tuple[str, dict[str, str]]]:
        """Of the news of these kinds: the kind, and those facts that are texts, as places are."""
        return [
            (event.kind, {name: fact for name, fact in event.facts if isinstance(fact, str)})
            for event in self.news
            if event.kind in kinds
        ]

    @cached_property
    def turned_back(self) -> Mapping[str, str]:
        """Place and card of the location that ended a round: it was seen by all, and lies under
        clouds again already."""
        turned = [(facts["place"], facts["card"]) for _, facts in self.news_texts(*TURNED)]
        return {place: card for place, card in turned if self.island[PLACE_NAMES.index(place)] is None}

    @cached_property
    def glimpsed(self) -> Mapping[str, tuple[str, str]]:
        """By place how the viewer comes to see a card that does not lie face up now, and the card."""
        return {place: ("gone", card) for place, card in self.turned_back.items()} | {
            place: ("look", card) for place, card in self.looks
        }

    @cached_property
    def marks(self) -> Mapping[str, tuple[str, ...]]:
        """What is to be marked at a place: how it lies, then what the last move did there."""
        marked = [(self.last, "last"), (self.blocked, "blocked"), *((place, "barred") for place in self.barred)]
        for kind, facts in self.news_texts(*TURNED, "peeks", "swaps"):
            marked += (facts["place"], kind), (facts.get("other"), kind)
        marks: dict[str, tuple[str, ...]] = {}
        for place, mark in marked:
            if place is not None:
                marks[place] = (*marks.get(place, ()), mark)
        return marks


def view(state: State, seat: int | None) -> View:
    """What a seat sees; None: what a spectator sees."""
    seats, over = state.seats, state.phase == OVER
    left = count_volcanoes(state) - state.taken
    owners = list(state.owner)
    public = are_rubies_public(state)
    return View(
        seat=seat,
        seats=seats,
        expert=bool(state.expert),
        ordered_stack=bool(state.ordered_stack),
        first_reveal_ability=bool(state.first_reveal_ability),
        phase=PHASE_NAMES[state.phase],
        prompt=event(_prompt(state, seat), **_free_sides(state, seat)),
        turn=None if over else state.turn,
        round=state.round + 1,
        starter=state.starter,
        island=_island_of(state.card, state.up),
        last=_place_name(state.last),
        blocked=_place_name(state.blocked),
        barred=_barred_places(state),
        lookers=tuple([None if looker == NOTHING else looker for looker in state.looker]),
        top_volcano=state.volcano[state.round, state.taken] if left else None,
        volcanoes_left=left,
        volcanoes=tuple([birds_of(state, other) for other in range(seats)]),
        treasures=tuple([owners.count(other) for other in range(seats)]),
        treasures_left=owners.count(NOTHING),
        rubies=_results(scores, state) if public else None,
        next_rubies=state.treasure[state.round] if state.ordered_stack and not over else None,
        won=tuple(
            [
                (owner, state.treasure[number] if public else None)
                for number, owner in enumerate(owners)
                if owner != NOTHING
            ]
        ),
        places=_results(places, state) if over else None,
        looks=looked_at(state, seat) if seat is not None and state.look[seat] else (),
        news=news(state, seat),
    )


def faded(past: Event, view: View) -> Event | None:
    """C5: with its round a location lies under clouds again, and only its place is told; what one
    seat alone looked at does so at once."""
    if past.kind == "sees":
        return None
    if past.kind not in FADED or ("round", view.round) in past.facts:
        return past
    return _of_an_earlier_round(past)


@lru_cache(4096)  # asked for with every look at a table, for each of the last moves
def _of_an_earlier_round(past: Event) -> Event | None:
    kind = FADED[past.kind]
    return Event(kind, tuple(fact for fact in past.facts if fact[0] not in ("card", "round"))) if kind else None


def in_sight(view: View) -> frozenset[str]:
    """The cards that lie open to the viewer."""
    return frozenset([*filter(None, view.island), *(card for _, card in view.looks)])


def _island_of(cards: Ints, up: int) -> tuple[str | None, ...]:
    return tuple([CARD_NAMES[cards[place]] if up >> place & 1 else None for place in range(PLACES)])


def _place_name(place: int) -> str | None:
    return None if place == NOTHING else PLACE_NAMES[place]


def _barred_places(state: State) -> tuple[str, ...]:
    """R3: before the very first reveal."""
    if state.phase != REVEAL or state.round > 0 or state.last != NOTHING:
        return ()
    return tuple(PLACE_NAMES[place] for place in range(PLACES) if has(barred(state), place))


def _prompt(state: State, seat: int | None) -> str:
    if state.phase == OVER:
        return "prompt.over"
    if seat != state.turn:
        return "prompt.wait"
    if state.phase == REVEAL and state.last == NOTHING:
        return "prompt.begin" if state.round == 0 else "prompt.open"
    return f"prompt.{PHASE_NAMES[state.phase]}"


def _free_sides(state: State, seat: int | None) -> dict[str, str]:
    """For who chooses one: each side, or a dash where somebody has looked already."""
    if state.phase != LOOK or seat != state.turn:
        return {}
    return {name: name if state.looker[side] == NOTHING else "–" for side, name in enumerate(SIDE_NAMES)}


def _results(rule: Callable[[State, Ints], None], state: State) -> tuple[int, ...]:
    out = [0] * state.seats
    rule(state, out)
    return tuple(out)


# The drawing: the island on the left, the seats on the right, two text lines a location.

_CELL = 9


def draw(view: View, words: Words) -> str:
    """A drawing for terminals of 80 columns, made from a view and nothing else."""
    island, panel = list(_island(view, words)), list(_panel(view, words))
    rows = [f"{left}  {panel[i]}".rstrip() if i < len(panel) else left.rstrip() for i, left in enumerate(island)]
    return "\n".join([*rows, *_below(view, words)])


def _island(view: View, words: Words) -> Iterator[str]:
    line = "  +" + WIDTH * ("-" * _CELL + "+")
    yield line
    for row in reversed(range(WIDTH)):
        cells = [_cell(view, WIDTH * row + column, words) for column in range(WIDTH)]
        yield f"{row + 1} |" + "".join(f"{upper:^{_CELL}}|" for upper, _ in cells)
        yield "  |" + "".join(f"{lower:^{_CELL}}|" for _, lower in cells)
        yield line
    yield "   " + "".join(f"{letter:^{_CELL}} " for letter in COLUMNS)


def _cell(view: View, place: int, words: Words) -> tuple[str, str]:
    """Two lines: animal and landscape, or clouds; the last location stands between stars, the
    viewer's look between brackets."""
    name = PLACE_NAMES[place]
    card = view.island[place]
    if place == CENTRE:
        return words["pile"], f"{view.volcanoes_left}^ {view.treasures_left}$"
    if not has(ISLAND, place):
        return "", ""
    if card is not None:
        upper, lower = (_short(words[part]) for part in card.split("-"))
        return (f"*{upper}*", f"*{lower}*") if name == view.last else (upper, lower)
    looked = dict(view.looks).get(name)
    if looked is not None:
        upper, lower = (_short(words[part]) for part in looked.split("-"))
        return f"({upper})", f"({lower})"
    if name == view.blocked:
        return "~ ~ ~", words["blocked"]
    return "~ ~ ~", words["barred"] if name in view.barred else "~ ~"


def _short(name: str) -> str:
    """As much of a name as fits between two marks: some languages have long ones."""
    return name if len(name) <= _CELL - 2 else f"{name[: _CELL - 3]}."


def _panel(view: View, words: Words) -> Iterator[str]:
    yield words["draw.round"].format(round=view.round, rounds=ROUNDS)
    yield words["draw.volcanoes"].format(count=view.volcanoes_left)
    yield words["draw.top"].format(birds=view.top_volcano) if view.top_volcano is not None else ""
    yield words["draw.treasures"].format(count=view.treasures_left)
    yield words["draw.next"].format(rubies=view.next_rubies) if view.next_rubies is not None else ""
    for seat in range(view.seats):
        yield from _seat_lines(view, seat, words)


def _seat_lines(view: View, seat: int, words: Words) -> Iterator[str]:
    mark = ">" if seat == view.turn else " "
    you = f" ({words['draw.you']})" if seat == view.seat else ""
    place = words["draw.place"].format(place=view.places[seat]) if view.places is not None else ""
    yield f"{mark} {words['draw.seat'].format(number=seat + 1)}{you} {place}".rstrip()
    kind = "draw.holds" if view.rubies is None else "draw.holds_rubies"
    yield "  " + words[kind].format(
        treasures=view.treasures[seat], rubies=view.rubies[seat] if view.rubies is not None else 0
    )
    if view.volcanoes[seat]:
        yield "  " + words["draw.out"].format(birds=view.volcanoes[seat])
    else:
        yield ""


def _below(view: View, words: Words) -> Iterator[str]:
    """The legend, the sides looked at (while it matters), and what the viewer looked at."""
    yield words["draw.legend"]
    if view.phase == "look" or view.barred:
        looked = (
            words["draw.looked"].format(side=words[side], number=looker + 1)
            for side, looker in zip(("north", "east", "south", "west"), view.lookers, strict=True)
            if looker is not None
        )
        yield from looked
    for place, card in view.looks:
        yield words["sees"].format(place=place, card=words[card])
