"""The lab's reports in every language: nothing in them stays English, numbers are written as the language does, and
what programs read is the same in all."""

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console

from samovar.engine.registry import find_game, game_ids, is_ours
from samovar.lab.counted import Counted
from samovar.lab.intervals import Interval, Sums
from samovar.lab.measures import NUMBER, RATE
from samovar.lab.order import make_order
from samovar.lab.page import every_plot, page, pages
from samovar.lab.report import show, so_far, to_json
from samovar.lab.run import COUNTING, PLAYING, STAGES, Findings, Study
from samovar.lab.telling import BOTS, MEANINGS, TITLES, ToldFindings
from samovar.lab.telling import STAGES as STAGES_TOLD
from samovar.lab.traced import PHASES
from samovar.language.languages import LANGUAGES
from samovar.language.locale import collect
from support.lab_findings import made_up

OTHERS = LANGUAGES[1:]
COMMANDS = re.compile(r"samovar [a-z]+ .*|/new/.*|\S+=\S+|--\w+ \w+")  # typed, whoever reads them
WORDS = re.compile(r"[^\W\d_]{2,}")


def found() -> list[Findings]:
    """Together they have every part that a report can have."""
    stopped = made_up(vary=True, stage=PLAYING)
    stopped.studies[0].forfeits = 1234
    return [stopped, made_up(), made_up(matches=2, random=3, vary=True), made_up(matches=0, random=0)]


def in_terminal(findings: Findings, language: str, width: int = 1000) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width)
    show(ToldFindings(findings, language), console)
    console.print(so_far(ToldFindings(findings, language)))
    return out.getvalue()


class Texts(HTMLParser):
    """All that is read or heard of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.is_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.is_style = tag == "style"
        self.texts += [value or "" for name, value in attributes if name == "aria-label"]

    def handle_data(self, data: str) -> None:
        if not self.is_style:
            self.texts.append(data.strip())


def texts_of(findings: Findings, language: str) -> list[str]:
    """Of terminal and page, without what is typed as it stands."""
    lines = [cell for line in in_terminal(findings, language).splitlines() for cell in re.split(r" {2,}", line)]
    read = [*lines, *Texts(page(ToldFindings(findings, language))).texts]
    return [COMMANDS.sub("", text) for text in read]


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_in_a_report_stays_english(language: str) -> None:
    for findings in found():
        english = {text for text in texts_of(findings, "en") if len(WORDS.findall(text)) > 3}
        assert english
        assert not english & {*texts_of(findings, language)}


@pytest.mark.parametrize("language", OTHERS)
def test_numbers_are_written_as_the_language_does(language: str) -> None:
    read = [text for findings in found() for text in texts_of(findings, language)]
    assert not [text for text in read if re.search(r"\d\.\d(?!\d\d)|(?<![\w\d])-\d", text)]
    assert any(re.search(r"\d,\d", text) for text in read)
    assert any(re.search(r"1[.\u00a0]234 ", text) for text in read)
    telling = ToldFindings(made_up(), language)
    assert telling.text(Interval(-1.25, -1.5, -1.0, 9), NUMBER) == "−1,25 ± 0,25"
    assert telling.text(Interval(0.4, 0.375, 0.425, 9), RATE).replace("\u00a0", " ") == "40,0 % ± 2,5"


def test_a_telling_in_german() -> None:
    telling = ToldFindings(found()[0], "de")
    figures = {(figure.key, figure.by): figure for figure in telling.portrait()}
    assert figures["win_2", "by chance"].title == "Spieler 2 gewinnt"
    assert figures["hidden_1", "easy"].title == "Verdeckte Information, nach 25\u00a0% der Züge"
    assert figures["skill_random_easy", "random, easy"].title == "leicht gegen Zufall"
    assert "1.234 Partien wurden ausgelassen" in telling.notes()[-1]
    assert telling.name(1) == "expert=true"
    assert telling.rule(1) == "Expertenspiel: Die Tiere haben Fähigkeiten (ja)"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_terminal_of_80_columns_has_room_for_every_language(language: str) -> None:
    for findings in found():
        assert max(map(len, in_terminal(findings, language, 80).splitlines())) <= 80


def test_programs_read_plain_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hyphen, where people read a minus."""
    findings = found()[0]
    below = [replace(trace, hidden=((-0.05, 0.2),) * len(PHASES)) for trace in findings.studies[0].traces]
    monkeypatch.setattr(findings.studies[0], "traces", below)
    told = json.dumps(to_json(findings), ensure_ascii=False)
    assert '"text": "-33.3 % ± 0.0"' in told
    assert "\u2212" not in told


def test_a_page_says_its_language_and_there_is_one_of_each() -> None:
    written = pages(made_up(matches=0, random=0))
    assert [*written] == [*LANGUAGES]
    for language, text in written.items():
        assert f'<html lang="{language}">' in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_of_every_game_has_a_name(language: str) -> None:
    for name in filter(is_ours, game_ids()):
        telling = of_game(name, language)
        for kind in find_game(name).words["en"]:
            assert not re.search(r"[{}]", telling.kind(kind)), (name, kind)
    assert of_game("babuschka", "fr").kind("covers") == "Elle y recouvre une … d’un autre joueur"
    assert of_game("memoarrrr", "de").kind("extra_turn") == "Die Krabbe schenkt jemand noch einen Zug"


def test_a_games_sentence_may_write_numbers_as_it_likes() -> None:
    telling = of_game("memoarrrr", "en")
    telling.words = {"gains": "{seat} gains {points:+d}, {share:.1f} of all."}
    assert telling.kind("gains") == "A player gains …, … of all"


def of_game(game: str, language: str) -> ToldFindings:
    order = make_order(game)
    studies = [Study(options, Counted(order.seats), Sums(1)) for options in order.variants]
    return ToldFindings(Findings(order, studies, COUNTING, 0.0), language)


def test_plots_are_told_in_their_language() -> None:
    for english, german in zip(
        *(every_plot(ToldFindings(made_up(vary=True), each)) for each in ("en", "de")), strict=True
    ):
        assert english.name == german.name
        assert english.title != german.title
        assert english.said != german.said


def test_every_sentence_is_collected() -> None:
    """They are marked by hand, so one could be forgotten."""
    collected = {message.id for message in collect.collected()}
    assert {*TITLES.values(), *MEANINGS.values(), *BOTS.values(), *STAGES_TOLD.values()} <= collected
    assert [*STAGES_TOLD] == [*STAGES]
