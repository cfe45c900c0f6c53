"""Blind: the smallest game with secrets and simultaneous choices, sound in its honest form, for
testing the kit itself.

Six cards; two seats hold one each, unseen by the other. Both bet 0, 1 or 2 at the same time; the
higher card wins the sum, twice over.
"""

from dataclasses import dataclass

import numpy as np

from samovar.engine.chance import below, shuffle, starting_seat
from samovar.engine.contract import Event, Game, Part, event
from samovar.engine.rule import rule

CARDS = 6
STATE = np.dtype(
    [
        ("deck", np.int8, (6,)),
        ("bet", np.int8, (2,)),
        ("points", np.int8, (2,)),
        ("seats", np.int8),
        ("round", np.int8),
        ("last", np.int8),
        ("spare", np.int8),
    ]
)


@rule
def deal(state, seats, options, rng):
    """Seat s holds deck[s]."""
    state.seats = seats
    starting_seat(rng, seats, options.first)
    state.last = -1
    for i in range(CARDS):
        state.deck[i] = i
    shuffle(rng, state.deck, CARDS)
    for seat in range(2):
        state.bet[seat] = -1


@rule
def actors(state):
    if state.round == 2:
        return 0
    return (1 if state.bet[0] < 0 else 0) + (2 if state.bet[1] < 0 else 0)


@rule
def legal(state, seat, out):
    for bet in range(3):
        out[bet] = bet
    return 3


@rule
def apply(state, seat, move):
    state.bet[seat] = move
    state.last = seat
    if state.bet[1 - seat] >= 0:
        winner = 0 if state.deck[0] > state.deck[1] else 1
        state.points[winner] += state.bet[0] + state.bet[1]
        state.round += 1
        state.last = 2
        state.bet[0] = -1
        state.bet[1] = -1


@rule
def scores(state, out):
    out[0] = state.points[0]
    out[1] = state.points[1]


@rule
def places(state, out):
    out[0] = 2 if state.points[1] > state.points[0] else 1
    out[1] = 2 if state.points[0] > state.points[1] else 1


@rule
def has_won(state, seat):
    return state.points[seat] > 0


@rule
def determinize(state, seat, rng):
    """The other card and the deck are unknown, but for who holds the higher one once somebody has
    won."""
    other = 1 - seat
    own = state.deck[seat]
    fits = 0
    while fits == 0:
        for i in range(CARDS):
            state.deck[i] = i
        state.deck[own] = state.deck[CARDS - 1]
        shuffle(rng, state.deck, CARDS - 1)
        state.deck[CARDS - 1] = state.deck[seat]
        state.deck[seat] = own
        fits = 1
        if has_won(state, seat) and state.deck[other] > own:
            fits = 0
        if has_won(state, other) and state.deck[other] < own:
            fits = 0
    if state.bet[other] >= 0:
        state.bet[other] = below(rng, 3)


@rule
def observe(state, seat, out):
    out[0] = state.deck[seat]
    out[1] = state.bet[seat]
    out[2] = state.bet[1 - seat] >= 0
    out[3] = state.points[seat]
    out[4] = state.points[1 - seat]
    out[5] = state.round


@rule
def faults(state):
    seen = 0
    for i in range(CARDS):
        seen |= 1 << state.deck[i]
    return 0 if seen == 63 else 1


@dataclass(frozen=True)
class View:
    card: int | None
    points: tuple[int, int]
    has_bet: tuple[bool, bool]
    prompt: Event
    news: tuple[Event, ...]


def view(state, seat):
    prompt = event("prompt.bet" if seat is not None and state.bet[seat] < 0 and state.round < 2 else "prompt.wait")
    news = () if state.last < 0 else (event("showdown") if state.last == 2 else event("bets", seat=state.last),)
    has_bet = (state.bet[0] >= 0, state.bet[1] >= 0)
    return View(None if seat is None else state.deck[seat], (state.points[0], state.points[1]), has_bet, prompt, news)


def parse_move(state, seat, text):
    if text not in ("0", "1", "2"):
        raise ValueError("a move is 0, 1 or 2.")
    return int(text)


def arrange(**position):
    raise ValueError("nothing to arrange")


WORDS = {
    "prompt.bet": "Bet 0, 1 or 2.",
    "prompt.wait": "Wait.",
    "bets": "{seat} has bet.",
    "showdown": "Both bets are open.",
}
GAME = Game(
    id="blind",
    name="Blind",
    version=1,
    seats=(2,),
    state=STATE,
    moves=3,
    max_legal=3,
    max_length=lambda seats, options: 4,
    observation=(
        Part("card", 1, "own card"),
        Part("bet", 1, "own bet"),
        Part("other_bet", 1, "whether the other has bet"),
        Part("points", 2, "own and other"),
        Part("round", 1, "rounds done"),
    ),
    fault_names=("a card is missing",),
    deal=deal,
    actors=actors,
    legal=legal,
    apply=apply,
    scores=scores,
    places=places,
    determinize=determinize,
    observe=observe,
    faults=faults,
    view=view,
    move_text=lambda state, seat, move: str(move),
    parse_move=parse_move,
    arrange=arrange,
    draw=lambda view, words: f"{view.card} {view.points} {view.has_bet}",
    words={"en": WORDS, "fr": WORDS},
    folder="",
)
