"""What a language model can do, each a function with plain arguments and a text for an answer: `server.py` makes tools
of them, and their doc strings are what the model reads of them."""

from __future__ import annotations

import json
from typing import Literal, Protocol

from samovar.engine.contract import Game
from samovar.engine.registry import find_game, game_ids
from samovar.engine.words import option_help, words_in
from samovar.errors import BrokenGame, NotAtTable, did_you_mean
from samovar.json_types import JsonObject
from samovar.language.languages import ENGLISH
from samovar.models.local import BOTS, LocalTable
from samovar.models.remote import SiteTable
from samovar.models.told import ToldTable
from samovar.teach.rules_pages import rules_page

MOST_SECONDS = 50.0  # of waiting: programs of models take a tool for dead after a minute
DEFAULT_NAME = "Language model"

OptionValues = dict[str, bool | int | str | None]
RulesLanguage = Literal["en", "fr", "de", "et"]
LookForm = Literal["text", "json"]


class ModelTable(Protocol):
    """A table, here or at a site."""

    def look(self) -> ToldTable: ...
    def play(self, move: int | str) -> ToldTable: ...
    def wait(self, seconds: float) -> ToldTable: ...
    def say(self, text: str) -> None: ...
    def record(self) -> JsonObject: ...
    def review(self, seconds: float) -> str: ...
    def leave(self) -> None: ...


class ModelDesk:
    """The tables of one model, by their names."""

    def __init__(self) -> None:
        self.tables: dict[str, ModelTable] = {}
        self._opened = 0

    def games(self) -> str:
        """List the games that can be played here: id, name, numbers of players and options."""
        known = []
        for game_id in game_ids():
            try:
                known.append(game_text(find_game(game_id)))
            except BrokenGame:
                continue  # of a package that is broken; the others can be played
        return "\n\n".join([*known, f"Bots, weakest first: {', '.join(BOTS)}."])

    def rules(self, game: str, language: RulesLanguage = "en") -> str:
        """Read the rules of a game before you play it. `game` is an id that `games` lists."""
        return rules_page(find_game(game), language)

    def sit_down(
        self,
        game: str,
        players: int | None = None,
        player: int = 1,
        bots: list[str] = ["medium"],  # noqa: B006 - it is only read, and models are shown it
        options: OptionValues = {},  # noqa: B006
        seed: int | None = None,
    ) -> str:
        """Begin a game against bots, at a new table. The answer names the table, shows what you see, and lists your
        legal moves. `players`: how many play, you included; by default the fewest. `player`: which of them you are,
        counted from 1. `bots`: one level for all others, or one for each in order. `options`: of the game; there
        players are counted from 0. `seed`: the same seed deals the same cards; leave it out for a new deal."""
        return self._keep(LocalTable.opened(self._next_name(), game, players, player, bots, options, seed))

    def join(self, address: str, name: str = DEFAULT_NAME, player: int | None = None) -> str:
        """Sit down at a table of a running site, with people. `address`: the link of the table, such as
        http://localhost:8080/table/ID. `name`: what the others call you. `player`: the chair, counted from 1; by
        default the first free one."""
        return self._keep(SiteTable.joined(self._next_name(), address, name, player))

    def look(self, table: str, form: LookForm = "text") -> str:
        """See a table as your player sees it now: the drawing, what happened last, your legal moves. With `form`
        "json" the same as data; there, and there alone, seats inside `view` are counted from 0. What you have seen
        before and do not see any more is not told again: remember it."""
        told = self._at(table).look()
        return told.to_text() if form == "text" else as_json(told.to_json())

    def picture(self, table: str) -> bytes:
        """See a table as a picture: the same drawing as in `look`."""
        return self._at(table).look().to_png()

    def moves(self, table: str) -> str:
        """List all your legal moves, each with its number, its text and what it does."""
        return self._at(table).look().moves_text()

    def play(self, table: str, move: int | str) -> str:
        """Make a move, by its number or its text. The others then play until it is your turn again; the answer tells
        what happened meanwhile, as far as you may know it, and what you see now. If the others need longer, call
        `wait`."""
        return self._at(table).play(move).to_text()

    def wait(self, table: str, seconds: float = 20.0) -> str:
        """Wait until it is your turn or the game is over, at most so many seconds (50 at most), and see what happened
        since your last move. Call it again if it is still not your turn."""
        return self._at(table).wait(min(max(seconds, 0.0), MOST_SECONDS)).to_text()

    def say(self, table: str, text: str) -> str:
        """Say something to all at a table of a site. Everybody reads these in their own language: "Hello!", "Good
        luck!", "Hmm, let me think.", "What a move!", "Oh no.", "Well played!", "Thank you, that was fun."."""
        self._at(table).say(text)
        return "Said."

    def record(self, table: str) -> str:
        """Get the record of a finished game as JSON: the deal, all moves and the result. Saved as a file it can be
        replayed."""
        return as_json(self._at(table).record())

    def review(self, table: str, seconds: float = 8.0) -> str:
        """Review a finished game: what your choices cost, what was luck, and the moves where you lost most. It thinks
        for about so many seconds."""
        return self._at(table).review(min(max(seconds, 0.0), MOST_SECONDS))

    def leave(self, table: str) -> str:
        """Leave a table. At a site a bot plays on for you."""
        self._at(table).leave()
        del self.tables[table]
        return f"You have left table {table}."

    def close(self) -> None:
        """Leaves all tables, so that nobody waits for a model that has gone."""
        for table in list(self.tables):
            self.leave(table)

    def _next_name(self) -> str:
        return str(self._opened + 1)

    def _keep(self, table: LocalTable | SiteTable) -> str:
        self._opened += 1
        self.tables[table.id] = table
        return table.wait(0.0).to_text()

    def _at(self, table: str) -> ModelTable:
        if table not in self.tables:
            raise NotAtTable(
                f"You do not sit at a table {table!r}.{did_you_mean(table, self.tables)} Call sit_down or join first."
            )
        return self.tables[table]


def game_text(game: Game) -> str:
    words = words_in(game, ENGLISH)
    seats = ", ".join(map(str, game.seats))
    options = [
        f"- option {option.name}: {option_help(words, option)}. It takes {option.describe()}."
        for option in game.options
    ]
    return "\n".join([f"{game.id}: {game.name}, for {seats} players. {words.get('pitch', '')}".strip(), *options])


def as_json(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False)
