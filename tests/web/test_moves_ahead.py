"""Moves ahead at tables by post: conditions on what a seat sees, made by the site after a while, and nobody else can
tell that there are any."""

import asyncio
import logging

import msgspec
import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.web import problems
from samovar.web.store.entries import Settings
from samovar.web.store.queries import ahead as kept
from samovar.web.tables import clock, timekeeper
from samovar.web.tables.clock import DAY, HOUR, MINUTE, SECOND
from samovar.web.tables.post import ahead as post
from samovar.web.tables.post.foresight import foresee
from samovar.web.tables.post.plans import PlannedMove, event_of, fits, named
from support.hidden_game import GAME as HIDDEN
from support.players import three_people, two_people
from support.tables import at, call, run, table_of, tables
from support.visitors import Visitor, running

GAMES = ("babuschka", "connect_four", "matryoshka", "memoarrrr", "varvitikud", HIDDEN)


@pytest.fixture
def moment(monkeypatch):
    """Time stands until a test puts it forward."""
    told = [1_800_000_000_000]
    monkeypatch.setattr(timekeeper, "LOOK_SECONDS", 3600.0)
    monkeypatch.setattr(clock, "now", lambda: told[0])
    return told


async def begun(site, game="babuschka", seats=2, time="3d"):
    table = await site.open(game, seats, {"first": 0}, Settings(time=time), [""] * seats)
    for person in ("anna", "boris", "clara")[:seats]:
        table, _ = await site.sit(table.id, person, person.title())
    return table


async def moves(site, table_id, seat, move=None):
    table = await site.look(table_id)
    return await site.move(table_id, at(seat), table.playing.legal(seat)[0] if move is None else move, table.revision)


async def plans(site, table, seat, move, sees="", turn=0):
    return await site.moves_ahead.add(table.id, at(seat), table.revision, turn, PlannedMove(move, sees))


async def offered(site, table, seat, turn=0):
    return await site.moves_ahead.foreseen(table, seat, turn, await site.moves_ahead.of(table, seat))


async def passes(site, moment, milliseconds):
    """With the site looking at its clocks now and then."""
    for _ in range(milliseconds // MINUTE):
        moment[0] += MINUTE
        site.timekeeper.was_here = moment[0]
        await site.timekeeper.look()


async def row_of(site, table_id, seat):
    return await site.store.first(kept.OF, table=table_id, seat=seat)


def at_site(moment, tmp_path, scene):
    async def whole():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as site:
            await scene(site)

    run(whole())


# What may be seen and played


def some_moments(game, count=3, steps=7):
    """A match, and a seat that waits."""
    game = find_game(game) if isinstance(game, str) else game
    for number in range(count):
        match, choose = Match(game, game.seats[-1], number, plain=True), np.random.default_rng(number)
        for _ in range(steps * (number + 1)):
            if not match.over:
                seat = match.actors[choose.integers(len(match.actors))]
                match.play(seat, match.legal(seat)[choose.integers(len(match.legal(seat)))])
        if waiting := [seat for seat in range(match.seats) if seat not in match.actors and not match.over]:
            yield match, waiting[choose.integers(len(waiting))]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game if isinstance(game, str) else game.id)
def test_what_is_offered_is_the_same_in_every_world_that_the_seat_may_imagine(monkeypatch, game):
    monkeypatch.setattr("samovar.web.tables.post.foresight.WORLDS", 24)
    compared = 0
    for match, seat in some_moments(game):
        truth = foresee(match, seat, [], frozenset())
        for seed in (11, 12):
            world = match.imagine(seat, seed)
            compared += world.state_bytes != match.state_bytes
            assert foresee(world, seat, [], frozenset()) == truth
    assert compared or game in ("babuschka", "connect_four")


