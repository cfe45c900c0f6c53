"""The table in a terminal: one person against bots, and records step by step.

The rules run as plain Python here: fast enough for people, and the first match starts without
compiling. Every screen is made from the view of the one who looks at it. The match is saved after
every move, so leaving in any way loses nothing.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from samovar.bots import make_bot
from samovar.engine.arrays import AnyView
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Words
from samovar.engine.match import Match
from samovar.engine.places import percent_of, places_behind, team_places
from samovar.engine.records.record import read_record, replay, resigned_of, save_record, take_backs_of
from samovar.engine.words import words_at, words_in
from samovar.errors import BadRecord, IllegalMove, NotWritten
from samovar.language.languages import ENGLISH, check_language, translations
from samovar.language.numbers import number_text

AskPerson = Callable[[str], str]
USUAL_BOT = "medium"
REMEDY = "Let SAMOVAR_DATA name a folder that can be written."
TOLD_MOVES = 24  # more moves than this are listed side by side, without words


def data_folder() -> Path:
    """Where all is kept: `SAMOVAR_DATA`, or `.samovar` in the home folder."""
    if named := os.environ.get("SAMOVAR_DATA"):
        return Path(named)
    try:
        return Path.home() / ".samovar"
    except RuntimeError:
        raise NotWritten(f"You have no home folder in which anything could be kept. {REMEDY}") from None


def saves_folder() -> Path:
    return data_folder() / "matches"


def new_save(game_id: str) -> Path:
    return saves_folder() / f"{game_id}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}.json"


def latest_save(game_id: str | None) -> Path:
    """The newest match that is not over (of one game, if one is named)."""
    saves = sorted(saves_folder().glob(f"{game_id or '*'}-*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in saves:
        try:
            if not read_record(path).get("over"):
                return path
        except BadRecord:
            continue  # not ours, or broken: a good one may follow
    named = f" of {game_id}" if game_id else ""
    raise BadRecord(
        f"There is no unfinished game{named} in {saves_folder()}. Start one with: samovar play {game_id or 'GAME'}"
    )


class TerminalMatch:
    """A match with a person at `seat` and the same kind of bot at all others."""

    def __init__(
        self, match: Match, seat: int, language: str, path: Path, console: Console, ask: AskPerson, bot: str = USUAL_BOT
    ) -> None:
        match.check_seat(seat)
        self.bots = {
            other: make_bot(bot, match.game, derive_seed("bot", match.seed, other))
            for other in range(match.seats)
            if other != seat
        }
        self.bot = bot
        self.match = match
        self.seat = seat
        self.language = language
        self.path = path
        self.console = console
        self.ask = ask
        self.words = words_in(match.game, language)
        self.gettext = translations(check_language(language)).gettext

    @classmethod
    def resumed(cls, path: Path, language: str | None, console: Console, ask: AskPerson) -> TerminalMatch:
        table = read_record(path).get("table") or {}
        language = language or table.get("language", ENGLISH)
        return cls(
            replay(path, plain=True), table.get("seat", 0), language, path, console, ask, table.get("bot", USUAL_BOT)
        )

    def play(self) -> None:
        """To the end, or until the person leaves; either way everything is on disk."""
        self.save()
        self.line(
            self.gettext("Type a move. ? lists the legal moves, b draws the table again, q saves and leaves."),
            style="dim",
        )
        try:
            self.draw()
            while not self.match.over:
                self.turn()
            self.tell_end()
        except (KeyboardInterrupt, EOFError):
            self.console.print()
            self.line(self.gettext("Saved. Go on with: samovar play --resume {game}").format(game=self.match.game.id))

    def turn(self) -> None:
        """The person's move, if it is asked for; else a bot's."""
        if self.seat in self.match.actors:
            move = self.ask_move()
            self.match.play(self.seat, move)
            self.save()
            self.tell_news()
            if self.seat not in self.match.actors:
                return
        else:
            bot = self.match.actors[0]
            self.match.play(bot, self.bot_move(bot))
            self.save()
            self.tell_news()
        if self.seat in self.match.actors:
            self.draw()

    def bot_move(self, bot: int) -> int:
        with self.console.status(self.gettext("{name} is thinking ...").format(name=self.name(bot))):
            return self.bots[bot].choose(self.match.seat(bot)).move

    def ask_move(self) -> int:
        """Asks until a legal move is typed."""
        prompt = self.match.view(self.seat).prompt.tell(self.words, self.name)
        while True:
            self.line(prompt)
            typed = self.ask("> ").strip()
            if typed == "?":
                self.list_moves()
            elif typed.lower() in ("q", "quit", "exit"):
                raise EOFError
            elif typed.lower() in ("b", ""):
                self.draw()
            else:
                try:
                    move = self.match.parse_move(self.seat, typed)
                except IllegalMove as error:
                    self.line(self.not_understood(typed, error), style="red")
                    continue
                if move in self.match.legal(self.seat):
                    return move
                self.line(self.not_legal(typed, move), style="red")

    def not_understood(self, typed: str, error: IllegalMove) -> str:
        """Games say in English what a move looks like; in other languages the prompt has to do."""
        answer = self.gettext("“{typed}” is not a move.").format(typed=typed)
        reason = str(error.__context__)
        return f"{answer} {reason[:1].upper()}{reason[1:]}" if self.language == ENGLISH else answer

    def not_legal(self, typed: str, move: int) -> str:
        count = len(self.parts()[0])
        if count and (named := len(self.match.move_text(self.seat, move).split()) - 1) != count:
            return self.gettext("Choose {count}, you named {named}.").format(count=count, named=named)
        return self.gettext("“{typed}” is not possible now. Type ? to see what is.").format(typed=typed)

    def parts(self) -> list[list[str]]:
        """Moves that are made of several things, a list of those for each: `[["A1", "B2"], ...]`. Empty where
        a move is one thing."""
        face, moves = self.match.game.face, self.match.moves(self.seat)
        if face is None or not face.several(self.match.view(self.seat), moves[0]):
            return [[]]
        return [text.split()[1:] for text in moves]  # the first word says what is done

    def list_moves(self) -> None:
        """Each move with its words; where there are many, the moves alone, or what they are made of."""
        parts, moves = self.parts(), self.match.moves(self.seat)
        if parts[0]:
            sentence = self.gettext("Choose {count} of these:").format(count=len(parts[0]))
            self.painted_line(f"{sentence} {' '.join(sorted({part for move in parts for part in move}))}")
            return
        self.line(self.gettext("Legal moves ({count}):").format(count=len(moves)))
        if len(moves) > TOLD_MOVES:
            self.line("   ".join(moves))
            return
        width = max(map(len, moves))
        for text, move in zip(moves, self.match.legal(self.seat), strict=True):
            self.line(f"   {text:<{width}}   {self.say_move(text, move)}".rstrip())

    def say_move(self, text: str, move: int) -> str:
        """A move in words; nothing where the game has none for it."""
        game, match = self.match.game, self.match
        if game.tell_move is not None:
            return game.tell_move(match.state, self.seat, move).tell(self.words, self.name)
        if game.face is None:
            return ""
        words = words_at(game, self.language, tuple(map(self.name, range(match.seats))))
        said = game.face.say(match.view(self.seat), text, words)
        return "" if said == text else said

    # What is shown

    def name(self, seat: int) -> str:
        return seat_name(self.language, seat, self.seat)

    def draw(self) -> None:
        self.console.print()
        self.console.print(drawing(self.match.game, self.match.view(self.seat), self.words), soft_wrap=True)

    def tell_news(self) -> None:
        for sentence in tell(self.match, self.seat, self.words, self.name):
            self.painted_line(f"- {sentence}")

    def tell_end(self) -> None:
        self.draw()
        self.line(self.gettext("The game is over."), style="bold")
        for sentence in results(self.match, self.language, self.name):
            self.line(sentence)
        self.line(self.gettext("The record is in {path}.").format(path=self.path))
        self.line(self.gettext("Look at it again: samovar replay {path}").format(path=self.path))
        self.line(self.gettext("See what decided it: samovar review {path}").format(path=self.path))

    def line(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style=style))

    def painted_line(self, text: str) -> None:
        self.console.print(painted(self.match.game, Text(text), self.words))

    def save(self) -> None:
        try:
            save_record(self.match, self.path, {"seat": self.seat, "language": self.language, "bot": self.bot})
        except OSError as error:
            raise NotWritten(f"The game cannot be kept as {str(self.path)!r}: {error.strerror}. {REMEDY}") from error


def drawing(game: Game, view: AnyView, words: Words) -> Text:
    return painted(game, Text(game.draw(view, words)), words)


def painted(game: Game, text: Text, words: Words) -> Text:
    """A text in the colours of the game; a terminal without colours, or `NO_COLOR`, leaves them out."""
    for pattern, style in game.paint(words).items():
        text.highlight_regex(pattern, style)
    return text


def seat_name(language: str, seat: int, own_seat: int | None) -> str:
    """People count players from 1."""
    _ = translations(language).gettext
    return (_("player {seat} (you)") if seat == own_seat else _("player {seat}")).format(seat=seat + 1)


def tell(match: Match, viewer: int | None, words: Words, name: Callable[[int], str]) -> list[str]:
    """What happened in the last move, as sentences for this viewer."""
    sentences = [event.tell(words, name) for event in match.news(viewer)]
    return [sentence[:1].upper() + sentence[1:] for sentence in sentences]


def results(match: Match, language: str, name: Callable[[int], str], resigned: Sequence[int] = ()) -> list[str]:
    """The seats from the first place to the last, with their team's place; or what all reached
    together."""
    _ = translations(language).gettext
    if match.success is not None:
        return [told_success(0 if resigned else match.success, language)]
    teams = match.game.teams(match.seats)
    places = team_places(places_behind(match.places, resigned, teams), teams)
    line = _("{place}. {name}: {score}")
    return [
        line.format(place=places[seat], name=name(seat), score=number_text(match.scores[seat], language))
        for seat in sorted(range(match.seats), key=places.__getitem__)
    ]


def told_success(success: int, language: str) -> str:
    """How well all did who played together."""
    _ = translations(language).gettext
    percent = percent_of(success)
    if percent in (0, 100):
        return _("Won together.") if percent else _("Lost together.")
    return _("Reached together: {percent} of 100.").format(percent=percent)


def _take_backs_text(count: int, language: str) -> str:
    ngettext = translations(language).ngettext
    return ngettext("With %(num)s take-back: not rated.", "With %(num)s take-backs: not rated.", count) % {"num": count}


def show_record(record: Path, viewer: int | None, language: str, console: Console, ask: AskPerson | None) -> None:
    """A record from the eyes of a seat or a spectator: all of it, or step by step when `ask` is
    given."""
    content = read_record(record)
    played = replay(content, plain=True)
    if viewer is not None:
        played.check_seat(viewer)
    _ = translations(check_language(language)).gettext
    game, words = played.game, words_in(played.game, language)

    def name(seat: int) -> str:
        return seat_name(language, seat, viewer)

    history = list(played.history)
    match = played.copy()
    while match.history:
        match.undo()
    if count := take_backs_of(content):
        console.print(Text(_take_backs_text(count, language)))
    console.print(Text(_("The deal"), style="bold"))
    console.print(drawing(game, match.view(viewer), words), soft_wrap=True)
    for number, (seat, move) in enumerate(history, 1):
        if ask is not None and ask(_("Enter for the next move, q to leave: ")).strip().lower() in ("q", "quit"):
            return
        match.play(seat, move)
        console.print()
        headline = _("Move {number} of {count}: {name}").format(number=number, count=len(history), name=name(seat))
        console.print(Text(headline, style="bold"))
        for sentence in tell(match, viewer, words, name):
            console.print(Text(f"- {sentence}"))
        console.print(drawing(game, match.view(viewer), words), soft_wrap=True)
    resigned = resigned_of(content)
    for seat in resigned:
        console.print(Text(_("The game was given up by {name}.").format(name=name(seat)), style="bold"))
    if match.over:
        console.print(Text(_("The game is over."), style="bold"))
        for sentence in results(match, language, name, resigned):
            console.print(Text(sentence))
