"""A language model at a table of a running site, with somebody else who plays by the API."""

import json
import sys
import threading
from collections.abc import Iterator

import pytest
from mcp import StdioServerParameters

import samovar
from samovar import errors
from samovar.client import Client, Seat, Table
from samovar.models.desk import ModelDesk
from support.model_clients import ScriptedModel, with_model
from support.processes import with_helpers
from support.servers import Server, serving

pytestmark = pytest.mark.research


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("site")) as running:
        yield running


def make_table(server: Server, game: str = "memoarrrr", **options: object) -> tuple[Table, Seat]:
    table = Client(server.address).make_table(game, chairs=["token", "free"], name="Anna", options=options)
    assert table.seats[0]
    return table, table.seats[0]


def play_first(seat: Seat) -> threading.Thread:
    """Somebody who plays the first legal move, always."""

    def play() -> None:
        for look in seat.events():
            if look["status"] == "over":
                return
            if look["legal"]:
                seat.play(look["legal"][0]["move"])

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    return thread


def test_a_whole_game_with_somebody_else(server: Server) -> None:
    table, host = make_table(server, first=0)

    async def script(model: ScriptedModel) -> None:
        joined = await model.ask("join", address=table.page, name="Deep Borscht")
        assert "You are player 2." in joined
        assert "It is for Anna to move. Call wait." in joined
        assert "It is not your turn: it is for Anna to move." in await model.refused("play", table="1", move="north")
        anna = play_first(host)
        heard = await model.ask("wait", table="1")
        assert "- Anna looks at the three middle locations in the north." in heard
        assert "25: north" not in heard
        assert "'c3' is no legal move. Legal now, each with its number:" in await model.refused(
            "play", table="1", move="c3"
        )
        played = await model.ask("play", table="1", move="south")
        assert "- Anna opens the round at " in played
        assert "You see at " in played
        await model.ask("say", table="1", text="Hello!")
        assert "- Deep Borscht: Hello!" in await model.ask("look", table="1")
        told = json.loads(await model.ask("look", table="1", form="json"))
        assert (told["player"], told["view"]["seat"]) == (2, 1)
        assert "still being played" in await model.refused("record", table="1")
        assert "is not over" in await model.refused("review", table="1")
        end = await model.play_on()
        assert "Deep Borscht (you), " in end
        anna.join(20)
        assert samovar.replay(json.loads(await model.ask("record", table="1"))).over

    with_model(script)


def test_who_leaves_leaves_a_bot_or_a_free_chair(server: Server) -> None:
    table, _ = make_table(server)
    begun = ModelDesk()
    begun.join(table.page)
    begun.close()
    assert [person["kind"] for person in table.look()["people"]] == ["person", "absent"]

    waiting = Client(server.address).make_table("babuschka", chairs=["free", "free"])
    desk = ModelDesk()
    assert "The game begins when all chairs are taken. Call wait." in desk.join(waiting.page, player=2)
    assert [person["kind"] for person in waiting.look()["people"]] == ["free", "person"]
    desk.leave("1")
    assert [person["kind"] for person in waiting.look()["people"]] == ["free", "free"]


def test_over_standard_input_and_output_a_bot_plays_on_when_they_end(server: Server) -> None:
    table, _ = make_table(server)

    async def script(model: ScriptedModel) -> None:
        await model.ask("sit_down", game="memoarrrr", bots=["random"], seed=3)
        assert "Place 1: " in await model.play_on()
        await model.ask("join", address=table.page)

    with_model(script, StdioServerParameters(command=sys.executable, args=["-m", "samovar", "mcp"], env=with_helpers()))
    assert [person["kind"] for person in table.look()["people"]] == ["person", "absent"]


def test_it_comes_back_by_the_link_of_its_chair(server: Server) -> None:
    table, _ = make_table(server, first=0)
    sat = table.sit("Deep Borscht")
    desk = ModelDesk()
    assert "You are player 2." in desk.join(f"{table.page}/come/{sat.token}")
    sat.hand_over("easy")
    desk.look("1")
    assert [person["kind"] for person in table.look()["people"]] == ["person", "person"]


def test_a_chair_that_is_taken_is_refused_with_a_reason(server: Server) -> None:
    table, _ = make_table(server)
    table.sit("Boris")
    with pytest.raises(errors.SamovarError, match="All chairs at this table are taken"):
        ModelDesk().join(table.page)
