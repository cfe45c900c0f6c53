"""How much time players have: reckoned from the log, on a clock that the tests put forward; what
happens when it runs out, also to a site that was away."""

import asyncio
import time
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samovar.web import problems
from samovar.web.drawing.clock_words import clock_text, left_text
from samovar.web.store.entries import Logged, Move, Say, Settings, SiteWasAway, TimeOut, Undo
from samovar.web.tables import clock, timekeeper
from samovar.web.tables.actions import ComingBack, HandedChair
from samovar.web.tables.clock import ALLOWANCES, DAY, HOUR, MINUTE, SECOND, Clocks
from samovar.web.tables.results import summary_of
from support.players import look, move, post, three_people, two_people
from support.servers import Server, call
from support.tables import ANNA, at, run, tables
from support.visitors import Visitor, running

BEGAN = 1_800_000_000_000


class Moment:
    """What time it is at the site."""

    def __init__(self):
        self.now = BEGAN

    def __call__(self):
        return self.now


@pytest.fixture
def moment(monkeypatch):
    """Time stands until a test puts it forward, and nobody looks at the clocks but the test."""
    monkeypatch.setattr(timekeeper, "LOOK_SECONDS", 3600.0)
    moment = Moment()
    monkeypatch.setattr(clock, "now", moment)
    return moment


@pytest.fixture
def site(moment, tmp_path):
    with running(tmp_path) as client:
        yield client


@pytest.fixture
def empty_site(moment, tmp_path):
    """Where everybody counts as away at once."""
    with running(tmp_path, away_seconds=-1.0) as client:
        yield client


def wait(site, moment, milliseconds):
    """So much later, at a site that was there all the time."""
    moment.now += milliseconds
    keeper = site.app.state.tables.timekeeper
    keeper.was_here = moment.now
    site.blocking_portal.call(keeper.look)


def settle(site):
    """Until all bots have moved."""

    async def rest():
        while tasks := list(site.app.state.tables.turns._tasks.values()):
            await asyncio.gather(*tasks, return_exceptions=True)

    site.blocking_portal.call(rest)


def kinds(site, table):
    lines = site.blocking_portal.call(site.app.state.tables.store.load, table.split("/")[-1])
    return [line.kind for line in lines]


def due(site, table):
    async def asked():
        return summary_of(await site.app.state.tables.look(table.split("/")[-1])).due

    return site.blocking_portal.call(asked)


# The reckoning


SEATS = 3
names = st.sampled_from(sorted(ALLOWANCES))
sets_of_seats = st.frozensets(st.integers(0, SEATS - 1))
# how long after the one before, who made a move (None: somebody talked), and whose time runs then
steps = st.lists(
    st.tuples(st.integers(0, 2 * SECOND), st.none() | st.integers(0, SEATS - 1), sets_of_seats), max_size=60
)


def fold(clocks, moment, told):
    for waited, mover, actors in told:
        moment += waited
        entry = Say(0, "Hm") if mover is None else Move(mover, 0)
        clocks = clocks.after(Logged(1, entry, moment), actors)
    return clocks, moment


@given(names, steps)
def test_everybody_has_used_the_time_in_which_they_were_to_act(name, told):
    """Reckoned anew from the whole story, not step by step."""
    clocks, _ = fold(Clocks.for_table(name, SEATS), BEGAN, told)
    allowance = ALLOWANCES[name]
    for seat in range(SEATS):
        left, is_running = allowance.total, False
        for waited, mover, actors in told:
            left -= waited if is_running else 0
            if mover == seat:
                left = allowance.total if allowance.is_by_post else left + allowance.added * is_running
            is_running = seat in actors
        assert clocks.left[seat] == left


@given(names, steps, st.integers(0, HOUR))
def test_talk_and_the_hour_of_the_day_change_no_clock(name, told, later):
    clocks, moment = fold(Clocks.for_table(name, SEATS), BEGAN, told)
    talked = clocks.after(Logged(1, Say(0, "Hm"), moment + 1), clocks.running)
    assert talked.shown == clocks.shown
    assert talked.due == clocks.due
    moved, _ = fold(Clocks.for_table(name, SEATS), BEGAN + later, told)
    assert moved.left == clocks.left


