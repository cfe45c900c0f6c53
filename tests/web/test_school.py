"""Classes: pupils come by a code, are seated, and see nobody outside; the teacher sees all, pauses, moves and ends."""

import random
import re

import pytest
from sqlalchemy import text

from samovar.web import problems
from samovar.web.people.classes import read_names
from samovar.web.store.entries import Mute, Pause
from support.classes import NAMES, School, post
from support.tables import call
from support.visitors import Visitor, running


@pytest.fixture(params=["open", "invited"])
def site(tmp_path, request):
    with running(tmp_path, entry=request.param) as client:
        yield client


@pytest.fixture
def school(site):
    teacher = Visitor(site)
    token = call(site, site.app.state.members.begin)
    teacher.go(f"/invitation/{token}")
    teacher.send(token, name="Ms Rose")
    return School(site, teacher)


def entries_of(site, table, kind):
    lines = call(site, site.app.state.tables.store.load, table)
    return [line for line in lines if line.kind == kind]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mia\nBen", ["Mia", "Ben"]),
        (" Mia ,  Ben;Ida\t Max\r\n\r\n", ["Mia", "Ben", "Ida", "Max"]),
        ("Mia\nMia\nmia", ["Mia", "Mia 2", "mia 3"]),
    ],
)
def test_names_are_pasted_in_any_way(text, names):
    assert read_names(text) == names


@pytest.mark.parametrize("text", ["", "Mia", "\n".join(map(str, range(65)))])
def test_too_few_names_or_too_many(text):
    with pytest.raises(problems.NoNames):
        read_names(text)


def test_pupils_choose_their_names_and_are_seated(school):
    for name in ("Mia", "Ben", "Ida"):
        page = school.come(name)
        assert f"Hello, {name}!" in page.page.words
    assert "3 of 6 are here" in school.teacher.go(school.page).words
    school.seat("memoarrrr 2")
    tables = {name: school.table_of(name) for name in ("Mia", "Ben", "Ida")}
    assert all(tables.values())
    assert len(set(tables.values())) == 2, "three at tables for two: one plays with a bot"
    page = school.teacher.go(school.page).words
    assert "Table 1" in page
    assert "Table 2" in page
    late = school.come("Max")
    assert "Wait here" in late.page.words
    school.seat("memoarrrr 2")
    assert school.table_of("Max")
    assert {name: school.table_of(name) for name in tables} == tables, "nobody who plays is moved"


@pytest.mark.parametrize(("game", "tables"), [("memoarrrr 2", 12), ("matryoshka 4", 6), ("babuschka 4", 6)])
def test_twenty_four_pupils_are_seated_at_once(site, school, game, tables):
    names = [f"Pupil {number}" for number in range(1, 25)]
    group = School(site, school.teacher, names)
    for name in names:
        group.come(name)
    page = group.seat(game)
    assert "24 of 24 are here" in page.words
    assert len({group.table_of(name) for name in names} - {None}) == tables


def test_a_pupil_can_play(school):
    pupil = school.come("Mia")
    school.seat("memoarrrr 2")
    table = school.table_of("Mia")
    for _ in range(6):
        pupil.move(random.Random(1))
        pupil.go(f"/table/{table}")
    assert len(entries_of(school.site, table, "move")) > 3


def test_a_name_is_one_pupil_s(school):
    school.come("Mia")
    other = Visitor(school.site)
    other.go("/class")
    other.send("/class", code=school.code.lower())
    assert "disabled" in re.search(r'<button name="name" value="Mia"[^>]*>', other.page.html)[0]
    other.send("/come", name="Mia")
    assert other.status == 409
    school.do("free", name="Mia")
    other.go(school.page)
    other.send("/come", name="Mia")
    assert "Hello, Mia!" in other.page.words


def test_who_has_lost_their_cookies_has_their_chair_again_if_the_teacher_says_so(school):
    before = school.come("Mia")
    school.seat("memoarrrr 2")
    table = school.table_of("Mia")
    page = school.teacher.go(school.page)
    assert "Back again" in page.words
    school.do("expect", name="Mia")
    assert "may choose the name again" in school.teacher.go(school.page).words
    fresh = Visitor(school.site)
    fresh.go("/class")
    fresh.send("/class", code=school.code)
    fresh.send("/come", name="Mia")
    assert fresh.address.startswith(f"/table/{table}")
    assert 'data-seat="0"' in fresh.page.html
    assert 'data-seat="0"' not in (before.go(f"/table/{table}").html or ""), "the device before is a stranger's"
    other = Visitor(school.site)
    other.go(school.page)
    other.send("/come", name="Mia")
    assert other.status == 409, "once is once"
    assert "may choose the name again" not in school.teacher.go(school.page).words


