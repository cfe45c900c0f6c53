"""What is done to a match, once for all games and all three ways of running.

Each operation works on one match and is called in the same way, so that one loop (CPU) and one
kernel (GPU) serve all of them: with `state`, the index `i` of the match, three arrays (or a `Turn`)
which the operation names by what they hold, and scratch space: `rng` (4 integers), `out` (room for
the legal moves), `seen` (room for one observation). `operations.py` has a method for each.

The rules in the first part stand for those of a game; `backend` binds them.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from samovar.engine.arrays import AnyState, FloatGrid, IntGrid, Ints, Rng
from samovar.engine.chance import below, seed_rng
from samovar.engine.contract import (
    Actors,
    Apply,
    Deal,
    Determinize,
    Factor,
    Faults,
    Legal,
    Observe,
    Places,
    Relate,
    Scores,
    Setup,
    Success,
    Team,
    TurnBack,
    TurnMove,
)
from samovar.engine.heuristics import Evaluate, Forget, RolloutMove, Sights
from samovar.engine.rule import Rule, rule, stand_in

DEAL_STREAM = 0
MOVE_STREAM = 1
WORLD_STREAM = 2

NEXT_DEAL = 1 << 40
DEAL_EVERY = 8
MOST_DEALS = 100  # a deal may be over before anybody can act; so many in a row are not

CERTAIN = 1000  # a share of 1: all opponents left behind

NOT_AN_ACTOR = -1
ILLEGAL = -2

NOBODY = -1  # the actor of a match that is over
NO_MOVE = -1  # what is played in a match that is to wait
MAX_SEED = 2**63 - 1

PLACE_BITS = 4

TURNED, PLANES, RESTARTS, MOVE_PLANES = range(4)  # the columns of `Turn.wishes`
SENDS, REFUSED, FIRST, MOVE = SENT = range(4)  # the columns of what `Batch.send` counts
# the columns of what is counted of a whole match; points and places by seat follow
LENGTH, TURNS, CHOICES, FORCED, BEGINS, ENDED, POINTS = range(7)

AnyStates: TypeAlias = list[AnyState]  # an array of states, or a list of plain ones
Setups: TypeAlias = list[Setup]  # seats and options, by match
Unused: TypeAlias = object  # an array that an operation does not need


deal: Deal = stand_in(Deal)
actors: Actors = stand_in(Actors)
legal: Legal = stand_in(Legal)
apply: Apply = stand_in(Apply)
scores: Scores = stand_in(Scores)
places: Places = stand_in(Places)
team: Team = stand_in(Team)
success: Success = stand_in(Success)
determinize: Determinize = stand_in(Determinize)
observe: Observe = stand_in(Observe)
relate: Relate = stand_in(Relate)
factor: Factor = stand_in(Factor)
turn_move: TurnMove = stand_in(TurnMove)
turn_back: TurnBack = stand_in(TurnBack)
faults: Faults = stand_in(Faults)
evaluate: Evaluate = stand_in(Evaluate)
rollout_move: RolloutMove = stand_in(RolloutMove)
sights: Sights = stand_in(Sights)
forget: Forget = stand_in(Forget)


@rule
def clear(state: AnyState) -> None:
    """Bound to a function that zeroes a state of the game: `deal` expects one."""


@rule
def draw_key(state: AnyState, rng: Rng) -> None:
    """Bound to that of `chance.py` where a game has chance during play, else to one that does nothing."""


@rule
def observation_size() -> int:
    """Bound to a rule that says how many numbers an observation has."""
    return 0


@rule
def factors_size() -> int:
    """Bound to a rule that says how many numbers a move told as parts has."""
    return 0


@rule
def factor_planes() -> int:
    """Bound to a rule that says how many numbers the planes of such a move have."""
    return 0


@rule
def encode(seen: Ints, rows: IntGrid, i: int, at: int) -> None:
    """Bound to what `kinds.make_encode` makes of the parts of the game's observation."""