@given(names, steps, st.integers(0, SEATS - 1), st.integers(1, 2 * SECOND), st.integers(0, 10))
def test_a_move_that_is_taken_back_leaves_the_time_as_it_was_before_it(name, told, seat, thought, times):
    """However often: nobody wins time by it."""
    clocks, moment = fold(Clocks.for_table(name, SEATS), BEGAN, [*told, (0, None, frozenset([seat]))])
    moves = len(clocks.moves)
    before = clocks.left[seat]
    for _ in range(times):
        moment += thought
        clocks = clocks.after(Logged(1, Move(seat, 0), moment), frozenset())
        clocks = clocks.after(Logged(2, Undo(seat, moves), moment), frozenset([seat]))
        assert len(clocks.moves) == moves
    assert clocks.left[seat] == before - times * thought


@given(names, steps, st.permutations(range(SEATS)), st.integers(1, 9 * SECOND), st.integers(1, 5))
def test_nobody_else_loses_time_by_a_move_that_is_taken_back(name, told, seats, waited, times):
    """However often, and though some may have made moves of their own in between."""
    seat, other, third = seats
    clocks, moment = fold(Clocks.for_table(name, SEATS), BEGAN, [*told, (0, None, frozenset([seat]))])
    moves, before = len(clocks.moves), clocks.left
    for _ in range(times):
        clocks = clocks.after(Logged(1, Move(seat, 0), moment), frozenset([other]))
        clocks = clocks.after(Logged(2, Move(other, 0), moment + waited), frozenset([other, third]))
        moment += 2 * waited
        clocks = clocks.after(Logged(3, Undo(seat, moves), moment), frozenset([seat]))
    assert [clocks.left[one] for one in (other, third)] == [before[one] for one in (other, third)]


def test_who_was_to_choose_all_the_time_has_used_their_own():
    """Where choices are simultaneous: nobody's friend gives them time by taking back again and again."""
    clocks = Clocks.for_table("5+5", 2).after(Logged(0, Say(0, "Hm"), BEGAN), frozenset([0, 1]))
    clocks = clocks.after(Logged(1, Move(0, 0), BEGAN + 3 * SECOND), frozenset([1]))
    clocks = clocks.after(Logged(2, Undo(0, 0), BEGAN + 10 * SECOND), frozenset([0, 1]))
    assert clocks.left == (5 * MINUTE - 3 * SECOND, 5 * MINUTE - 10 * SECOND)


def test_time_that_was_given_to_go_on_is_not_taken_back_with_a_move():
    clocks = Clocks.for_table("5+5", 2).after(Logged(0, Say(0, "Hm"), BEGAN), frozenset([1]))
    moment = BEGAN + 5 * MINUTE - SECOND
    clocks = clocks.after(Logged(1, Move(1, 0), moment), frozenset([0]))
    clocks = clocks.after(Logged(2, Move(0, 0), moment), frozenset([1]))
    moment += 6 * SECOND
    clocks = clocks.after(Logged(3, TimeOut(1), moment), frozenset())
    clocks = clocks.after(Logged(4, Undo(0, 1), moment), frozenset([0]))
    assert clocks.left[1] == MINUTE


@given(names, steps, st.integers(0, 30 * DAY), st.integers(0, SECOND))
def test_the_time_in_which_the_site_was_away_counts_for_nobody(name, told, away, thought):
    clocks, moment = fold(Clocks.for_table(name, SEATS), BEGAN, told)
    since = moment + thought
    for entry in clocks.make_up(since, since + away):
        assert isinstance(entry, SiteWasAway)
        back = clocks.after(Logged(1, entry, since + away), clocks.running)
        assert back.left == tuple(left - thought * (seat in clocks.running) for seat, left in enumerate(clocks.left))
        assert back.make_up(since, since + away + 1) == [], "once is enough"
    assert bool(clocks.make_up(since, since + away)) == (bool(clocks.running) and away >= clock.SHORTEST_AWAY)


def test_time_runs_out_at_its_last_moment_and_leaves_enough_to_go_on():
    clocks = Clocks.for_table("5+5", 2).after(Logged(0, Say(0, "Hm"), BEGAN), frozenset([1]))
    assert clocks.due == BEGAN + 5 * MINUTE
    assert clocks.time_outs(clocks.due - 1) == []
    assert clocks.time_outs(clocks.due) == [TimeOut(1)]
    late = clocks.after(Logged(1, TimeOut(1), clocks.due + 40), frozenset())
    assert (late.left, late.due) == ((5 * MINUTE, MINUTE), None)


