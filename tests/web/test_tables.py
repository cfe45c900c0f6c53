"""Tables under fire: races, restarts, several processes on one database."""

import asyncio
import random

import msgspec
import pytest

from samovar.engine.seat import Seat
from samovar.errors import StoreError
from samovar.web import problems
from samovar.web.figures import CHANCE_MOVES
from samovar.web.store.entries import Settings
from samovar.web.tables.actions import PageRemark
from support.tables import ANNA, BORIS, at, run, table_of_two, tables
from support.visitors import RandomBotPool


def test_of_twenty_moves_at_once_one_wins_and_the_others_are_told(database_url):
    async def scene():
        async with tables(database_url) as one:
            table_id = await table_of_two(one)
            table = await one.look(table_id)
            moves = table.playing.legal(0)
            answers = await asyncio.gather(
                *(one.move(table_id, ANNA, moves[n % len(moves)], 0) for n in range(20)), return_exceptions=True
            )
            assert sum(not isinstance(answer, Exception) for answer in answers) == 1
            assert all(isinstance(answer, problems.MovedOn) for answer in answers if isinstance(answer, Exception))
            assert len((await one.look(table_id)).playing.history) == 1

    run(scene())


def test_two_processes_on_one_database_agree_on_one_winner(database_url):
    """Two processes: each has its own memory, the database decides."""
    if database_url.startswith("sqlite"):
        pytest.skip("SQLite is for one process; a second one is refused (see test_web_store.py)")

    async def scene():
        async with tables(database_url) as one, tables(database_url) as other:
            table_id = await table_of_two(one)
            for ply in range(6):
                seat = (await one.look(table_id)).actors[0]
                moves = (await other.look(table_id)).playing.legal(seat)
                asked = [
                    place.move(table_id, at(seat), moves[n % len(moves)], ply)
                    for n, place in enumerate([one, other] * 5)
                ]
                answers = await asyncio.gather(*asked, return_exceptions=True)
                assert sum(not isinstance(answer, Exception) for answer in answers) == 1, ply
                assert all(isinstance(answer, problems.MovedOn) for answer in answers if isinstance(answer, Exception))
                states = {(await place.look(table_id)).playing.state_bytes for place in (one, other)}
                assert len(states) == 1

    run(scene())


def test_a_house_that_has_missed_a_move_refuses_nothing_because_of_that(database_url):
    if database_url.startswith("sqlite"):
        pytest.skip("SQLite is for one process")

    async def scene():
        async with tables(database_url) as one, tables(database_url) as other:
            table_id = await table_of_two(one)
            await other.look(table_id)
            for ply, place in enumerate([one, other, one, other]):
                table = await one.look(table_id)
                seat = table.actors[0]
                await place.move(table_id, at(seat), table.playing.legal(seat)[0], ply)
            await PageRemark(text="Hello").do(one, table_id, at(0))
            answered = await PageRemark(text="Hello, too").do(other, table_id, at(1))
            assert answered.head == (await one.look(table_id)).head
            assert [remark.text for remark in (await one.look(table_id)).remarks[-2:]] == ["Hello", "Hello, too"]

    run(scene())


def test_a_bots_turn_is_thought_about_by_exactly_one_of_two_processes(database_url):
    if database_url.startswith("sqlite"):
        pytest.skip("SQLite is for one process")

    class Slow(RandomBotPool):
        async def think(self, question, *, people=True):
            await asyncio.sleep(0.02)
            return await super().think(question)

    async def scene():
        minds = [Slow(), Slow()]
        async with tables(database_url, minds[0]) as one, tables(database_url, minds[1]) as other:
            table = await one.open("memoarrrr", 2, {"first": 0}, Settings(), ["easy", "easy"])
            for _ in range(3000):
                await asyncio.gather(one.look(table.id), other.look(table.id))
                if (await other.look(table.id)).status == "over":
                    break
                await asyncio.sleep(0.005)
            played = (await one.look(table.id)).playing
            assert played.over
            asked = sorted(Seat.from_bytes(question.seat()).moment for mind in minds for question in mind.asked)
            assert asked == sorted(set(asked)), "a turn was thought about twice"
            assert len(asked) == len(played.history)

    run(scene())


def test_all_choose_at_once_where_the_rules_say_so(database_url):
    """C4: what others commit meanwhile does not make one's own choice stale."""

    async def scene():
        async with tables(database_url) as one:
            table = await one.open("matryoshka", 3, {}, Settings(), ["", "", ""])
            for name in ("anna", "boris", "chloe"):
                await one.sit(table.id, name, name)
            table = await one.look(table.id)
            assert len(table.actors) == 3
            ply = table.revision
            chosen = {seat: table.playing.legal(seat)[3] for seat in table.actors}
            await asyncio.gather(*(one.move(table.id, at(seat), move, ply) for seat, move in chosen.items()))
            assert len((await one.look(table.id)).playing.history) == 3
            with pytest.raises(problems.MovedOn):
                await one.move(table.id, at(0), chosen[0], ply)

    run(scene())


def test_a_house_built_anew_shows_the_same_tables(database_url):
    async def scene():
        async with tables(database_url) as one:
            ids = []
            for number in range(3):
                table_id = await table_of_two(one)
                choose = random.Random(number)
                for _ in range(9):
                    table = await one.look(table_id)
                    seat = table.actors[0]
                    await one.move(table_id, at(seat), choose.choice(table.playing.legal(seat)), table.revision)
                await PageRemark(phrase="Hello!").do(one, table_id, ANNA)
                await one.take_back(table_id, ANNA)
                ids.append(table_id)
            before = [
                (t.playing.state_bytes, t.revision, t.people, t.remarks, t.asking, t.head)
                for t in [await one.look(i) for i in ids]
            ]
        async with tables(database_url) as again:
            after = [
                (t.playing.state_bytes, t.revision, t.people, t.remarks, t.asking, t.head)
                for t in [await again.look(i) for i in ids]
            ]
        assert after == before

    run(scene())