def test_a_fact_may_be_left_open():
    penguin = '["reveals",["seat",1],["card","penguin + beach"],["place","b3"]]'
    assert fits('["reveals",["seat",1],["card","penguin + beach"],["place",null]]', penguin)
    assert fits(penguin, penguin)
    for other in (
        '["reveals",["seat",0],["card","penguin + beach"],["place",null]]',
        '["reveals",["seat",1],["card","crab + beach"],["place",null]]',
        '["opens",["seat",1],["card","penguin + beach"],["place",null]]',
        '["reveals",["seat",1],["card",null]]',
    ):
        assert not fits(other, penguin)
    assert named(event_of(penguin)) == penguin


# What is made of it


def test_a_condition_that_is_seen_makes_its_move_also_after_restarts(moment, tmp_path):
    url = f"sqlite:///{tmp_path}/samovar.db"

    async def planned():
        async with tables(url) as site:
            table = await begun(site)
            choices = await offered(site, table, 1)
            text = table.playing.move_text(0, table.playing.legal(0)[3])
            world = table.playing.copy()
            world.play(0, text)
            seen = [name for name in choices.told if any(fits(name, named(event)) for event in world.news(1))]
            reply, other = choices.certain[:2]
            await plans(site, table, 1, other)
            await plans(site, table, 1, reply, sees=seen[0])
            return table.id, text, reply

    async def moved(table_id, text):
        async with tables(url) as site:
            await moves(site, table_id, 0, text)
            site.timekeeper.was_here = moment[0]
            await site.timekeeper.look()
            row = await row_of(site, table_id, 1)
            assert moment[0] + 20 * SECOND <= row.due <= moment[0] + HOUR
            assert len((await site.look(table_id)).playing.history) == 1

    async def made(table_id, reply):
        async with tables(url) as site:
            await passes(site, moment, 2 * HOUR)
            table = await site.look(table_id)
            assert [seat for seat, _ in table.playing.history] == [0, 1]
            assert table.playing.told_history()[1] == (1, reply)
            [*_, line] = await site.store.load(table_id)
            assert (line.kind, set(line.data)) == ("move", {"seat", "move"})
            await moves(site, table_id, 0)
            await passes(site, moment, 2 * HOUR)
            assert len((await site.look(table_id)).playing.history) == 3
            assert await row_of(site, table_id, 1) is None, "all of it was made"

    table_id, text, reply = run(planned())
    run(moved(table_id, text))
    run(made(table_id, reply))


def test_two_turns_ahead(moment, tmp_path):
    async def scene(site):
        table = await begun(site)
        first = (await offered(site, table, 1)).certain[0]
        await plans(site, table, 1, first)
        second = (await offered(site, table, 1, turn=1)).certain[-1]
        await plans(site, table, 1, second, turn=1)
        for count in (2, 4):
            await moves(site, table.id, 0)
            await passes(site, moment, 2 * HOUR)
            assert len((await site.look(table.id)).playing.history) == count
        told = (await site.look(table.id)).playing.told_history()
        assert [text for seat, text in told if seat == 1] == [first, second]

    at_site(moment, tmp_path, scene)


def test_where_nothing_of_it_is_seen_the_game_waits_and_says_why(moment, tmp_path):
    async def scene(site):
        table = await begun(site)
        choices = await offered(site, table, 1)
        world = table.playing.copy()
        world.play(0, world.legal(0)[0])
        unseen = [name for name in choices.told if not any(fits(name, named(event)) for event in world.news(1))]
        await plans(site, table, 1, choices.certain[0], sees=unseen[0])
        await moves(site, table.id, 0)
        await passes(site, moment, 2 * HOUR)
        table = await site.look(table.id)
        assert len(table.playing.history) == 1
        planned = await site.moves_ahead.of(table, 1)
        assert (planned.plan.dropped, planned.turns) == ("not_seen", [])
        await moves(site, table.id, 1)
        assert await site.moves_ahead.of(await site.look(table.id), 1) is None, "that was long ago"

    at_site(moment, tmp_path, scene)


