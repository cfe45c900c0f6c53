"""Reviews on the site: made one after the other in a process of their own, kept, and told to those who may see the
record, once it is over."""

import asyncio
import base64
import html
import json
import os
import re
import signal
import threading
import time
import zlib

import msgspec
import pytest

from samovar.engine.face import BrowserFace
from samovar.engine.match import Match
from samovar.engine.records.digest import digest_of
from samovar.insight.moments import moment_of
from samovar.insight.review import ChosenMove
from samovar.insight.written import WrittenMoment, WrittenReview
from samovar.processes import AFTER_PEOPLE, AsyncChild, Lost
from samovar.web import problems
from samovar.web.drawing.render import draw_table
from samovar.web.drawing.scene import BETTER, BOTH, MADE, MarkedMoves, make_scene
from samovar.web.jobs import review_worker, reviews
from samovar.web.jobs.review_worker import Begin, GoOn, ReviewReply
from samovar.web.jobs.reviews import Reviews, packed, slot_of, unpacked
from samovar.web.names import Person
from samovar.web.pages import review as review_page
from samovar.web.store.store import Store
from support.records import PLAYED, THROWN, played, record_of, send
from support.reviews import Here, make_hasty
from support.visitors import Visitor, running
from support.waiting import wait_until


@pytest.fixture(scope="module")
def hasty():
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_hasty(monkeypatch)
        yield monkeypatch


@pytest.fixture(scope="module")
def sites(tmp_path_factory, hasty):
    hasty.setattr(reviews, "AsyncChild", Here)
    with running(tmp_path_factory.mktemp("reviews")) as client:
        yield client


@pytest.fixture
def site(sites):
    """One for all tests, where nobody has asked for anything yet."""
    wait_until(lambda: not sites.app.state.reviews._queue.jobs)
    Here.gate, Here.asked = None, []
    return sites


def kept(site, record):
    return f"/record/{site.blocking_portal.call(site.app.state.tables.keep_record, record)}/review"


def ready(visitor, address):
    """The page of a review once it is there."""
    wait_until(lambda: visitor.go(address) and "data-unfinished" not in visitor.page.html)
    return visitor.page


# The page


def test_an_uploaded_match_is_reviewed(site):
    Here.gate = threading.Semaphore(0)
    anna = Visitor(site)
    answer = send(anna, played(THROWN))
    assert f"{answer.url.path}/review" in answer.text
    page = anna.go(f"{answer.url.path}/review")
    assert "All is made ready." in page.words
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page.html
    Here.gate.release(100)
    page = ready(anna, f"{answer.url.path}/review")
    assert anna.status == 200
    assert "http-equiv" not in page.html
    assert "unfinished.js" not in page.html
    assert re.findall(r"<h2[^>]*>([^<]+)<", page.html) == [
        "The moments that decided it",
        *(["Played well"] if "Well found" in page.words else []),
        "Who wins, move by move",
        "Choices",
        "Who wins, move by move",
    ], "in a game without chance nobody speaks of luck"
    assert page.html.count("<polyline") == 2
    rows = re.findall(r'<tr><th scope="row">(\w+)</th>((?:<td>[^<]*</td>)+)</tr>', page.html)
    players = {name: re.findall("<td>([^<]*)", cells) for name, cells in rows if not name.isdigit()}
    assert {name: cells[-1] for name, cells in players.items()} == {"Anna": "0 %", "Boris": "100 %"}
    for cells in players.values():
        start, choices, luck, result = (int(re.match(r"[+-]?\d+", cell.replace("−", "-"))[0]) for cell in cells)
        assert abs(start + choices + luck - result) <= 2, "each is rounded"
    assert len([name for name, _ in rows if name.isdigit()]) == 5, "the deal and every move, for those who listen"


def one_moment(match, ply):
    """A review of a match with one moment, which cost a quarter."""
    seat, move = match.history[ply]
    best = next(other for other in match.at(ply).legal(seat) if other != move)
    choice = ChosenMove(ply, seat, move, best, 0.5, 0.25, 0.01, 0.0)
    moment = moment_of(match, choice)
    last = (1.0, *[0.0] * (match.seats - 1))
    shares = (*[(0.5,) * match.seats] * len(match.history), last)
    return WrittenReview(
        tuple(match.history),
        shares,
        (choice,),
        last,
        (0.0,) * match.seats,
        1.0,
        (WrittenMoment(choice, moment.made, moment.better, moment.hidden),),
    )