def test_a_class_plays_with_clocks_if_the_teacher_wants_them(school):
    for name in ("Mia", "Ben"):
        school.come(name)
    page = school.teacher.go(school.page)
    assert 'label="Memoarrrr! · from 6 years · 15 min"' in page.html
    assert "by post" not in page.words
    school.do("seat", game="memoarrrr 2", level="easy", time="10+10")
    (opening,) = entries_of(school.site, school.table_of("Mia"), "open")
    assert opening.data["settings"]["time"] == "10+10"
    school.do("seat", game="memoarrrr 2", level="easy", time="a year")
    assert 400 <= school.teacher.status < 500


def test_who_has_chosen_the_wrong_name_gives_it_back(school):
    pupil = school.come("Mia")
    pupil.send("/leave")
    assert "What is your name?" in pupil.page.words
    pupil.send("/come", name="Ben")
    assert "Hello, Ben!" in pupil.page.words


def test_a_printed_link_takes_the_chair_to_another_device(school):
    school.come("Mia")
    school.seat()
    table = school.table_of("Mia")
    page = school.teacher.go(f"{school.page}/links")
    links = re.findall(rf"{school.page}/come/[0-9a-f]{{40}}", page.html)
    assert len(links) == len(NAMES)
    tablet = Visitor(school.site)
    tablet.go(links[0])
    assert "Hello, Mia!" in tablet.page.words
    tablet.send(links[0])
    assert tablet.address == f"/table/{table}"
    assert 'data-seat="0"' in tablet.page.html
    school.pupils["Mia"].go(f"/table/{table}")
    assert 'data-seat="0"' not in school.pupils["Mia"].page.html


def test_a_pupil_sees_nobody_outside_the_class(school):
    outside = open_table(school.site, school.teacher)
    school.come("Mia")
    school.seat()
    pupil, table = school.pupils["Mia"], school.table_of("Mia")
    for path in ("/", "/players", "/tables", "/today", "/club", "/puzzles", "/me", "/family", "/owner", "/class/new"):
        pupil.go(path)
        assert pupil.address == f"/table/{table}", path  # led back
    for path in (f"/table/{outside}", f"/live?table={outside}"):
        assert pupil.client.get(path, follow_redirects=False).headers["location"] == school.page, path
    pupil.go("/class/AAAAAAAAAAAA")
    assert pupil.address == f"/table/{table}"
    assert pupil.client.get("/api/tables").status_code == 403
    assert "site-menu" not in pupil.go(f"/table/{table}").html


def open_table(site, visitor):
    visitor.go("/new/memoarrrr?seats=2")
    visitor.send("/new/memoarrrr", name="Ms Rose", open="on")
    assert visitor.address.startswith("/table/")
    return visitor.address.rpartition("/")[2]


def test_nobody_outside_sees_the_class(school):
    pupil = school.come("Mia")
    school.seat()
    table = school.table_of("Mia")
    stranger = Visitor(school.site)
    is_open = school.site.app.state.entry.is_open
    for path in (f"/table/{table}", f"/record/{table}", f"/table/{table}/podium.svg"):
        stranger.go(path)
        assert stranger.status == (404 if is_open else 403), path
    assert school.site.get(f"/api/tables/{table}").status_code == (404 if is_open else 403)
    assert table not in stranger.go("/").html
    assert "Mia" not in stranger.go("/players").html
    assert pupil.go(f"/table/{table}").words


def test_a_pupil_has_no_part_in_what_the_teacher_does(school):
    pupil = school.come("Mia")
    for what in ("seat", "move", "pause", "end", "begin", "free", "expect", "names", "delete"):
        post(pupil, f"{school.page}/{what}", game="memoarrrr 2", name="Mia", names="Boris\nEva", on="yes")
        assert pupil.status == 404, what
        pupil.go(school.page)
    for page in ("wall", "links", "names"):
        pupil.go(f"{school.page}/{page}")
        assert pupil.status == 404, page
        pupil.go(school.page)
    assert "1 of 6 are here" in school.teacher.go(school.page).words


def test_in_a_class_there_are_ready_phrases_only(school):
    pupil = school.come("Mia")
    school.seat()
    table = school.table_of("Mia")
    assert 'id="say"' not in pupil.page.html
    post(pupil, f"/table/{table}/say", text="Give me your lunch")
    assert pupil.status == 403
    pupil.go(f"/table/{table}")
    post(pupil, f"/table/{table}/name", name="Rude")
    assert pupil.status == 403
    pupil.go(f"/table/{table}")
    post(pupil, f"/table/{table}/say", phrase="Well played!")
    assert "Well played!" in pupil.page.text
    assert [line.data["text"] for line in entries_of(school.site, table, "say")] == ["Well played!"]


