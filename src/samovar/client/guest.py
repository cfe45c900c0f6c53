"""`samovar sit`: a program plays at a table of a site, here or elsewhere. It hears what it would
hear in the arena: docs/writing-bots.md."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress

from samovar.bots.program import Player, ProgramMessage, parse_command
from samovar.client import REVISION, Conflict, JsonAnswer, Seat, ServerError, Table
from samovar.engine.places import percent_of
from samovar.engine.registry import find_game
from samovar.engine.words import counted
from samovar.errors import BotFailed, UnknownGame
from samovar.language.languages import ENGLISH

SUBSTITUTE = "medium"  # who plays on when the program leaves


class Guest:
    """`command` as after `program:` in the arena. `tell` gets a line for people now and then."""

    def __init__(self, url: str, command: str, tell: Callable[[str], object]) -> None:
        self._table = Table.at(url)
        self._command, self._seconds = parse_command(command)
        self._tell = tell

    def play(self, name: str, seat: int | None = None, token: str = "", *, stay: bool = False) -> None:
        """Until the match is over; with `stay` for all that follow, until it is interrupted."""
        chair = self._come_back(token) if token else self._table.sit(name, seat)
        try:
            self._tell(
                f"Sits on seat {chair.number} of {self._table.page}. Its token, to come back with --token: "
                f"{chair.token}"
            )
            self._play_match(chair)
            while stay:
                chair = self._play_again(chair)
                self._play_match(chair)
        except (KeyboardInterrupt, BotFailed):
            self._leave(chair)
            raise

    def _come_back(self, token: str) -> Seat:
        chair = Seat.of(self._table, token)
        chair.come_back()
        return chair

    def _play_match(self, chair: Seat) -> None:
        player = Player(self._command)
        try:
            with closing(chair.events()) as looks:
                for look in looks:
                    if look["status"] == "over":
                        self._tell(f"The game is over: {end_text(look, chair.number)}.")
                        return
                    self._act(chair, player, look)
        finally:
            player.close()

    def _act(self, chair: Seat, player: Player, look: JsonAnswer) -> None:
        with suppress(Conflict):  # the table has moved on in the meantime: the next look tells how
            if look["people"][chair.number]["kind"] == "absent":  # the others were tired of waiting
                chair.come_back()
            elif not agree(chair, look) and look["legal"]:
                chair.play(player.choose(match_message(look), ask_message(look, self._seconds)).move, look[REVISION])

    def _leave(self, chair: Seat) -> None:
        with suppress(ServerError):
            chair.hand_over(SUBSTITUTE)
            self._tell(f"Leaves its chair to a bot ({SUBSTITUTE}).")

    def _play_again(self, chair: Seat) -> Seat:
        """Waits for the others to ask for another match."""
        with closing(chair.events()) as looks:
            again: JsonAnswer = next(look["again"] for look in looks if look["again"])
        after = chair.at_next(again)
        self._tell("Plays again.")
        return after


def agree(chair: Seat, look: JsonAnswer) -> bool:
    """To what somebody asks of all at the table: a program has nothing against a pause, nor against moves that are
    taken back. The next look tells what came of it: a move now would end the pause."""
    pause, asking = look.get("pause"), look.get("asking")
    wanted_by = pause["wanted_by"] if pause else []  # nobody: there is one already, perhaps a teacher's
    is_pause = wanted_by and chair.number not in wanted_by
    is_asking = asking and chair.number not in (asking["seat"], *asking["agreed"])
    if is_pause:
        chair.pause()
    if is_asking:
        chair.answer(agrees=True)
    return bool(is_pause or is_asking)


def end_text(look: JsonAnswer, seat: int) -> str:
    """How it came out; where somebody gave up nobody has points."""
    if look["success"] is not None:
        return f"{percent_of(look['success'])} % of what all can reach together"
    score = f" with {score_text(look['game'], look['scores'][seat])}" if look["scores"] is not None else ""
    return f"place {look['places'][seat]}{score}"


def score_text(game_id: str, score: int) -> str:
    """As the game counts it; the site may have games that are not installed here."""
    try:
        return counted(find_game(game_id), ENGLISH, score)
    except UnknownGame:
        return f"{score} points"


def match_message(look: JsonAnswer) -> ProgramMessage:
    """As `bots.program.match_message` makes it from a seat."""
    facts = {key: look[key] for key in ("game", "seats", "seat", "options")}
    return {"type": "match", **facts, "seed": look["bot_seed"]}


def ask_message(look: JsonAnswer, seconds: float) -> ProgramMessage:
    """As `bots.program.ask_message` makes it from a seat."""
    legal = [{"move": one["move"], "text": one["text"]} for one in look["legal"]]
    return {"type": "ask", "view": look["view"], "observation": look["observation"], "legal": legal, "seconds": seconds}