def test_who_has_less_left_than_it_takes_to_see_that_the_site_is_back_gets_more():
    clocks = Clocks.for_table("1d", 2).after(Logged(0, Say(0, "Hm"), BEGAN), frozenset([0]))
    [away] = clocks.make_up(BEGAN + DAY - SECOND, BEGAN + 2 * DAY)
    back = clocks.after(Logged(1, away, BEGAN + 2 * DAY), frozenset([0]))
    assert back.left == (HOUR, DAY)


def test_a_clock_that_is_put_back_gives_no_time():
    clocks = Clocks.for_table("5+5", 2).after(Logged(0, Say(0, "Hm"), BEGAN), frozenset([0]))
    back = clocks.after(Logged(1, Say(0, "Hm"), BEGAN - HOUR), frozenset([0]))
    assert back.due == clocks.due
    assert back.after(Logged(2, Say(0, "Hm"), BEGAN + SECOND), frozenset([0])).due == clocks.due


@pytest.mark.parametrize(
    ("left", "shown"),
    [(0, "0:00"), (-5, "0:00"), (1, "0:01"), (59_001, "1:00"), (5 * MINUTE, "5:00"), (61 * MINUTE + 1, "1:01:01")],
)
def test_a_clock_shows_nothing_only_when_nothing_is_left(left, shown):
    assert clock_text(left) == shown


@pytest.mark.parametrize(
    ("left", "english", "french"),
    [
        (3 * DAY - 1, "3 days left", "encore 3 jours"),
        (DAY, "24 hours left", "encore 24 heures"),
        (HOUR, "60 minutes left", "encore 60 minutes"),
        (1, "1 minute left", "encore 1 minute"),
        (-1, "0 minutes left", "encore 0 minute"),
    ],
)
def test_what_is_left_is_told_in_words(left, english, french):
    assert left_text("en", left) == english
    assert left_text("fr", left).replace("\u00a0", " ") == french


# Clocks at a table


def test_only_the_time_of_whoever_is_to_act_runs(site, moment):
    anna, boris, table = two_people(site, "babuschka", time="5+5")
    assert look(site, table)["clocks"] == [
        {"left": None, "until": BEGAN + 5 * MINUTE},
        {"left": 5 * MINUTE, "until": None},
    ]
    wait(site, moment, 20 * SECOND)
    move(anna, table)
    wait(site, moment, 70 * SECOND)
    post(anna, f"{table}/say", text="Hm")
    assert look(site, table)["clocks"] == [
        {"left": 4 * MINUTE + 45 * SECOND, "until": None},
        {"left": None, "until": BEGAN + 20 * SECOND + 5 * MINUTE},
    ]
    words = boris.go(table).words
    assert "Anna 4:45" in words
    assert "Boris 3:50" in words
    assert "5 minutes each, and 5 seconds more with each move" in words


def test_those_who_choose_at_the_same_time_each_use_their_own(site, moment):
    anna, _, _, table = three_people(site, "matryoshka", time="5+5")
    assert look(site, table)["actors"] == [0, 1, 2], "all choose a display"
    wait(site, moment, MINUTE)
    move(anna, table)
    wait(site, moment, MINUTE)
    running = {"left": None, "until": BEGAN + 5 * MINUTE}
    assert look(site, table)["clocks"] == [{"left": 4 * MINUTE + 5 * SECOND, "until": None}, running, running]
    wait(site, moment, 3 * MINUTE)
    assert [person["kind"] for person in look(site, table)["people"]] == ["person", "absent", "absent"]


def test_a_page_tells_the_time_at_which_it_is_asked_for_not_at_which_it_was_drawn(site, moment):
    anna, _, table = two_people(site, "babuschka", time="10+10")
    assert "Anna 10:00" in anna.go(table).words
    moment.now += 95 * SECOND
    assert "Anna 8:25" in anna.go(table).words
    answer = post(anna, f"{table}/luck", luck="ab" * 16)
    assert ">8:25<" in answer.json()["parts"]["clocks"], "and so do the parts for the script"
    page = anna.client.get(table).text
    assert f'data-until="{BEGAN + 10 * MINUTE}"' in page
    assert f'data-now="{moment.now}"' in page


