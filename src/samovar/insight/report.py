"""A review in words and numbers: as JSON, for a terminal, and for its page (`page.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from textwrap import fill
from typing import TYPE_CHECKING

from samovar.engine.arrays import AnyView
from samovar.engine.contract import Event
from samovar.engine.match import Match
from samovar.engine.words import words_at
from samovar.insight.moments import Deed, Hidden, Moment, ProbableReply, moment_of
from samovar.insight.review import LEAST, MOMENTS, ChosenMove, PlayerLine, Review
from samovar.json_types import JsonObject
from samovar.language.languages import ENGLISH, check_language, listed, translations
from samovar.language.numbers import number_text
from samovar.reports.figures import rounded
from samovar.reports.tables import terminal_table

if TYPE_CHECKING:
    from rich.console import Console

BLOCKS = "▁▂▃▄▅▆▇█"
MOST_BLOCKS = 60
NAME_LENGTH = 40
DIGITS = 4  # of numbers in JSON
POINTS_APART = 0.5  # less at once is no reason


def names_of(record: JsonObject, language: str) -> tuple[str, ...]:
    """Who sat where, as far as the record says it."""
    _ = translations(language).gettext
    table = record.get("table")
    names = table.get("names") if isinstance(table, dict) else None
    usual = [_("Player {number}").format(number=seat + 1) for seat in range(record["seats"])]
    if not isinstance(names, list) or len(names) != len(usual):
        return tuple(usual)
    return tuple(
        name.strip()[:NAME_LENGTH] if isinstance(name, str) and name.strip() else other
        for name, other in zip(names, usual, strict=True)
    )


class Telling:
    """A review, told in a language."""

    def __init__(
        self,
        review: Review,
        names: Sequence[str],
        language: str = ENGLISH,
        moments: Sequence[Moment] = (),  # those that were looked at before
    ) -> None:
        self.review = review
        self._moments = {moment.choice: moment for moment in moments}
        self.names = tuple(names)
        self.language = check_language(language)
        self.gettext = translations(language).gettext
        self.words = words_at(review.game, language, self.names)

    @cached_property
    def moments(self) -> list[Moment]:
        return [self._moments.get(choice) or moment_of(self.review.match, choice) for choice in self.review.moments]

    def moments_for(self, seat: int | None) -> list[Moment]:
        """A reader's own first; only those that were looked at before, because a reader does not wait."""
        return [self._moments[choice] for choice in self.review.moments_for(seat) if choice in self._moments]

    def headline(self) -> str:
        match = self.review.match
        text = self.gettext("{game}: {players}, {count} moves")
        return text.format(game=match.game.name, players=listed(self.language, self.names), count=len(match.history))

    def titles(self) -> dict[str, str]:
        _ = self.gettext
        return {
            "curve": _("Who wins, move by move") if self.review.match.success is None else _("Chances, move by move"),
            "players": _("Choice and luck") if self.review.has_luck else _("Choices"),
            "well": _("Played well"),
            "moments": _("The moments that decided it"),
            "none": _("No choice cost anybody much."),
            "made": _("Move made"),
            "better": _("Better move"),
        }

    def notes(self) -> list[str]:
        _ = self.gettext
        return [
            self.meaning(),
            _("Start, choices, opponents and luck add up to the result. Luck is what chance did.")
            if self.review.has_luck
            else _("Start, choices and opponents add up to the result: nothing in this game is chance."),
        ]

    def meaning(self) -> str:
        """What chances are chances of."""
        _, match = self.gettext, self.review.match
        if match.success is not None:
            return _("Chances: how much of what can be reached together is to be expected, by what each player knew.")
        if len(set(match.game.teams(match.seats))) == 2:
            return _("Chances: how likely a player is to win, by what the player knew.")
        return _("Of 100: the share of the others that a player may expect to leave behind, by what the player knew.")

    def move(self, view: AnyView, seat: int, text: str) -> str:
        """A move in words."""
        face = self.review.game.face
        return face.say(view, text, self.words) if face else text

    def chosen(self, choice: ChosenMove, move: int) -> str:
        at = self.review.match.at(choice.moves_made)
        return self.move(at.view(choice.seat), choice.seat, at.move_text(choice.seat, move))

    def title(self, choice: ChosenMove, *, is_own: bool = False) -> str:
        own, other = (
            self.gettext("Your move {number}: {cost} of 100 lost"),
            self.gettext("Move {number}, {name}: {cost} of 100 lost"),
        )
        text = own if is_own else other
        return text.format(number=choice.moves_made + 1, name=self.names[choice.seat], cost=f"{100 * choice.cost:.0f}")

    def drawing(self, moment: Moment) -> str:
        return self.review.game.draw(moment.view, self.words)

    def deed(self, moment: Moment, deed: Deed) -> str:
        return self.move(moment.view, moment.choice.seat, deed.text)

    def events(self, events: Sequence[Event]) -> str:
        return " ".join(_capital(event.tell(self.words, self.names.__getitem__)) for event in events)

    def why(self, deed: Deed, *, is_own: bool) -> str:
        """In one sentence: to its own player what speaks for it or against it, to others what follows from it."""
        if is_own and deed.reasons:
            return self.events(deed.reasons[:1])
        return self.events(deed.following[0].events) if deed.following else ""

    def reasons(self, moment: Moment, deed: Deed) -> list[str]:
        """What its player could say for it or against it, what follows from it, and who does what about that."""
        _ = self.gettext
        told = []
        if deed.reasons:  # they speak to the player
            name = self.names[moment.choice.seat]
            told.append(_("For {name}: “{reasons}”").format(name=name, reasons=self.events(deed.reasons)))
        for each in deed.following:
            news = self.events(each.events)
            told.append(news if each.chance == 1 else f"{percent(each.chance)} – {news}")
        if abs(moment.made.points - moment.better.points) >= POINTS_APART:
            told.append(
                _("Points at once: {points}").format(points=number_text(deed.points, self.language, 1, signed=True))
            )
        if deed.reply:
            told.append(
                _("Then probably {name}: {move}").format(name=self.names[deed.reply.seat], move=self.reply(deed.reply))
            )
        return told

    def reply(self, reply: ProbableReply) -> str:
        match = self.review.match
        world = Match.standing(match.game, match.seats, reply.state, plain=True)
        return self.move(world.view(reply.seat), reply.seat, reply.text)

    def hidden(self, hidden: Hidden) -> str:
        _ = self.gettext
        what = ", ".join(self.words.get(word, word) for word in hidden.what)
        if isinstance(hidden.where, int):
            return _("{what}, with {name}: {chance}").format(
                what=what, name=self.names[hidden.where], chance=percent(hidden.chance)
            )
        return _("{what}, at {place}: {chance}").format(
            what=what, place=self.words.get(hidden.where, hidden.where), chance=percent(hidden.chance)
        )

    def hidden_head(self, moment: Moment) -> str:
        text = self.gettext("What was true, and how likely that was for {name}:")
        return text.format(name=self.names[moment.choice.seat])

    def line(self, player: PlayerLine) -> list[str]:
        """The numbers of a player, as `heads` names them."""
        others, luck = player.by_others, player.luck - player.by_others
        return [
            self.names[player.seat],
            percent(player.start),
            self.points(-player.cost),
            *([self.points(others), self.points(luck)] if self.review.has_luck else [self.points(player.luck)]),
            percent(player.result),
        ]

    def points(self, share: float) -> str:
        """A difference of shares."""
        return number_text(100 * share, self.language, signed=True)

    def heads(self) -> list[str]:
        _ = self.gettext
        luck = [_("Luck")] if self.review.has_luck else []
        return [_("Player"), _("Start"), _("Choices"), _("Opponents"), *luck, _("Result")]

    def more(self, player: PlayerLine) -> list[str]:
        """What the numbers leave out: what a move cost on average, the best and the worst move."""
        _ = self.gettext
        lost = _("Choices: {count}; each cost {points} of 100 on average.").format(
            count=player.moves, points=number_text(100 * player.mean_cost, self.language, 1)
        )
        told = [lost]
        if player.best:
            text = _("Best: move {number}, {move} ({points} ahead of the next best)")
            told.append(self._one(text, player.best, player.best.lead))
        if player.worst:
            text = _("Worst: move {number}, {move} ({points} lost)")
            told.append(self._one(text, player.worst, player.worst.cost))
        return told

    def well(self, seat: int | None, finds: Sequence[int], like: Sequence[Sequence[str]] = ()) -> list[str]:
        """Praise: the reader's own finds first, then the others'; how often the reader chose well, and like which
        level, by seat, as far as that is known."""
        _ = self.gettext
        own = [choice for choice in self.review.choices if choice.seat == seat]
        found = [choice for choice in self.review.choices if choice.moves_made in finds]
        found.sort(key=lambda choice: (choice.seat != seat, -choice.lead))
        told = [self._praise(choice, is_own=choice.seat == seat) for choice in found[:MOMENTS]]
        if seat is not None and own:
            if not any(choice in own for choice in found) and (best := self.review.players[seat].best):
                told.insert(
                    0, self._one(_("Best: move {number}, {move} ({points} ahead of the next best)"), best, best.lead)
                )
            text = _("You chose the best move, or one as good, {count} of {moves} times.")
            told.append(text.format(count=sum(choice.cost < LEAST for choice in own), moves=len(own)))
            told += self._like(like[seat]) if like else []
        return told

    def _like(self, levels: Sequence[str]) -> list[str]:
        _ = self.gettext
        texts = {
            1: _("You played like {level}, by what your choices cost."),
            2: _("You played between {level} and {other}, by what your choices cost."),
        }
        names = dict(zip(("level", "other"), map(_, levels), strict=False))
        return [texts[len(levels)].format(**names)] if levels else []

    def _praise(self, choice: ChosenMove, *, is_own: bool) -> str:
        own, other = (
            self.gettext(
                "Well found: your move {number}, {move}. The next best loses {points} of 100; medium misses it."
            ),
            self.gettext(
                "Well found, {name}: move {number}, {move}. The next best loses {points} of 100; medium misses it."
            ),
        )
        return self._one(own if is_own else other, choice, choice.lead)

    def _one(self, text: str, choice: ChosenMove, share: float) -> str:
        move = self.chosen(choice, choice.move).rstrip(".")
        name = self.names[choice.seat]
        return text.format(number=choice.moves_made + 1, name=name, move=move, points=f"{100 * share:.0f}")


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def blocks(shares: Sequence[float]) -> str:
    """A curve as a row of letters."""
    step = max(1.0, len(shares) / MOST_BLOCKS)
    picked = [shares[int(k * step)] for k in range(int(len(shares) / step))]
    return "".join(BLOCKS[round(share * (len(BLOCKS) - 1))] for share in picked)


