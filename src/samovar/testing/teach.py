"""What teaches a game: its lesson, and its puzzles.

The lesson can be played to its end in every way it can go, by hand and through the site, in every
language it has; whoever tries something else is answered and stays where they are; and nothing that is said gives away
what lies hidden. A game without one passes."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

from markupsafe import escape

from samovar.engine.contract import Game, Words
from samovar.engine.words import words_in
from samovar.language.languages import ENGLISH, LANGUAGES
from samovar.teach.lessons import SAY, Lesson, Stand, find_lesson, stand_at, tour
from samovar.teach.puzzles import NEARLY, puzzles_of
from samovar.testing.site import PickLinks, SiteClient, site
from samovar.web.drawing.scene import face_of
from samovar.web.pages.lesson import address_of

WORLDS = 5  # that the learner may imagine: what is so in all of them is no secret
WORD = re.compile(r"\w+")


def check_lesson(game: Game) -> int:
    """By the rules alone. Says how many steps were looked at, in all positions that they can be reached in."""
    lesson = find_lesson(game)
    if lesson is None:
        return 0
    stands = tour(lesson)
    for stand in stands:
        check_secrets(stand)
    return len(stands)


def check_on_site(game: Game) -> None:
    lesson = find_lesson(game)
    if lesson is None:
        return
    with site() as client:
        for language in sorted({*lesson.texts} & {*LANGUAGES}):
            check_pages(client, lesson, language)


def check_secrets(stand: Stand) -> None:
    """No sentence of the step names a hidden card and where it is, as far as that can be told by words. What the
    learner knows is no secret."""
    face, seat = stand.lesson.game.face, stand.lesson.seat
    if face is None or stand.match.over:
        return
    worlds = [face.hidden(stand.match.imagine(seat, seed).state) for seed in range(WORLDS)]
    secrets = face.hidden(stand.match.state) - frozenset.intersection(*worlds)
    for language, texts in stand.lesson.texts.items():
        words = words_in(stand.lesson.game, language)
        for key, text in texts[stand.step.name].items():
            said = set(WORD.findall(text.casefold()))
            for where, card in secrets:
                assert not _names(where, card, words) <= said, (
                    f"step {stand.step.name!r}, {key!r} in {language!r} gives away {card} at {where}: {text}"
                )


def _names(where: int | str, card: tuple[str, ...], words: Words) -> set[str]:
    """The words that would tell it; where it is in a hand, the card alone does."""
    named = " ".join([*(words.get(part, part) for part in card), *([where] if isinstance(where, str) else [])])
    return set(WORD.findall(named.casefold()))


def check_pages(client: SiteClient, lesson: Lesson, language: str) -> None:
    """From the first page to the last."""
    stand = stand_at(lesson, ())
    while True:
        here = address_of(lesson, stand.way)
        answer = client.get(here, headers={"accept-language": language})
        assert answer.status_code == 200, f"{here}: {answer.status_code}"
        assert lesson.text(stand.step, SAY, language) in unescape(answer.text), f"{here}: not said in {language!r}"
        if stand.is_end:
            return
        stand = stand_at(lesson, (*stand.way, next(stand.ways_on())))
        if language == ENGLISH:  # what is done is the same in all of them
            check_deeds(client, here, answer.text, stand)


def check_deeds(client: SiteClient, here: str, page: str, ahead: Stand) -> None:
    """What can be done on a page: a move that does not go on is answered, one that does leads ahead."""
    lesson, before = ahead.lesson, stand_at(ahead.lesson, ahead.way[:-1])
    check_worlds(client, before)
    if before.step.pause:
        assert f'href="{address_of(lesson, ahead.way)}"' in page, f"{here}: no way on"
        return
    text = before.check(ahead.way[-1])
    check_clicks(client, here, before, text)
    there = _send(client, here, text)
    assert there == address_of(lesson, ahead.way), f"{here}: the way on leads to {there}"
    if other := next(((move, text) for move, text in before.moves() if not before.step.goes_on(text)), None):
        there = _send(client, here, other[1])
        assert there == f"{here}?tried={other[0]}", f"{here}: {other[1]!r} leads to {there}"
        said = lesson.text(before.step, before.step.answer_to(other[1]), ENGLISH)
        assert said in unescape(client.get(there).text), f"{here}: {other[1]!r} is not answered"


def check_clicks(client: SiteClient, here: str, stand: Stand, text: str) -> None:
    """The move can be made by clicks: each of its steps is offered on the page where those before it are picked."""
    face, view = face_of(stand.match, stand.lesson.seat), stand.match.view(stand.lesson.seat)
    if face.several(view, text):
        return  # boxes
    steps = face.steps(view, text)
    for count, step in enumerate(steps):
        page = client.get(f"{here}?{urlencode([('pick', one) for one in steps[:count]])}").text
        wanted = f'data-name="{escape(step)}"' if count + 1 < len(steps) else f'name="move" value="{escape(text)}"'
        assert wanted in page, f"{here}: after {steps[:count]} there is no {step!r} to click"


def check_worlds(client: SiteClient, stand: Stand) -> None:
    """A page of a lesson is the same, byte for byte, in a world that the learner cannot tell from the true one."""
    here, truth = address_of(stand.lesson, stand.way), stand.match.states.copy()
    addresses = [f"{here}?list", *(here + link for link in PickLinks(client.get(here).text).found[:1])]
    pages = [client.get(address).content for address in addresses]
    try:
        stand.match.states[:] = stand.match.imagine(stand.lesson.seat, 1).states
        for address, page in zip(addresses, pages, strict=True):
            assert client.get(address).content == page, f"{address} tells worlds apart"
    finally:
        stand.match.states[:] = truth


def _send(client: SiteClient, address: str, move: str) -> str:
    answer = client.get(f"{address}?{urlencode({'move': move})}", follow_redirects=False)
    assert answer.status_code == 303, f"{address} with {move!r}: {answer.status_code}"
    return str(answer.headers["location"])


# Puzzles


def check_puzzles(game: Game, plain: bool | None = None) -> None:
    """Each stands where its moves lead, and the moves that it tells of can be made there; a game without any passes.
    Reading says whether file, rules' version and ids are right, playing whether the position and its
    moves are."""
    for puzzle in puzzles_of(game):
        match = puzzle.match(plain=plain)
        assert len(match.legal(match.actors[0])) > 1, f"puzzle {puzzle.id} of {game.name} has nothing to choose"
        others = [loss for move, loss in puzzle.losses.items() if move != puzzle.best]
        assert others, f"puzzle {puzzle.id} of {game.name} compares its best move with no other"
        assert min(others) >= NEARLY, f"puzzle {puzzle.id} of {game.name} has a second move that is as good"