def test_when_time_runs_out_a_bot_plays_until_the_player_is_back(site, moment):
    anna, boris, table = two_people(site, "babuschka", time="5+5", stand_in="easy")
    wait(site, moment, 5 * MINUTE - 1)
    assert kinds(site, table)[-1] == "start"
    wait(site, moment, 1)
    settle(site)
    now = look(site, table)
    assert now["people"][0] == {"name": "Anna", "kind": "absent", "level": "easy"}
    assert (now["actors"], now["moment"]) == ([1], 1), "the bot has moved"
    assert "Anna has run out of time. A bot plays until they are back." in boris.go(table).words
    move(boris, table)
    settle(site)
    assert look(site, table)["moment"] == 3, "and it plays on"
    assert now["clocks"][0] == look(site, table)["clocks"][0] == {"left": MINUTE, "until": None}, "bots use no time"
    page = anna.go(table)
    assert "A bot plays for you." in page.words
    anna.send("/come-back")
    assert "Anna is back." in anna.page.words
    assert look(site, table)["people"][0]["kind"] == "person"


def test_or_a_bot_makes_this_move_only(site, moment):
    anna, boris, table = two_people(site, "babuschka", time="5+5", late="one_move")
    wait(site, moment, 5 * MINUTE)
    settle(site)
    now = look(site, table)
    assert (now["moment"], now["actors"]) == (1, [1])
    assert now["people"][0]["kind"] == "person", "nobody needs to come back"
    assert "Anna has run out of time. A bot makes this move." in boris.go(table).words
    move(boris, table)
    assert "Take my chair back" not in anna.go(table).words
    move(anna, table)
    assert look(site, table)["moment"] == 3


@pytest.mark.parametrize("game", ["memoarrrr", "matryoshka", "varvitikud", "babuschka"])
def test_a_table_where_nobody_plays_comes_to_its_end(site, moment, game):
    """Every move of both runs out, at turns of one step and of several, alone and at once."""
    *_, table = (three_people if game == "matryoshka" else two_people)(site, game, time="1d", late="one_move")
    for _ in range(2000):
        before = look(site, table)["actors"]
        if not before:
            break
        wait(site, moment, DAY)
        settle(site)
        assert len(before) > 1 or look(site, table)["actors"] != before, "one move may take several steps"
    assert look(site, table)["places"]
    assert due(site, table) is None
    assert kinds(site, table).count("time_out") >= 2


def test_a_move_that_comes_before_the_clock_was_looked_at_is_made(site, moment):
    anna, _, table = two_people(site, "babuschka", time="5+5")
    moment.now += 5 * MINUTE + 300
    move(anna, table)
    wait(site, moment, 0)
    now = look(site, table)
    assert now["people"][0]["kind"] == "person"
    assert now["clocks"][0] == {"left": 5 * SECOND, "until": None}


def test_time_runs_out_once_however_many_look_at_it(site, moment):
    _, _, table = two_people(site, "babuschka", time="5+5")
    moment.now += 6 * MINUTE
    keeper = site.app.state.tables.timekeeper
    keeper.was_here = moment.now

    async def look_twice():
        await asyncio.gather(*(keeper.look() for _ in range(5)))

    site.blocking_portal.call(look_twice)
    assert kinds(site, table).count("time_out") == 1


def test_who_lets_a_bot_play_and_comes_back_has_the_time_they_left(site, moment):
    """No trick gives anybody a new clock, by post neither."""
    for name, total in (("5+5", 5 * MINUTE), ("1d", DAY)):
        began = moment.now
        _, _, table = two_people(site, "babuschka", time=name)
        tables, table_id = site.app.state.tables, table.split("/")[-1]

        async def hand_over_and_back(tables=tables, table_id=table_id):
            """Before the bot has moved."""
            await HandedChair(seat=0).do(tables, table_id, at(0))
            await ComingBack().do(tables, table_id, at(0))

        moment.now += MINUTE
        site.blocking_portal.call(hand_over_and_back)
        assert look(site, table)["clocks"][0]["until"] == began + total


