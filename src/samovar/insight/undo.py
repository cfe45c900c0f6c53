"""Whether the last move of a match taught anybody anything: if not, taking it back harms nobody.

A seat has learned nothing when every world it could imagine before the move could have gone on to
look as it does now. Worlds are drawn, so a lesson that only one world in thousands would have
denied may be missed; a draw of cards or a turned-up card is not.

The same of a choice that is still to be made: whether it may teach whoever chooses.
"""

from __future__ import annotations

from samovar.engine.match import Match

WORLDS = 32
FEW_WORLDS = 8  # a choice that shows something most often does so in any two of them
MOST_CHOICES = 64


def can_undo(match: Match, seat: int) -> bool:
    """Whether a seat may take the last move back without asking: it was its own, and nobody has
    learned anything by it."""
    return bool(match.history) and match.history[-1][0] == match.check_seat(seat) and not has_taught(match)


def has_taught(match: Match) -> bool:
    """Whether somebody knows more after the last move than before it. The one who moved is asked
    first: it learns most."""
    mover, move = match.history[-1]
    before = match.copy()
    before.undo()
    others = [seat for seat in range(match.seats) if seat != mover]
    return any(_has_learned(before, match, seat, mover, move) for seat in [mover, *others])


def _has_learned(before: Match, after: Match, seat: int, mover: int, move: int) -> bool:
    truth = before.state_bytes
    for number in range(WORLDS):
        world = before.imagine(seat, number)
        if world.state_bytes != truth and not _could_be(world, after, seat, mover, move):
            return True
    return False


def _could_be(world: Match, after: Match, seat: int, mover: int, move: int) -> bool:
    """Whether a move of the same mover leads from this world to what the seat sees now. Its own
    move it knows; another's it may not have seen."""
    seen, actors = after.observation(seat).tobytes(), after.actors
    legal = world.legal(mover)
    tried = [move] if seat == mover else [move, *(other for other in legal if other != move)]
    for candidate in tried:
        if candidate in legal:
            world.play(mover, candidate)
            if world.actors == actors and world.observation(seat).tobytes() == seen:
                return True
            world.undo()
    return False


def may_teach(match: Match, seat: int) -> bool:
    """Whether what the seat chooses now may show it something, so that it cannot be taken back for nothing.

    It is asked of worlds that the seat imagines, so it is the same in all worlds that it cannot tell apart: the answer
    tells it nothing. And it is asked of the choice, not of one move: or who has forgotten what they saw would learn
    from the answer which places they have seen before.
    """
    worlds = [match.imagine(seat, number) for number in range(FEW_WORLDS)]
    if len({world.state_bytes for world in worlds}) == 1:
        return False
    legal = match.legal(seat)
    moves = legal[:: -(-len(legal) // MOST_CHOICES) or 1]
    return any(len({_seen_after(world, seat, move) for world in worlds}) > 1 for move in moves)


def _seen_after(world: Match, seat: int, move: int) -> tuple[tuple[int, ...], bytes]:
    """By the seat itself. The world is as it was then."""
    world.play(seat, move)
    seen = world.actors, world.observation(seat).tobytes()
    world.undo()
    return seen