def test_a_moment_is_drawn_from_the_eyes_of_its_player_and_leads_into_the_match(site, monkeypatch):
    """What is hidden from that player is not in the picture; what was true is said apart."""
    match = Match("memoarrrr", 2, 3, plain=True)
    match.play_random(4)
    ply = 3
    seat = match.history[ply][0]
    found = one_moment(match, ply)

    async def answer_to(self, order):
        return ReviewReply(found, is_done=True)

    monkeypatch.setattr(Reviews, "_answer_to", answer_to)
    address = kept(site, match.record({"names": ["Anna", "Boris"]}))
    name = ("Anna", "Boris")[seat]
    for language, title in (("en", f"Move 4, {name}: 25 of 100 lost"), ("de", f"Zug 4, {name}: 25")):
        page = ready(Visitor(site, language), address)
        assert title in page.words
    page = ready(Visitor(site), address)
    figure = re.search(r"<figure.*?</figure>", page.html, re.DOTALL)[0]
    assert f"What {name} saw and could remember." in figure
    assert f'href="/record/{address.split("/")[2]}?at={ply}&amp;eyes={seat}"' in page.html
    at = match.at(ply)
    drawn = draw_table(make_scene(at, seat, "en", PEOPLE, helps_memory=True, marked=marked(at, found.moments[0])))
    assert re.findall("memoarrrr-[a-z-]+", drawn) == re.findall("memoarrrr-[a-z-]+", figure)
    assert "What was true" in page.words


def marked(match, moment):
    return {
        match.move_text(moment.choice.seat, moment.choice.move): MADE,
        match.move_text(moment.choice.seat, moment.choice.best): BETTER,
    }


PEOPLE = (Person("Anna"), Person("Boris"), Person("Clara"))
GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud", "connect_four")


@pytest.mark.parametrize("game", GAMES)
def test_both_moves_are_marked_on_every_board_and_nothing_can_be_clicked(game):
    """Each mark has a word, so that nobody has to know the colours."""
    match = Match(game, seed=3, plain=True)
    match.play_random(1, limit=6)
    seat = match.actors[0]
    moves = [match.move_text(seat, move) for move in match.legal(seat)]
    made, better = moves[0], moves[-1]
    drawn = draw_table(make_scene(match, seat, "en", PEOPLE, marked={made: MADE, better: BETTER}))
    assert re.search(r'class="[^"]*hinted is-made', drawn)
    assert re.search(r'class="[^"]*hinted is-better', drawn)
    assert '<span class="mark-word">played</span>' in drawn
    assert '<span class="mark-word">better</span>' in drawn
    assert '<button class="spot' not in drawn
    assert "data-pick" not in drawn


def test_a_step_that_belongs_to_both_moves_says_so():
    match = Match("babuschka", 2, 3, plain=True)
    seat = match.actors[0]
    moves = [match.move_text(seat, move) for move in match.legal(seat)]
    start = moves[0].split("-")[0]
    made, better = [text for text in moves if text.startswith(f"{start}-")][:2]
    marks = make_scene(match, seat, "en", PEOPLE, marked={made: MADE, better: BETTER}).choices
    assert {choice.name: choice.hinted for choice in marks} == {
        start: BOTH, made.split("-")[1]: MADE, better.split("-")[1]: BETTER,
    }  # fmt: skip
    assert not marks, "nothing is asked"


def marks_of(*moves):
    """Of a game whose moves are steps with a dash between them."""
    face = BrowserFace(steps=lambda view, text: tuple(text.split("-")))
    return MarkedMoves(face, None, {}, dict(zip(moves, (MADE, BETTER), strict=False)))


def test_an_arrow_leads_from_each_step_of_a_move_to_the_next():
    assert marks_of("a-b-c", "a-b-d").hops == {("a", "b"): BOTH, ("b", "c"): MADE, ("b", "d"): BETTER}
    assert marks_of("a", "b").hops == {}, "nothing to lead to"


def test_arrows_have_the_marks_of_their_moves_and_no_style_of_their_own():
    match = Match("babuschka", 2, 3, plain=True)
    seat = match.actors[0]
    moves = [match.move_text(seat, move) for move in match.legal(seat)]
    made, better = moves[0], moves[-1]
    drawn = draw_table(make_scene(match, seat, "en", PEOPLE, marked={made: MADE, better: BETTER}))
    arrows = re.search(r'<svg class="arrows" aria-hidden="true".*?</svg>', drawn, re.DOTALL)[0]
    for kind, text in (("is-made", made), ("is-better", better)):
        start, end = text.split("-")
        assert f'<g class="{kind}" data-start="{start}" data-end="{end}">' in arrows
        assert f'data-mark="{start}"' in drawn
    assert "style=" not in arrows
    assert "arrows" not in draw_table(make_scene(match, seat, "en", PEOPLE)), "what can be chosen has none"