def test_taking_back_gives_the_others_their_time_back_and_nobody_else(site, moment):
    anna, _, table = two_people(site, "babuschka", time="5+5")
    wait(site, moment, MINUTE)
    move(anna, table)
    wait(site, moment, 10 * SECOND)
    assert post(anna, f"{table}/back").status_code == 200
    assert look(site, table)["clocks"] == [
        {"left": None, "until": moment.now + 4 * MINUTE},
        {"left": 5 * MINUTE, "until": None},
    ]


def test_who_resigns_uses_no_time_any_more(site, moment):
    anna, _, table = two_people(site, "babuschka", time="5+5")
    assert due(site, table) == BEGAN + 5 * MINUTE
    post(anna, f"{table}/resign")
    assert due(site, table) is None
    assert look(site, table)["clocks"] == []
    wait(site, moment, HOUR)
    assert "time_out" not in kinds(site, table)


def test_the_same_people_play_again_with_the_same_time(site):
    anna, _, table = two_people(site, "babuschka", time="20+20", late="one_move")
    post(anna, f"{table}/resign")
    anna.go(table)
    anna.send("/again")
    settings = look(site, anna.address)["settings"]
    assert (settings["time"], settings["one_move"]) == ("20+20", True)


def test_a_time_that_is_not_offered_is_refused(site):
    anna = Visitor(site)
    for wrong in ("1+1", "5d", "-1d", "x" * 5000, "\x00", "5+5 "):
        anna.go("/new/babuschka?seats=2")
        anna.send("/new/babuschka", name="Anna", time=wrong)
        assert anna.status == 422, wrong
        made = site.post("/api/tables", json={"game": "babuschka", "time": wrong})
        assert made.status_code == 422, wrong
    made = site.post("/api/tables", json={"game": "babuschka", "time": "3d", "one_move": True}).json()
    settings = look(site, made["page"])["settings"]
    assert (settings["time"], settings["one_move"]) == ("3d", True)


def test_a_program_that_thinks_too_long_is_stood_in_for_and_comes_back(site, moment):
    chairs = {"game": "babuschka", "chairs": ["token", "token"], "time": "5+5", "options": {"first": 0}}
    made = site.post("/api/tables", json=chairs).json()
    wait(site, moment, 5 * MINUTE)
    settle(site)
    assert look(site, made["page"])["people"][0]["kind"] == "absent"
    headers = {"authorization": f"Bearer {made['tokens'][0]}"}
    assert site.post(f"/api/tables/{made['table']}/come-back", headers=headers).status_code < 300
    assert look(site, made["page"])["people"][0]["kind"] == "person"


def test_a_table_without_clocks_shows_none_and_is_never_due(site):
    anna, _, table = two_people(site, "babuschka")
    page = anna.go(table)
    assert "clock.js" not in page.html
    assert 'class="clocks' not in page.html
    assert due(site, table) is None
    assert look(site, table)["clocks"] == []


# By post


def test_by_post_every_move_has_its_days(site, moment):
    anna, boris, table = two_people(site, "babuschka", time="3d")
    words = anna.go(table).words
    assert "Anna 3 days left" in words
    assert "3 days for each move" in words
    wait(site, moment, 2 * DAY + 2 * HOUR)
    assert "Anna 22 hours left" in boris.go(table).words
    move(anna, table)
    words = boris.go(table).words
    assert "Boris 3 days left" in words
    assert "Anna 3 days left" not in words, "only whoever is to act has to know"
    reader = Visitor(site, "fr")
    assert "Boris encore 3 jours" in reader.go(table).words.replace("\u00a0", " ")
    wait(site, moment, 3 * DAY)
    settle(site)
    assert look(site, table)["people"][1]["kind"] == "absent"
    assert look(site, table)["clocks"][1]["left"] == 3 * DAY, "when he is back he has all of it"


def test_by_post_nobody_lets_a_bot_play_for_another(empty_site, moment):
    anna, boris, table = two_people(empty_site, "babuschka", time="1d")
    assert "Away? Let a bot play" not in boris.go(table).words
    refused = post(boris, f"{table}/hand-over", seat="0")
    assert refused.status_code == 409
    assert "still has time" in refused.json()["problem"]
    assert post(anna, f"{table}/hand-over", seat="0").status_code == 200, "but for oneself"


def test_with_clocks_somebody_who_is_away_can_be_stood_in_for_at_once(empty_site):
    _, boris, table = two_people(empty_site, "babuschka", time="20+20")
    assert post(boris, f"{table}/hand-over", seat="0").status_code == 200


