"""A language model plays whole games through the tools of `samovar mcp`, and is told how to mend what it asks."""

import json
import sys

import pytest
import typer.testing

import samovar
from samovar import errors
from samovar.cli import app
from samovar.models.desk import ModelDesk
from support.model_clients import ScriptedModel, with_model

pytestmark = pytest.mark.research

OPTIONS: dict[str, dict[str, object]] = {"babuschka": {"patience": 3}, "memoarrrr": {"expert": True}}


@pytest.mark.parametrize("game", ["babuschka", "matryoshka", "memoarrrr", "varvitikud"])
def test_a_whole_game_against_bots(game: str) -> None:
    async def script(model: ScriptedModel) -> None:
        assert f"{game}: " in await model.ask("games")
        assert (await model.ask("rules", game=game, language="fr")).startswith("# ")
        begun = await model.ask("sit_down", game=game, player=2, bots=["random"], options=OPTIONS.get(game, {}), seed=5)
        assert "You are player 2." in begun
        end = await model.play_on()
        assert "Place 1: " in end
        assert "player 2 (you)" in end
        record = json.loads(await model.ask("record", table="1"))
        match = samovar.replay(record)
        assert match.over
        assert match.options.items() >= OPTIONS.get(game, {}).items()
        assert await model.ask("leave", table="1")
        assert "do not sit at a table '1'" in await model.refused("look", table="1")

    with_model(script)


def test_the_answer_to_a_move_tells_what_happened_until_it_is_ones_turn_again() -> None:
    async def script(model: ScriptedModel) -> None:
        await model.ask("sit_down", game="memoarrrr", bots=["random"], seed=3, options={"first": 0})
        answer = await model.ask("play", table="1", move="north")
        happened = answer.split("What happened:\n")[1].split("\n\n")[0]
        assert "- You see at b5: " in happened
        assert "- Player 2 looks at the three middle locations in the " in happened
        assert "Legal moves, by number and text:" in answer

    with_model(script)


def test_a_look_is_text_json_or_a_picture() -> None:
    desk = ModelDesk()

    async def script(model: ScriptedModel) -> None:
        await model.ask("sit_down", game="varvitikud", bots=["random"], seed=3, player=1, options={"first": 0})
        told = json.loads(await model.ask("look", table="1", form="json"))
        match = desk.tables["1"].match  # type: ignore[attr-defined]
        assert told["to_move"] == [1]
        assert [one["number"] for one in told["legal"]] == match.legal(0)
        assert told["view"]["seat"] == 0
        assert match.game.draw(match.view(0), match.game.words["en"]).strip("\n") in await model.ask("look", table="1")
        (picture,) = (await model.client.call_tool("picture", {"table": "1"})).content
        assert picture.mime_type == "image/png"  # type: ignore[union-attr]
        number = told["legal"][0]["number"]
        await model.ask("play", table="1", move=number)
        assert match.history[0] == (0, number)

    with_model(script, desk)


def test_a_review_is_of_ones_own_choices() -> None:
    """Of the three dearest choices of this game two are the other player's."""

    async def script(model: ScriptedModel) -> None:
        await model.ask("sit_down", game="memoarrrr", bots=["random"], seed=3)
        await model.play_on()
        review = await model.ask("review", table="1", seconds=0)
        assert review.startswith("Your review, in shares of 100.")
        assert review.count("You played:\n- ") == review.count("Better was:\n- ") == 3

    with_model(script)


def test_errors_name_the_remedy() -> None:
    async def script(model: ScriptedModel) -> None:
        assert "Did you mean 'memoarrrr'?" in await model.refused("sit_down", game="memoarr")
        assert "Did you mean 'memoarrrr'?" in await model.refused("rules", game="memoarr")
        assert "Call sit_down or join first." in await model.refused("look", table="1")
        assert "no option 'lava'" in await model.refused("sit_down", game="memoarrrr", options={"lava": 1})
        assert "players 1 to 2" in await model.refused("sit_down", game="memoarrrr", player=3)
        assert "Known: random, greedy, easy" in await model.refused("sit_down", game="memoarrrr", bots=["program:ls"])
        assert "one for each" in await model.refused("sit_down", game="memoarrrr", bots=["random"] * 3)
        assert "is not the address of a table" in await model.refused("join", address="http://127.0.0.1:1/")

        await model.ask("sit_down", game="memoarrrr", bots=["random"], seed=3, options={"first": 0})
        illegal = await model.refused("play", table="1", move="c3")
        assert "'c3' is no legal move. Legal now, each with its number: north (25), east (26)" in illegal
        assert "999 is no legal move." in await model.refused("play", table="1", move=999)
        assert "is not over" in await model.refused("record", table="1")
        assert "is not over" in await model.refused("review", table="1")
        assert "Talk at a table of a site" in await model.refused("say", table="1", text="Hello!")
        await model.play_on()
        assert "begin another one with sit_down" in await model.refused("play", table="1", move="a1")
        assert "begin another one with sit_down" in await model.refused("moves", table="1")

    with_model(script)


def test_it_waits_for_others_when_it_is_not_its_turn() -> None:
    desk = ModelDesk()
    desk.sit_down("memoarrrr", bots=["random"], seed=3, options={"first": 0})
    match = desk.tables["1"].match  # type: ignore[attr-defined]
    match.play(0, "north")  # and no bot has answered
    with pytest.raises(errors.NotAnActor, match=r"It is not your turn: it is for player 2 to move. Call wait."):
        desk.play("1", "a1")
    assert "Player 2 looks at" in desk.wait("1")


def test_the_tools_say_what_they_do_and_take() -> None:
    async def script(model: ScriptedModel) -> None:
        tools = {tool.name: tool for tool in (await model.client.list_tools()).tools}
        assert tools.keys() == {
            *("games", "rules", "sit_down", "join", "look", "picture", "moves", "play", "wait", "say", "record"),
            *("review", "leave"),
        }
        assert all(tool.description for tool in tools.values())
        assert tools["rules"].input_schema["properties"]["language"]["enum"] == ["en", "fr", "de", "et"]
        assert tools["play"].input_schema["required"] == ["table", "move"]

    with_model(script)


def test_without_the_sdk_the_command_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    result = typer.testing.CliRunner().invoke(app, ["mcp"])
    assert isinstance(result.exception, errors.MissingExtra)
    assert str(result.exception).endswith("Get it with: pip install 'samovar-games[mcp]'")
