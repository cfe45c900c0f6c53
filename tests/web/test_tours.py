"""Looking at a record together: who leads shows a moment, others follow or look around; all answer a question
secretly, and what they answered is shown beside the best move."""

import json
import re
from contextlib import ExitStack

import httpx
import pytest

from samovar.engine.match import Match
from samovar.engine.records.record import replay
from samovar.engine.registry import find_game
from samovar.teach.puzzles import puzzles_of
from samovar.web import problems
from samovar.web.drawing.scene import both, choosers, chosen_by
from samovar.web.people.tours import MOST_AT_ONCE, MOST_OWN_MARKS, MOST_OWN_NOTES, MOST_PEOPLE, Tour, TourMember
from support.classes import School, post
from support.records import send
from support.tables import call
from support.visitors import Page, Visitor, running
from support.wire import listening

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("tours")) as client:
        yield client


def whole(game="memoarrrr", seed=5):
    match = Match(game, seed=seed, plain=True)
    match.play_random(1)
    return match


def begun(site, match=None, at=4, eyes="nobody"):
    """Lea, who leads through a record."""
    lea = Visitor(site)
    record = send(lea, (match or whole()).record()).url.path
    lea.go(f"{record}/together?at={at}&eyes={eyes}")
    lea.send("/together", name="Lea")
    assert lea.status == 200
    return lea


def come(site, lea, *names):
    """Others, by the link."""
    visitors = []
    for name in names:
        visitor = Visitor(site)
        visitor.go(lea.address)
        visitor.send("/come", name=name)
        assert visitor.status == 200, visitor.page.words
        visitors.append(visitor)
    return visitors


def tour_of(site, visitor):
    return call(site, site.app.state.tours.find, visitor.address.split("/")[2].partition("?")[0])[0]


def act(visitor, what, **facts):
    """Whether its page offers it or not."""
    here = "/".join(visitor.address.partition("?")[0].split("/")[:3])
    post(visitor, f"{here}/{what}", **facts)
    return visitor.status


def shown_at(visitor):
    return int(re.search(r"Move (\d+) of", visitor.go(visitor.address.partition("?")[0]).words)[1])


