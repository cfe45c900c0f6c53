"""A choice that decided something, looked at again from the eyes of who made it: what they saw, what
followed from the move and what would have followed from the better one, and how likely it was for them that
things lay as they lay.

All but what is called true is drawn from the worlds that the player could imagine.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from samovar.bots.registry import make_bot
from samovar.engine.arrays import AnyView
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Event
from samovar.engine.match import Match
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import backend
from samovar.insight.estimate import Budget, QuickSource
from samovar.insight.review import ChosenMove

WORLDS = 100
REPLIES = 1000  # simulations to find the likeliest one
LEAST = 0.05  # what is less likely to follow is not told
MOST_FOLLOWING = 2
MOST_HIDDEN = 6
LINE_MOVES = 4  # shown of what would have come of a move
LINE_SIMULATIONS = 400  # for each of them
FINDERS = "medium"  # what this level misses is a find
ASKED = 3  # times
FINDER_SECONDS = 1.0  # for each
VARIES = "…"  # told instead of what is not the same in all worlds


@dataclass(frozen=True)
class Following:
    """What a move may lead to at once."""

    events: tuple[Event, ...]  # as the player would see them
    chance: float


@dataclass(frozen=True)
class ProbableReply:
    """What the next one would probably do."""

    seat: int
    text: str
    state: bytes  # of an imagined world where it can be done, to tell the move


@dataclass(frozen=True)
class Deed:
    """A move, made or not."""

    move: int
    text: str
    share: float  # to be expected after it
    following: tuple[Following, ...]  # the likeliest first
    points: float  # more than before, on average
    reply: ProbableReply | None
    reasons: tuple[Event, ...] = ()  # what the game itself says for it or against it, by what the player knew


@dataclass(frozen=True)
class Hidden:
    """Something true that the player did not see, and how likely it was for them. It is with a player, or
    at a place."""

    where: int | str
    what: tuple[str, ...]  # words of the game
    chance: float


@dataclass(frozen=True)
class Moment:
    choice: ChosenMove
    view: AnyView  # what the player saw
    made: Deed
    better: Deed
    hidden: tuple[Hidden, ...]


def moment_of(match: Match, choice: ChosenMove) -> Moment:
    """`match` is the finished one."""
    at = match.at(choice.moves_made)
    seat = at.seat(choice.seat)
    worlds = [seat.imagine(number) for number in range(WORLDS)]
    made = deed_of(seat, worlds, choice.move, choice.share)
    better = made if choice.best == choice.move else deed_of(seat, worlds, choice.best, choice.best_share)
    hidden = hidden_from(at, worlds, f"{made.text} {better.text}")
    return Moment(choice, at.view(choice.seat), made, better, hidden)


def line_after(match: Match, choice: ChosenMove) -> tuple[tuple[int, int], ...]:
    """Seats and moves: the better one, and how it might have gone on with the cards as they lay. Everybody moves by a
    search, which knows what they know."""
    match = match.at(choice.moves_made)
    bot = make_bot(f"search:{LINE_SIMULATIONS}", match.game, derive_seed("line", choice.moves_made))
    first = len(match.history)
    match.play(choice.seat, choice.best)
    while not match.over and len(match.history) - first < LINE_MOVES:
        actor = match.actors[0]
        match.play(actor, bot.choose(match.seat(actor)).move)
    return tuple(match.history[first:])


def is_find(match: Match, choice: ChosenMove) -> bool:
    """Whether the level misses it however often it is asked."""
    seat = match.at(choice.moves_made).seat(choice.seat)
    asked = (make_bot(FINDERS, match.game, seed, limit=FINDER_SECONDS).choose(seat).move for seed in range(ASKED))
    return choice.move not in asked


def deed_of(seat: Seat, worlds: list[Match], move: int, share: float) -> Deed:
    points, told = 0, []
    for world in worlds:
        before = world.scores[seat.number]
        world.play(seat.number, move)
        points += world.scores[seat.number] - before
        told.append(world.news(seat.number))
    reply = reply_to(seat, worlds, move)
    for world in worlds:
        world.undo()
    text = seat.move_text(move)
    return Deed(move, text, share, following(told), points / len(worlds), reply, seat.reasons(move))


def following(told: list[tuple[Event, ...]]) -> tuple[Following, ...]:
    """What happens in the same way is told together: facts that vary are left open."""
    kinds = Counter(tuple(event.kind for event in events) for events in told)
    found = []
    for row, times in kinds.most_common(MOST_FOLLOWING):
        alike = [events for events in told if tuple(event.kind for event in events) == row]
        if times >= LEAST * len(told):
            found.append(Following(tuple(map(common, zip(*alike, strict=True))), times / len(told)))
    return tuple(found)


def common(events: tuple[Event, ...]) -> Event:
    """One event for several of the same kind."""
    values: dict[str, set[int | str]] = {}
    for event in events:
        for name, fact in event.facts:
            values.setdefault(name, set()).add(fact)
    return Event(
        events[0].kind, tuple((name, fact if len(values[name]) == 1 else VARIES) for name, fact in events[0].facts)
    )


def reply_to(seat: Seat, worlds: list[Match], move: int) -> ProbableReply | None:
    """The move of another that a search tries most after this one; `worlds` are those after it. None where
    several choose at once: what they choose depends on nothing that was seen."""
    seed = derive_seed("reply", seat.moment, seat.number)
    tried = QuickSource(seat, Budget(REPLIES), seed, backend(seat.game)).grown(move).tried()
    by_visits = sorted(tried, key=lambda reply: (*(-number for number in tried[reply]), reply))
    for reply in by_visits[:1]:
        for world in worlds:
            if len(world.actors) == 1 and world.actors[0] != seat.number and reply in world.legal(world.actors[0]):
                actor = world.actors[0]
                return ProbableReply(actor, world.move_text(actor, reply), world.state_bytes)
    return None


def hidden_from(match: Match, worlds: list[Match], moves: str) -> tuple[Hidden, ...]:
    """What was true of all that its face calls hidden, and not sure for the player; first what the moves
    name, sure or not: it may have been seen before and forgotten."""
    face = match.game.face
    if face is None:
        return ()
    named = set(re.findall(r"\w+", moves))
    times = Counter(fact for world in worlds for fact in face.hidden(world.state))
    found = []
    for where, what in face.hidden(match.state):
        chance = times[where, what] / len(worlds)
        if where in named or chance < 1:
            found.append((where not in named, -chance, Hidden(where, what, chance)))
    return tuple(hidden for *_, hidden in sorted(found, key=lambda one: one[:2])[:MOST_HIDDEN])
