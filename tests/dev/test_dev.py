"""`samovar dev`: a game in work is read anew with every save, and mistakes stand where they can be mended."""

import sys
import time
from pathlib import Path

import msgspec
import pytest
from litestar.testing import TestClient

from samovar.dev import kit_worker
from samovar.dev.app import make_dev_app
from samovar.dev.faults import fault_of
from samovar.dev.messages import (
    PIECES,
    SPECTATOR,
    AskBots,
    Course,
    Fold,
    LetPlay,
    MovePiece,
    Play,
    ShowSteps,
    TableAnswer,
)
from samovar.dev.table_worker import TableWorker, folded
from samovar.dev.workshop import folder_of
from samovar.engine.contract import Game
from samovar.engine.installed import found_in
from samovar.engine.match import Match
from samovar.errors import BrokenGame, UnknownGame
from samovar.starter import write_game
from samovar.starter.template.tall_pile import GAME
from samovar.testing import conformance
from support.packages import as_installed

DEADLINE = 60.0  # of a busy machine


def ask(worker: TableWorker, question: object) -> TableAnswer:
    return msgspec.json.decode(worker.answer(msgspec.json.encode(question)), type=TableAnswer)


def test_a_match_goes_on_by_other_rules_as_far_as_they_allow() -> None:
    played = Match(GAME, 3, 5, plain=True)
    played.play_random(1, 4)
    moves = tuple(played.told_history())
    match, why = folded(GAME, Course(3, 5, {"first": "random"}, moves=moves))
    assert (match.state_bytes, why) == (played.state_bytes, "")
    match, why = folded(GAME, Course(3, 5, moves=(*moves[:2], (moves[2][0], "99"))))
    assert not match.history
    assert why.startswith("3: '99' is not a move of Tall pile")
    match, why = folded(GAME, Course(9, 5, moves=moves))
    assert match.seats == 2
    assert "9" in why
    match, why = folded(GAME, Course(3, 5, {"gone": "1"}))
    assert "gone" in why


def test_every_seat_sees_its_own_cards_and_the_table_does_what_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samovar.dev.table_worker.HINT_SECONDS", 0.1)
    monkeypatch.setattr("samovar.dev.table_worker.find_game", lambda name: GAME)
    worker = TableWorker()
    told = ask(worker, Fold("tall_pile", Course(2, 5)))
    truth = Match(GAME, 2, 5, plain=True)
    assert told.boards.keys() == {"0", "1", SPECTATOR}
    for seat in (0, 1):
        hand = "Your hand: " + ", ".join(truth.view(seat).hand)
        assert [hand in told.boards[eye] for eye in ("0", "1")] == [seat == 0, seat == 1]
        assert hand not in told.boards[SPECTATOR]
    again, why = folded(GAME, Course(2, 5, {option.name: option.value for option in told.options}))
    assert (again.state_bytes, why) == (truth.state_bytes, "")
    mover = told.actors[0]
    refused = ask(worker, Play(mover, "99"))
    assert "Legal now" in refused.refused
    played = ask(worker, Play(mover, truth.moves(mover)[0]))
    assert played.course.moves == ((mover, truth.moves(mover)[0]),)
    advised = ask(worker, AskBots())
    assert advised.hint
    assert "hinted-1" in advised.boards[str(1 - mover)]
    assert "hinted" not in advised.boards[str(mover)]
    assert "hinted" not in ask(worker, ShowSteps(1 - mover)).boards[str(1 - mover)]
    over = ask(worker, LetPlay("greedy", 100))
    assert over.is_over
    assert len(over.course.moves) == 12


def test_a_position_is_laid_out_on_the_drawing() -> None:
    worker = TableWorker()
    assert ask(worker, Fold("babuschka", Course(2, 5))).moves_pieces
    assert 'name="move" value="c1"' in ask(worker, MovePiece()).boards[PIECES]
    picked = ask(worker, MovePiece("c1")).boards[PIECES]
    assert 'name="picked" value="c1"' in picked
    assert 'action="/pieces"' in picked
    moved = ask(worker, MovePiece("c1", "d4"))
    assert moved.course.position
    dolls = moved.course.position["dolls"]
    assert (dolls["c1"], dolls["d4"]) == ("0S 0M", "0L")  # the outer doll has gone
    assert ask(worker, MovePiece("b2", "d4")).refused == "No doll stands on b2. Choose a doll first, then a field."