def test_by_post_a_chair_is_not_freed_before_its_time(empty_site, moment):
    anna, boris = Visitor(empty_site), Visitor(empty_site)
    anna.go("/new/memoarrrr?seats=3")
    anna.send("/new/memoarrrr", name="Anna", time="3d")
    table = anna.address
    boris.go(table)
    boris.send("/sit", name="Boris")
    assert "Free the chair" not in anna.go(table).words
    assert post(anna, f"{table}/free", seat="1").status_code == 409
    moment.now += 3 * DAY
    assert post(anna, f"{table}/free", seat="1").status_code == 200


def test_what_runs_out_first_is_first_among_ones_tables(site, moment):
    anna = Visitor(site)
    addresses = {}
    for name in ("7d", "", "1d", "3d"):
        anna.go("/new/babuschka?seats=2")
        anna.send("/new/babuschka", name="Anna", first="0", time=name)
        boris = Visitor(site)
        boris.go(anna.address)
        boris.send("/sit", name="Boris")
        addresses[anna.address] = name
        moment.now += MINUTE
    listed = [addresses[link["href"]] for link in anna.go("/tables").links if link["href"] in addresses]
    assert listed == ["1d", "3d", "7d", ""]
    page = anna.go("/")
    listed = [addresses[link["href"]] for link in page.links if link["href"] in addresses]
    assert listed == ["1d", "3d", "7d"]
    assert "your turn 24 hours left" in page.words
    anna.go("/next")
    assert addresses[anna.address] == "1d"
    wait(site, moment, 6 * DAY)
    moment.now += 2 * DAY
    listed = [addresses[link["href"]] for link in anna.go("/").links if link["href"] in addresses]
    assert "7d" in listed, "nobody forgets a table where time runs"


# A site that was away


def test_a_site_that_was_away_costs_nobody_any_time(moment, tmp_path):
    with running(tmp_path) as site:
        _, _, table = two_people(site, "babuschka", time="5+5")
        wait(site, moment, MINUTE)
    moment.now += 3 * DAY
    with running(tmp_path) as site:
        assert due(site, table) == moment.now + 4 * MINUTE
        assert kinds(site, table)[-1] == "site_away"
        wait(site, moment, 4 * MINUTE - 1)
        assert kinds(site, table)[-1] == "site_away"
        wait(site, moment, 1)
        assert "time_out" in kinds(site, table)


def test_a_site_that_ended_without_a_word_was_there_until_its_last_beat(moment, tmp_path, monkeypatch):
    with running(tmp_path) as site:
        _, _, table = two_people(site, "babuschka", time="5+5")
        wait(site, moment, MINUTE)
        site.app.state.tables.timekeeper._task = None  # as if it were killed: no last beat
    moment.now += HOUR
    with running(tmp_path) as site:
        assert due(site, table) == moment.now + 4 * MINUTE


def test_by_post_a_deadline_that_passed_while_the_site_was_away_is_not_missed(moment, tmp_path):
    with running(tmp_path) as site:
        _, _, table = two_people(site, "babuschka", time="1d")
        wait(site, moment, 23 * HOUR + 59 * MINUTE)
    moment.now += 7 * DAY
    with running(tmp_path) as site:
        wait(site, moment, 0)
        assert "time_out" not in kinds(site, table)
        assert due(site, table) == moment.now + HOUR


def test_a_machine_that_slept_was_away_too(site, moment):
    _, _, table = two_people(site, "babuschka", time="5+5")
    wait(site, moment, MINUTE)
    moment.now += HOUR  # and nobody looked at the clocks
    site.blocking_portal.call(site.app.state.tables.timekeeper.look)
    assert due(site, table) == moment.now + 4 * MINUTE


def test_a_table_that_cannot_be_opened_stops_no_other_clock(site, moment, monkeypatch, caplog):
    _, _, bad = two_people(site, "babuschka", time="5+5")
    _, _, good = two_people(site, "memoarrrr", time="5+5")
    honest = site.app.state.tables.timekeeper._do

    async def do(table_id, actions):
        if table_id == bad.split("/")[-1]:
            raise problems.OldRules
        return await honest(table_id, actions)

    monkeypatch.setattr(site.app.state.tables.timekeeper, "_do", do)
    wait(site, moment, 5 * MINUTE)
    wait(site, moment, SECOND)
    assert "time_out" in kinds(site, good)
    assert "time_out" not in kinds(site, bad)
    assert caplog.text.count("cannot be kept here") == 1