def test_others_follow_who_leads(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    assert shown_at(max_) == 4
    assert act(lea, "lead", at="7", eyes="0") == 200
    assert shown_at(max_) == 7
    assert "You follow Lea" in max_.page.words


def test_who_has_not_said_a_name_sees_nothing(site):
    lea = begun(site)
    stranger = Visitor(site)
    page = stranger.go(lea.address)
    assert "Come in" in page.words
    assert "data-part" not in page.html
    assert stranger.client.get(f"{lea.address}/live").text.startswith("event: gone")


def test_others_look_around_and_follow_again(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    max_.go(f"{lea.address}?at=2&eyes=open")
    assert "Move 2 of" in max_.page.words
    assert "look around by yourself" in max_.page.words
    assert tour_of(site, lea).at == 4
    assert shown_at(max_) == 4


def test_a_link_to_a_moment_leads_there_through_the_door(site):
    lea = begun(site)
    max_ = Visitor(site)
    max_.go(f"{lea.address}?at=3&eyes=0")
    max_.send("at=3&eyes=0", name="Max")
    assert "Move 3 of" in max_.page.words


def test_only_one_leads_and_can_hand_over(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    assert act(max_, "lead", at="9") == 403
    other = next(member for member in tour_of(site, lea).members if member.name == "Max")
    own = tour_of(site, lea).leader
    assert act(max_, "hand-over", whom=other.id) == 403
    assert act(lea, "hand-over", whom=other.id) == 200
    assert act(lea, "lead", at="9") == 403
    assert act(max_, "lead", at="9") == 200
    assert act(lea, "hand-over", whom=own) == 200, "who began it takes the lead back"
    assert tour_of(site, lea).leader == own


def test_who_led_and_leaves_leaves_somebody_who_leads(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    address = lea.address
    act(lea, "leave")
    assert act(max_, "lead", at="1") == 200
    act(max_, "leave")
    max_.go(address)
    assert max_.status == 404, "nobody is left"


def test_who_was_sent_away_stays_so(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    act(max_, "say", text="Boo")
    other = next(member for member in tour_of(site, lea).members if member.name == "Max")
    assert act(max_, "send-away", whom=tour_of(site, lea).leader) == 403
    assert act(lea, "send-away", whom=other.id) == 200
    assert "Boo" not in lea.page.words
    max_.go(lea.address)
    assert max_.status == 404
    assert act(max_, "come", name="Max") == 404


def test_thirty_come_and_no_more():
    tour = Tour("record", "lea", "0", [TourMember("0", "lea", "Lea")], 0, "open")
    for number in range(1, MOST_PEOPLE):
        tour = tour.join(f"person {number}", "Max")
    assert len({member.name for member in tour.members}) == MOST_PEOPLE
    with pytest.raises(problems.TourFull):
        tour.join("one more", "Ida")


# Talk


def test_who_has_muted_somebody_reads_none_of_their_remarks(site):
    lea = begun(site)
    max_, ida = come(site, lea, "Max", "Ida")
    act(max_, "say", text="Look at the fish")
    other = next(member for member in tour_of(site, lea).members if member.name == "Max")
    act(ida, "mute", whom=other.id)
    assert "fish" not in ida.go(lea.address).words
    assert "fish" in lea.go(lea.address).words
    act(ida, "unmute", whom=other.id)
    assert "fish" in ida.go(lea.address).words


def test_nobody_says_much_in_a_short_time(site):
    lea = begun(site)
    answers = [act(lea, "say", text=f"{number}") for number in range(MOST_AT_ONCE + 1)]
    assert answers == [*[200] * MOST_AT_ONCE, 429]
    assert act(lea, "say", text="   ") == 422


# Marks


def names_of(page):
    """Of the places on the board."""
    return re.findall(r'<option value="([^"]+)"', page.html.partition('name="start"')[2].partition("</select>")[0])


@pytest.mark.parametrize("game", GAMES)
def test_places_of_every_game_can_be_marked_by_name(site, game):
    lea = begun(site, whole(game))
    [max_] = come(site, lea, "Max")
    places = names_of(lea.page)
    start, end = places[0], places[1]
    lea.send("/mark", start=start, end=end)
    assert f'data-start="{start}" data-end="{end}"' in max_.go(lea.address).html
    lea.send("/mark", start=start, end=end)
    assert "data-start" not in max_.go(lea.address).html, "once more, and it goes"


def test_marks_are_on_places_that_are_there(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    assert act(max_, "mark", start='"><script>') == 422
    assert act(max_, "mark", start="a1", end="nonsense") == 422
    places = names_of(max_.go(lea.address))
    for place in places[:MOST_OWN_MARKS]:
        assert act(max_, "mark", start=place) == 200
    assert act(max_, "mark", start=places[MOST_OWN_MARKS]) == 409
    act(lea, "lead", at="5")
    assert tour_of(site, lea).marks == [], "they belong to the moment before"


# Questions


def asking(site, *names):
    """A position where somebody has a choice, asked of so many."""
    lea = begun(site)
    others = come(site, lea, *names)
    assert act(lea, "ask") == 200
    return lea, others


def moves_on(visitor):
    return [button["value"] for button in visitor.page.form("/answer")["buttons"] if button.get("name") == "move"]


def test_six_answer_a_position_and_all_see_how_many_chose_what(site):
    lea, others = asking(site, "Max", "Ida", "Mia", "Ben", "Tom", "Zoë")
    for visitor in others:
        visitor.go(lea.address)
    first, second = moves_on(others[0])[:2]
    for number, visitor in enumerate(others):
        visitor.send("/answer", move=first if number < 4 else second)
        assert "Your answer" in visitor.page.words
    others[0].send("/answer", move=second)  # on second thoughts
    assert "6 of 6 have answered" in lea.go(lea.address).words
    assert act(lea, "show") == 200
    question = tour_of(site, lea).question
    assert dict(question.counts) == {first: 3, second: 3}
    assert question.best
    for visitor in (lea, *others):
        page = visitor.go(lea.address)
        assert page.html.count('tour-count">3 ×') == 2
        assert "the best move" in page.words
        assert 'class="arrows"' in page.html or "mark-word" in page.html
    assert act(others[0], "answer", move=first) == 409, "what is shown stays"
    assert act(lea, "go-on") == 200
    assert tour_of(site, lea).question is None


def test_nothing_that_is_sent_depends_on_the_answers_before_they_are_shown(site):
    """Neither to those who follow, nor to who asks: who learns what, or whether, anybody has answered."""
    lea, [max_, ida] = asking(site, "Max", "Ida")
    before = [visitor.go(lea.address).html for visitor in (ida, lea)]
    max_.go(lea.address)
    first, second = moves_on(max_)[:2]
    max_.send("/answer", move=first)
    one = [visitor.go(lea.address).html for visitor in (ida, lea)]
    max_.send("/answer", move=second)
    other = [visitor.go(lea.address).html for visitor in (ida, lea)]
    assert plain(before[0]) == plain(one[0]) == plain(other[0])
    assert plain(one[1]) == plain(other[1])
    assert "1 of 2" in one[1]


def plain(html):
    return re.sub(r'name="_csrf_token" value="[^"]*"', "", html)


def test_while_something_is_asked_all_see_what_the_player_saw(site):
    """And nothing of what came after, or stands beside it; nobody says or marks what might be the answer."""
    lea = begun(site)
    max_, ida = come(site, lea, "Max", "Ida")
    record = tour_of(site, lea).record
    act(max_, "note", at="4", text="The fish is best")
    assert "The fish is best" in ida.go(lea.address).words
    act(lea, "ask")
    for query in ("", "?at=9&eyes=open"):
        page = ida.go(f"{lea.address}{query}")
        assert "fish" not in page.html
        assert "Move 4 of" in page.words
        assert record not in page.html
    assert act(max_, "say", text="Take the fish") == 409
    assert act(max_, "mark", start="a1") == 409
    assert act(max_, "note", at="4", text="Take it") == 409
    assert act(lea, "lead", at="5") == 409
    assert act(lea, "say", text="Think!") == 200
    assert act(lea, "answer", move=moves_on(ida)[0]) == 409
    assert act(max_, "answer", move="nonsense") == 422
    act(lea, "show")
    assert "The fish is best" in ida.go(lea.address).words


def test_a_puzzle_is_asked_and_its_best_move_is_known(site):
    puzzle = puzzles_of(find_game("memoarrrr"))[0]
    lea = Visitor(site)
    lea.go(f"/puzzles/memoarrrr/{puzzle.id}/together")
    lea.send("/together", name="Lea")
    act(lea, "ask")
    act(lea, "show")
    match = puzzle.match(plain=True)
    question = tour_of(site, lea).question
    assert question.best == match.move_text(match.actors[0], puzzle.best)
    assert question.share == puzzle.share


def test_what_several_moves_have_in_common_counts_for_all():
    best, other = chosen_by(3, is_best=True), chosen_by(2)
    assert choosers(best) == (3, True)
    assert choosers(both(best, other)) == (5, True)
    assert choosers(-2) == (0, False)


# Notes


def test_notes_stay_with_the_record(site):
    match = whole()
    lea = begun(site, match)
    act(lea, "note", at="4", text="Here it was lost.\nReally.")
    record = tour_of(site, lea).record
    reader = Visitor(site)
    assert "Here it was lost." in reader.go(f"/record/{record}?at=4").words
    assert "Here it was lost." not in reader.go(f"/record/{record}?at=5").words
    taken = reader.client.get(f"/record/{record}/download").json()
    assert taken["notes"] == [{"at": 4, "name": "Lea", "text": "Here it was lost.\nReally."}]
    assert replay(taken, plain=True).history == match.history
    elsewhere = send(reader, taken).url.path
    assert "Here it was lost." in reader.go(f"{elsewhere}?at=4").words
    assert reader.client.get(f"{elsewhere}/download").json()["notes"] == taken["notes"]


def test_a_note_is_its_writer_s(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    act(max_, "note", at="4", text="Mine")
    [note] = call(site, site.app.state.tours.notes, tour_of(site, lea).record)
    assert act(lea, "unnote", note=note.id) == 403
    assert act(max_, "unnote", note=note.id) == 200
    assert [act(max_, "note", at="4", text="x") for _ in range(MOST_OWN_NOTES + 1)][-2:] == [200, 409]


# What is left of people


def test_all_of_somebody_can_be_taken_along_and_erased(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    act(max_, "say", text="Hello there")
    act(max_, "note", at="4", text="My note")
    told = max_.client.get("/me/export").json()
    assert told["tours"][0]["remarks"][0]["text"] == "Hello there"
    assert told["notes"][0]["text"] == "My note"
    person = tour_of(site, lea).members[1].person
    max_.go("/me/delete")
    max_.send("/me/delete", sure="yes")
    assert person not in str(tour_of(site, lea))
    assert "Hello there" not in lea.go(lea.address).words
    assert "My note" not in lea.page.words


# Classes


@pytest.fixture(params=["open", "invited"])
def school(tmp_path, request):
    with running(tmp_path, entry=request.param) as site:
        teacher = Visitor(site)
        token = call(site, site.app.state.members.begin)
        teacher.go(f"/invitation/{token}")
        teacher.send(token, name="Ms Rose")
        yield School(site, teacher)


def test_a_class_of_six_answers_a_position(school):
    """Pupils are led to what their teacher shows, and see nothing else; nobody else sees it."""
    pupils = [school.come(name) for name in ("Mia", "Ben", "Ida", "Max", "Lea", "Tom")]
    teacher = school.teacher
    puzzle = puzzles_of(find_game("memoarrrr"))[0]
    teacher.go(f"/puzzles/memoarrrr/{puzzle.id}/together")
    teacher.send("/together", **{"name": "Ms Rose", "class": school.id})
    address = teacher.address
    assert act(teacher, "ask") == 200
    for pupil in pupils:
        pupil.go(school.page)
        assert pupil.address == address
        pupil.send("/come")
        pupil.send("/answer", move=moves_on(pupil)[0])
        assert pupil.status == 200
    assert "6 of 6 have answered" in teacher.go(address).words
    record = call(school.site, school.site.app.state.tours.find, address.split("/")[2])[0].record
    act(teacher, "show")
    assert "6 ×" in pupils[0].go(address).words
    assert act(pupils[0], "say", text="My own words") == 403
    assert act(pupils[0], "say", phrase="Hello!") == 200
    assert act(pupils[0], "note", at="0", text="Mine") == 403
    assert record not in pupils[0].go(address).html
    stranger = Visitor(school.site)
    stranger.go(address)
    assert stranger.status in (403, 404)
    school.do("end")
    pupils[0].go(address)
    assert pupils[0].status in (403, 404)


# Streams, several processes, restarts


@pytest.fixture
def reader():
    """Makes people with browsers, at a site on a port."""
    with ExitStack() as clients:

        def make(port):
            client = httpx.Client(headers={"accept": "text/html"}, follow_redirects=True, timeout=10)
            return Reader(clients.enter_context(client), port)

        yield make


class Reader:
    def __init__(self, client, port):
        self.client = client
        self.move_to(port)

    def move_to(self, port):
        self.client.base_url = f"http://127.0.0.1:{port}"

    def post(self, path, **facts):
        if "samovar-form" not in self.client.cookies:
            self.client.get("/privacy")
        return self.client.post(path, data={"_csrf_token": self.client.cookies["samovar-form"], **facts})


def told_by(lines):
    """The next event of a stream that brings parts."""
    return next(json.loads(line[6:]) for line in lines if line.startswith("data: "))


def test_what_is_led_to_in_one_process_is_told_in_another(postgresql_server, reader):
    """And answers that are given there say nothing to who follows here."""
    puzzle = puzzles_of(find_game("memoarrrr"))[0]
    match = puzzle.match(plain=True)
    one, other = match.legal(match.actors[0])[:2]
    database = postgresql_server.new_database()
    with listening(database) as first, listening(database) as second:
        lea, max_, ida = reader(first), reader(second), reader(first)
        tour = lea.post(f"/puzzles/memoarrrr/{puzzle.id}/together", name="Lea").url.path
        max_.post(f"{tour}/come", name="Max")
        ida.post(f"{tour}/come", name="Ida")
        with max_.client.stream("GET", f"{tour}/live") as stream:
            lines = stream.iter_lines()
            assert set(told_by(lines)["parts"]) >= {"board", "place", "talk"}
            lea.post(f"{tour}/lead", at="0", eyes="0")
            assert "Move 0 of" in told_by(lines)["parts"]["place"]
            lea.post(f"{tour}/lead", at=str(len(match.history)), eyes="nobody")
            assert "place" in told_by(lines)["parts"]
            lea.post(f"{tour}/ask")
            assert "Nobody sees your answer" in told_by(lines)["parts"]["status"]
            for move in (one, other):
                assert ida.post(f"{tour}/answer", move=match.move_text(match.actors[0], move)).status_code == 200
            lea.post(f"{tour}/say", text="Think")
            assert set(told_by(lines)["parts"]) == {"talk"}, "of the answers nothing came"
            lea.post(f"{tour}/show")
            assert "1 ×" in told_by(lines)["parts"]["status"]
            lea.post(f"{tour}/end")
            assert "event: gone" in lines


def test_a_restart_changes_nothing(tmp_path, reader):
    database = f"sqlite:///{tmp_path}/samovar.db"
    puzzle = puzzles_of(find_game("memoarrrr"))[0]
    with listening(database) as port:
        lea, max_ = reader(port), reader(port)
        tour = lea.post(f"/puzzles/memoarrrr/{puzzle.id}/together", name="Lea").url.path
        max_.post(f"{tour}/come", name="Max")
        lea.post(f"{tour}/ask")
        match = puzzle.match(plain=True)
        max_.post(f"{tour}/answer", move=match.move_text(match.actors[0], puzzle.best))
    with listening(database) as port:
        for one in (lea, max_):
            one.move_to(port)
        assert "Your answer" in max_.client.get(tour).text
        assert "1 of 1 have answered" in Page(lea.client.get(tour).text).words


def test_our_script_gets_the_parts(site):
    lea = begun(site)
    [max_] = come(site, lea, "Max")
    told = max_.client.get(f"{lea.address}?at=2&eyes=0", headers={"x-samovar-parts": "1"}).json()
    assert "Move 2 of" in told["parts"]["place"]
    assert set(told["parts"]) == {"status", "place", "board", "hand", "marks", "notes", "talk", "people"}