@pytest.mark.parametrize("seat", [0, 1])
def test_a_readers_own_moments_come_first_one_at_a_time(site, seat, monkeypatch):
    match = connect_four("aabbccg")
    found = [one_moment(match, ply).moments[0] for ply in (6, 5, 4, 1)]
    review = WrittenReview(
        tuple(match.history), ((0.5, 0.5),) * 8, tuple(one.choice for one in found), (1.0, 0.0), (0.0, 0.0), 1.0,
        tuple(found), like=(("hard",), ("easy", "medium")),
    )  # fmt: skip

    async def answer_to(self, order):
        return ReviewReply(review, is_done=True)

    async def sits(visit, record_id):
        return seat

    monkeypatch.setattr(Reviews, "_answer_to", answer_to)
    monkeypatch.setattr(review_page, "seat_of", sits)
    address = kept(site, match.record({"names": ["Anna", "Boris"], "resigned": [1]}))
    page = ready(Visitor(site), address)
    own, others = [(5, 7), (2, 6)][:: 1 if seat == 0 else -1]
    assert f"Your move {own[0]}: 25 of 100 lost" in page.words
    assert f"You played {('like hard', 'between easy and medium')[seat]}, by what" in page.words
    assert page.html.count("<figure") == 1
    again = Visitor(site).go(f"{address}?moment=2")
    assert f"Your move {own[1]}: 25 of 100 lost" in again.words
    last = Visitor(site).go(f"{address}?moment=3")
    assert "Your move" not in last.words
    assert f"Move {min(others)}," in last.words
    for nonsense in ("moment=0", "moment=4", "moment=x", "moment=²", "choice=0", "choice=x"):
        assert f"Your move {own[0]}:" in Visitor(site).go(f"{address}?{nonsense}").words


def test_a_choice_that_is_tried_again_leads_back_to_its_moment(site, monkeypatch):
    match = connect_four("aabbccg")
    found = [one_moment(match, ply).moments[0] for ply in (6, 5)]
    review = WrittenReview(
        tuple(match.history), ((0.5, 0.5),) * 8, tuple(one.choice for one in found), (1.0, 0.0), (0.0, 0.0), 1.0,
        tuple(found),
    )  # fmt: skip

    async def answer_to(self, order):
        return ReviewReply(review, is_done=True)

    monkeypatch.setattr(Reviews, "_answer_to", answer_to)
    address = kept(site, match.record({"names": ["Anna", "Boris"], "resigned": [1]}))
    ready(Visitor(site), address)
    titles = set()
    for number in (1, 2):
        visitor = Visitor(site)
        title = re.search("<h3>.*?</h3>", visitor.go(f"{address}?moment={number}").html)[0]
        visitor.go(re.search(r'href="(/record/[^"]*/puzzle/\d+)"', visitor.page.html)[1])
        back = re.search(r'href="([^"]*)">Back to the review', visitor.page.html)[1]
        assert re.search("<h3>.*?</h3>", visitor.go(back).html)[0] == title
        titles.add(title)
    assert len(titles) == 2


def stepping(site, monkeypatch, found, match):
    async def answer_to(self, order):
        return ReviewReply(found, is_done=True)

    monkeypatch.setattr(Reviews, "_answer_to", answer_to)
    address = kept(site, match.record({"names": ["Anna", "Boris"]}))
    ready(Visitor(site), address)

    def step(query):
        page = Visitor(site).go(f"{address}{query}")
        return re.search(r"<figure.*?</figure>", page.html, re.DOTALL)[0], page

    return step