def test_where_no_clock_runs_nothing_is_written(site, moment):
    two_people(site, "babuschka")
    for _ in range(3):
        wait(site, moment, 10 * SECOND)
    assert site.blocking_portal.call(site.app.state.tables.timekeeper._last_beat) == 0


# Databases and processes


def test_time_runs_out_in_both_databases_and_after_a_restart(database_url, moment):
    async def scene():
        async with tables(database_url) as one:
            table = await one.open("babuschka", 2, {"first": 0}, Settings(time="5+5"), ["", ""])
            for name in ("anna", "boris"):
                await one.sit(table.id, name, name.title())
            moment.now += MINUTE
            await one.move(table.id, ANNA, (await one.look(table.id)).playing.legal(0)[0], 0)
        moment.now += 2 * SECOND
        async with tables(database_url) as one:
            now = (await one.look(table.id)).clocks
            assert now.left[0] == 4 * MINUTE + 5 * SECOND
            moment.now = one.timekeeper.was_here = now.due
            await one.timekeeper.look()
            kinds = [line.kind for line in await one.store.load(table.id)]
            assert kinds.count("time_out") == 1

    run(scene())


@pytest.mark.postgres
def test_two_processes_write_one_end_of_time(postgresql_server, moment):
    async def scene():
        url = postgresql_server.new_database()
        async with tables(url) as one, tables(url) as other:
            made = []
            for _ in range(10):
                table = await one.open("babuschka", 2, {"first": 0}, Settings(time="5+5"), ["", ""])
                for name in ("anna", "boris"):
                    await one.sit(table.id, name, name.title())
                await other.look(table.id)
                made.append(table.id)
            moment.now = one.timekeeper.was_here = other.timekeeper.was_here = BEGAN + 6 * MINUTE
            await asyncio.gather(one.timekeeper.look(), other.timekeeper.look())
            for table_id in made:
                kinds = [line.kind for line in await one.store.load(table_id)]
                assert kinds.count("time_out") == 1

    run(scene())


@pytest.mark.postgres
def test_one_of_two_processes_that_find_a_silence_makes_up_for_it(postgresql_server, moment):
    async def scene():
        url = postgresql_server.new_database()
        async with tables(url) as one:
            table = await one.open("babuschka", 2, {"first": 0}, Settings(time="5+5"), ["", ""])
            for name in ("anna", "boris"):
                await one.sit(table.id, name, name.title())
        moment.now += HOUR
        async with tables(url) as one, tables(url) as other:
            await asyncio.gather(one.timekeeper.look(), other.timekeeper.look())
            kinds = [line.kind for line in await one.store.load(table.id)]
            assert kinds.count("site_away") == 1
            assert "time_out" not in kinds
            assert (await other.look(table.id)).clocks.due == moment.now + 5 * MINUTE

    run(scene())


@contextmanager
def killed_later(server):
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.mark.processes
def test_after_kill_9_the_clocks_are_right_and_nobody_has_lost(tmp_path):
    with killed_later(Server(tmp_path)) as server:
        chairs = {"game": "connect_four", "chairs": ["token", "token"], "time": "5+5", "options": {"first": 0}}
        made = call(server, "/api/tables", chairs)
        path = f"/api/tables/{made['table']}"
        call(server, f"{path}/moves", {"move": "d", "revision": 0}, made["tokens"][0])
        before = call(server, path)["clocks"]
        server.kill()
        killed = clock.now()
        time.sleep(3)
        server.start()
        after = call(server, path)["clocks"]
        assert after[0] == before[0], "a clock that stands, stands"
        gone = clock.now() - killed
        assert after[1]["until"] - before[1]["until"] <= gone + timekeeper.BEAT + SECOND
        assert after[1]["until"] - before[1]["until"] >= 3 * SECOND, "the time without a site counts for nobody"
        assert call(server, path)["people"][1]["kind"] == "person"
        call(server, f"{path}/moves", {"move": "d", "revision": 1}, made["tokens"][1])