def test_what_cannot_be_written_has_not_happened(tmp_path, monkeypatch):
    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as one:
            table_id = await table_of_two(one)
            move = (await one.look(table_id)).playing.legal(0)[0]

            async def full(*_):
                raise StoreError("the disk is full")

            monkeypatch.setattr(one.store, "append", full)
            with pytest.raises(problems.Busy):
                await one.move(table_id, ANNA, move, 0)
            monkeypatch.undo()
            assert (await one.look(table_id)).revision == 0
            await one.move(table_id, ANNA, move, 0)

    run(scene())


def test_nobody_sees_a_move_before_it_is_committed(tmp_path, monkeypatch):
    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as one:
            table_id = await table_of_two(one)
            move = (await one.look(table_id)).playing.legal(0)[0]
            committed, append = asyncio.Event(), one.store.append

            async def slow(*arguments):
                await committed.wait()
                await append(*arguments)

            monkeypatch.setattr(one.store, "append", slow)
            told = []
            one.announce = lambda table_id, number, written: told.append(table_id)
            moving = asyncio.create_task(one.move(table_id, ANNA, move, 0))
            looking = asyncio.create_task(one.look(table_id))
            await asyncio.sleep(0.05)
            assert not moving.done()
            assert not looking.done(), "whoever looks now waits for the commit"
            assert not told
            committed.set()
            await moving
            assert (await looking).revision == 1
            assert told == [table_id]

    run(scene())


def test_a_stale_look_is_refused_after_a_take_back_even_if_as_many_moves_were_made(tmp_path):
    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as one:
            table_id = await table_of_two(one)
            moves = (await one.look(table_id)).playing.legal(0)
            await one.move(table_id, ANNA, moves[0], 0)
            seen = (await one.look(table_id)).revision  # Boris looks
            await one.take_back(table_id, ANNA)
            await one.move(table_id, ANNA, moves[1], (await one.look(table_id)).revision)
            reply = (await one.look(table_id)).playing.legal(1)[0]
            with pytest.raises(problems.MovedOn):
                await one.move(table_id, BORIS, reply, seen)

    run(scene())


def test_memory_is_bounded_and_forgotten_tables_come_back(tmp_path, monkeypatch):
    monkeypatch.setattr("samovar.web.tables.tables.KEPT_TABLES", 3)

    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as one:
            ids = [await table_of_two(one) for _ in range(8)]
            assert len(one._cached) <= 4
            for table_id in ids:
                assert (await one.look(table_id)).status == "playing"
            with pytest.raises(problems.NoSuchTable):
                await one.look("nothing")
            assert "nothing" not in one._cached

    run(scene())


def test_a_bot_that_fails_does_not_stop_the_table(tmp_path):
    from samovar.errors import BotFailed

    class Failing(RandomBotPool):
        async def think(self, question, *, people=True):
            raise BotFailed("no answer")

    before = CHANCE_MOVES.value()

    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db", Failing()) as one:
            table = await one.open("memoarrrr", 2, {}, Settings(), ["easy", "easy"])
            for _ in range(2000):
                if (await one.look(table.id)).status == "over":
                    break
                await asyncio.sleep(0.005)
            assert (await one.look(table.id)).status == "over"
            assert CHANCE_MOVES.value() > before + 10

    run(scene())


def test_what_another_process_has_written_comes_along_and_is_not_read_again(postgresql_server, monkeypatch):
    url = postgresql_server.new_database()
    said = []

    async def scene():
        def announce(table_id, number, written):
            said.append(msgspec.json.encode(written))

        async with tables(url, announce=announce) as one, tables(url) as other:
            table_id = await table_of_two(one)
            known = await other.look(table_id)
            for seat in (0, 1, 0):
                move = (await one.look(table_id)).playing.legal(seat)[0]
                await one.move(table_id, at(seat), move, (await one.look(table_id)).revision)
            first, second, third = said[-3:]
            reads = []
            load_later = other.store.load_later

            async def noted(*asked):
                reads.append(asked)
                return await load_later(*asked)

            monkeypatch.setattr(other.store, "load_later", noted)
            other.hear(table_id, second)  # the first is missing
            assert len(known.playing.history) == 0
            other.hear(table_id, first)
            other.hear(table_id, first)  # it comes twice
            other.hear(table_id, second)
            assert len(known.playing.history) == 2
            assert (await other.look(table_id, number=known.head)).head == known.head
            assert not reads
            assert len((await other.look(table_id)).playing.history) == 3  # the third was lost, and is read
            assert len(reads) == 1
            other.hear("elsewhere", third)

    run(scene())


def test_what_comes_along_in_the_middle_of_an_action_is_left_to_the_database(postgresql_server):
    url = postgresql_server.new_database()

    async def scene():
        said = []
        async with tables(url, announce=lambda *word: said.append(word)) as one, tables(url) as other:
            table_id = await table_of_two(one)
            known = await other.look(table_id)
            await one.move(table_id, ANNA, known.playing.legal(0)[0], 0)
            async with other._cached.get(table_id).lock:
                other.hear(table_id, msgspec.json.encode(said[-1][2]))
                assert len(known.playing.history) == 0
            assert len((await other.look(table_id)).playing.history) == 1

    run(scene())
