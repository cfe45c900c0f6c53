"""A pause by a teacher is an entry: nobody moves, bots wait, no clock runs, and the record is as ever. To mute somebody
is one, too: their remarks are gone for one player alone."""

import pytest

from samovar.web import problems
from samovar.web.drawing.muting import MOST_TABLES, muted_at, with_muted
from samovar.web.store.entries import Settings
from samovar.web.tables import clock, timekeeper
from samovar.web.tables.clock import HOUR, MINUTE, SECOND
from support.players import three_people
from support.tables import at, call, run, tables
from support.visitors import Visitor, running


@pytest.fixture
def moment(monkeypatch):
    """Time stands until a test puts it forward."""
    told = [1_800_000_000_000]
    monkeypatch.setattr(timekeeper, "LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(clock, "now", lambda: told[0])
    return told


async def with_clocks(site, time="5+5"):
    table = await site.open("babuschka", 2, {"first": 0}, Settings(time=time), ["", ""])
    await site.sit(table.id, "anna", "Anna")
    await site.sit(table.id, "boris", "Boris")
    return table.id


async def pause(site, table_id, is_on):
    return await site.by_owner(table_id, lambda table: table.pause(is_on))


@pytest.mark.parametrize("time", ["5+5", "1d"])
def test_a_pause_costs_nobody_any_time(moment, tmp_path, time):
    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as site:
            table_id = await with_clocks(site, time)
            moment[0] += 10 * SECOND
            table = await pause(site, table_id, True)
            left = table.clocks.left
            assert table.clocks.due is None
            moment[0] += 30 * HOUR
            await site.timekeeper.look()
            table = await pause(site, table_id, False)
            assert table.clocks.left == left
            moment[0] += MINUTE
            table = await site.move(table_id, at(0), table.playing.legal(0)[0], table.revision)
            used = 10 * SECOND + MINUTE
            assert table.clocks.moves[0].left[0] == table.clocks.allowance.total - used
            assert table.chairs[0].kind == "person", "nobody has run out of time"

    run(scene())


def test_in_a_pause_nobody_moves_or_takes_back_and_it_outlives_a_restart(moment, tmp_path):
    async def scene():
        url = f"sqlite:///{tmp_path}/samovar.db"
        async with tables(url) as site:
            table_id = await with_clocks(site)
            table = await site.look(table_id)
            move = table.playing.legal(0)[0]
            table = await site.move(table_id, at(0), move, 0)
            await pause(site, table_id, True)
        async with tables(url) as site:
            table = await site.look(table_id)
            assert table.is_paused
            assert (table.actors, table.timed, table.bots_to_move) == ((), frozenset(), ())
            with pytest.raises(problems.Paused):
                await site.move(table_id, at(1), table.playing.legal(1)[0], table.revision)
            with pytest.raises(problems.Paused):
                await site.take_back(table_id, at(0))
            table = await pause(site, table_id, False)
            table = await site.move(table_id, at(1), table.playing.legal(1)[0], table.revision)
            assert len(table.playing.history) == 2

    run(scene())


def test_bots_wait_in_a_pause_and_go_on_after_it(tmp_path):
    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as site:
            table_id = await with_clocks(site, "")
            await pause(site, table_id, True)
            await site.by_owner(table_id, lambda table: table.leave(0))
            table = await site.look(table_id)
            assert table.chairs[0].level
            assert table.bots_to_move == ()
            assert not site.turns.are_played(table_id)
            assert table.playing.history == []
            await pause(site, table_id, False)
            assert site.turns.are_played(table_id)

    run(scene())


def test_a_record_of_a_game_with_a_pause_is_like_any_other(tmp_path):
    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as site:
            table_id = await with_clocks(site, "")
            await pause(site, table_id, True)
            await pause(site, table_id, False)
            await site.act(table_id, at(0), lambda table, seat: table.resign(seat))
            record = await site.record(table_id)
            assert "pause" not in str(record)

    run(scene())


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


def test_a_muted_player_is_gone_for_one_alone(site):
    anna, boris, clara = three_people(site)[:3]
    table = boris.address.partition("?")[0]
    boris.send("/say", text="Hurry up!")
    assert "Hurry up!" in anna.go(table).text
    form = next(form for form in anna.page.forms if form["action"].endswith("/mute") and form["fields"]["whom"] == "1")
    facts = {**form["fields"]}
    anna._see(anna.client.post(form["action"], data=facts, follow_redirects=True))
    assert "Hurry up!" not in anna.go(table).text
    assert "muted" in anna.page.words
    for other in (boris, clara):
        assert "Hurry up!" in other.go(table).text
        assert "muted" not in other.page.words
    boris.go(table)
    boris.send("/say", text="Are you asleep?")
    assert "asleep" not in anna.go(table).text
    assert "asleep" in clara.go(table).text
    back = next(form for form in anna.page.forms if form["action"].endswith("/mute") and form["fields"]["whom"] == "1")
    anna._see(anna.client.post(back["action"], data=back["fields"], follow_redirects=True))
    assert "Hurry up!" in anna.go(table).text
    assert "asleep" in anna.page.text


def test_a_spectator_mutes_a_player_for_themselves_and_the_table_knows_nothing_of_it(site):
    anna, boris = three_people(site)[:2]
    table = boris.address.partition("?")[0]
    boris.send("/say", text="Hurry up!")
    anna.go(table)
    anna.send("/say", text="I think.")
    one, other = Visitor(site), Visitor(site, "de")
    assert "Hurry up!" in one.go(table).text
    before = call(site, site.app.state.tables.store.head, table.rpartition("/")[2])

    def mute(whom):
        forms = [form for form in one.page.forms if form["action"].endswith("/mute-here")]
        fields = next(form["fields"] for form in forms if form["fields"]["whom"] == whom)
        return one._see(one.client.post(f"{table}/mute-here", data=fields, follow_redirects=True))

    for page in (mute("1"), one.go(table)):
        assert "Hurry up!" not in page.text
        assert "I think." in page.text
        assert "muted" in page.words
    for visitor in (other, anna, boris):
        assert "Hurry up!" in visitor.go(table).text
    assert call(site, site.app.state.tables.store.head, table.rpartition("/")[2]) == before
    assert "Hurry up!" in mute("1").text
    for whom in ("7", "-1", "x"):
        fields = {**one.page.forms[0]["fields"], "whom": whom, "is_muted": "yes"}
        assert 400 <= one.client.post(f"{table}/mute-here", data=fields).status_code < 500


def test_of_many_tables_a_spectator_keeps_the_last():
    kept = ""
    tables = [f"{number:012d}" for number in range(2 * MOST_TABLES)]
    for table in tables:
        kept = with_muted(with_muted(kept, table, 2, True), table, 0, True)
    assert [table for table in tables if muted_at(kept, table)] == tables[-MOST_TABLES:]
    assert muted_at(kept, tables[-1]) == {0, 2}
    assert muted_at(with_muted(kept, tables[-1], 2, False), tables[-1]) == {0}


def test_who_sits_down_later_has_muted_nobody_and_is_muted_by_nobody(tmp_path):
    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as site:
            table = await site.open("memoarrrr", 3, {}, Settings(), ["", "", ""])
            await site.sit(table.id, "anna", "Anna")
            await site.sit(table.id, "boris", "Boris")
            await site.act(table.id, at(0), lambda table, seat: table.mute(seat, 1, ends=False))
            await site.act(table.id, at(1), lambda table, seat: table.mute(seat, 0, ends=False))
            await site.act(table.id, at(1), lambda table, seat: table.stand_up(seat))
            await site.sit(table.id, "clara", "Clara", 1)
            table = await site.act(table.id, at(1), lambda table, seat: table.say(seat, "Hello!"))
            assert [one.text for one in table.remarks_without(table.muted_by(0)) if one.names is None] == ["Hello!"]
            assert table.muted_by(1) == frozenset()

    run(scene())


@pytest.mark.parametrize("whom", [0, 2, -1, 7])
def test_whom_nobody_can_mute(tmp_path, whom):
    """Oneself, a free chair, and none at all."""

    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as site:
            table = await site.open("memoarrrr", 3, {}, Settings(), ["", "", ""])
            await site.sit(table.id, "anna", "Anna")
            with pytest.raises(problems.Problem):
                await site.act(table.id, at(0), lambda table, seat: table.mute(seat, whom, ends=False))

    run(scene())