def test_a_move_that_is_not_possible_then_is_not_made(moment, tmp_path):
    async def scene(site):
        table = await begun(site, "matryoshka", 3)
        for seat in range(3):
            table = await moves(site, table.id, seat)
        choices = await offered(site, table, 1)
        await plans(site, table, 1, choices.certain[0])
        [row] = [await row_of(site, table.id, 1)]
        plan = msgspec.json.decode(row.data)
        plan["turns"] = [[{"move": "offer J7"}]]
        await site.store.do(kept.keep, table.id, 1, row.data, msgspec.json.encode(plan).decode())
        await moves(site, table.id, table.actors[0])
        await passes(site, moment, 2 * HOUR)
        assert (await site.moves_ahead.of(await site.look(table.id), 1)).plan.dropped == "not_possible"

    at_site(moment, tmp_path, scene)


@pytest.mark.parametrize("what", ["back", "leave", "resign", "other hand"])
def test_what_ends_a_plan(moment, tmp_path, what):
    async def scene(site):
        table = await begun(site, seats=3 if what != "back" else 2, game="memoarrrr" if what != "back" else "babuschka")
        choices = await offered(site, table, 1)
        await plans(site, table, 1, [*choices.certain, *choices.uncertain][0])
        if what == "back":
            await moves(site, table.id, 0)
            await site.take_back(table.id, at(0))
            await site.act(table.id, at(1), lambda table, seat: table.answer(seat, agrees=True) if table.asking else [])
        elif what == "other hand":
            await site.act(table.id, at(1), lambda table, seat: table.cut_off(seat, "mallory", "0" * 16))
        else:
            await site.act(table.id, at(1), lambda table, seat: getattr(table, what)(seat))
        table = await site.look(table.id)
        planned = await site.moves_ahead.of(table, 1)
        assert planned is None or (planned.plan.dropped, planned.turns) == ("taken_back", [])
        while (table := await site.look(table.id)).actors == (0,):
            await moves(site, table.id, 0)
        made = len(table.playing.history)
        await passes(site, moment, 2 * HOUR)
        table = await site.look(table.id)
        assert table.chairs[1].level or len(table.playing.history) == made

    at_site(moment, tmp_path, scene)


def test_nothing_is_made_in_a_pause_nor_in_the_moment_it_ends(moment, tmp_path):
    async def scene(site):
        table = await begun(site)
        await plans(site, table, 1, (await offered(site, table, 1)).certain[0])
        await moves(site, table.id, 0)
        await site.timekeeper.look()
        await site.by_owner(table.id, lambda table: table.pause(True))
        await passes(site, moment, 2 * HOUR)
        assert len((await site.look(table.id)).playing.history) == 1
        await site.by_owner(table.id, lambda table: table.pause(False))
        await site.timekeeper.look()
        assert len((await site.look(table.id)).playing.history) == 1
        await passes(site, moment, 2 * HOUR)
        assert len((await site.look(table.id)).playing.history) == 2

    at_site(moment, tmp_path, scene)


def test_an_own_move_comes_first(moment, tmp_path):
    async def scene(site):
        table = await begun(site)
        text = (await offered(site, table, 1)).certain[0]
        await plans(site, table, 1, text)
        table = await moves(site, table.id, 0)
        other = next(move for move in table.playing.legal(1) if table.playing.move_text(1, move) != text)
        await moves(site, table.id, 1, other)
        await moves(site, table.id, 0)
        await passes(site, moment, 2 * HOUR)
        assert len((await site.look(table.id)).playing.history) == 3

    at_site(moment, tmp_path, scene)


def moves_to_an_only_one(columns):
    """By which the second player comes to have one move left."""
    for seed in range(200):
        match, choose = Match("connect_four", 2, 1, plain=True, **columns), np.random.default_rng(seed)
        while not match.over and len(match.legal(match.actors[0])) > 1:
            [seat] = match.actors
            match.play(seat, match.legal(seat)[choose.integers(len(match.legal(seat)))])
        if match.actors == (1,):
            return match.history
    raise AssertionError


