"""A pause that players agree on: it begins when all who hold a chair want it and ends when one of them does not. No
clock runs, no bot plays, and nobody can make others wait."""

import asyncio

import pytest

from samovar.web import problems
from samovar.web.store.entries import Settings, TimeOut
from samovar.web.tables import clock, timekeeper
from samovar.web.tables.bot_turns import bot_move
from samovar.web.tables.clock import DAY, HOUR, MINUTE, SECOND
from samovar.web.tables.post.plans import PlannedMove
from samovar.web.tables.results import summary_of
from support.players import look, own_link, post, two_people
from support.tables import at, run, table_of, tables
from support.visitors import Visitor, running

PEOPLE = ("anna", "boris", "clara")
LONGEST = {"5+5": HOUR, "1d": 30 * DAY}


@pytest.fixture
def moment(monkeypatch):
    """Time stands until a test puts it forward."""
    told = [1_800_000_000_000]
    monkeypatch.setattr(timekeeper, "LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(clock, "now", lambda: told[0])
    return told


async def begun(site, time="5+5", seats=2, people=None, game="babuschka"):
    """Their table; bots sit on the other chairs."""
    people = seats if people is None else people
    levels = ["" if seat < people else "easy" for seat in range(seats)]
    table = await site.open(game, seats, {"first": 0}, Settings(time=time), levels)
    for person in PEOPLE[:people]:
        table, _ = await site.sit(table.id, person, person.title())
    return table


async def wants(site, table_id, seat, is_wanted=True):
    return await site.act(table_id, at(seat), lambda table, seat: table.want_pause(seat, is_wanted=is_wanted))


async def moves(site, table_id, seat):
    table = await site.look(table_id)
    return await site.move(table_id, at(seat), table.playing.legal(seat)[0], table.revision)


async def passes(site, moment, milliseconds):
    """The site is there all the time."""
    moment[0] += milliseconds
    site.timekeeper.was_here = moment[0]
    await site.timekeeper.look()


async def kinds(site, table_id):
    return [line.kind for line in await site.store.load(table_id)]


def told(table):
    return [one.text for one in table.remarks]


def at_site(tmp_path, scene):
    async def whole():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as site:
            await scene(site)

    run(whole())


# When it begins and ends


@pytest.mark.parametrize("time", LONGEST)
@pytest.mark.parametrize("who_ends_it", [0, 1])
def test_it_begins_with_the_last_consent_costs_nobody_time_and_outlives_restarts(moment, tmp_path, time, who_ends_it):
    url = f"sqlite:///{tmp_path}/samovar.db"

    async def scene():
        async with tables(url) as site:
            table = await begun(site, time)
            moment[0] += 10 * SECOND
            table = await wants(site, table.id, 1)
            assert (table.is_paused, table.pause_state.wanted_by, table.actors) == (False, {1}, (0,))
            assert (await wants(site, table.id, 1)).head == table.head, "once more changes nothing"
        async with tables(url) as site:
            table = await site.look(table.id)
            assert (table.is_paused, table.pause_state.wanted_by) == (False, {1})
            moment[0] += 10 * SECOND
            table = await wants(site, table.id, 0)
            left = table.clocks.left
            assert table.is_paused
            assert (table.actors, table.timed, table.clocks.due) == ((), frozenset(), None)
            await passes(site, moment, 50 * MINUTE)
        async with tables(url) as site:
            table = await site.look(table.id)
            assert table.is_paused
            table = await wants(site, table.id, who_ends_it, False)
            assert (table.is_paused, table.actors) == (False, (0,))
            assert table.clocks.left == left
            moment[0] += 10 * SECOND
            table = await moves(site, table.id, 0)
            assert table.clocks.moves[0].left[0] == table.clocks.allowance.total - 30 * SECOND
            assert told(table) == ["wants a pause", "paused", "goes on"]
            assert "time_out" not in await kinds(site, table.id)

    run(scene())


@pytest.mark.parametrize("time", LONGEST)
def test_it_ends_by_itself_and_time_runs_again(moment, tmp_path, time):
    async def scene(site):
        table = await begun(site, time)
        await wants(site, table.id, 0)
        table = await wants(site, table.id, 1)
        assert table.pause_ends == moment[0] + LONGEST[time] == summary_of(table).due
        await passes(site, moment, LONGEST[time] - 1)
        assert (await site.look(table.id)).is_paused
        await passes(site, moment, 1)
        table = await site.look(table.id)
        assert not table.is_paused
        assert told(table) == ["wants a pause", "paused", "pause over"]
        assert table.clocks.left == (table.clocks.allowance.total,) * 2
        assert table.clocks.due == moment[0] + table.clocks.allowance.total
        await passes(site, moment, table.clocks.allowance.total)
        assert "time_out" in await kinds(site, table.id)

    at_site(tmp_path, scene)


def test_a_site_that_was_away_when_it_should_have_ended_costs_nobody_time(moment, tmp_path):
    url = f"sqlite:///{tmp_path}/samovar.db"

    async def scene():
        async with tables(url) as site:
            table = await begun(site)
            await wants(site, table.id, 0)
            table = await wants(site, table.id, 1)
        moment[0] += 3 * DAY
        async with tables(url) as site:
            await site.timekeeper.look()
            await site.timekeeper.look()
            table = await site.look(table.id)
            assert (table.is_paused, table.chairs[0].kind) == (False, "person")
            assert table.clocks.left == (table.clocks.allowance.total,) * 2

    run(scene())


def test_a_move_ends_it_as_two_entries(moment, tmp_path):
    async def scene(site):
        table = await begun(site)
        await wants(site, table.id, 0)
        await wants(site, table.id, 1)
        moment[0] += MINUTE
        with pytest.raises(problems.NotYourTurn):
            await site.move(table.id, at(1), 0, 0)
        with pytest.raises(problems.NotPossible):
            await site.move(table.id, at(0), "nonsense", 0)
        assert (await site.look(table.id)).is_paused
        table = await moves(site, table.id, 0)
        assert (table.is_paused, table.actors) == (False, (1,))
        assert (await kinds(site, table.id))[-2:] == ["pause", "move"]
        assert table.clocks.left[0] == table.clocks.allowance.total + table.clocks.allowance.added

    at_site(tmp_path, scene)


@pytest.mark.parametrize("what", ["move", "declined", "withdrawn", "left", "resigned", "taken back"])
def test_what_was_not_agreed_on_is_dropped(moment, tmp_path, what):
    async def scene(site):
        table = await begun(site, seats=3, game="memoarrrr")
        table = await moves(site, table.id, 0)
        mover = table.actors[0]
        await wants(site, table.id, 0)
        table = await wants(site, table.id, 1)
        assert table.pause_state.wanted_by == {0, 1}
        if what == "move":
            await moves(site, table.id, mover)
        elif what == "taken back":
            await site.act(table.id, at(0), lambda table, seat: table.take_back(seat, is_free=True))
        else:
            does = {
                "declined": (2, lambda table, seat: table.want_pause(seat, is_wanted=False)),
                "withdrawn": (0, lambda table, seat: table.want_pause(seat, is_wanted=False)),
                "left": (2, lambda table, seat: table.leave(seat)),
                "resigned": (2, lambda table, seat: table.resign(seat)),
            }
            await site.act(table.id, at(does[what][0]), does[what][1])
        table = await site.look(table.id)
        assert table.pause_state.wanted_by == frozenset()
        assert not (await wants(site, table.id, 1)).is_paused, "all are asked anew"

    at_site(tmp_path, scene)


def test_who_is_away_has_a_say_and_bots_have_none(moment, tmp_path):
    """A bot that plays for somebody agrees to nothing in their place."""

    async def scene(site):
        table = await begun(site, seats=3, game="memoarrrr", people=2)
        [seat] = table.actors
        if seat == 2:
            seat = 0
        entries = [TimeOut(1)]
        await site.by_owner(table.id, lambda table: entries)
        table = await wants(site, table.id, 0)
        assert (table.chairs[1].kind, table.is_paused) == ("absent", False)
        assert (await wants(site, table.id, 1)).is_paused

    at_site(tmp_path, scene)


def test_who_plays_with_bots_alone_has_a_pause_at_once(moment, tmp_path):
    async def scene(site):
        table = await begun(site, people=1)
        assert (await wants(site, table.id, 0)).is_paused

    at_site(tmp_path, scene)


# What does not happen meanwhile


def test_bots_wait_also_one_that_has_thought_of_its_move_before(moment, tmp_path):
    async def scene(site):
        table = await begun(site, people=2)
        await wants(site, table.id, 0)
        table = await wants(site, table.id, 1)
        table = await site.act(table.id, at(0), lambda table, seat: table.hand_over(seat, seat))
        assert (table.chairs[0].level != "", table.bots_to_move) == (True, ())
        assert not site.turns.are_played(table.id)
        with pytest.raises(problems.MovedOn):
            bot_move(table, 0, table.playing.legal(0)[0], table.revision)
        with pytest.raises(problems.MovedOn):
            table.hand_over(0, 1, is_away=True, now=moment[0])
        assert table.playing.history == []
        await wants(site, table.id, 1, False)
        async with asyncio.timeout(10):
            while not (await site.look(table.id)).playing.history:
                await asyncio.sleep(0.005)

    at_site(tmp_path, scene)


def test_moves_ahead_are_not_made_nor_planned_by_who_is_to_move(moment, tmp_path):
    async def scene(site):
        table = await begun(site, "1d")
        planned = (await site.moves_ahead.foreseen(table, 1, 0, None)).certain[0]
        await site.moves_ahead.add(table.id, at(1), table.revision, 0, PlannedMove(planned))
        table = await moves(site, table.id, 0)
        await wants(site, table.id, 0)
        table = await wants(site, table.id, 1)
        for _ in range(180):
            await passes(site, moment, MINUTE)
        table = await site.look(table.id)
        assert (table.is_paused, len(table.playing.history)) == (True, 1)
        with pytest.raises(problems.YourTurn):
            await site.moves_ahead.add(table.id, at(1), table.revision, 0, PlannedMove(planned))
        await wants(site, table.id, 0, False)
        for _ in range(180):
            await passes(site, moment, MINUTE)
        assert len((await site.look(table.id)).playing.history) == 2

    at_site(tmp_path, scene)


def test_nothing_is_taken_back_meanwhile_and_the_remedy_is_told(moment, tmp_path):
    async def scene(site):
        table = await begun(site)
        table = await moves(site, table.id, 0)
        await wants(site, table.id, 0)
        await wants(site, table.id, 1)
        with pytest.raises(problems.PausedByAll):
            await site.take_back(table.id, at(0))

    at_site(tmp_path, scene)


# Where there is none


def test_where_no_time_runs_and_where_others_wait_there_is_none(moment, tmp_path):
    async def scene(site):
        table = await begun(site, "")
        with pytest.raises(problems.NoPause):
            await wants(site, table.id, 0)
        table = (await begun(site)).still()
        table.series = "an evening"
        with pytest.raises(problems.NoPause):
            table.want_pause(0, is_wanted=True)

    at_site(tmp_path, scene)


def test_before_and_after_a_game_there_is_none(moment, tmp_path):
    async def scene(site):
        table = await site.open("babuschka", 2, {"first": 0}, Settings(time="5+5"), ["", ""])
        await site.sit(table.id, "anna", "Anna")
        with pytest.raises(problems.NotStarted):
            await wants(site, table.id, 0)
        table = await begun(site)
        await wants(site, table.id, 0)
        await wants(site, table.id, 1)
        table = await site.act(table.id, at(0), lambda table, seat: table.resign(seat))
        assert (table.status, table.pause_ends, summary_of(table).due) == ("over", None, None)
        with pytest.raises(problems.IsOver):
            await wants(site, table.id, 1, False)

    at_site(tmp_path, scene)


def test_nobody_who_plays_ends_the_pause_of_a_teacher(moment, tmp_path):
    async def scene(site):
        table = (await begun(site)).still()
        table.of_class = "a class"
        for is_wanted in (True, False):
            with pytest.raises(problems.TeacherDoesIt):
                table.want_pause(0, is_wanted=is_wanted)
        await site.by_owner(table.id, lambda table: table.pause(True))
        table = await site.look(table.id)
        assert table.pause_ends is None
        with pytest.raises(problems.Paused):
            await moves(site, table.id, 0)

    at_site(tmp_path, scene)


# On pages, and by programs


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


def test_two_people_agree_without_scripts_and_all_are_told(site):
    anna, boris, address = two_people(site, time="3d")
    watcher = Visitor(site, "fr")
    anna.send("/pause", is_wanted="yes")
    assert "Anna would like a pause." in anna.page.words
    assert "No pause after all" in anna.page.words
    assert "Propose a pause" not in anna.page.words
    assert "aimerait une pause" in watcher.go(address).words
    assert not [form for form in watcher.page.forms if form["action"].endswith("/pause")]
    boris.go(address)
    assert "Rather not" in boris.page.words
    boris.send("/pause", is_wanted="yes")
    for person in (anna, boris):
        words = person.go(address).words
        assert "Pause. No time runs, and any player can go on." in words
        assert "All have agreed: the game is paused." in words
        assert "Propose a pause" not in words
        assert "Take back my last move" not in words
        assert not [form for form in person.page.forms if form["action"].endswith("/move") and form["buttons"]]
    assert "Pause" in boris.go("/tables").words
    boris.go(address)
    boris.send("/pause", is_wanted="")
    assert "Boris goes on: the pause is over." in anna.go(address).words
    assert "Propose a pause" in anna.page.words


def test_who_only_looks_on_has_no_say(site):
    anna, _, address = two_people(site, time="5+5")
    stranger = Visitor(site)
    stranger.go(address)
    for is_wanted in ("yes", ""):
        assert post(stranger, f"{address}/pause", is_wanted=is_wanted).status_code == problems.NotSeated.status
    assert look(site, address)["pause"] is None
    anna.send("/pause", is_wanted="yes")
    post(stranger, f"{address}/pause", is_wanted="")
    assert look(site, address)["pause"] == {"wanted_by": [0], "until": None}


def test_a_key_that_was_given_up_agrees_to_nothing(site):
    anna, boris, address = two_people(site, time="5+5")
    boris.go(address)
    noted = own_link(boris).split("/")[-1]
    assert boris.send("/cut-off") is not None
    anna.send("/pause", is_wanted="yes")
    path = f"/api/tables/{address.split('/')[-1]}/pause"
    answer = site.post(path, json={"is_wanted": True}, headers={"authorization": f"Bearer {noted}"})
    assert (answer.status_code, answer.json()["error"]) == (403, "WrongToken")
    assert site.post(path, json={"is_wanted": True}).status_code == 401
    assert not table_of(site, address.split("/")[-1]).is_paused


def test_each_hand_of_a_device_agrees_for_itself(site):
    max_ = Visitor(site)
    max_.go("/new/memoarrrr?seats=2")
    max_.send("/new/memoarrrr", name="Max", first="0", time="5+5", **{"chair-1": "here", "chair-1-name": "Lea"})
    address = max_.address
    assert "Hand the device to Max" in max_.page.words
    assert post(max_, f"{address}/pause", is_wanted="yes", hand="0").status_code == problems.OtherHand.status
    for seat in (0, 1):
        max_.go(address)
        max_.send("/hand", seat=str(seat))
        max_.send("/pause", is_wanted="yes", hand=str(seat))
    table = table_of(site, address.split("/")[-1])
    assert (table.is_paused, [chair.kind for chair in table.chairs]) == (True, ["person", "person"])
    max_.send("/hand")
    assert "I am Max" in max_.page.words, "somebody can take the device, and go on"
    max_.send("/hand", seat="0")
    max_.send("/pause", is_wanted="", hand="0")
    assert not table_of(site, address.split("/")[-1]).is_paused


def test_programs_agree_over_the_api(site):
    asked = {"game": "babuschka", "chairs": ["token", "token"], "time": "5+5", "options": {"first": 0}}
    made = site.post("/api/tables", json=asked).json()
    path, headers = f"/api/tables/{made['table']}", [{"authorization": f"Bearer {token}"} for token in made["tokens"]]

    def wants(seat, is_wanted):
        assert site.post(f"{path}/pause", json={"is_wanted": is_wanted}, headers=headers[seat]).status_code == 200
        return site.get(path, headers=headers[0]).json()

    assert wants(0, True)["pause"] == {"wanted_by": [0], "until": None}
    told = wants(1, True)
    assert told["pause"]["until"] - clock.now() <= HOUR
    assert told["actors"] == told["legal"] == []
    assert {clock["until"] for clock in told["clocks"]} == {None}
    told = wants(1, False)
    assert (told["pause"], told["actors"]) == (None, [0])
    wants(0, True)
    wants(1, True)
    move = {"move": told["legal"][0]["move"], "revision": told["revision"]}
    assert site.post(f"{path}/moves", json=move, headers=headers[0]).json()["actors"] == [1]
