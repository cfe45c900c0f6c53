"""What the lab found, in the words of a language: for a terminal and for programs (`report.py`), and for a page
(`page.py`)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from samovar.engine.contract import Game, Option, Value
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.records.record import replay
from samovar.engine.words import choice_text, option_text, words_in
from samovar.lab.compare import Difference, Winners, differences, name_of, varied, winners
from samovar.lab.intervals import Interval
from samovar.lab.measures import PART, RATE
from samovar.lab.order import RANDOM
from samovar.lab.portrait import STEP, Extreme, Figure, portrait
from samovar.lab.run import COUNTING, DONE, MEETING, PLAYING, Findings
from samovar.lab.traced import CLEAR, HOPELESS, PHASES
from samovar.language.grammar import grammar_of
from samovar.language.languages import ENGLISH, N_, check_language, listed, translations
from samovar.language.numbers import MINUS, as_written, number_text
from samovar.reports import NONE_SIGN

SURE_SIGN = "*"
SURE = 0.95  # how likely the truth is between the bounds
LOPSIDED = 0.2  # of the margin: from here on a figure is not in the middle of its interval
SECONDS_A_MINUTE = 60
BLANK = re.compile(r"\{(\w+)")  # of a game's sentences
BOTS = {RANDOM: N_("random"), **{name: name for name in LEVEL_NAMES}}  # others have their own names
STAGES = {
    COUNTING: N_("counting matches by chance"),
    PLAYING: N_("looking at matches between bots"),
    MEETING: N_("stronger against weaker"),
    DONE: N_("done"),
}

# By the key of a figure, or by its first word.
TITLES = {
    "moves": N_("Moves"),
    "turns": N_("Turns of each player"),
    "choices": N_("Moves to choose from"),
    "forced": N_("Moves without a choice"),
    "win": N_("Won by player {number}"),
    "begins": N_("Won by who begins"),
    "ties": N_("No single winner"),
    "points": N_("Points of a player"),
    "best": N_("Points of the winner"),
    "ahead": N_("Points ahead of the next"),
    "endless": N_("Not over within the limit"),
    "leads": N_("Lead changes"),
    "behind": N_("Points that the winner was once behind"),
    "lowest": N_("The winner's lowest chance"),
    "comebacks": N_("Won after a chance below {hopeless}"),
    "decided": N_("Decided after this part of the match"),
    "near": N_("Moves within 1 point of the best"),
    "deal": N_("Decided by the deal"),
    "hidden_0": N_("Hidden information, at the start"),
    "hidden": N_("Hidden information, after {phase} of the moves"),
    "open": N_("Still open, after {phase} of the moves"),
    "skill": N_("{stronger} against {weaker}"),
    "steps": N_("Steps of skill"),
}
# What a figure means; the second word is the case in which it does.
MEANINGS = {
    "moves": N_("A match has about {about} moves, those of all players together."),
    "turns": N_("Everybody has {about} turns; at {pace} seconds a turn a match takes about {minutes} minutes."),
    "choices": N_("Who is to move chooses between {about} moves on average, moves without a choice counted in."),
    "forced": N_("On average over the matches, {percent} of the moves of a match decide nothing: there is only one."),
    "forced never": N_("There is always something to decide."),
    "win even": N_("This chair wins as often as an even share, {even}, as far as can be told."),
    "win more": N_("This chair wins {points} points more than an even share, {even}."),
    "win less": N_("This chair wins {points} points less than an even share, {even}."),
    "begins even": N_("Who begins wins as often as an even share, {even}, as far as can be told."),
    "begins more": N_("Who begins wins {points} points more than an even share, {even}."),
    "begins less": N_("Who begins wins {points} points less than an even share, {even}."),
    "ties": N_("One match in {times} has several winners."),
    "ties never": N_("Somebody always won alone."),
    "points": N_("What a player has at the end on average."),
    "best": N_("What the best has at the end on average."),
    "ahead": N_("The winner is about {about} points ahead of the next."),
    "endless": N_("{percent} of the matches did not end within the most moves that the game says it can have."),
    "endless never": N_("Every match came to its end."),
    "leads": N_("Another player takes the lead {about} times a match, by points as if it ended then."),
    "behind": N_("The winner was at worst {about} points behind the leader."),
    "lowest": N_("On the way the winner's chance of winning once fell to {percent}, by what the winner knew."),
    "comebacks": N_("{percent} of the matches are won by somebody whose chance was once below {hopeless}."),
    "decided": N_("After {percent} of its moves the winner's chance is above {clear} and stays there."),
    "near": N_(
        "In the middle of a match {about} moves are within 1 point of the best, of the 8 that a search likes best."
    ),
    "deal": N_(
        "{percent} of the differences in results come with the deal and the chair: the same again when the same "
        "players play the same cards once more. The rest is how they play."
    ),
    "hidden_0": N_(
        "At the start {percent} of what is uncertain to who is to move lies in what is hidden: others' cards, the "
        "deck; the rest in what all will do."
    ),
    "hidden": N_(
        "After {phase} of the moves {percent} of what is uncertain to who is to move lies in what is hidden: others' "
        "cards, the deck; the rest in what all will do."
    ),
    "open": N_("After {phase} of the moves the result is {percent} as uncertain to who is to move as at the start."),
    "skill": N_(
        "{stronger} is better than {weaker} in {percent} of their comparisons, with the same deals in every chair."
    ),
    "steps": N_(
        "From {weaker} to {stronger} there are {steps} steps, each of which wins {step} against the one below: the "
        "more, the deeper the game."
    ),
}
BY_DEALS = {"deal", "hidden", "open", "skill", "steps"}  # what is found by deals, not by single matches


class LeftOpen(str):
    """Instead of what differs from one event to the next; however its sentence writes it."""

    def __format__(self, form: str) -> str:
        return str(self)


@dataclass(frozen=True)
class ToldFigure(Figure):
    title: str
    text: str
    bounds: str
    meaning: str


@dataclass(frozen=True)
class ComparedFigure:
    """A figure of a variant beside the first one's."""

    title: str
    first: str
    here: str
    difference: str
    is_sure: bool


