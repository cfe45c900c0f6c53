"""The news: what happened in the last move, as one viewer saw it, told from the `did_` fields of
the state."""

from __future__ import annotations

from collections.abc import Iterator

from samovar.engine.contract import Event, event

from .moves import BLOCK_MOVE, LOOK_MOVE, PEEK_MOVE, REVEAL_MOVE, SWAP_MOVE
from .rules import places, scores
from .sizes import ROUNDS
from .state import (
    ALL_REVEALED,
    BLOCK,
    CARD_NAMES,
    CONNECTED,
    CRAB,
    FAILED,
    LOOK,
    NOTHING,
    OPENED,
    OVER,
    PEEK,
    PENGUIN,
    PLACE_NAMES,
    PLACES,
    SIDE_NAMES,
    WALRUS,
    State,
    animal,
    count_volcanoes,
    has,
)

_RESULT_KINDS = {OPENED: "opens", CONNECTED: "connects", FAILED: "fails"}


def news(state: State, viewer: int | None) -> tuple[Event, ...]:
    if state.did_seat == NOTHING:
        return ()
    return (*_move(state, viewer), *_turns(state), *_end(state))


def looked_at(state: State, seat: int) -> tuple[tuple[str, str], ...]:
    """Place and card of what a seat looked at in its last move and still lies there."""
    return tuple(
        (PLACE_NAMES[place], CARD_NAMES[state.card[place]]) for place in range(PLACES) if has(state.look[seat], place)
    )


def _move(state: State, viewer: int | None) -> Iterator[Event]:
    """The move itself; only who looks sees the cards."""
    seat, move = state.did_seat, state.did_move
    if move < LOOK_MOVE:
        yield from _reveal(state, seat, move - REVEAL_MOVE)
    elif move < PEEK_MOVE:
        yield event("looks", seat=seat, side=SIDE_NAMES[move - LOOK_MOVE])
    elif move < BLOCK_MOVE:
        yield event("peeks", seat=seat, place=PLACE_NAMES[move - PEEK_MOVE], round=state.did_round + 1)
    elif move < SWAP_MOVE:
        yield event("blocks", seat=seat, place=PLACE_NAMES[move - BLOCK_MOVE], round=state.did_round + 1)
    else:
        place, other = PLACE_NAMES[state.did_from], PLACE_NAMES[move - SWAP_MOVE]
        yield event("swaps", seat=seat, place=place, other=other, round=state.did_round + 1)
    if viewer == seat and LOOK_MOVE <= move < BLOCK_MOVE:
        for place, card in looked_at(state, seat):
            yield event("sees", place=place, card=card)


def _reveal(state: State, seat: int, place: int) -> Iterator[Event]:
    """R4, R9 to R12: whether it connected, and an ability that asks for no move of its own."""
    card, number = state.card[place], state.did_round + 1
    kind = _RESULT_KINDS[state.did_result]
    yield event(kind, seat=seat, place=PLACE_NAMES[place], card=CARD_NAMES[card], round=number)
    works = state.did_result == CONNECTED or (state.did_result == OPENED and state.first_reveal_ability)
    if state.expert and works:
        if animal(card) == CRAB:
            yield event("extra_turn", seat=seat, round=number)
        elif animal(card) == PENGUIN and state.phase != PEEK:
            yield event("nothing_to_peek", seat=seat, round=number)
        elif animal(card) == WALRUS and state.phase != BLOCK:
            yield event("nothing_to_block", seat=seat, round=number)


def _turns(state: State) -> Iterator[Event]:
    """C3: volcanoes taken and seats passed over, until somebody is to move or the round is over."""
    round_over = state.owner[state.did_round] != NOTHING
    taken = count_volcanoes(state) if round_over else state.taken
    seat = state.did_seat
    for k in range(state.did_taken, taken):
        taker = state.taker[state.did_round, k]
        yield from _skipped(state, seat, taker)
        seat = taker
        kind = "takes_volcano"
        if not (state.did_result == FAILED and k == state.did_taken):
            kind = "all_revealed" if state.did_stuck == ALL_REVEALED else "only_blocked"
        yield event(kind, seat=taker, birds=state.volcano[state.did_round, k])
    yield from _skipped(state, seat, state.owner[state.did_round] if round_over else state.turn)


def _skipped(state: State, seat: int, until: int) -> Iterator[Event]:
    """The seats strictly between two, clockwise; nobody if they are the same (an extra turn, or a
    move that is not the whole turn)."""
    while seat != until:
        seat = (seat + 1) % state.seats
        if seat != until:
            yield event("skipped", seat=seat)


def _end(state: State) -> Iterator[Event]:
    """The end of a round and the beginning of the next; at the end of the match all that was
    hidden."""
    number = state.did_round
    if state.owner[number] != NOTHING:
        if state.ordered_stack:
            yield event("takes_rubies", seat=state.owner[number], rubies=state.treasure[number])
        else:
            yield event("takes_treasure", seat=state.owner[number])
    if state.phase == OVER:
        yield event("match_over")
        yield from _results(state)
    elif state.round > number or (LOOK_MOVE <= state.did_move < PEEK_MOVE and state.phase != LOOK):
        yield event("begins", seat=state.starter, round=state.round + 1)


def _results(state: State) -> Iterator[Event]:
    rubies, ranks = [0] * state.seats, [0] * state.seats
    scores(state, rubies)
    places(state, ranks)
    for seat in range(state.seats):
        treasures = sum(state.owner[number] == seat for number in range(ROUNDS))
        yield event("counts", seat=seat, rubies=rubies[seat], treasures=treasures)
    for seat in range(state.seats):
        if ranks[seat] == 1:
            yield event("wins" if ranks.count(1) == 1 else "shares", seat=seat)
