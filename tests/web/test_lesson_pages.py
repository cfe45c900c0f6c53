"""Guided first matches on the site: nothing is kept, anything can be asked for, and a match follows."""

import re
import shutil
from urllib.parse import quote

import pytest

from samovar.engine.registry import find_game, game_ids
from samovar.teach.lessons import find_lesson, has_lesson, read_lesson, stand_at
from samovar.testing import teach as lessons
from samovar.testing.site import site as kit_site
from samovar.web.pages.lesson import address_of
from support.visitors import Visitor, running

MEMOARRRR = find_lesson(find_game("memoarrrr"))
SECOND, THIRD = "/learn/memoarrrr/27", "/learn/memoarrrr/27-on"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def said(visitor):
    return re.sub(r"\s+", " ", re.search(r'<div id="said".*?</div>', visitor.page.html, re.DOTALL)[0])


def marked(visitor):
    """The names of what leads on."""
    return re.findall(r'class="spot choice hinted [^>]*data-name="(\w+)"', visitor.page.html)


def click(visitor, move):
    """A button of the board."""
    form = next(form for form in visitor.page.forms if "/learn/" in form["action"])
    button = next(button for button in form["buttons"] if button.get("value") == move)
    return visitor.go(f"{form['action']}?{button['name']}={quote(button['value'])}")


def test_the_card_of_a_game_leads_to_its_lesson_and_the_lesson_to_a_match(site):
    visitor = Visitor(site)
    links = {link.get("href") for link in visitor.go("/").links}
    for game_id in game_ids():
        assert (f"/learn/{game_id}" in links) == has_lesson(find_game(game_id))
    visitor.go("/learn/memoarrrr")
    assert "Step 1 of 8" in visitor.page.words
    assert 'role="status" tabindex="-1" autofocus' in said(visitor), "it is read out first"
    click(visitor, "east")
    assert "Any side that is free is allowed" in said(visitor)
    assert "Step 1 of 8" in visitor.page.words, "one stays where one was"
    click(visitor, "south")
    assert visitor.address == SECOND
    visitor.go(next(link["href"] for link in visitor.page.links if "primary" in link.get("class", "")))
    for move in ("c1", "b1"):
        click(visitor, move)
    assert "Emelya takes a volcano" in visitor.page.words, "what the others did is told"
    assert "Emelya takes a volcano" not in said(visitor), "and is no part of the lesson"
    visitor.go(f"{visitor.address}-on")
    for move in ("d4", "a3"):
        click(visitor, move)
    assert "Step 8 of 8" in visitor.page.words
    assert "9" in visitor.page.words
    visitor.send("/play/memoarrrr")
    assert visitor.address.startswith("/table/")
    assert "easy" in visitor.page.words


def test_one_can_go_back_begin_again_and_leave(site):
    visitor = Visitor(site)
    links = [link["href"] for link in visitor.go(THIRD).links if "href" in link]
    assert {SECOND, "/learn/memoarrrr", "/rules/memoarrrr", "/"} <= {*links}
    assert SECOND not in [link["href"] for link in visitor.go("/learn/memoarrrr").links], "there is nothing before"


def counted(site):
    """All that the site counts, but for the time."""
    return [line for line in site.get("/metrics").text.splitlines() if "seconds" not in line]


def test_nothing_is_kept_of_a_lesson(site):
    before = counted(site)
    visitor = Visitor(site)
    for address in ("/learn/memoarrrr", f"{SECOND}?tried=3", THIRD):
        visitor.go(address)
    assert "person" not in str(visitor.client.cookies)
    assert {*visitor.client.cookies} <= {"samovar-form"}, "nobody is anybody because of it"
    assert counted(site) == before


def test_a_move_of_several_steps_is_made_by_links_and_what_leads_on_is_marked(site):
    visitor = Visitor(site)
    lesson = find_lesson(find_game("babuschka"))
    stand = stand_at(lesson, ())
    while stand.step.name != "finish":
        stand = stand_at(lesson, (*stand.way, next(stand.ways_on())))
    visitor.go(address_of(lesson, stand.way))
    assert marked(visitor) == ["e7"]
    assert '(the way on)" title' in visitor.page.html, "it is said, too"
    assert "hint-number" not in visitor.page.html, "nothing is ranked"
    visitor.go("?pick=e7")
    assert marked(visitor) == ["f8"]
    click(visitor, "e7-f8")
    assert "you win" in said(visitor)


def test_boxes_stay_ticked_after_a_try_and_are_counted(site):
    visitor = Visitor(site)
    lesson = find_lesson(find_game("matryoshka"))
    stand = stand_at(lesson, ())
    while stand.step.name != "display":
        stand = stand_at(lesson, (*stand.way, next(stand.ways_on())))
    here = address_of(lesson, stand.way)

    def ticked():
        form = next(form for form in visitor.page.forms if "/learn/" in form["action"])
        return {box["value"] for box in form["boxes"] if "checked" in box}

    visitor.go(f"{here}?move=show&with=B3&with=B4&with=B5&with=E4")
    assert "run of three" in said(visitor)
    assert ticked() == {"B3", "B4", "B5", "E4"}
    visitor.go(f"{here}?count=yes&move=show&with=B5&with=B6")
    assert (visitor.status, ticked()) == (200, {"B5", "B6"})
    visitor.go(f"{here}?move=show&with=B3")
    assert (visitor.status, ticked()) == (422, {"B3"})
    assert "Tick 4 of them: you have ticked 1." in said(visitor)
    visitor.go(f"{here}?move=show&with=B3&with=B4&with=B5&with=B6")
    assert "7 points" in said(visitor)