@pytest.mark.parametrize("is_wanted", [False, True])
def test_an_only_move_is_made_by_itself_where_somebody_wants_that(moment, tmp_path, is_wanted):
    columns = {"first": 0, "columns": 4, "rows": 4}

    async def scene(site):
        table = await site.open("connect_four", 2, columns, Settings(time="3d"), ["", ""])
        for person in ("anna", "boris"):
            table, _ = await site.sit(table.id, person, person)
        await site.moves_ahead.set_only_moves(table.id, at(1), is_wanted)
        history = moves_to_an_only_one(columns)
        for seat, move in history:
            await site.timekeeper.look()
            await moves(site, table.id, seat, move)
        await passes(site, moment, 2 * HOUR)
        assert len((await site.look(table.id)).playing.history) == len(history) + is_wanted

    at_site(moment, tmp_path, scene)


def test_of_two_that_look_at_once_one_makes_the_move(moment, tmp_path):
    async def scene(site):
        table = await begun(site)
        await plans(site, table, 1, (await offered(site, table, 1)).certain[0])
        await moves(site, table.id, 0)
        await asyncio.gather(*(site.moves_ahead.see_to_all(moment[0]) for _ in range(3)))
        moment[0] = (await row_of(site, table.id, 1)).due
        await asyncio.gather(*(site.moves_ahead.see_to_all(moment[0]) for _ in range(3)))
        assert len((await site.look(table.id)).playing.history) == 2

    at_site(moment, tmp_path, scene)


@pytest.mark.postgres
def test_of_two_processes_one_makes_the_move(moment, postgresql_server):
    async def scene():
        url = postgresql_server.new_database()
        async with tables(url) as one, tables(url) as other:
            table = await begun(one)
            await plans(one, table, 1, (await offered(one, table, 1)).certain[0])
            await moves(other, table.id, 0)
            await asyncio.gather(*(site.moves_ahead.see_to_all(moment[0]) for site in (one, other)))
            moment[0] = (await row_of(one, table.id, 1)).due
            await asyncio.gather(*(site.moves_ahead.see_to_all(moment[0]) for site in (one, other)))
            for site in (one, other):
                assert len((await site.look(table.id)).playing.history) == 2

    run(scene())


def test_the_moment_is_drawn_within_what_a_person_takes_and_what_is_left(monkeypatch):
    draws = np.random.default_rng(1)
    monkeypatch.setattr("secrets.token_hex", lambda size: draws.bytes(size).hex())
    drawn = [post.drawn_delay(3 * DAY) for _ in range(500)]
    assert min(drawn) >= 20 * SECOND
    assert max(drawn) <= HOUR
    assert len(set(drawn)) > 450
    assert 3 * MINUTE < np.median(drawn) < 8 * MINUTE
    assert all(post.drawn_delay(2 * MINUTE) <= MINUTE for _ in range(50))


# What is refused


def test_what_cannot_be_planned(moment, tmp_path):
    async def scene(site):
        table = await begun(site)
        choices = await offered(site, table, 1)
        good = choices.certain[0]
        refused = [
            (problems.NotPossible, {"move": "nonsense"}),
            (problems.NotPossible, {"move": ""}),
            (problems.MovedOn, {"move": good, "sees": '["nothing"]'}),
            (problems.MovedOn, {"move": good, "sees": "nonsense"}),
            (problems.MovedOn, {"move": good, "turn": 1}),
            (problems.MovedOn, {"move": good, "turn": -1}),
            (problems.MovedOn, {"move": good, "turn": 10**9}),
        ]
        for problem, facts in refused:
            with pytest.raises(problem):
                await plans(site, table, 1, **facts)
        with pytest.raises(problems.YourTurn):
            await plans(site, table, 0, good)
        with pytest.raises(problems.MovedOn):
            await site.moves_ahead.add(table.id, at(1), table.revision - 1, 0, PlannedMove(good))
        with pytest.raises(problems.MovedOn):
            await site.moves_ahead.drop(table.id, at(1), 0, 0)
        for name in choices.told[: post.MOST_LINES]:
            await plans(site, table, 1, good, sees=name)
        with pytest.raises(problems.TooManyAhead):
            await plans(site, table, 1, good)
        fast = await begun(site, time="5+5")
        with pytest.raises(problems.NotByPost):
            await plans(site, fast, 1, good)
        assert await row_of(site, fast.id, 1) is None

    at_site(moment, tmp_path, scene)