def test_both_lines_can_be_stepped_through(site, monkeypatch):
    """What was played, and what would have come of the better move; each from the eyes of its player."""
    match = Match("memoarrrr", 2, 3, plain=True)
    match.play_random(4)
    seat, move = match.history[5]
    found = one_moment(match, 5)
    best = found.choices[0].best
    moment = msgspec.structs.replace(found.moments[0], line=((seat, best),))
    step = stepping(site, monkeypatch, msgspec.structs.replace(found, moments=(moment,)), match)
    choice, page = step("")
    assert "is-made" in choice
    assert page.html.count("line=made&amp;step=") == page.html.count("line=better&amp;step=") == 1
    for name, after in (("made", move), ("better", best)):
        stepped, _ = step(f"?moment=1&line={name}&step=1")
        assert "is-made" not in stepped
        there = match.at(5)
        there.play(seat, after)
        scene = make_scene(there, seat, "en", PEOPLE, may_move=False, helps_memory=True)
        for event in there.news(seat):
            assert html.escape(scene.tell(event), quote=False) in html.unescape(stepped).replace("&", "&amp;")
    for nonsense in ("?line=made&step=2", "?line=other&step=1", "?step=1", "?line=better&step=x"):
        assert "is-made" in step(nonsense)[0]


def test_a_review_that_was_kept_before_is_shown_as_well_as_it_can_be(site, monkeypatch):
    """Without lines, finds and chances to win: it was written when there were none."""
    match = Match("memoarrrr", 3, 3, plain=True)
    match.play_random(4)
    new = msgspec.to_builtins(one_moment(match, 5))
    old = {name: value for name, value in new.items() if name not in ("wins", "finds")}
    old["moments"] = [moment[:4] for moment in new["moments"]]
    found = unpacked("a", f"a {base64.b64encode(zlib.compress(msgspec.json.encode(old))).decode()}")
    step = stepping(site, monkeypatch, found, match)
    drawn, page = step("")
    assert "is-made" in drawn
    assert "What came of it" not in page.words
    rows = re.findall(r'<tr><th scope="row">\d+</th>((?:<td>[^<]*</td>)+)</tr>', page.html)
    assert {sum(map(int, re.findall(r"(\d+) %", row))) for row in rows} <= {99, 100, 101}


def connect_four(moves):
    match = Match("connect_four", seed=1, first=0, plain=True)
    for column in moves:
        match.play(match.actors[0], column)
    return match


def test_the_dashes_of_a_curve_are_the_same_on_the_site_and_on_a_page_of_its_own(site):
    from samovar.insight.page import template

    style = site.get("/static/chances.css").text
    assert style.count("stroke-dasharray") == 4
    assert style in template().globals["own_style"]


def test_our_script_gets_the_part_that_changes(site):
    address = kept(site, played())
    ready(Visitor(site), address)
    told = Visitor(site).client.get(address, headers={"x-samovar-parts": "1"}).json()
    assert [*told["parts"]] == ["review"]
    assert told["title"] == "Review: Connect Four · Samovar"
    assert "<polyline" in told["parts"]["review"]


def test_who_has_no_name_is_called_player(site):
    page = ready(Visitor(site), kept(site, played(names=None)))
    assert "Player 1 and Player 2" in page.words


def test_programs_get_it_as_json_and_wait_for_it(site):
    record_id = kept(site, played()).split("/")[2]
    answers = []

    def is_done():
        answers.append(site.get(f"/api/tables/{record_id}/review").json())
        return answers[-1]["done"] == 1

    wait_until(is_done)
    assert [*answers[0]] == ["done"] or answers[0]["done"] == 1
    assert answers[-1]["names"] == ["Anna", "Boris"]
    assert answers[-1]["players"][0]["result"] == 1


# Only what is over


def refused(site, record, status, words):
    visitor = Visitor(site)
    page = visitor.go(kept(site, record))
    assert (visitor.status, words in page.words) == (status, True), page.words
    api = site.get(f"/api/tables/{visitor.address.split('/')[2]}/review")
    assert api.status_code == status
    assert Here.asked == []
    return visitor.go(visitor.address.removesuffix("/review"))


def test_a_match_that_is_not_over_has_no_review(site):
    page = refused(site, record_of(6), 409, "only a game that was played to its end or given up has one")
    assert "Review this game" not in page.words


def test_a_match_without_a_move_has_no_review(site):
    match = Match("connect_four", 2, 1, plain=True)
    refused(site, match.record({"names": ["Anna", "Boris"], "resigned": [1]}), 409, "nothing to review")


@pytest.mark.parametrize("changes", [{"rules": 999}, {"game": "checkers"}])
def test_a_match_by_rules_that_are_not_here_has_no_review(site, changes):
    record = {**played(), **changes}
    page = refused(site, {**record, "digest": digest_of(record)}, 410, "rules that have changed")
    assert "Review this game" not in page.words