def test_our_script_gets_the_board_alone(site):
    answer = site.get(f"{THIRD}?list", headers={"x-samovar-parts": "1"}).json()
    assert [*answer["parts"]] == ["board"]
    assert "as-list" in answer["parts"]["board"]
    assert answer["title"].startswith("Memoarrrr! 3/8")


@pytest.mark.parametrize("language", ["fr", "de", "et"])
def test_a_lesson_is_told_in_the_readers_language(site, language):
    visitor = Visitor(site, language)
    visitor.go("/learn/memoarrrr")
    assert MEMOARRRR.text(MEMOARRRR.steps[0], "say", language) in visitor.page.text
    assert f'<html lang="{language}">' in visitor.page.html
    assert 'lang="en"' not in said(visitor)


# Whatever is asked for


WRONG = "0 27-0 on 27-27 27-on-on 27-on-2-1-on-10-2-on 27- -27 27--on ٢٧ 2e1 x 27%00 27-ON %F0%9F%98%80"
LONG = ["27-on-" + "2-" * 200, "9" * 9, "9" * 40, "9" * 290]


@pytest.mark.parametrize("way", [*WRONG.split(), *LONG])
def test_a_way_that_is_none_gets_a_clear_page(site, way):
    visitor = Visitor(site)
    visitor.go(f"/learn/memoarrrr/{way}")
    assert visitor.status == 404
    if "nothing at this address" not in visitor.page.words:
        assert "The lesson does not go this way" in visitor.page.words
        assert "/learn/memoarrrr" in [link.get("href") for link in visitor.page.links], "one can begin again"


@pytest.mark.parametrize("move", ["", "c3", "nonsense", "x" * 3000, "-1", "27", "south north", "\0", "d4 " * 50])
def test_a_move_that_is_none_is_refused(site, move):
    visitor = Visitor(site)
    visitor.go(f"{THIRD}?move={quote(move)}")
    if visitor.status != 400:  # longer than any address of ours
        assert visitor.status == 422
        assert "This move is not possible now" in said(visitor), "one stays in the lesson"


@pytest.mark.parametrize(
    "asked", ["tried=c1", "tried=2", "tried=999999999", "tried=", "pick=zz", "pick=c1&pick=c1", "with=Q9"]
)
@pytest.mark.parametrize("here", [SECOND, THIRD])
def test_what_makes_no_sense_shows_the_step_as_it_is(site, asked, here):
    visitor = Visitor(site)
    visitor.go(f"{here}?{asked}")
    assert visitor.status == 200
    assert "lesson-answer" not in said(visitor)


def test_nothing_can_be_done_at_a_pause(site):
    visitor = Visitor(site)
    visitor.go(f"{SECOND}?move=c1")
    assert visitor.status == 422


@pytest.mark.parametrize(("old", "new"), [('[[1, "north"]]', '[[1, "c3"]]'), ("point = true", "points = true")])
def test_a_lesson_that_is_broken_says_so_and_the_log_tells_its_author_where(
    site, tmp_path, monkeypatch, caplog, old, new
):
    shutil.copytree(MEMOARRRR.file.parent, tmp_path / "lessons")
    file = tmp_path / "lessons" / "first.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    monkeypatch.setattr("samovar.web.pages.lesson.find_lesson", lambda game: read_lesson(game, file))
    visitor = Visitor(site)
    visitor.go("/learn/memoarrrr")
    assert (visitor.status, "This lesson is broken" in visitor.page.words) == (500, True)
    assert f"({file})" in caplog.text
    assert "step 'look'" in caplog.text
    assert str(file) not in visitor.page.html


def test_a_game_that_is_not_here_or_has_no_lesson(site):
    visitor = Visitor(site)
    visitor.go("/learn/chess")
    assert visitor.status == 404
    for game_id in game_ids():
        if not has_lesson(find_game(game_id)):
            visitor.go(f"/learn/{game_id}")
            assert visitor.status == 404
            assert "guided first game" in visitor.page.words


# What the kit would see


def test_the_kit_sees_a_page_that_tells_what_lies_hidden(monkeypatch):
    """In another world the page would be another one."""
    from samovar.web.pages import lesson as page

    told = page.lesson_facts

    def leaking(visit, stand, *rest, **more):
        facts = told(visit, stand, *rest, **more)
        return {**facts, "title": str(hash(stand.match.state_bytes))}

    stand = stand_at(MEMOARRRR, ())
    with kit_site() as client:
        lessons.check_worlds(client, stand)
        monkeypatch.setattr(page, "lesson_facts", leaking)
        with pytest.raises(AssertionError, match="tells worlds apart"):
            lessons.check_worlds(client, stand)
