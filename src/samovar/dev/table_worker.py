"""The process that holds the rules of a game in work and its match, `python -m samovar.dev.table_worker NICENESS`.

It reads the game's package once. When a file of it is saved, another such process takes its place, which has loaded
everything but the game by then: so nothing of the old rules can be left over.
"""

from __future__ import annotations

import sys
from time import monotonic

import msgspec

from samovar.bots.registry import make_bot
from samovar.dev.faults import fault_of
from samovar.dev.messages import (
    PIECES,
    SPECTATOR,
    AskBots,
    Course,
    DevOption,
    Fold,
    LetPlay,
    MovePiece,
    Play,
    Question,
    ShowSteps,
    TableAnswer,
)
from samovar.engine.contract import Game, Value
from samovar.engine.match import Match
from samovar.engine.records.arranged import can_move_pieces, move_piece, position_of
from samovar.engine.registry import find_game
from samovar.engine.ways import watch
from samovar.engine.words import choice_text, option_text, words_in
from samovar.errors import BrokenGame, SamovarError
from samovar.insight.advice import advise
from samovar.language.languages import translations
from samovar.processes import be_nice, serve
from samovar.web.drawing.render import art, draw_sheet, draw_table, render
from samovar.web.drawing.scene import face_of, make_scene
from samovar.web.names import Person
from samovar.web.pages.going_on.pieces import draw_pieces

RULE_SECONDS = 7.0  # until a rule is stopped that does not end: somebody waits
BOTS_SECONDS = 5.0  # for as many moves as they make by then
HINT_SECONDS = 2.0
MOST_CHOICES = 60  # of an option that are listed


class TableWorker:
    def __init__(self) -> None:
        self._match: Match | None = None
        self._course = Course()
        self._lost = ""
        self._language = "en"
        self._advised_seat: int | None = None
        self._hinted: dict[str, int] = {}

    def answer(self, line: bytes) -> bytes:
        """Whatever goes wrong in somebody's rules is an answer, too."""
        try:
            told = self._carry_out(msgspec.json.decode(line, type=Question))
        except Exception as error:
            folder = self._match.game.folder if self._match else None
            told = TableAnswer(fault=fault_of(error, folder), course=self._course)
        return msgspec.json.encode(told)

    def _carry_out(self, question: Question) -> TableAnswer:
        if isinstance(question, Fold):
            self._course, self._language = question.course, question.language
            sys.dont_write_bytecode = True  # by the second and the size a file that is saved twice is the same
            game = find_game(question.game)
            self._match, self._lost = folded(game, question.course)
            return self._told()
        match = self._match
        assert match is not None, "it is told of the game first"
        self._hinted = {}
        try:
            match question:
                case ShowSteps(seat, picked):
                    return TableAnswer(boards={str(seat): self._board(seat, picked)})
                case Play(seat, move):
                    match.play(seat, move)
                case MovePiece(picked, ""):
                    return TableAnswer(boards={PIECES: self._pieces(picked)})
                case MovePiece(picked, place):
                    position = move_piece(match.game, position_of(match) or {}, picked, place)
                    self._match = Match.from_position(match.game, position, plain=True)
                case LetPlay(bot, moves):
                    let_play(match, bot, moves)
                case AskBots():
                    return self._advised()
        except BrokenGame:
            raise
        except SamovarError as error:
            return TableAnswer(refused=str(error))
        self._lost = ""
        return self._told()

    def _told(self) -> TableAnswer:
        match = self._match
        assert match is not None
        game = match.game
        eyes = (*map(str, range(match.seats)), SPECTATOR)
        return TableAnswer(
            name=game.name,
            folder=str(game.folder),
            course=self._course_now(),
            lost=self._lost,
            boards={eye: self._board(None if eye == SPECTATOR else int(eye)) for eye in eyes},
            art=str(art(game)),
            has_style=bool(game.face),
            actors=match.actors,
            is_over=match.over,
            seats=tuple(game.seats),
            options=tuple(dev_options(match, self._language)),
            levels=("random", "greedy", *game.heuristics.offered),
            moves_pieces=can_move_pieces(game),
            position=self._position(),
            broken=match.faults,
        )

    def _course_now(self) -> Course:
        match = self._match
        assert match is not None
        if self._lost:  # so that the match comes back when the change does
            return self._course
        defaults = {option.name: option.default for option in match.game.options}
        options = {name: value for name, value in match.options.items() if value != defaults.get(name)}
        return Course(match.seats, self._course.seed, options, match.position, tuple(match.told_history()))

    def _position(self) -> str:
        assert self._match is not None
        position = position_of(self._match)
        return msgspec.json.encode(position).decode() if position else ""

    def _board(self, seat: int | None, picked: tuple[str, ...] = ()) -> str:
        match = self._match
        assert match is not None
        people = self._people(match)
        hinted = self._hinted if seat is not None and seat == self._advised_seat else {}
        scene = make_scene(match, seat, self._language, people, picked=picked, hinted=hinted)
        news = [scene.tell(event) for event in match.news(seat)] if match.history else []
        return render(
            "dev_board.html",
            self._language,
            {
                "title": "" if seat is None else people[seat].name,
                "prompt": scene.prompt,
                "action": f"/move/{seat or 0}",
                "picked": "",
                "game": match.game,
                "art": art(match.game),
                "board": draw_table(scene),
                "sheet": draw_sheet(scene) if match.over else "",
                "news": news,
            },
        )

    def _people(self, match: Match) -> tuple[Person, ...]:
        _ = translations(self._language).gettext
        return tuple(Person(_("Player %(number)s") % {"number": seat + 1}) for seat in range(match.seats))

    def _pieces(self, picked: str) -> str:
        """All cards open, and every piece a button."""
        match = self._match
        assert match is not None
        _ = translations(self._language).gettext
        drawn = draw_pieces(match, self._language, self._people(match), picked)
        prompt = _("Where shall it lie? Choose a place, or what it changes places with.") if picked else ""
        facts = {"title": drawn.picked or _("Choose what shall lie elsewhere."), "prompt": prompt, "picked": picked}
        whole = {"game": match.game, "art": art(match.game), "board": drawn.board, "sheet": "", "news": []}
        return render("dev_board.html", self._language, {**facts, **whole, "action": "/pieces"})

    def _advised(self) -> TableAnswer:
        match = self._match
        assert match is not None
        if match.over:
            return self._told()
        seat = self._advised_seat = match.actors[0]
        advice = advise(match.seat(seat), seconds=HINT_SECONDS)
        texts = [match.move_text(seat, one.move) for one in advice]
        self._hinted = {text: number for number, text in enumerate(texts, start=1)}
        face, view, words = face_of(match, seat), match.view(seat), words_in(match.game, self._language)
        said = [face.say(view, text, words) for text in texts]
        hint = tuple((text, round(100 * one.share)) for text, one in zip(said, advice, strict=True))
        return msgspec.structs.replace(self._told(), hint=hint)