@rule
def encode_factors(seen: Ints, rows: IntGrid, i: int, at: int) -> None:
    """Bound to what `kinds.make_encode` makes of the factors of the game's moves."""


@rule
def copy_state(states: AnyStates, source: int, target: int) -> None:
    """Bound to `copy_record`, or to what copies a state in plain Python."""


@rule
def copy_record(states: AnyStates, source: int, target: int) -> None:
    states[target] = states[source]


@rule
def most_points_win(state: AnyState, out: Ints) -> None:
    """The default places: by points, ties share. A rule has no room of its own, so for a while the
    place is kept in the lowest bits, below the points."""
    scores(state, out)
    for seat in range(state.seats):
        out[seat] <<= PLACE_BITS
    for seat in range(state.seats):
        out[seat] += 1
        for other in range(state.seats):
            if out[other] >> PLACE_BITS > out[seat] >> PLACE_BITS:
                out[seat] += 1
    for seat in range(state.seats):
        out[seat] &= (1 << PLACE_BITS) - 1


@rule
def any_move(state: AnyState, seat: int, rng: Rng, out: Ints) -> int:
    """The default rollout move: any legal one."""
    return out[below(rng, legal(state, seat, out))]


@rule
def is_together(seats: int) -> bool:
    """Whether all seats are one team."""
    for seat in range(1, seats):
        if team(seats, seat) != team(seats, 0):
            return False
    return True


