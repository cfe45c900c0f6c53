"""What a drawing of a table is made from: what one viewer sees, in words, and what it may choose
now. Nothing in here knows the state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlencode

from samovar.engine.arrays import AnyView
from samovar.engine.contract import Event, Game, Words
from samovar.engine.face import BrowserFace
from samovar.engine.match import Match
from samovar.engine.words import words_at, words_in
from samovar.web.names import Person

# in the place of a hint's number:
WAY_ON = -1  # it leads on in a lesson, and so may others
BETTER, MADE, BOTH = -2, -3, -4  # in a review: the better move, the one that was made, what belongs to both
BEST = -5  # the answer of a puzzle
CHOSEN = -10  # and all below it: how many have answered with it, and whether it is the best; see `chosen_by`


def chosen_by(count: int, *, is_best: bool = False) -> int:
    return CHOSEN - 2 * count - is_best


def choosers(number: int) -> tuple[int, bool]:
    """How many have chosen it, and whether it is the best; nobody and no, where that is not what the number says."""
    return ((CHOSEN - number) // 2, bool((CHOSEN - number) % 2)) if number <= CHOSEN else (0, False)


def both(one: int, other: int) -> int:
    """What belongs to two moves. Of answers all count that lead through it."""
    if max(one, other) > CHOSEN:
        return one if one == other else BOTH
    (some, some_best), (more, more_best) = choosers(one), choosers(other)
    return chosen_by(some + more, is_best=some_best or more_best)


class SceneChoice(NamedTuple):
    """Something that can be clicked: it makes a move, or it is a step towards one."""

    name: str
    label: str  # in words, for the button
    move: str | None = None  # the move it makes; None: more steps follow
    href: str = ""  # where the next step is chosen
    picked: bool = False  # picked already: a click puts it back
    hinted: int = 0  # which of the moves of a hint it leads to, 1 is the best, or WAY_ON and so on; 0: none
    is_shown: bool = False  # only to be looked at: of an answer, or of a review


class SceneChoices:
    """The legal moves as steps. `picked` are the steps made so far, from the address of the
    page; `hinted` the moves of a hint and their numbers."""

    is_shown = False  # whether they are there to be looked at, and there is nothing to choose

    def __init__(
        self,
        face: BrowserFace,
        view: Any,
        texts: Iterable[str],
        words: Words,
        picked: Sequence[str] = (),
        hinted: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._face, self._view, self._words = face, view, words
        self._hinted = {face.steps(view, text): number for text, number in hinted.items()}
        # where several cards are chosen at once: the boxes to be ticked, and for which move of the hint
        self.boxes = _boxes(hinted)
        moves = iter(texts)
        first = next(moves, None)
        self._is_asked = first is not None
        # then there may be thousands, and none of them is a button
        self.several = first is not None and bool(face.several(view, first))
        self._moves = (
            {} if first is None or self.several else {face.steps(view, text): text for text in (first, *moves)}
        )
        self.picked = tuple(picked) if any(steps[: len(picked)] == tuple(picked) for steps in self._moves) else ()
        self._by_name = self._steps()

    def __bool__(self) -> bool:
        """Whether there is anything to choose."""
        return self._is_asked

    def __iter__(self) -> Any:
        """What can be clicked, in the order of the moves."""
        return iter(self._by_name.values())

    def __getitem__(self, name: str) -> SceneChoice | None:
        """What a click on this name does; None: it cannot be clicked."""
        return self._by_name.get(name)

    def say(self, text: str) -> str:
        """A move in words."""
        return self._face.say(self._view, text, self._words)

    @cached_property
    def moves(self) -> tuple[SceneChoice, ...]:
        """Every legal move in words, for those who like a list better than a picture."""
        return tuple(
            SceneChoice(
                text,
                self.say(text),
                text,
                hinted=self._hinted.get(steps, 0),
                is_shown=self.is_shown,
            )
            for steps, text in self._moves.items()
        )

    def _steps(self) -> dict[str, SceneChoice]:
        if not self.picked:
            return {steps[-1]: self._choice(steps) for steps in dict.fromkeys([steps[:1] for steps in self._moves])}
        # From the first step on: a later step that has the same name as an earlier one takes its
        # place.
        choices: dict[str, SceneChoice] = {}
        for depth, picked in enumerate((*self.picked, "")):
            start = self.picked[:depth]
            if depth:
                choices[start[-1]] = self._picked_choice(start)
            ahead = dict.fromkeys(
                steps[: depth + 1] for steps in self._moves if steps[:depth] == start and len(steps) > depth
            )
            choices |= {steps[-1]: self._choice(steps) for steps in ahead if steps[-1] != picked}
        return choices

    def _choice(self, steps: tuple[str, ...]) -> SceneChoice:
        move = self._moves.get(steps)
        if move is not None:
            label = self._face.say(self._view, move, self._words)
            return SceneChoice(steps[-1], label, move, "", False, self._number(steps) if self._hinted else 0)
        return SceneChoice(steps[-1], self._say_step(steps), href=_pick(steps), hinted=self._number(steps))

    def _picked_choice(self, steps: tuple[str, ...]) -> SceneChoice:
        return SceneChoice(steps[-1], self._say_step(steps), href=_pick(steps[:-1]), picked=True)

    def _number(self, steps: tuple[str, ...]) -> int:
        """Of the best move of the hint that begins with these steps."""
        if not self._hinted:
            return 0
        numbers = (number for hinted, number in self._hinted.items() if hinted[: len(steps)] == steps)
        return min(numbers, default=0)

    def _say_step(self, steps: tuple[str, ...]) -> str:
        return self._face.say_step(self._view, steps, self._words) if self._face.say_step else " ".join(steps)


class MarkedMoves(SceneChoices):
    """Moves that are shown and not chosen, as those of a review or the answer of a puzzle: all their steps at once,
    each with the mark of its move, and from each step to the next an arrow (`hops`)."""

    is_shown = True

    def __init__(self, face: BrowserFace, view: Any, words: Words, marked: Mapping[str, int]) -> None:
        super().__init__(face, view, (), words, hinted=marked)
        self.several = any(face.several(view, text) for text in marked)
        self._moves = {face.steps(view, text): text for text in marked}
        self.hops: dict[tuple[str, str], int] = {}  # from one name to the next, with the mark of the move
        if self.several and len(marked) > 1:  # of many cards those that make the difference
            times = Counter(card for text in marked for card in text.split()[1:])
            self.boxes = tuple((card, number) for card, number in self.boxes if times[card] < len(marked))
        for steps, text in self._moves.items():
            for depth in range(1, len(steps) + 1):
                self._mark(steps[:depth], text if depth == len(steps) else None, marked[text])
            for hop in pairwise(steps):
                self.hops[hop] = both(self.hops[hop], marked[text]) if hop in self.hops else marked[text]

    def _mark(self, steps: tuple[str, ...], move: str | None, number: int) -> None:
        known = self._by_name.get(steps[-1])
        label = self._face.say(self._view, move, self._words) if move else self._say_step(steps)
        if known:
            number = known.hinted if steps[-1] in steps[:-1] else both(known.hinted, number)
        self._by_name[steps[-1]] = SceneChoice(steps[-1], label, move, hinted=number, is_shown=True)


class NamedPlaces(SceneChoices):
    """Nothing to choose, and every place says its name: marks can be drawn on it by hand."""

    is_shown = True

    def __init__(self, face: BrowserFace, view: Any, words: Words) -> None:
        super().__init__(face, view, (), words)

    def __getitem__(self, name: str) -> SceneChoice | None:
        return SceneChoice(name, name, is_shown=True)


def _boxes(hinted: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """A move of several cards is a verb and the cards."""
    boxes: dict[str, int] = {}
    for text, number in hinted.items():
        for card in text.split()[1:]:
            boxes.setdefault(card, number)
    return tuple(boxes.items())


@lru_cache(maxsize=4096)
def _pick(steps: tuple[str, ...]) -> str:
    return "?" + urlencode([("pick", step) for step in steps])


@dataclass(frozen=True)
class TableScene:
    """All that a template may use."""

    game: Game
    view: Any
    viewer: int | None  # None: a spectator
    language: str
    people: tuple[Person, ...]  # by seat
    choices: SceneChoices
    actors: tuple[int, ...]  # the seats that may act now
    over: bool
    scores: tuple[int, ...] | None = None  # by seat, when the match is over
    places: tuple[int, ...] | None = None
    success: int | None = None  # of a thousand, when a match that all played together is over
    memory: Any = None  # what the game's face says the viewer has seen, at tables that help to remember
    truth: Any = None  # what the game's face says is hidden, in records looked at with all cards open
    before: Any = None  # what the viewer saw before the last move, where the game's face holds that
    ticked: tuple[str, ...] | None = None  # boxes to be ticked, where somebody has sent some; None: the usual ones
    facts: Mapping[str, object] = field(default_factory=dict)  # of the page around it

    @property
    def words(self) -> Words:
        return words_in(self.game, self.language)

    @property
    def prompt(self) -> str:
        """What is asked of the viewer. Words for browsers (`table.prompt.put`) come before those
        for terminals, which say what to type."""
        return _asked(self.game, self.language, self.people, self.view.prompt)

    @property
    def phase(self) -> str:
        """What is on, for the place where the rules open."""
        return (self.game.face or BrowserFace()).phase(self.view)

    def say(self, key: str, **facts: object) -> str:
        """A sentence of the game's words."""
        return self.words[key].format(**facts)

    def tell(self, event: Event) -> str:
        return tell_event(self.words, self.people, event)

    def name(self, seat: int) -> str:
        return self.people[seat].name

    def settled(self) -> TableScene:
        """The same as if the last move had been seen long ago."""
        return replace(self, view=replace(self.view, news=()), before=None)