# On the site


@pytest.fixture
def site(moment, tmp_path):
    with running(tmp_path) as client:
        yield client


def chooses(visitor, table, **facts):
    visitor.go(f"{table}/ahead")
    return visitor.send("/ahead", **facts)


def test_a_person_plans_by_choosing_and_takes_it_back(site):
    anna, boris, table = two_people(site, "babuschka", time="3d")
    boris.go(table)
    assert any(link["href"].endswith("/ahead") for link in boris.page.links)
    chooses(boris, table)
    assert boris.status == 200
    assert "Whatever comes:" in boris.page.words
    assert "A move for the turn after that" in boris.page.words
    boris.send("/ahead")
    assert boris.page.words.count("Whatever comes:") == 2
    boris.send("/ahead-drop")
    assert "Whatever comes:" not in boris.page.words
    anna.go(f"{table}/ahead")
    assert "It is your turn now." in anna.page.words
    assert not any(form["action"].endswith("/ahead") for form in anna.page.forms)


def test_several_cards_are_ticked(site):
    """By who waits while the last exchange of the round is looked at: the display comes next."""
    people = three_people(site, "matryoshka", time="3d")
    table, tables_here, choose = people[-1], site.app.state.tables, np.random.default_rng(3)
    for _ in range(14):
        state = table_of(site, table.split("/")[-1])
        seat = state.actors[choose.integers(len(state.actors))]
        call(site, moves, tables_here, state.id, seat)
    waiting = next(seat for seat in range(3) if seat not in table_of(site, state.id).actors)
    visitor = people[waiting]
    visitor.go(f"{table}/ahead")
    boxes = [box["value"] for box in visitor.page.form("/ahead")["boxes"]]
    assert "play these 4 cards" in visitor.page.words
    visitor.send("/ahead", **{"with": boxes[:3]})
    assert visitor.status == 422
    visitor.go(f"{table}/ahead")
    visitor.send("/ahead", **{"with": boxes[:4]})
    assert "Whatever comes:" in visitor.page.words


def bytes_of(site, visitor, table):
    page = visitor.client.get(table, headers={"x-samovar-parts": "1"}).text
    return page, visitor.client.get(f"/api/tables/{table.split('/')[-1]}").text


def test_nobody_else_can_tell(site, caplog):
    anna, boris, table = two_people(site, "babuschka", time="3d")
    table_id, watcher = table.split("/")[-1], Visitor(site)
    boris.go(table)
    head = table_of(site, table_id).head
    before = [bytes_of(site, one, table) for one in (anna, watcher)]
    caplog.set_level(logging.INFO)
    chooses(boris, table)
    assert "Whatever comes:" in boris.page.words
    assert table_of(site, table_id).head == head
    assert [bytes_of(site, one, table) for one in (anna, watcher)] == before
    assert not [record for record in caplog.records if record.name.startswith("samovar")]
    for stranger in (anna, watcher):
        stranger.go(f"{table}/ahead")
        assert "Whatever comes:" not in stranger.page.words
    assert watcher.status == 403
    assert "Whatever" not in anna.client.get("/me/export").text


def test_by_post_nobody_is_told_who_is_away(site):
    """Else a move of somebody who is away would be known as one made ahead."""
    site.app.state.tables.presence.away_seconds = -1.0
    anna, _, table = two_people(site, "babuschka", time="3d")
    anna.go(table)
    assert "away" not in anna.page.words
    assert "presence" not in anna.page.html
    anna, _, table = two_people(site, "babuschka", time="5+5")
    anna.go(table)
    assert "is-away" in anna.page.html


def test_it_is_in_the_own_data_and_erased_with_the_person(site):
    _, boris, table = two_people(site, "babuschka", time="3d")
    boris.go(table)
    chooses(boris, table)
    told = boris.client.get("/me/export").json()
    assert len(told["tables"][0]["moves_ahead"][0]) == 1
    boris.go("/me/delete")
    boris.send("/me/delete", sure="yes")
    assert call(site, row_of, site.app.state.tables, table.split("/")[-1], 1) is None