def test_a_match_that_was_given_up_has_a_review(site):
    record = played("aabbc", resigned=[0])
    page = ready(Visitor(site), kept(site, record))
    rows = dict(re.findall(r'<tr><th scope="row">([A-Z]\w+)</th>.*?<td>([^<]*)</td></tr>', page.html))
    assert rows == {"Anna": "0 %", "Boris": "100 %"}


def test_a_record_that_does_not_replay_has_no_review(site):
    assert send(Visitor(site), {**played(), "state": "0" * 64}).status_code == 422
    assert Visitor(site).client.get("/record/nothing-here/review").status_code == 404


def test_what_is_played_has_no_review_until_it_is_over(site):
    made = site.post(
        "/api/tables", json={"game": "connect_four", "chairs": ["token", "token"], "options": {"first": 0}}
    ).json()
    seats = made["tokens"]
    address = f"/table/{made['table']}"

    def review():
        return [
            site.get(f"/record/{made['table']}/review").status_code,
            site.get(f"/api/tables/{made['table']}/review").status_code,
        ]

    for column in PLAYED:
        assert review() == [403, 403]
        look = site.get(f"/api/tables/{made['table']}").json()
        seat = look["actors"][0]
        site.post(
            f"/api/tables/{made['table']}/moves",
            json={"move": column, "revision": look["revision"]},
            headers={"authorization": f"Bearer {seats[seat]}"},
        ).raise_for_status()
    assert Here.asked == []
    visitor = Visitor(site)
    assert f"/record/{made['table']}/review" in {link.get("href") for link in visitor.go(address).links}
    ready(visitor, f"/record/{made['table']}/review")
    assert visitor.status == 200


# One after the other


class Line:
    """Reviews without a site, with a process that answers when it is told to."""

    def __init__(self, store):
        self.reviews = Reviews(store)
        self.began = []
        self.let_through = asyncio.Semaphore(0)
        self.reviews._answer_to = self.answer_to
        self.is_lost = False

    async def answer_to(self, order):
        if isinstance(order, Begin):
            self.began.append(order.record["name"])
        await self.let_through.acquire()
        if self.is_lost:
            raise Lost("was ended")
        return ReviewReply(WrittenReview((), (), (), (), (), 1.0), is_done=isinstance(order, GoOn))

    async def ask(self, name, address):
        async def record():
            return {"name": name}

        return await self.reviews.look(name, address, record)

    async def wait_for(self, name, address):
        async with asyncio.timeout(20):
            while not (progress := await self.ask(name, address)).is_done:
                await asyncio.sleep(0.01)
        return progress


def in_line(tmp_path, do):
    async def run():
        store = Store(f"sqlite:///{tmp_path}/samovar.db")
        await store.open()
        line = Line(store)
        try:
            async with asyncio.timeout(60):
                await do(line)
        finally:
            await line.reviews.close()
            await store.close()

    asyncio.run(run())


def test_one_is_made_at_a_time_and_everybody_has_one_in_the_line(tmp_path, hasty):
    async def do(line):
        first = await line.ask("one", "10.0.0.1")
        assert (first.review, first.before) == (None, 0)
        assert (await line.ask("two", "10.0.0.2")).before == 1
        with pytest.raises(problems.OneReviewAtATime):
            await line.ask("three", "10.0.0.1")
        await line.ask("one", "10.0.0.3")  # the same for all who look at it
        assert (await line.ask("three", "10.0.0.3")).before == 2
        line.let_through.release()
        await asyncio.sleep(0.05)
        assert (await line.ask("one", "10.0.0.1")).review is not None, "first results before the last"
        assert line.began == ["one"]
        line.let_through.release()
        await line.wait_for("one", "10.0.0.1")
        for _ in range(4):
            line.let_through.release()
        await line.wait_for("three", "10.0.0.1")
        assert line.began == ["one", "two", "three"]

    in_line(tmp_path, do)


def test_the_line_is_not_endless(tmp_path, hasty, monkeypatch):
    monkeypatch.setattr(reviews, "MOST_WAITING", 3)

    async def do(line):
        for number in range(3):
            await line.ask(f"{number}", f"10.0.0.{number}")
        with pytest.raises(problems.TooManyReviews):
            await line.ask("3", "10.0.0.3")

    in_line(tmp_path, do)