def show(telling: Telling, console: Console) -> None:
    """For a terminal of 80 columns, with or without colours."""
    from rich.text import Text

    titles = telling.titles()

    def line(text: str, style: str = "", indent: int = 0) -> None:
        wrapped = fill(text, console.width, initial_indent=" " * indent, subsequent_indent=" " * indent)
        console.print(Text(wrapped, style=style))

    review = telling.review
    line(telling.headline(), "bold")
    console.print()
    width = max(map(len, telling.names))
    for seat, name in enumerate(telling.names):
        line(f"{name:<{width}}  {blocks([chances[seat] for chances in review.chances])}")
    console.print()
    console.print(terminal_table(telling.heads(), [telling.line(player) for player in review.players], (0,)))
    for player in review.players:
        console.print()
        line(telling.names[player.seat], "bold")
        for text in telling.more(player):
            line(text)
    console.print()
    line(titles["moments"], "bold")
    if not telling.moments:
        line(titles["none"])
    for moment in telling.moments:
        console.print()
        line(telling.title(moment.choice), "bold")
        console.print(Text(telling.drawing(moment)), soft_wrap=True)
        for head, deed in ((titles["made"], moment.made), (titles["better"], moment.better)):
            line(f"{head}, {percent(deed.share)} – {telling.deed(moment, deed)}")
            for reason in telling.reasons(moment, deed):
                line(reason, "dim", 4)
        if moment.hidden:
            line(telling.hidden_head(moment))
            for hidden in moment.hidden:
                line(telling.hidden(hidden), "dim", 4)
    console.print()
    for note in telling.notes():
        line(note, "dim")