@lru_cache(1024)
def _asked(game: Game, language: str, people: tuple[Person, ...], prompt: Event) -> str:
    words, kind = words_in(game, language), f"table.{prompt.kind}"
    return tell_event(words, people, Event(kind, prompt.facts) if kind in words else prompt)


def tell_event(words: Words, people: Sequence[Person], event: Event) -> str:
    """Words for browsers (`log.shows`), where pictures stand beside them, come before those for terminals."""
    kind = f"log.{event.kind}"
    sentence = (Event(kind, event.facts) if kind in words else event).tell(words, lambda seat: people[seat].name)
    return sentence[:1].upper() + sentence[1:]


def make_scene(
    match: Match,
    viewer: int | None,
    language: str,
    people: Sequence[Person],
    *,
    picked: Sequence[str] = (),
    hinted: Mapping[str, int] = MappingProxyType({}),
    may_move: bool = True,
    helps_memory: bool = False,
    is_open: bool = False,
    holds: bool = False,
    seen: AnyView = None,
    marked: Mapping[str, int] = MappingProxyType({}),
) -> TableScene:
    """What one viewer sees of a match. `is_open`: all cards are, which is for matches that are
    over. `holds`: with what the last move took away, where the game's face wants that; `seen` is what the viewer saw
    before it, if that is known. `marked`: moves that are shown
    instead of those that can be chosen."""
    game, face = match.game, face_of(match, viewer)
    view = match.view(viewer)
    texts = _move_texts(match, viewer) if viewer is not None and may_move else ()
    words = words_at(game, language, tuple([one.name for one in people]))
    return TableScene(
        game=game,
        view=view,
        viewer=viewer,
        language=language,
        people=tuple(people),
        choices=(
            MarkedMoves(face, view, words, marked) if marked else SceneChoices(face, view, texts, words, picked, hinted)
        ),
        actors=match.actors,
        over=match.over,
        scores=match.scores if match.over else None,
        places=match.places if match.over else None,
        success=match.success if match.over else None,
        memory=face.memory(match.state, viewer) if helps_memory and viewer is not None else None,
        truth=face.truth(match.state) if is_open else None,
        ticked=tuple(next(iter(marked)).split()[1:]) if marked else None,
        before=(seen or match.view_before(viewer)) if holds and match.history and face.holds(view) else None,
    )


def face_of(match: Match, viewer: int | None) -> BrowserFace:
    """That of the game. One without a face has one that says moves in the reader's words, where the
    game tells them."""
    game = match.game
    if game.face or game.tell_move is None or viewer is None:
        return game.face or BrowserFace()
    events = {match.move_text(viewer, move): game.tell_move(match.state, viewer, move) for move in match.legal(viewer)}

    def say(view: Any, text: str, words: Words) -> str:
        return events[text].tell(words, lambda seat: words[f"name.{seat}"])

    return BrowserFace(say=say)


def _move_texts(match: Match, seat: int) -> Iterator[str]:
    """One after the other, because there may be thousands and one may be enough."""
    return (match.move_text(seat, move) for move in match.legal(seat))