def test_a_pause_holds_everything_and_everybody_sees_it(school):
    for name in NAMES:
        school.come(name)
    school.seat("memoarrrr 2")
    school.do("pause", on="yes")
    for name in NAMES:
        table = school.table_of(name)
        pupil = school.pupils[name]
        assert "Pause. It goes on when your teacher says so" in pupil.page.words
        assert not re.search(r'<button[^>]* name="move"', pupil.page.html)
        post(pupil, f"/table/{table}/move", move="1", ply="0")
        assert pupil.status == 409
    count = len(entries_of(school.site, table, "move"))
    school.do("pause", on="")
    pupil = school.pupils[name]
    assert "Pause." not in pupil.go(f"/table/{table}").words
    assert [line.data for line in entries_of(school.site, table, "pause")] == [{}, {"ends": True}]
    assert len(entries_of(school.site, table, "move")) >= count


def test_a_table_that_begins_in_a_pause_is_paused(school):
    school.come("Mia")
    school.do("pause", on="yes")
    school.seat()
    table = school.table_of("Mia")
    assert entries_of(school.site, table, "pause")


def test_a_pupil_is_moved_and_bots_fill_both_tables(school):
    for name in ("Mia", "Ben", "Ida"):
        school.come(name)
    school.seat("memoarrrr 2")
    tables = {name: school.table_of(name) for name in ("Mia", "Ben", "Ida")}
    alone = next(name for name in tables if list(tables.values()).count(tables[name]) == 1)
    moved = next(name for name in tables if name != alone)
    school.do("move", pupil=moved, table=tables[alone])
    assert school.teacher.status == 200
    assert school.table_of(moved) == tables[alone]
    assert moved in school.pupils[alone].go(f"/table/{tables[alone]}").words
    old = next(name for name in tables if name not in (alone, moved))
    assert moved not in re.findall(r"<strong>([^<]+)</strong>", school.pupils[old].go(f"/table/{tables[old]}").html)
    school.do("move", pupil=old, table=tables[alone])
    assert school.teacher.status == 409, "no bot is left there"
    school.do("move", pupil=moved, table="")
    assert school.table_of(moved) not in tables.values()


def test_the_teacher_sees_every_table_and_no_hand(school):
    school.come("Mia")
    school.seat()
    table = school.table_of("Mia")
    page = school.teacher.go(f"/table/{table}")
    assert school.teacher.status == 200
    assert "data-seat" not in page.html.split("<form")[0]


def test_when_the_lesson_ends_all_tables_are_closed_and_pupils_are_strangers(school):
    pupil = school.come("Mia")
    school.seat()
    table = school.table_of("Mia")
    school.do("end")
    assert "The lesson is over" in school.teacher.page.words
    pupil.go(f"/table/{table}")
    assert pupil.status in (403, 410)
    pupil.go("/class")
    assert pupil.status == 200
    pupil.send("/class", code=school.code)
    assert pupil.status == 404
    school.do("begin")
    school.come("Mia")
    assert "1 of 6 are here" in school.teacher.go(school.page).words


def test_a_deleted_class_leaves_no_name(school):
    school.come("Mia")
    school.do("delete")
    school.teacher.go(school.page)
    assert school.teacher.status == 404
    rows = call(school.site, lambda: school.site.app.state.tables.store.all(text("SELECT data FROM series")))
    assert not [row for row in rows if "Mia" in row.data]


def test_names_can_be_changed_while_others_play(school):
    for name in ("Mia", "Ben"):
        school.come(name)
    school.seat()
    table = school.table_of("Mia")
    school.do("names", names="Mia\nZoe\nEva")
    assert school.table_of("Mia") == table
    school.pupils["Ben"].go("/class")
    assert "Come to your class" in school.pupils["Ben"].page.words
    assert "Zoe" in school.teacher.go(school.page).words


def test_the_class_plays_again_and_stays_a_class(school):
    tables = school.site.app.state.tables
    school.come("Mia")
    school.come("Ben")
    school.seat("memoarrrr 2")
    table = school.table_of("Mia")
    again = call(school.site, lambda: _over_and_again(tables, table))
    assert again.of_class == school.id
    assert school.table_of("Mia") == again.id


async def _over_and_again(tables, table_id):
    while (table := await tables.look(table_id)).status == "playing":
        seat = table.actors[0]
        move = random.Random(table.revision).choice(table.playing.legal(seat))
        await tables.move(table_id, lambda table, seat=seat: seat, move, table.revision)
    done = await tables.play_again(table_id, lambda table: 0)
    return await tables.look(done.again)


def test_a_wrong_code_opens_nothing(school):
    for code in ("", "CDF HJK", "x" * 300):
        stranger = Visitor(school.site)
        stranger.go("/class")
        stranger.send("/class", code=code)
        assert stranger.status == 404, code


def test_entries_are_read_as_they_were_written():
    assert Pause() == Pause(ends=False)
    assert Mute(seat=0, whom=1).ends is False