@rule
def share_of_places(state: AnyState, out: Ints) -> None:
    """The default evaluation: how well each seat stands by its place now. Of its opponents a seat leaves behind those
    placed lower, and half of its equals; where there are no opponents, all stand as they do together."""
    seats = state.seats
    if is_together(seats):
        for seat in range(seats):
            out[seat] = success(state)
        return
    places(state, out)
    for seat in range(seats):
        behind = 0
        opponents = 0
        for other in range(seats):
            if team(seats, other) != team(seats, seat):
                # The places of seats before this one are already overwritten by their share: they are
                # kept in the lower bits.
                place = out[other] & 15
                opponents += 1
                if place > (out[seat] & 15):
                    behind += 2
                elif place == (out[seat] & 15):
                    behind += 1
        out[seat] |= (behind * CERTAIN // (2 * opponents)) << 4
    for seat in range(seats):
        out[seat] >>= 4


@rule
def stand(state: AnyState, out: Ints) -> None:
    """How well each seat stands: by its place when the match is over, else by the game's
    evaluation."""
    if actors(state) == 0:
        share_of_places(state, out)
    else:
        evaluate(state, out)


@rule
def nobody_asks(state: AnyState) -> int:
    """The default `success`: there are several teams, and places say how each of them did."""
    return 0


@rule
def no_relations(seen: Ints, at: int) -> None:
    """The default: the observation is all that networks are shown."""


@rule
def no_factors(state: AnyState, seat: int, move: int, out: Ints) -> None:
    """The default: a move is a number and nothing else."""


@rule
def not_turned(state: AnyState, seat: int, move: int) -> int:
    """The default of both ways: a move has one number for all seats."""
    return move


@rule
def set_up(state: AnyState, setup: Setup, rng: Rng) -> None:
    """A deal in a zeroed state."""
    draw_key(state, rng)
    deal(state, setup.seats, setup, rng)


@rule
def imagine(state: AnyState, seat: int, rng: Rng) -> None:
    """A world that fits all that a seat knows; what chance will do there is drawn anew."""
    determinize(state, seat, rng)
    draw_key(state, rng)


@rule
def lowest_seat(mask: int) -> int:
    seat = 0
    while not (mask >> seat) & 1:
        seat += 1
    return seat


@rule
def place_of(out: Ints, count: int, move: int) -> int:
    """Where an ascending list holds a move, -1 if it does not."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if out[middle] < move:
            low = middle + 1
        else:
            high = middle
    return low if low < count and out[low] == move else -1


@rule
def is_among(out: Ints, count: int, move: int) -> bool:
    return place_of(out, count, move) >= 0


@rule
def act(state: AnyState, seat: int, move: int, out: Ints) -> int:
    """One checked move: the actors after it, or NOT_AN_ACTOR or ILLEGAL, and then nothing has
    changed."""
    if seat < 0 or not (actors(state) >> seat) & 1:
        return NOT_AN_ACTOR
    if not is_among(out, legal(state, seat, out), move):
        return ILLEGAL
    apply(state, seat, move)
    return actors(state)


@rule
def deal_one(state: AnyState, i: int, setup: Setups, seeds: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Deals anew."""
    clear(state)
    seed_rng(rng, seeds[i], DEAL_STREAM, 0)
    set_up(state, setup[i], rng)


@rule
def actors_one(state: AnyState, i: int, masks: Ints, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes who may act."""
    masks[i] = actors(state)


@rule
def legal_one(
    state: AnyState, i: int, seats: Ints, moves: IntGrid, counts: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes the legal moves of a seat, and how many."""
    count = legal(state, seats[i], out)
    counts[i] = count
    for k in range(count):
        moves[i, k] = out[k]


@rule
def step_one(state: AnyState, i: int, seats: Ints, moves: Ints, answers: Ints, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes what `act` answers."""
    answers[i] = act(state, seats[i], moves[i], out)


@rule
def random_one(
    state: AnyState, i: int, seeds: Ints, lengths: Ints, limit: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Random moves, at most `limit[0]` more; the lowest actor moves first. `lengths`: moves so far, raised.

    The generator's counter is the number of moves made, so a match can be played on in portions.
    """
    seed_rng(rng, seeds[i], MOVE_STREAM, lengths[i])
    count = 0
    mask = actors(state)
    while mask != 0 and count < limit[0]:
        seat = lowest_seat(mask)
        apply(state, seat, out[below(rng, legal(state, seat, out))])
        count += 1
        mask = actors(state)
    lengths[i] += count


@rule
def sensible_one(
    state: AnyState, i: int, seeds: Ints, lengths: Ints, limit: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same with rollout moves."""
    seed_rng(rng, seeds[i], MOVE_STREAM, lengths[i])
    count = 0
    mask = actors(state)
    while mask != 0 and count < limit[0]:
        seat = lowest_seat(mask)
        apply(state, seat, rollout_move(state, seat, rng, out))
        count += 1
        mask = actors(state)
    lengths[i] += count


@rule
def endless_one(
    state: AnyState, i: int, setup: Setups, seeds: Ints, steps: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Random matches one after another. `seeds`: of the first deal, each later one is NEXT_DEAL higher;
    `steps`: how many, becomes the moves made in them.

    For measuring. A match that is over waits for the next DEAL_EVERY-th step: so the threads of a
    GPU deal together, where each would else wait whenever another one deals.
    """
    count = 0
    mask = 0
    for step in range(steps[i]):
        if mask == 0 and step % DEAL_EVERY == 0:
            deal_again(state, i, setup, seeds, rng)
            mask = actors(state)
        if mask != 0:
            seat = lowest_seat(mask)
            apply(state, seat, out[below(rng, legal(state, seat, out))])
            count += 1
            mask = actors(state)
    steps[i] = count


@rule
def observed_one(
    state: AnyState, i: int, setup: Setups, seeds: Ints, steps: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """As `endless_one`, and the mover's observation is written before every move."""
    count = 0
    mask = 0
    for step in range(steps[i]):
        if mask == 0 and step % DEAL_EVERY == 0:
            deal_again(state, i, setup, seeds, rng)
            mask = actors(state)
        if mask != 0:
            seat = lowest_seat(mask)
            observe(state, seat, seen)
            apply(state, seat, out[below(rng, legal(state, seat, out))])
            count += 1
            mask = actors(state)
    steps[i] = count


@rule
def tally_one(
    state: AnyState, i: int, setup: Setups, seeds: Ints, rows: IntGrid, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Deals, plays a whole match by chance and writes what it was like. `rows[i, LENGTH]`: the most moves,
    becomes the moves made.

    CHOICES: the legal moves of all its moves together; FORCED: moves without a choice; TURNS: how often
    somebody else moved than before; BEGINS: who moved first; ENDED: whether it is over. Points and places
    follow, by seat."""
    limit = rows[i, LENGTH]
    for column in range(rows.shape[1]):
        rows[i, column] = 0
    clear(state)
    seed_rng(rng, seeds[i], DEAL_STREAM, 0)
    set_up(state, setup[i], rng)
    seed_rng(rng, seeds[i], MOVE_STREAM, 0)
    mover = NOBODY
    length = 0
    mask = actors(state)
    rows[i, BEGINS] = NOBODY if mask == 0 else lowest_seat(mask)
    while mask != 0 and length < limit:
        seat = lowest_seat(mask)
        if seat != mover:
            rows[i, TURNS] += 1
            mover = seat
        count = legal(state, seat, out)
        rows[i, CHOICES] += count
        if count == 1:
            rows[i, FORCED] += 1
        apply(state, seat, out[below(rng, count)])
        length += 1
        mask = actors(state)
    rows[i, LENGTH] = length
    rows[i, ENDED] = mask == 0
    scores(state, out)
    for seat in range(state.seats):
        rows[i, POINTS + seat] = out[seat]
    places(state, out)
    for seat in range(state.seats):
        rows[i, POINTS + state.seats + seat] = out[seat]


@rule
def deal_again(state: AnyState, i: int, setup: Setups, seeds: Ints, rng: Rng) -> None:
    clear(state)
    seed_rng(rng, seeds[i], DEAL_STREAM, 0)
    set_up(state, setup[i], rng)
    seeds[i] += NEXT_DEAL


class Turn(NamedTuple):
    """Where every match of a batch stands, as `Batch.step` keeps it: arrays with one row a match.

    `observations`, `mask` and `factors` have rows of length 0 until somebody asks for them.
    """

    setup: Setups  # seats and options
    # one row for all: whether moves are TURNED, observations are PLANES, a match that ends RESTARTS, and moves told
    # as parts are MOVE_PLANES
    wishes: IntGrid
    place_unit: FloatGrid  # by seat: the reward for each opponent left behind
    point_unit: FloatGrid  # by seat: the reward for each point ahead of each opponent
    seeds: Ints  # of the present deals
    actor: Ints  # the seat to act, NOBODY when the match is over
    ended: Ints  # whether the last step ended a match here
    rewards: FloatGrid  # by seat, for the match that the last step ended; as many columns as any match has seats
    moves: IntGrid  # the actor's legal moves, ascending
    counts: Ints  # how many
    observations: IntGrid  # what the actor knows
    mask: IntGrid  # its legal moves as flags
    factors: IntGrid  # its legal moves told as parts, one after another


@rule
def is_offered(turn: Turn, i: int, move: int) -> bool:
    """Whether a move is among the legal ones of the actor, or NO_MOVE."""
    if move == NO_MOVE:
        return True
    low = 0
    left = turn.counts[i]
    while left > 1:  # without a branch on the half, which is hard to predict
        half = left // 2
        low += half if turn.moves[i, low + half] <= move else 0
        left -= half
    return bool(left == 1 and turn.moves[i, low] == move)


@rule
def withdraw(turn: Turn, i: int) -> None:
    """Clears the flags of the moves offered so far: rows are long and moves are few."""
    if turn.mask.shape[1] > 0:
        for k in range(turn.counts[i]):
            turn.mask[i, turn.moves[i, k]] = False


@rule
def turn_all(state: AnyState, seat: int, out: Ints, count: int) -> None:
    """Legal moves by the numbers that they have on the board as the seat sees it, ascending again."""
    for k in range(count):
        move = turn_move(state, seat, out[k])
        place = k
        while place > 0 and out[place - 1] > move:
            out[place] = out[place - 1]
            place -= 1
        out[place] = move


@rule
def write_observation(state: AnyState, seat: int, rows: IntGrid, i: int, seen: Ints) -> None:
    """What a seat knows, into row i."""
    observe(state, seat, seen)
    for k in range(rows.shape[1]):
        rows[i, k] = seen[k]


@rule
def write_planes(state: AnyState, seat: int, rows: IntGrid, i: int, seen: Ints) -> None:
    """What a seat knows as planes, into row i."""
    observe(state, seat, seen)
    relate(seen, observation_size())
    encode(seen, rows, i, 0)


@rule
def write_factors(state: AnyState, seat: int, turn: Turn, i: int, out: Ints, count: int, seen: Ints) -> None:
    """The legal moves in `out` told as parts, one after another."""
    for k in range(count):
        move = turn_back(state, seat, out[k]) if turn.wishes[0, TURNED] else out[k]
        factor(state, seat, move, seen)
        if turn.wishes[0, MOVE_PLANES]:
            encode_factors(seen, turn.factors, i, k * factor_planes())
        else:
            for number in range(factors_size()):
                turn.factors[i, k * factors_size() + number] = seen[number]


@rule
def write_legal(turn: Turn, i: int, out: Ints, count: int) -> None:
    """The legal moves in `out`, as a list and as flags."""
    for k in range(count):
        turn.moves[i, k] = out[k]
        if turn.mask.shape[1] > 0:
            turn.mask[i, out[k]] = True
    turn.counts[i] = count


@rule
def next_actor(state: AnyState, i: int, turn: Turn) -> int:
    """Writes who is to act, the lowest actor, or NOBODY."""
    mask = actors(state)
    seat = lowest_seat(mask) if mask != 0 else NOBODY
    turn.actor[i] = seat
    return seat


@rule
def offer(state: AnyState, i: int, turn: Turn, out: Ints, seen: Ints) -> None:
    """Writes who is to act, what it may do and what it knows. When choices are simultaneous it knows
    nothing of those made."""
    turn.counts[i] = 0
    seat = next_actor(state, i, turn)
    if seat != NOBODY:
        write_legal(turn, i, out, legal(state, seat, out))
        if turn.observations.shape[1] > 0:
            write_observation(state, seat, turn.observations, i, seen)


@rule
def offer_told(state: AnyState, i: int, turn: Turn, out: Ints, seen: Ints) -> None:
    """The same as networks wish to be told it. By itself, because compiling all of it takes seconds
    that others need not spend."""
    turn.counts[i] = 0
    seat = next_actor(state, i, turn)
    if seat != NOBODY:
        count = legal(state, seat, out)
        if turn.wishes[0, TURNED]:
            turn_all(state, seat, out, count)
        write_legal(turn, i, out, count)
        if turn.observations.shape[1] > 0:
            if turn.wishes[0, PLANES]:
                write_planes(state, seat, turn.observations, i, seen)
            else:
                write_observation(state, seat, turn.observations, i, seen)
        if turn.factors.shape[1] > 0:
            write_factors(state, seat, turn, i, out, count, seen)


@rule
def reward(state: AnyState, i: int, turn: Turn, out: Ints) -> None:
    """By place: a seat gains from each opponent it leaves behind what it loses to each one ahead. By
    points: what it has more than each of them. Where all are one team, as well as they did
    together."""
    seats = turn.setup[i].seats
    if is_together(seats):
        scores(state, out)
        for seat in range(seats):
            done = 2 * success(state) - CERTAIN
            turn.rewards[i, seat] = done * turn.place_unit[i, seat] + out[seat] * turn.point_unit[i, seat]
        return
    places(state, out)
    for seat in range(seats):
        ahead = 0
        behind = 0
        for other in range(seats):
            if out[other] < out[seat]:
                ahead += 1
            elif out[other] > out[seat]:
                behind += 1
        turn.rewards[i, seat] = (behind - ahead) * turn.place_unit[i, seat]
    if turn.point_unit[i, 0] > 0:
        scores(state, out)
        for seat in range(seats):
            margin = 0
            for other in range(seats):
                if team(seats, other) != team(seats, seat):
                    margin += out[seat] - out[other]
            turn.rewards[i, seat] += margin * turn.point_unit[i, seat]


@rule
def next_seed(seed: int) -> int:
    """Of the next deal at the same place: NEXT_DEAL higher, from the bottom again after the highest
    seed."""
    rest = MAX_SEED - seed
    return seed + NEXT_DEAL if rest >= NEXT_DEAL else NEXT_DEAL - 1 - rest


@rule
def deal_next(state: AnyState, i: int, turn: Turn, rng: Rng) -> None:
    """The next deal of a place in which somebody can act."""
    deals = 0
    while actors(state) == 0 and deals < MOST_DEALS:
        turn.seeds[i] = next_seed(turn.seeds[i])
        clear(state)
        seed_rng(rng, turn.seeds[i], DEAL_STREAM, 0)
        set_up(state, turn.setup[i], rng)
        deals += 1


@rule
def begin_offer(state: AnyState, i: int, turn: Turn, rng: Rng) -> None:
    """Nothing is offered any more; a match that is over is dealt anew where that is wished for."""
    withdraw(turn, i)
    if turn.wishes[0, RESTARTS]:
        deal_next(state, i, turn, rng)


@rule
def offer_one(state: AnyState, i: int, turn: Turn, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes what the actor may do and knows."""
    begin_offer(state, i, turn, rng)
    offer(state, i, turn, out, seen)


@rule
def offer_told_one(
    state: AnyState, i: int, turn: Turn, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same as networks wish to be told it."""
    begin_offer(state, i, turn, rng)
    offer_told(state, i, turn, out, seen)


@rule
def check_one(state: AnyState, i: int, turn: Turn, moves: Ints, refused: Ints, rng: Rng, out: Ints, seen: Ints) -> None:
    """`refused[0]` becomes 1 where a move is not among those offered."""
    if not is_offered(turn, i, moves[i]):
        refused[0] = 1


@rule
def make_move(state: AnyState, i: int, turn: Turn, move: int, rng: Rng, out: Ints) -> None:
    """One legal move; a match that ends is dealt anew at once where that is wished for."""
    withdraw(turn, i)
    apply(state, turn.actor[i], move)
    if actors(state) == 0:
        turn.ended[i] = True
        reward(state, i, turn, out)
        if turn.wishes[0, RESTARTS]:
            deal_next(state, i, turn, rng)


@rule
def forget_end(turn: Turn, i: int) -> None:
    """Whatever the step before has ended was told."""
    if turn.ended[i]:
        turn.ended[i] = False
        for seat in range(turn.rewards.shape[1]):
            turn.rewards[i, seat] = 0


@rule
def advance(state: AnyState, i: int, turn: Turn, move: int, rng: Rng, out: Ints, seen: Ints) -> None:
    """One move that was offered, or NO_MOVE, and what is so then."""
    forget_end(turn, i)
    if move != NO_MOVE:
        make_move(state, i, turn, move, rng, out)
        offer(state, i, turn, out, seen)


@rule
def advance_told(state: AnyState, i: int, turn: Turn, move: int, rng: Rng, out: Ints, seen: Ints) -> None:
    """The same as networks wish to be told it."""
    forget_end(turn, i)
    if move != NO_MOVE:
        meant = turn_back(state, turn.actor[i], move) if turn.wishes[0, TURNED] else move
        make_move(state, i, turn, meant, rng, out)
        offer_told(state, i, turn, out, seen)


@rule
def advance_one(state: AnyState, i: int, turn: Turn, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """One move that was offered, or NO_MOVE, and what is so then."""
    advance(state, i, turn, moves[i], rng, out, seen)


@rule
def advance_told_one(
    state: AnyState, i: int, turn: Turn, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same as networks wish to be told it."""
    advance_told(state, i, turn, moves[i], rng, out, seen)


@rule
def accepted(turn: Turn, i: int, move: int, sent: IntGrid) -> int:
    """A move that was sent, if it was offered; else NO_MOVE, and in `sent` is written how often that
    was so, and when and with which move first. Each match writes in its own row, so nobody need wait
    for another."""
    sent[i, SENDS] += 1
    if is_offered(turn, i, move):
        return move
    if sent[i, REFUSED] == 0:
        sent[i, FIRST] = sent[i, SENDS]
        sent[i, MOVE] = move
    sent[i, REFUSED] += 1
    return NO_MOVE


@rule
def send_one(state: AnyState, i: int, turn: Turn, moves: Ints, sent: IntGrid, rng: Rng, out: Ints, seen: Ints) -> None:
    """One move, whether it was offered or not, and what is so then."""
    advance(state, i, turn, accepted(turn, i, moves[i], sent), rng, out, seen)


@rule
def send_told_one(
    state: AnyState, i: int, turn: Turn, moves: Ints, sent: IntGrid, rng: Rng, out: Ints, seen: Ints
) -> None:
    """The same as networks wish to be told it."""
    advance_told(state, i, turn, accepted(turn, i, moves[i], sent), rng, out, seen)


@rule
def any_move_one(
    state: AnyState, i: int, turn: Turn, asked: Ints, moves: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes one of the moves offered, all equally likely, or NO_MOVE; `asked`: how often this was
    asked, raised."""
    seed_rng(rng, turn.seeds[i], MOVE_STREAM, asked[i])
    asked[i] += 1
    moves[i] = NO_MOVE
    if turn.counts[i] > 0:
        moves[i] = turn.moves[i, below(rng, turn.counts[i])]


@rule
def observe_one(
    state: AnyState, i: int, seats: Ints, rows: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes what a seat knows."""
    write_observation(state, seats[i], rows, i, seen)


@rule
def observe_planes_one(
    state: AnyState, i: int, seats: Ints, rows: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes what a seat knows as planes."""
    write_planes(state, seats[i], rows, i, seen)


@rule
def encode_one(
    state: AnyState, i: int, raw: IntGrid, rows: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes an observation that was made before as planes; the state is not asked."""
    for k in range(observation_size()):
        seen[k] = raw[i, k]
    relate(seen, observation_size())
    encode(seen, rows, i, 0)


@rule
def factors_one(
    state: AnyState, i: int, seats: Ints, moves: IntGrid, rows: IntGrid, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes a row of legal moves of a seat told as parts, one after another, up to the first -1."""
    k = 0
    while k < moves.shape[1] and moves[i, k] != NO_MOVE:
        factor(state, seats[i], moves[i, k], seen)
        for number in range(factors_size()):
            rows[i, k * factors_size() + number] = seen[number]
        k += 1


@rule
def turn_one(state: AnyState, i: int, seats: Ints, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """A move of a seat becomes its number on the board as the seat sees it."""
    moves[i] = turn_move(state, seats[i], moves[i])


@rule
def turn_back_one(
    state: AnyState, i: int, seats: Ints, moves: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """A move by its number on the board as the seat sees it becomes the move of the rules."""
    moves[i] = turn_back(state, seats[i], moves[i])


@rule
def success_one(state: AnyState, i: int, shares: Ints, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes how well all seats did together."""
    shares[i] = success(state)


@rule
def scores_one(
    state: AnyState, i: int, points: IntGrid, ranks: IntGrid, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes points and places by seat."""
    scores(state, out)
    for seat in range(state.seats):
        points[i, seat] = out[seat]
    places(state, out)
    for seat in range(state.seats):
        ranks[i, seat] = out[seat]


@rule
def determinize_one(
    state: AnyState, i: int, seats: Ints, seeds: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Draws a world of these seeds."""
    seed_rng(rng, seeds[i], WORLD_STREAM, 0)
    imagine(state, seats[i], rng)


@rule
def faults_one(state: AnyState, i: int, masks: Ints, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes the broken invariants."""
    masks[i] = faults(state)


@rule
def evaluate_one(
    state: AnyState, i: int, shares: IntGrid, _b: Unused, _c: Unused, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes how well each seat stands, 0 to 1000."""
    stand(state, out)
    for seat in range(shares.shape[1]):
        shares[i, seat] = out[seat]


@rule
def rollout_move_one(
    state: AnyState, i: int, seats: Ints, seeds: Ints, moves: Ints, rng: Rng, out: Ints, seen: Ints
) -> None:
    """Writes a rollout move of a seat."""
    seed_rng(rng, seeds[i], MOVE_STREAM, 0)
    moves[i] = rollout_move(state, seats[i], rng, out)


@rule
def sights_one(state: AnyState, i: int, seat: Ints, facts: Ints, _c: Unused, rng: Rng, out: Ints, seen: Ints) -> None:
    """Writes the facts that a seat, one for all, sees."""
    facts[i] = sights(state, seat[0])


@rule
def forget_one(state: AnyState, i: int, seats: Ints, facts: Ints, seeds: Ints, rng: Rng, out: Ints, seen: Ints) -> None:
    """Makes a seat forget facts."""
    seed_rng(rng, seeds[i], WORLD_STREAM, 0)
    forget(state, seats[i], facts[i], rng)


DEFAULTS: dict[str, Rule] = {
    "places": most_points_win,
    "success": nobody_asks,
    "relate": no_relations,
    "factor": no_factors,
    "turn_move": not_turned,
    "turn_back": not_turned,
    "evaluate": share_of_places,
    "rollout_move": any_move,
}

OPERATIONS = {
    "deal": deal_one,
    "actors": actors_one,
    "legal": legal_one,
    "step": step_one,
    "offer": offer_one,
    "offer_told": offer_told_one,
    "check": check_one,
    "advance": advance_one,
    "advance_told": advance_told_one,
    "send": send_one,
    "send_told": send_told_one,
    "any_move": any_move_one,
    "play_random": random_one,
    "play_sensibly": sensible_one,
    "play_endless": endless_one,
    "play_observed": observed_one,
    "tally": tally_one,
    "observe": observe_one,
    "observe_planes": observe_planes_one,
    "encode": encode_one,
    "factors": factors_one,
    "turn_move": turn_one,
    "turn_back": turn_back_one,
    "success": success_one,
    "scores": scores_one,
    "determinize": determinize_one,
    "faults": faults_one,
    "evaluate": evaluate_one,
    "rollout_move": rollout_move_one,
    "sights": sights_one,
    "forget": forget_one,
}


@rule
def operation(state: AnyState, i: int, a: object, b: object, c: object, rng: Rng, out: Ints, seen: Ints) -> None:
    """Bound to one of OPERATIONS."""


def loop(states: AnyStates, a: object, b: object, c: object, rng: Rng, out: Ints, seen: Ints) -> None:
    """One operation on every match of an array, on one CPU thread."""
    for i in range(len(states)):
        operation(states[i], i, a, b, c, rng, out, seen)


def act_alone(states: AnyStates, seat: int, move: int, out: Ints) -> int:
    """`act` on the only match of an array: the short way for `Match`."""
    return act(states[0], seat, move, out)