def test_what_nobody_waits_for_is_not_begun(tmp_path, hasty, monkeypatch):
    monkeypatch.setattr(reviews, "GONE_SECONDS", 0.1)

    async def do(line):
        await line.ask("one", "10.0.0.1")
        await line.ask("left", "10.0.0.2")
        await asyncio.sleep(0.3)
        line.let_through.release()
        line.let_through.release()
        await line.wait_for("one", "10.0.0.1")
        await asyncio.sleep(0.05)
        assert line.began == ["one"]
        assert not line.reviews._queue.jobs

    in_line(tmp_path, do)


def test_one_that_fails_is_told_of_and_tried_again_later(tmp_path, hasty, monkeypatch):
    async def do(line):
        line.is_lost = True
        line.let_through.release()
        await line.ask("one", "10.0.0.1")
        await asyncio.sleep(0.05)
        for _ in range(2):
            with pytest.raises(problems.TooLongToReview):
                await line.ask("one", "10.0.0.2")
        assert line.began == ["one"]
        monkeypatch.setattr(reviews, "FAILED_SECONDS", 0.0)
        line.is_lost = False
        line.let_through.release()
        line.let_through.release()
        await line.wait_for("one", "10.0.0.1")

    in_line(tmp_path, do)


def test_one_that_takes_too_long_makes_room_for_the_next(tmp_path, hasty, monkeypatch):
    monkeypatch.setattr(reviews, "MOST_SECONDS", 0.1)

    async def do(line):
        await line.ask("one", "10.0.0.1")
        await asyncio.sleep(0.3)
        with pytest.raises(problems.TooLongToReview):
            await line.ask("one", "10.0.0.1")
        line.let_through.release()
        line.let_through.release()
        await line.wait_for("two", "10.0.0.1")

    in_line(tmp_path, do)


def test_what_was_made_is_kept_in_memory_and_in_the_database(tmp_path, hasty, monkeypatch):
    monkeypatch.setattr(reviews, "MOST_KEPT", 2)

    async def do(line):
        for number in range(3):
            line.let_through.release()
            line.let_through.release()
            await line.wait_for(f"{number}", "10.0.0.1")
        assert [*line.reviews._kept._things] == ["1", "2"]
        async with asyncio.timeout(20):
            while not await line.reviews._recall("2"):  # it is written after it is told
                await asyncio.sleep(0.01)
        again = Line(line.reviews._store)
        for number in range(3):
            assert (await again.ask(f"{number}", "10.0.0.1")).is_done
        assert again.began == []
        await again.reviews.close()

    in_line(tmp_path, do)


def test_the_database_keeps_so_many_and_the_newest_takes_the_place_of_another(monkeypatch):
    monkeypatch.setattr(reviews, "MOST_STORED", 5)
    assert len({slot_of(f"record {number}") for number in range(100)}) == 5
    found = WrittenReview((), ((0.5,),), (), (1.0,), (0.0,), 1.0)
    assert unpacked("one", packed("one", found)) == found
    assert unpacked("two", packed("one", found)) is None
    assert unpacked("one", "one nonsense") is None


def test_nobodys_name_is_kept_in_a_review(hasty):
    match = Match.arranged("connect_four", plain=True, first=0, moves=list(PLAYED[:4]))
    for column in PLAYED[4:]:
        match.play(match.actors[0], column)
    maker = review_worker.ReviewWorker()
    record = match.record({"names": ["Anna", "Boris"]})
    line = json.dumps({"type": "Begin", "record": record, "seconds": 0}).encode()
    while not (reply := json.loads(maker.answer(line))).get("is_done"):
        line = b'{"type": "GoOn"}'
    assert reply["review"]["history"] == [list(move) for move in match.history]
    assert "Anna" not in json.dumps(reply)


# In a process of its own


@pytest.mark.slow
def test_the_process_makes_a_review_is_killed_and_makes_the_next(tmp_path, monkeypatch):
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    monkeypatch.setattr(reviews, "AsyncChild", AsyncChild)
    monkeypatch.setattr(reviews, "SECONDS", 0.0)
    with running(tmp_path) as client:
        address = kept(client, played(begin=6))
        visitor = Visitor(client)
        ready(visitor, address)
        assert visitor.status == 200
        process = client.app.state.reviews._queue.child._child._process
        assert os.getpriority(os.PRIO_PROCESS, process.pid) - os.getpriority(os.PRIO_PROCESS, 0) >= min(
            AFTER_PEOPLE, 19 - os.getpriority(os.PRIO_PROCESS, 0)
        )
        os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.1)
        other = ready(visitor, kept(client, played(THROWN, begin=6)))
        assert visitor.status == 200
        assert "Who wins, move by move" in other.words