class ToldFindings:
    """What was found, told in a language; `for_programs`: with numbers as programs write them."""

    def __init__(self, findings: Findings, language: str = ENGLISH, *, for_programs: bool = False) -> None:
        self.findings, self.order = findings, findings.order
        self.language = check_language(language)
        self.gettext, self.ngettext = translations(language).gettext, translations(language).ngettext
        self.words = words_in(self.order.game, language)
        self._sign = grammar_of(language).set_spaces(" %%")[:-1]  # of hundredths: with its number in one piece
        self._for_programs = for_programs
        self._portraits: dict[int, list[ToldFigure]] = {}

    @cached_property
    def differences(self) -> list[Difference]:
        return differences(self.findings)

    @cached_property
    def winners(self) -> list[Winners]:
        return winners(self.findings)

    def say(self, sentence: str, **facts: object) -> str:
        return self.gettext(sentence).format(**facts)

    # Numbers

    def number(self, value: float, digits: int = 0) -> str:
        return f"{value:.{digits}f}" if self._for_programs else number_text(value, self.language, digits)

    def count(self, number: int) -> str:
        return as_written(f"{number:,}", self.language)

    def short(self, value: float) -> str:
        """With no more digits than it has."""
        return as_written(f"{round(value, 6):g}", self.language)

    def percent(self, share: float, digits: int | None = None) -> str:
        usual = 1 if 0 < 100 * share < 10 else 0
        return f"{self.number(100 * share, usual if digits is None else digits)}{self._sign}"

    def plain(self, value: float, unit: str) -> str:
        return self.percent(value, 1) if unit in (RATE, PART) else self.number(value, 2)

    def text(self, interval: Interval | None, unit: str) -> str:
        """`43.2 % ± 0.4`; near an end of what can be, where that would not be true: `0 % (0 to 22)`."""
        if interval is None:
            return NONE_SIGN
        value, low, high, margin = self._parts(interval, unit)
        if abs(interval.value - (interval.low + interval.high) / 2) > LOPSIDED * interval.margin:
            return self.gettext("{value} ({low} to {high})").format(value=value, low=low, high=high)
        return f"{value} ± {margin}"

    def _parts(self, interval: Interval, unit: str) -> tuple[str, str, str, str]:
        """The figure, its bounds and its margin, with as many digits as the margin is worth."""
        factor, sign = (100, self._sign) if unit in (RATE, PART) else (1, "")
        value, margin = factor * interval.value, factor * interval.margin
        digits = max(0, min(3, 1 - math.floor(math.log10(margin)))) if margin > 0 else (1 if value % 1 else 0)
        low, high, half = (
            self.number(factor * each, digits) for each in (interval.low, interval.high, interval.margin)
        )
        return f"{self.number(value, digits)}{sign}", low, high, half

    def signed(self, found: Difference) -> str:
        """`+2.1 ± 0.4`; of shares in points of a hundred."""
        text = self.text(found.interval, found.measure.unit).replace(self._sign, "")
        return text if text.startswith(MINUS) else f"+{text}"

    def tick(self, unit: str) -> Callable[[float], str]:
        return (lambda value: f"{self.short(100 * value)}{self._sign}") if unit in (RATE, PART) else self.short

    # Figures

    def portrait(self, variant: int = 0) -> list[ToldFigure]:
        """All that can be said of a variant so far."""
        if variant not in self._portraits:
            self._portraits[variant] = [self._figure(figure) for figure in portrait(self.findings, variant)]
        return self._portraits[variant]

    def _figure(self, figure: Figure) -> ToldFigure:
        title, text = self.title(figure.key, figure.players), self.text(figure.interval, figure.unit)
        return ToldFigure(
            **vars(figure), title=title, text=text, bounds=self._bounds(figure), meaning=self._meaning(figure)
        )

    def title(self, key: str, players: tuple[str, ...] = ()) -> str:
        return self.say(_by_key(TITLES, key), **self._names(key, players))

    def _names(self, key: str, players: tuple[str, ...]) -> dict[str, str]:
        """What is filled in whatever was measured."""
        kind, _, number = key.partition("_")
        facts = {"number": number, "hopeless": self.percent(HOPELESS), "clear": self.percent(CLEAR)}
        if kind in ("hidden", "open"):
            facts["phase"] = self.percent(PHASES[int(number)])
        if players:
            facts |= {"weaker": self.bot(players[0]), "stronger": self.bot(players[-1])}
        return facts

    def _bounds(self, figure: Figure) -> str:
        """`95 %: 10.8 to 17.6, of 20 deals`"""
        if figure.interval is None:
            return ""
        _ = self.gettext
        _value, low, high, _margin = self._parts(figure.interval, figure.unit)
        text = (
            _("{sure}: {low} to {high}, of {count} deals")
            if figure.players
            else _("{sure}: {low} to {high}, of {count} matches")
        )
        return text.format(sure=self.percent(SURE), low=low, high=high, count=self.count(figure.interval.size))

    def _meaning(self, figure: Figure) -> str:
        _, kind, found = self.gettext, figure.key.partition("_")[0], figure.interval
        if found is None:
            return _("Too few deals yet.") if kind in BY_DEALS else _("Too few matches yet.")
        even = 1 / len(set(self.order.game.teams(self.order.seats)))
        sentence = MEANINGS.get(f"{kind} {_case(kind, found, even)}") or _by_key(MEANINGS, figure.key)
        return self.say(
            sentence,
            **self._names(figure.key, figure.players),
            about=self.number(found.value, 0 if found.value >= 10 else 1),
            percent=self.percent(max(found.value, 0)),
            times=self.number(1 / found.value if found.value else 0),
            pace=as_written(f"{self.order.pace:g}", self.language),
            minutes=self.number(found.value * self.order.seats * self.order.pace / SECONDS_A_MINUTE),
            even=self.percent(even),
            points=self.number(100 * abs(found.value - even), 1),
            steps=self.number(found.value, 1),
            step=self.percent(STEP),
        )

    def groups(self, variant: int) -> list[tuple[str, list[ToldFigure]]]:
        """The figures by who played, in the order of the portrait."""
        found: dict[str, list[ToldFigure]] = {}
        for figure in self.portrait(variant):
            found.setdefault(self.played(figure.players), []).append(figure)
        return list(found.items())

    def beside(self, variant: int) -> list[tuple[str, list[ComparedFigure]]]:
        """All figures, by who played; those of single matches with their differences, of the deals that both have."""
        compared = {(each.measure.key, each.by): each for each in self.differences if each.variant == variant}
        before = {(figure.key, figure.by): figure.text for figure in self.portrait(0)}
        return [
            (by, [self._compared(each, before, compared.get((each.key, each.by))) for each in figures])
            for by, figures in self.groups(variant)
        ]

    def _compared(
        self, figure: ToldFigure, before: Mapping[tuple[str, str], str], difference: Difference | None
    ) -> ComparedFigure:
        if difference:
            texts = self.plain(difference.first, figure.unit), self.plain(difference.here, figure.unit)
            return ComparedFigure(figure.title, *texts, self.signed(difference), difference.is_sure)
        first = before.get((figure.key, figure.by), NONE_SIGN)
        if figure.interval and figure.text == first:
            same, none = self.plain(figure.interval.value, figure.unit), self.gettext("none")
            return ComparedFigure(figure.title, same, same, none, is_sure=False)
        return ComparedFigure(figure.title, first, figure.text, NONE_SIGN, is_sure=False)

    # Who played

    def bot(self, name: str) -> str:
        return self.gettext(BOTS[name]) if name in BOTS else name

    def player(self, seat: int) -> str:
        return self.say(N_("Player {number}"), number=seat + 1)

    def played(self, players: tuple[str, ...]) -> str:
        _ = self.say
        if not players:
            return _("Played by chance")
        return (
            _("Played by {bot} bots", bot=self.bot(players[0])) if len(players) == 1 else _("Stronger against weaker")
        )

    def by(self, what: str, players: tuple[str, ...]) -> str:
        """`Player 1, by easy`"""
        _ = self.say
        if not players:
            return _("{what}, by chance", what=what)
        return _("{what}, by {bots}", what=what, bots=", ".join(map(self.bot, players)))

    # Sentences

    def headline(self) -> str:
        _, order, variants = self.say, self.order, len(self.findings.studies)
        facts = {"game": order.game.name, "seats": order.seats, "seed": order.seed, "count": variants}
        if variants > 1:
            return _("{game}, {seats} players, {count} variants: what it is like, seed {seed}", **facts)
        return _("{game}, {seats} players: what it is like, seed {seed}", **facts)

    def notes(self) -> list[str]:
        """What was played, and what is missing."""
        _, findings = self.say, self.findings
        played = ", ".join(self._matches()) or _("none yet")
        texts = [
            _("Matches of each variant: {played}.", played=played)
            if len(findings.studies) > 1
            else _("Matches: {played}.", played=played)
        ]
        if findings.stage != DONE:
            done = self.percent(findings.done, 0)
            texts.append(_("It was stopped when {percent} was done: these are the figures so far.", percent=done))
        if forfeits := sum(study.forfeits for study in findings.studies):
            text = self.ngettext(
                "{count} match was left out, as a bot forfeited it: see `samovar arena`.",
                "{count} matches were left out, as a bot forfeited them: see `samovar arena`.",
                forfeits,
            )
            texts.append(text.format(count=self.count(forfeits)))
        return texts

    def _matches(self) -> list[str]:
        """Of the first variant."""
        _, first, player = self.say, self.findings.studies[0], self.findings.player
        played = [_("{count} by chance", count=self.count(first.counted.matches))] if first.counted.matches else []
        if player and first.traces:
            played.append(_("{count} between {bot} bots", count=self.count(len(first.traces)), bot=self.bot(player)))
        for (weaker, stronger), met in first.meetings.items():
            facts = {"stronger": self.bot(stronger), "weaker": self.bot(weaker)}
            count = self.count(sum(each.matches for each in met))
            played.append(_("{count} of {stronger} against {weaker}", count=count, **facts))
        return played

    def how_sure(self) -> list[str]:
        """How the numbers are to be read."""
        _ = self.say
        texts = [_("±: the true value is within this margin 19 times out of 20.")]
        if len(self.findings.studies) > 1:
            text = _(
                "{sign}: more than noise, with all that was compared (Holm). Without it, a difference may be chance.",
                sign=SURE_SIGN,
            )
            texts.append(text)
        return texts

    def other_winners(self, found: Winners) -> str:
        _ = self.say
        if found.other is None:
            return ""
        other, again = self.text(found.other, RATE), self.text(found.again, RATE)
        if found.again is None:
            return _(
                "With the same deal and the same players somebody else wins in {other} of the matches.", other=other
            )
        return _(
            "With the same deal and the same players somebody else wins in {other} of the matches; when the same "
            "players play the first variant again with the same deal, in {again}.",
            other=other,
            again=again,
        )

    # Variants, and what happened in them

    def name(self, variant: int) -> str:
        """What sets it apart, as a command has it."""
        return name_of(self.findings, variant) if varied(self.findings) else self.gettext("as it is")

    def rule(self, variant: int) -> str:
        """The same in the words of the game."""
        options = self.findings.studies[variant].options
        return variant_text(self.order.game, {name: options[name] for name in varied(self.findings)}, self.language)

    def kind(self, kind: str) -> str:
        """What an event is called: the game's sentence, with what differs from one to the next left open."""
        sentence = self.words.get(kind)
        if not sentence:
            return kind
        text = sentence.format(**{blank: self._open(blank) for blank in BLANK.findall(sentence)})
        return _capital(text.rstrip(".!").rstrip())

    def _open(self, blank: str) -> str:
        _ = self.gettext
        if blank == "seat":
            return _("a player")
        return _("another player") if blank.endswith("_seat") else LeftOpen("…")

    def result(self, extreme: Extreme) -> str:
        """`3 : 7, Player 2 wins`"""
        points = " : ".join(number_text(each, self.language) for each in extreme.trace.record["scores"])
        first = [self.player(seat) for seat, place in enumerate(extreme.trace.places) if place == 1]
        text = self.ngettext("{points}, {names} wins", "{points}, {names} win", len(first))
        return text.format(points=points, names=listed(self.language, first)) if first else points

    def moves(self, extreme: Extreme) -> list[str]:
        """Move by move, as one who watches is told."""
        match = replay(extreme.trace.record)
        lines = []
        for (seat, text), events in zip(match.told_history(), match.log(None), strict=True):
            sentences = [_capital(event.tell(self.words, self._within)) for event in events]
            lines.append(" ".join(sentences) or self.say(N_("{name}: {move}"), name=self.player(seat), move=text))
        return lines

    def _within(self, seat: int) -> str:
        """A player, in the midst of a sentence."""
        return self.say(N_("player {seat}"), seat=seat + 1)


def _by_key(texts: Mapping[str, str], key: str) -> str:
    return texts.get(key) or texts[key.partition("_")[0]]


def _case(kind: str, found: Interval, even: float) -> str:
    if kind not in ("win", "begins"):
        return "" if found.value else "never"
    return "even" if found.holds(even) else "more" if found.value > even else "less"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def variant_text(game: Game, options: Mapping[str, Value], language: str) -> str:
    """Options in the words of the game."""
    words = words_in(game, language)
    return " · ".join(
        f"{option_text(words, option)} ({value_text(game, option, options[option.name], language)})"
        for option in game.options
        if option.name in options
    )


def value_text(game: Game, option: Option, value: Value, language: str) -> str:
    _ = translations(language).gettext
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if option.name == "first" and value is not None:
        return _("Chair %(number)s") % {"number": int(value) + 1}
    return choice_text(words_in(game, language), option, value)