def test_a_mistake_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text("x = 1\n\n\ndef legal(state):\n    return state.topp\n")
    broken = BrokenGame("The rule 'legal' of My game uses state.topp, and there is no such field of the state.")
    assert (fault_of(broken, tmp_path).file, fault_of(broken, tmp_path).line) == ("rules.py", 5)
    with pytest.raises(SyntaxError) as caught:
        compile("a = 1\nb = )\n", str(file), "exec")
    wrapped = BrokenGame(f"cannot be loaded: {caught.value!r}")
    wrapped.__cause__ = caught.value
    fault = fault_of(wrapped, tmp_path)
    assert (fault.file, fault.line) == ("rules.py", 2)
    assert fault.remedy
    rows = BrokenGame("cards.csv, line 4: the column 'rank' says 'x': Expected `int`, got `str`.")
    (tmp_path / "cards.csv").write_text("name,rank\na,1\nb,2\nc,x\n")
    assert (fault_of(rows, tmp_path).file, fault_of(rows, tmp_path).line, fault_of(rows).code) == ("cards.csv", 4, "")
    file.write_text("def view():\n    return nothing\n")
    space: dict[str, object] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    with pytest.raises(NameError) as told:
        space["view"]()  # type: ignore[operator]
    fault = fault_of(told.value, tmp_path)
    assert (fault.file, fault.line, fault.code) == ("rules.py", 2, "return nothing")


def test_the_quick_checks_are_those_of_the_kit() -> None:
    assert all(hasattr(conformance, f"test_{name}") for name in kit_worker.QUICK)


def test_a_finding_of_the_kit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit_worker, "find_game", lambda name: GAME)
    monkeypatch.setattr(kit_worker, "QUICK", ("facts_are_complete",))
    assert kit_worker.look(kit_worker.Check("tall_pile", 0)).what == ""

    def broken(game: Game) -> None:
        raise AssertionError("cards are counted wrongly")

    monkeypatch.setattr(conformance, "test_facts_are_complete", broken)
    finding = kit_worker.look(kit_worker.Check("tall_pile", 0))
    assert (finding.what, finding.checks) == ("cards are counted wrongly", 1)


def test_a_game_that_is_not_installed_is_told_with_the_remedy() -> None:
    with pytest.raises(UnknownGame, match="pip install -e my_gme"):
        folder_of("my_gme")


@pytest.mark.processes
def test_a_saved_file_is_on_the_page_and_the_match_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = as_installed(write_game("little_game", tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(package))
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    monkeypatch.syspath_prepend(str(package))
    found_in.cache_clear()
    try:
        with TestClient(make_dev_app("little_game", "en"), base_url="http://127.0.0.1") as client:
            _work_on(client, package / "little_game")
            for foreign in ({"host": "evil.example"}, {"sec-fetch-site": "cross-site"}):
                assert client.post("/do", headers=foreign).status_code == 403
        assert "little_game" not in sys.modules
    finally:
        found_in.cache_clear()


def _work_on(client: TestClient, folder: Path) -> None:
    def wait_for(*texts: str) -> str:
        until = time.monotonic() + DEADLINE
        while True:
            page = client.get("/").text
            if all(text in page for text in texts):
                return page
            assert time.monotonic() < until, page
            time.sleep(0.05)

    def change(file: str, old: str, new: str) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")

    wait_for('src="/seat/1"', "Take back a move")
    clicked = client.post("/pieces", data={"move": "c1"}, follow_redirects=False)
    assert clicked.headers["location"] == "/pieces?picked=c1"
    assert 'action="/pieces"' in client.get("/pieces?picked=c1").text
    client.post("/do", data={"what": "bots", "moves": "3", "bot": "random"})
    change("cards.csv", "\n1,1,1,1", "\n1,one,1,1")
    wait_for("cards.csv, line 2", "1,one,1,1", "from before this change")
    change("cards.csv", ",one,", ",1,")
    change("cards.csv", "12,12,12,12", "12,12,Dragon,Dragon")
    until = time.monotonic() + DEADLINE
    while "Dragon" not in client.get("/seat/0").text + client.get("/seat/1").text and time.monotonic() < until:
        time.sleep(0.05)
    assert "Dragon" in client.get("/seat/0").text + client.get("/seat/1").text
    change("state.py", "HAND = 3", "HAND = 1")
    wait_for("The table stands at its beginning", "1: ")
    change("state.py", "HAND = 1", "HAND = 3")
    until = time.monotonic() + DEADLINE
    while "The table stands at its beginning" in client.get("/").text and time.monotonic() < until:
        time.sleep(0.05)
    page = client.get("/").text
    assert "The table stands at its beginning" not in page
    assert "Something is wrong" not in page
    assert "Please wait" in client.get("/seat/0").text + client.get("/seat/1").text