def folded(game: Game, course: Course) -> tuple[Match, str]:
    """The match as far as the rules of today allow: with all its moves, or else from its deal, and why."""
    why = ""
    try:
        if course.position is not None:
            match = Match.from_position(game, course.position, plain=True)
        else:
            known = {option.name: option for option in game.options}
            read = {
                name: known[name].parse(value) if name in known else value for name, value in course.options.items()
            }
            match = Match(game, course.seats, course.seed, plain=True, **read)
    except BrokenGame:
        raise
    except SamovarError as error:
        why = str(error)
        match = Match(game, seed=course.seed, plain=True)
        return match, why
    start = match.copy()
    for number, (seat, text) in enumerate(course.moves, start=1):
        try:
            match.play(seat, text)
        except BrokenGame:
            raise
        except SamovarError as error:
            return start, f"{number}: {error}"
    return match, why


def let_play(match: Match, bot: str, moves: int) -> None:
    until = monotonic() + BOTS_SECONDS
    made = len(match.history)
    while not match.over and len(match.history) < made + moves and monotonic() < until:
        seat = match.actors[0]
        thinking = make_bot(bot, match.game, len(match.history), limit=until - monotonic(), plain=True)
        try:
            match.play(seat, thinking.choose(match.seat(seat)).move)
        finally:
            thinking.close()


def dev_options(match: Match, language: str) -> list[DevOption]:
    words = words_in(match.game, language)
    return [
        DevOption(
            option.name,
            option_text(words, option),
            _typed(match.options.get(option.name, option.default)),
            tuple(
                (_typed(choice), choice_text(words, option, choice)) for choice in list(option.choices)[:MOST_CHOICES]
            ),
        )
        for option in match.game.options
    ]


def _typed(value: Value) -> str:
    """As an option reads it."""
    return "random" if value is None else str(value)


def main() -> None:
    be_nice(int(sys.argv[1]))
    watch.TOO_LONG = RULE_SECONDS
    serve(TableWorker().answer)


if __name__ == "__main__":
    main()