def to_json(telling: Telling) -> JsonObject:
    """Pure JSON. Seats are numbers, as in records; numbers are rounded."""
    review = telling.review
    match = review.match
    found = {
        "game": match.game.id,
        "rules": match.game.version,
        "seats": match.seats,
        "names": telling.names,
        "moves": len(match.history),
        "curve": review.shares,
        "wins": review.chances,
        "players": [_player(player) for player in review.players],
        "choices": [_choice(telling, choice) for choice in review.choices],
        "moments": [_moment(telling, moment) for moment in telling.moments],
    }
    return {name: rounded(value, DIGITS) for name, value in found.items()}


def _player(player: PlayerLine) -> dict[str, object]:
    return {
        "seat": player.seat,
        "start": player.start,
        "choice": -player.cost,
        "luck": player.luck,
        "luck_by_others": player.by_others,
        "result": player.result,
        "moves": player.moves,
        "mean_loss": player.mean_cost,
        "best": player.best and player.best.moves_made,
        "worst": player.worst and player.worst.moves_made,
    }


def _when(choice: ChosenMove) -> dict[str, object]:
    """By the name of today and, for one release, by the old one."""
    return {"moves_made": choice.moves_made, "ply": choice.moves_made}


def _choice(telling: Telling, choice: ChosenMove) -> dict[str, object]:
    at = telling.review.match.at(choice.moves_made)
    move, best = (at.move_text(choice.seat, number) for number in (choice.move, choice.best))
    facts = {**_when(choice), "seat": choice.seat, "move": move, "best": best}
    return {**facts, "share": choice.share, "loss": choice.cost, "error": choice.error}


def _moment(telling: Telling, moment: Moment) -> dict[str, object]:
    def deed(one: Deed) -> dict[str, object]:
        said = telling.deed(moment, one)
        facts = {"move": one.text, "sentence": said, "told": said, "share": one.share, "points": one.points}
        return {**facts, "reasons": telling.reasons(moment, one)}

    return {
        **_when(moment.choice),
        "seat": moment.choice.seat,
        "drawing": telling.drawing(moment),
        "made": deed(moment.made),
        "better": deed(moment.better),
        "hidden": moment.hidden,
    }
