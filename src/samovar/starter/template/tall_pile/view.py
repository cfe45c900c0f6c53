"""What a seat sees, for people. It is built up from what is visible, never the state with things
taken away. Its fields are shown by the names that `words.py` gives them."""

from dataclasses import dataclass

from samovar.engine.contract import Event, event, usual_prompt

from .cards import DECK
from .rules import actors
from .state import NO_CARD, PILE


@dataclass(frozen=True)
class View:
    top: str | None  # the card on top of the pile
    pile: int  # how many cards lie there
    stock: int
    hand: tuple[str, ...]  # the viewer's own
    hands: tuple[int, ...]  # by seat: how many cards it holds
    taken: tuple[int, ...]  # by seat: how many it had to take
    prompt: Event
    news: tuple[Event, ...]


def view(state, seat):
    """For the seat None: what a spectator sees."""
    return View(
        top=None if state.top == NO_CARD else DECK[state.top].name,
        pile=state.count[PILE],
        stock=state.stock,
        hand=tuple(card.name for number, card in enumerate(DECK) if state.where[number] == seat),
        hands=tuple(state.count[: state.seats]),
        taken=tuple(state.taken[: state.seats]),
        prompt=usual_prompt(actors(state), seat),
        news=news(state, seat),
    )


def news(state, seat):
    """What the last move did. Everybody saw it, whatever their seat."""
    if state.top == NO_CARD:
        return ()
    mover = (state.turn - 1) % state.seats
    taken = (event("takes", seat=mover, count=state.took),) if state.took else ()
    return (event("plays", seat=mover, card=DECK[state.top].name), *taken)
