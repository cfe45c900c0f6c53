"""What a seat may see before one of its next turns, and what it may play then: found by playing on, by chance, in
worlds that fit what the seat knows. So all that is offered to somebody who makes moves ahead is the same in every world
that they cannot tell from the true one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import msgspec
import numpy as np

from samovar.engine.arrays import AnyView
from samovar.engine.contract import Event, Game
from samovar.engine.face import BrowserFace
from samovar.engine.match import Match
from samovar.language.grammar import ENGLISH
from samovar.web.tables.post.plans import PlannedMove, event_of, named, planned_move

WORLDS = 128
LONGEST = 400  # moves until somebody's turn comes
MOST_EVENTS = 100  # to choose from
MOST_READ = 60  # of the moves where several cards are chosen at once: their cards


@dataclass
class Foreseen:
    """At one turn of a seat, in all worlds that were played on."""

    reached: int = 0  # in so many
    told: tuple[str, ...] = ()  # what may be seen before it and what may not, see `named`: the likeliest first
    moves: dict[str, int] = field(default_factory=dict)  # as text: in how many worlds they were possible
    views: dict[str, AnyView] = field(default_factory=dict)  # what the seat saw where a move was possible first
    meanings: dict[str, Event] = field(default_factory=dict)  # the moves, where the game has no face to tell them
    # where several cards are chosen at once: what is done with them, how many are, and those it surely has
    verb: str = ""
    wanted: int = 0
    cards: tuple[str, ...] = ()

    @property
    def certain(self) -> list[str]:
        """The moves that are possible in all worlds."""
        return [move for move, count in self.moves.items() if count == self.reached]

    @property
    def uncertain(self) -> list[str]:
        return [move for move, count in self.moves.items() if count < self.reached]

    def allows(self, move: str) -> bool:
        if not self.wanted:
            return move in self.moves
        verb, *cards = move.split() or [""]
        return verb == self.verb and len({*cards}) == len(cards) == self.wanted and {*cards} <= {*self.cards}


def foresee(match: Match, seat: int, turns: list[list[PlannedMove]], seen: frozenset[str]) -> Foreseen:
    """At the turn after these; `seen` is what it has seen already since its last one."""
    foreseen, cards, events = Foreseen(), list[set[str]](), Counter[str]()
    covered: dict[str, set[str]] = {}  # by what leaves facts open: the events that fit
    for number in range(WORLDS):
        world = match.imagine(seat, number)
        witnessed = _play_on(world, seat, turns, set(seen), np.random.default_rng(number))
        if witnessed is not None:
            foreseen.reached += 1
            events.update(witnessed)
            for pattern, names in _patterns_of(witnessed).items():
                covered.setdefault(pattern, set()).update(names)
                events[pattern] += 1
            cards.append(_note_moves(foreseen, world, seat))
    foreseen.cards = tuple(sorted(set.intersection(*cards))) if cards else ()
    for pattern, fitting in covered.items():
        if len(fitting) < 2:
            del events[pattern]
    foreseen.told = tuple(_worth_telling(match.game, events, foreseen.reached))
    return foreseen


def _patterns_of(names: set[str]) -> dict[str, list[str]]:
    """The same events with facts left open: all but who does it, and all but one of the others. Anna turns up a
    penguin, wherever; each with the events that fit."""
    found: dict[str, list[str]] = {}
    for name in names:
        event = event_of(name)
        others = [fact for fact in event.facts if not fact[0].endswith("seat")]
        for kept in [(), *others] if len(others) > 1 else [()] if others else []:
            facts = [
                (key, None if (key, value) in others and (key, value) != kept else value) for key, value in event.facts
            ]
            found.setdefault(msgspec.json.encode([event.kind, *facts]).decode(), []).append(name)
    return found


def _worth_telling(game: Game, events: Counter[str], reached: int) -> list[str]:
    """What is seen in some worlds and not in all, each sentence once: of those that read the same the one that is seen
    most often, which leaves more open."""
    told: dict[str, str] = {}
    for name, count in sorted(events.items(), key=lambda one: (-one[1], one[0])):
        try:
            sentence = event_of(name).tell(game.words[ENGLISH], str)
        except (KeyError, TypeError, ValueError):  # a word or a number that cannot be left open
            continue
        if count < reached:
            told.setdefault(sentence, name)
        else:
            told[sentence] = ""
    return [name for name in told.values() if name][:MOST_EVENTS]


def _play_on(
    world: Match, seat: int, turns: list[list[PlannedMove]], seen: set[str], choose: np.random.Generator
) -> set[str] | None:
    """What the seat has seen when its turn comes; None: it does not come, or the moves before it cannot be made."""
    turn = 0
    for _ in range(LONGEST):
        if world.over:
            return None
        if seat in world.actors:
            if turn == len(turns):
                return seen
            move = planned_move(turns[turn], frozenset(seen), world, seat)
            if isinstance(move, str):
                return None
            world.play(seat, move)
            turn, seen = turn + 1, set()
        else:
            actor = world.actors[choose.integers(len(world.actors))]
            legal = world.legal(actor)
            world.play(actor, legal[choose.integers(len(legal))])
        seen |= {named(event) for event in world.news(seat)}
    return None


def _note_moves(foreseen: Foreseen, world: Match, seat: int) -> set[str]:
    """What may be played now; where several cards are chosen at once, which there are."""
    legal, view, game = world.legal(seat), world.view(seat), world.game
    first = world.move_text(seat, legal[0])
    if (game.face or BrowserFace()).several(view, first):
        foreseen.views.setdefault(first, view)
        foreseen.verb, *chosen = first.split()
        foreseen.wanted = len(chosen)
        some = legal[:: max(1, len(legal) // MOST_READ)]
        return {card for move in [*some, legal[-1]] for card in world.move_text(seat, move).split()[1:]}
    for move in legal:
        text = world.move_text(seat, move)
        foreseen.moves[text] = foreseen.moves.get(text, 0) + 1
        if text not in foreseen.views:
            foreseen.views[text] = view
            if game.face is None and game.tell_move is not None:
                foreseen.meanings[text] = game.tell_move(world.state, seat, move)
    return set()
