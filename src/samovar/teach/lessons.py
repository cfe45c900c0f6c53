"""Guided first matches. A lesson is data in the game's folder: `lessons/first.toml` says what happens, and a file for
each language beside it (`first.en.toml`, `first.fr.toml` ...) what is said.

    seat = 0                                # whose eyes the learner has; 0 when left out

    [[step]]
    name = "look"
    position = { seats = 2, sides = [] }    # as the game's `arrange` takes it; left out: from where the last step ended
    others = [[1, "north"]]                 # what the others do before the learner is asked: player and move
    go_on = ["south"]                       # the moves that go on; * stands for any letters
    answers = { far = ["e*"] }              # other moves that get an answer of their own; the rest gets `other`
    point = true                            # the way on is marked on the table
    names = ["c1"]                          # what is spoken of, by its `data-key` in the game's drawing: marked, too

    [[step]]
    name = "seen"
    pause = true                            # nothing is asked: look, then go on

    [[step]]                                # the last one is the end
    name = "end"

Its sentences have the names of the steps: `say` for what is said at its beginning, `other` for what is said to moves
that do not go on, and the names of `answers`.

    [look]
    say = "Choose a side."
    other = "That is allowed. For now, take the south."
    far = "You sit on the other side."

Positions are real ones of the real rules, so any legal move can be tried; one that does not go on is answered and
changes nothing. Where somebody is in a lesson is their way there, the moves that went on: nothing has to be kept.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.errors import BadLesson, IllegalMove, SamovarError, did_you_mean
from samovar.json_types import JsonObject
from samovar.language.grammar import ENGLISH, grammar_of

NAME = "first"
SAY, OTHER = "say", "other"
ON = -1  # in a way: a pause was left
MOST_STEPS = 30
MOST_POSITIONS = 500  # that a step may be reached in; more are not looked through
KEPT = 1024  # places in lessons that somebody was at lately
LESSON_FIELDS = ("seat", "step")
STEP_FIELDS = ("name", "position", "others", "go_on", "answers", "point", "names", "pause")

Way = tuple[int, ...]  # the number of the move that left each step, ON for a pause
Texts = Mapping[str, Mapping[str, str]]  # step -> what is said there


@dataclass(frozen=True)
class Step:
    name: str
    position: Mapping[str, object] | None  # None: it goes on from where the step before ended
    others: tuple[tuple[int, str], ...]
    go_on: tuple[str, ...]  # patterns of moves; none at a pause and at the end
    answers: Mapping[str, tuple[str, ...]]  # the name of what is said -> patterns of moves
    point: bool = False
    names: tuple[str, ...] = ()
    pause: bool = False

    def goes_on(self, text: str) -> bool:
        """Whether a move, given as text, leads to the next step."""
        return _fits(text, self.go_on)

    def answer_to(self, text: str) -> str:
        """The name of what is said to a move that does not go on."""
        return next((name for name, patterns in self.answers.items() if _fits(text, patterns)), OTHER)


@dataclass(frozen=True, eq=False)
class Lesson:
    game: Game
    file: Path
    seat: int
    steps: tuple[Step, ...]
    texts: Mapping[str, Texts]  # by language, English among them

    def language(self, language: str) -> str:
        """The one in which the lesson is told to somebody who reads this one."""
        return language if language in self.texts else ENGLISH

    def text(self, step: Step, key: str, language: str) -> str:
        return self.texts[self.language(language)][step.name][key]

    def problem(self, step: Step, reason: str) -> BadLesson:
        return BadLesson(f"The lesson of {self.game.name} ({self.file}), step {step.name!r}: {reason}")


@dataclass(frozen=True)
class Stand:
    """Where somebody is in a lesson. Nobody plays on in its match: `copy` it."""

    lesson: Lesson
    way: Way
    match: Match

    @property
    def step(self) -> Step:
        return self.lesson.steps[len(self.way)]

    @property
    def is_end(self) -> bool:
        return len(self.way) == len(self.lesson.steps) - 1

    @property
    def is_asked(self) -> bool:
        return not (self.is_end or self.step.pause)

    def moves(self) -> Iterator[tuple[int, str]]:
        """What the learner may do, as number and text: moves that go on and others. One after the other, because there
        may be thousands."""
        seat = self.lesson.seat
        return ((move, self.match.move_text(seat, move)) for move in (self.match.legal(seat) if self.is_asked else ()))

    def ways_on(self) -> Iterator[int]:
        """The moves that go on."""
        if self.step.pause:
            return iter((ON,))
        return (move for move, text in self.moves() if self.step.goes_on(text))

    def read_move(self, text: str) -> int:
        """The number of a legal move given as text; `IllegalMove` where it is none."""
        if not self.is_asked:
            raise IllegalMove("Nothing is asked at this step of the lesson; go on, or begin it again.")
        move = self.match.parse_move(self.lesson.seat, text)
        self.check(move)
        return move

    def check(self, move: int) -> str:
        """The text of a legal move."""
        if not self.is_asked or move not in self.match.legal(self.lesson.seat):
            raise IllegalMove(f"Move {move} is not possible at step {self.step.name!r} of the lesson.")
        return self.match.move_text(self.lesson.seat, move)


# Reading


def has_lesson(game: Game) -> bool:
    return _file(game).exists()


@cache
def find_lesson(game: Game) -> Lesson | None:
    """The lesson of a game, None where it has none; `BadLesson` where its files cannot be used."""
    file = _file(game)
    return read_lesson(game, file) if file.exists() else None


def _file(game: Game) -> Path:
    return Path(game.folder) / "lessons" / f"{NAME}.toml"


def read_lesson(game: Game, file: Path) -> Lesson:
    facts = _read(game, file)
    _check_fields(game, file, "the lesson", facts, LESSON_FIELDS)
    steps = facts.get("step")
    if not isinstance(steps, list) or not 2 <= len(steps) <= MOST_STEPS:
        raise BadLesson(
            f"The lesson of {game.name} ({file}) needs 2 to {MOST_STEPS} steps; write each as [[step]] with a name."
        )
    seat = facts.get("seat", 0)
    if isinstance(seat, bool) or not isinstance(seat, int) or seat < 0:
        raise BadLesson(f"The lesson of {game.name} ({file}): `seat` is the learner's number, not {seat!r}.")
    read = tuple(_read_step(game, file, number, step) for number, step in enumerate(steps, 1))
    for number, step in enumerate(read):
        is_last = number == len(read) - 1
        if is_last and (step.pause or step.go_on):
            raise BadLesson(_in_step(game, file, step.name) + "it is the last one, the end: leave out go_on and pause.")
        if not is_last and step.pause == bool(step.go_on):
            raise BadLesson(
                _in_step(game, file, step.name) + "nobody can leave it, or in two ways. Give either go_on, "
                "the moves that lead to the next step, or pause = true."
            )
        if any(other.name == step.name for other in read[:number]):
            raise BadLesson(_in_step(game, file, step.name) + "another step has this name; each has one of its own.")
    if read[0].position is None:
        raise BadLesson(_in_step(game, file, read[0].name) + "the first step needs a position to begin with.")
    return Lesson(game, file, seat, read, _read_texts(game, file, read))


def _read(game: Game, file: Path) -> JsonObject:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadLesson(f"The lesson of {game.name} cannot be read from {file}: {error}") from error


def _in_step(game: Game, file: Path, name: object) -> str:
    return f"The lesson of {game.name} ({file}), step {name!r}: "


def _check_fields(game: Game, file: Path, where: str, facts: Mapping[str, object], known: tuple[str, ...]) -> None:
    for name in facts:
        if name not in known:
            raise BadLesson(
                f"The lesson of {game.name} ({file}): {where} has a field {name!r} that there is not."
                f"{did_you_mean(name, known)}"
            )


def _read_step(game: Game, file: Path, number: int, facts: JsonObject) -> Step:
    name = facts.get("name") if isinstance(facts, dict) else None
    if not isinstance(name, str) or not name:
        raise BadLesson(_in_step(game, file, number) + "it has no name; its sentences are found by that.")
    _check_fields(game, file, f"step {name!r}", facts, STEP_FIELDS)
    shapes: dict[str, Callable[[object], bool]] = {
        "position": lambda value: isinstance(value, dict),
        "others": lambda value: isinstance(value, list) and all(map(_is_move, value)),
        "go_on": _are_patterns,
        "answers": lambda value: isinstance(value, dict) and all(map(_are_patterns, value.values())),
        "point": lambda value: isinstance(value, bool),
        "names": _are_patterns,
        "pause": lambda value: isinstance(value, bool),
    }
    for field_name, is_right in shapes.items():
        if field_name in facts and not is_right(facts[field_name]):
            raise BadLesson(
                _in_step(game, file, name) + f"`{field_name}` cannot be {facts[field_name]!r}; the beginning of "
                "samovar/teach/lessons.py shows how it is written."
            )
    return Step(
        name,
        facts.get("position"),
        tuple((seat, text) for seat, text in facts.get("others", ())),
        tuple(facts.get("go_on", ())),
        {answer: tuple(patterns) for answer, patterns in facts.get("answers", {}).items()},
        facts.get("point", False),
        tuple(facts.get("names", ())),
        facts.get("pause", False),
    )


def _is_move(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], str)


def _are_patterns(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _fits(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text.casefold(), pattern.casefold()) for pattern in patterns)


def _read_texts(game: Game, file: Path, steps: tuple[Step, ...]) -> dict[str, Texts]:
    files = {path.name.split(".")[1]: path for path in sorted(file.parent.glob(f"{file.stem}.*.toml"))}
    if ENGLISH not in files:
        raise BadLesson(
            f"The lesson of {game.name} says nothing in English; write {file.with_suffix('.en.toml').name} beside it."
        )
    texts: dict[str, Texts] = {}
    for language, path in files.items():
        facts = _read(game, path)
        _check_fields(game, path, "the language", facts, tuple(step.name for step in steps))
        for step in steps:
            _check_texts(game, path, step, facts.get(step.name, {}))
        set_spaces = grammar_of(language).set_spaces
        texts[language] = {step: {key: set_spaces(text) for key, text in said.items()} for step, said in facts.items()}
    for language, said in texts.items():
        for step in steps:
            if differ := set(said[step.name]) ^ set(texts[ENGLISH][step.name]):
                raise BadLesson(
                    _in_step(game, files[language], step.name) + f"it says other things than in English: "
                    f"{', '.join(sorted(differ))}."
                )
    return texts


def _check_texts(game: Game, file: Path, step: Step, said: object) -> None:
    if not isinstance(said, dict) or not all(isinstance(text, str) and text.strip() for text in said.values()):
        raise BadLesson(_in_step(game, file, step.name) + "its sentences are a table of texts, none of them empty.")
    known = (SAY, OTHER, *step.answers) if step.go_on else (SAY,)
    _check_fields(game, file, f"step {step.name!r}", said, known)
    for key in (SAY, *step.answers):
        if key not in said:
            raise BadLesson(_in_step(game, file, step.name) + f"the sentence {key!r} is missing.")


# Playing


def stand_at(lesson: Lesson, way: Way) -> Stand:
    """Where a way leads; `IllegalMove` where the lesson does not go so."""
    return _stand(lesson, tuple(way)[: MOST_STEPS + 1])


@lru_cache(KEPT)
def _stand(lesson: Lesson, way: Way) -> Stand:
    if not way:
        return _begin(lesson, (), None)
    before = _stand(lesson, way[:-1])
    if before.is_end:
        raise IllegalMove("The lesson is over there; begin it again.")
    if before.step.pause:
        if way[-1] != ON:
            raise IllegalMove(f"Nothing is asked at step {before.step.name!r} of the lesson; go on.")
        return _begin(lesson, way, before.match)
    if not before.step.goes_on(before.check(way[-1])):
        raise IllegalMove(f"The lesson does not go on with move {way[-1]} at step {before.step.name!r}.")
    match = before.match.copy()
    match.play(lesson.seat, way[-1])
    return _begin(lesson, way, match)


def _begin(lesson: Lesson, way: Way, match: Match | None) -> Stand:
    """The step after the way: its position, and what the others do in it."""
    step = lesson.steps[len(way)]
    try:
        if step.position is not None or match is None:
            match = Match.from_position(lesson.game, step.position or {}, plain=True)
            match.check_seat(lesson.seat)
        match = match.copy()
        for seat, text in step.others:
            if seat == lesson.seat:
                raise lesson.problem(step, f"{text!r} among the others' moves is the learner's; ask for it instead.")
            match.play(seat, text)
    except BadLesson:
        raise
    except SamovarError as error:
        raise lesson.problem(step, f"it cannot be played: {error}") from error
    stand = Stand(lesson, way, match)
    if stand.is_asked and not match.legal(lesson.seat):
        raise lesson.problem(step, "it is not the learner's turn; let the others play first, or make it a pause.")
    return stand


def tour(lesson: Lesson) -> list[Stand]:
    """Plays a lesson in every way it can go, and looks at every other move that can be tried; `BadLesson` where
    somebody would be stuck. Gives every step, in every position that it can be reached in."""
    found: list[Stand] = []
    here = {b"": stand_at(lesson, ())}
    for step in lesson.steps:
        found += here.values()
        if len(here) > MOST_POSITIONS:
            raise lesson.problem(
                step, f"it can be reached in more than {MOST_POSITIONS} positions; let fewer moves go on."
            )
        if step is not lesson.steps[-1]:
            here = _after(lesson, step, list(here.values()))
    return found


def _after(lesson: Lesson, step: Step, stands: list[Stand]) -> dict[bytes, Stand]:
    ahead: dict[bytes, Stand] = {}
    answered: set[str] = set()
    for stand in stands:
        ways = list(stand.ways_on())
        if not ways:
            legal = ", ".join(text for _, text in list(stand.moves())[:12])
            raise lesson.problem(step, f"no legal move goes on, so nobody can leave it. go_on could be one of {legal}.")
        for way in ways:
            next_stand = stand_at(lesson, (*stand.way, way))
            ahead.setdefault(next_stand.match.state_bytes, next_stand)
        for _, text in stand.moves():
            if not step.goes_on(text):
                answer = step.answer_to(text)
                answered.add(answer)
                if answer not in lesson.texts[ENGLISH][step.name]:
                    raise lesson.problem(step, f"nothing is said to the move {text!r}; write the sentence {answer!r}.")
    for name in step.answers:
        if name not in answered:
            raise lesson.problem(step, f"no legal move gets the answer {name!r}: {list(step.answers[name])}.")
    return ahead
