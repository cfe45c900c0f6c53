"""A table in this process: a language model among bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samovar.bots.bot import Bot
from samovar.bots.registry import make_bot
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Value
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.match import Match
from samovar.engine.places import team_places
from samovar.errors import BadRecord, BadReview, NotAtTable, UnknownBot, UnknownSeat, did_you_mean
from samovar.insight.report import Telling, to_json
from samovar.insight.review import review
from samovar.json_types import JsonObject
from samovar.models.reviews import only_own, told_review
from samovar.models.told import OVER, PLAYING, MoveChoice, ToldTable, as_plain, in_words, sentence

# Others take arguments: a program's is a command, and a model may not run one by sitting down.
BOTS = ("random", "greedy", *LEVEL_NAMES)


class LocalTable:
    """`bots` play at all other seats."""

    def __init__(self, table_id: str, match: Match, seat: int, bots: Mapping[int, Bot]) -> None:
        self.id = table_id
        self.match = match
        self.seat = seat
        self._bots = bots
        self.names = tuple(f"player {one + 1}{' (you)' if one == seat else ''}" for one in range(match.seats))

    @classmethod
    def opened(
        cls,
        table_id: str,
        game: str,
        players: int | None,
        player: int,
        bots: Sequence[str],
        options: Mapping[str, Value],
        seed: int | None,
    ) -> LocalTable:
        match = Match(game, players, seed, plain=True, **options)
        if not 1 <= player <= match.seats:
            raise UnknownSeat(f"There is no player {player} here. Be one of the players 1 to {match.seats}.")
        others = [seat for seat in range(match.seats) if seat != player - 1]
        if len(bots) not in (1, len(others)):
            raise UnknownBot(f"Name one bot for all other players, or {len(others)}, one for each; not {len(bots)}.")
        for bot in bots:
            if bot not in BOTS:
                raise UnknownBot(f"No bot {bot!r} plays here.{did_you_mean(bot, BOTS)}")
        levels = list(bots) * len(others) if len(bots) == 1 else bots
        made = {
            seat: make_bot(level, match.game, derive_seed("bot", match.seed, seat))
            for seat, level in zip(others, levels, strict=False)
        }
        return cls(table_id, match, player - 1, made)

    def look(self) -> ToldTable:
        return self._told(1 if self.match.history else 0)

    def play(self, move: int | str) -> ToldTable:
        number = self.look().chosen(move, lambda text: self.match.parse_move(self.seat, text))
        begun = len(self.match.history)
        self.match.play(self.seat, number)
        self._go_on()
        return self._told(len(self.match.history) - begun)

    def wait(self, seconds: float) -> ToldTable:
        """Bots do not keep anybody waiting: this matters before the first move alone."""
        begun = len(self.match.history)
        self._go_on()
        return self._told(len(self.match.history) - begun)

    def say(self, text: str) -> None:
        raise NotAtTable("Only bots sit at this table, and they do not talk. Talk at a table of a site: see join.")

    def record(self) -> JsonObject:
        if not self.match.over:
            raise BadRecord("The game is not over, and its record would tell what is hidden. Play it to its end first.")
        return self.match.record({"names": [f"Player {seat + 1}" for seat in range(self.match.seats)]})

    def review(self, seconds: float) -> str:
        if not self.match.over:
            raise BadReview("The game is not over, and a review would tell what is hidden. Play it to its end first.")
        found = review(self.match.record(), seconds=seconds)
        names = tuple(name[:1].upper() + name[1:] for name in self.names)
        return told_review(to_json(Telling(only_own(found, self.seat), names)), self.seat)

    def leave(self) -> None:
        for bot in self._bots.values():
            bot.close()

    def _go_on(self) -> None:
        """Until the model is to move, or it is over. Where several choose at once it comes first."""
        match = self.match
        while not match.over and self.seat not in match.actors:
            seat = match.actors[0]
            match.play(seat, self._bots[seat].choose(match.seat(seat)).move)

    def _told(self, moves: int) -> ToldTable:
        """With what happened in the last moves, as the seat saw it then."""
        match, game, view = self.match, self.match.game, self.match.view(self.seat)
        log = match.log(self.seat, moves) if moves else []
        texts = ((move, match.move_text(self.seat, move)) for move in match.legal(self.seat))
        is_over = match.over
        return ToldTable(
            table=self.id,
            game_id=game.id,
            game=game,
            seat=self.seat,
            names=self.names,
            status=OVER if is_over else PLAYING,
            actors=match.actors,
            view=view,
            seen=as_plain(view),
            happened=tuple(sentence(event, game, self.names) for events in log for event in events),
            legal=tuple(MoveChoice(move, text, in_words(game, view, text, self.names)) for move, text in texts),
            scores=match.scores if is_over else None,
            places=team_places(match.places, game.teams(match.seats)) if is_over else None,
            success=match.success if is_over else None,
        )
