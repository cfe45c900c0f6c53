"""How a language model is judged: that it finds its place, and that nothing it answers stops it."""

import json
import math
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
import typer.testing

from samovar.arena.ratings import MEAN, SCALE
from samovar.cli import app
from samovar.engine.heuristics import strengths_of
from samovar.engine.registry import find_game
from samovar.errors import BadTournament, ModelFailed
from samovar.models.asked import CommandModel, ModelAnswer, ServedModel
from samovar.models.judge import JudgedMatch, JudgeOrder, ModelPlace, judging, last_line, verdict_of
from support.outcome_games import GAME

STRENGTHS = strengths_of(find_game("memoarrrr").heuristics.levels, "medium")
FIRST = "import re, sys; print(re.findall(r'^- (\\d+):', sys.stdin.read(), re.M)[0])"


class Scripted:
    """A model that follows a script; it keeps what it was asked."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.questions: list[str] = []

    def ask(self, rules: str, question: str) -> ModelAnswer:
        self.questions.append(question)
        return ModelAnswer(self.answer(question), len(rules + question), 1)


def first_move(question: str) -> str:
    return question.split("by number and text:\n- ")[1].split(":")[0]


def judged(game: str, model: Scripted, **order: object) -> ModelPlace:
    order = {"matches": 1, "reviews": 0, "seed": 5} | order
    *_, last = judging(JudgeOrder(find_game(game), 2, **order), model)  # type: ignore[arg-type]
    return last


@pytest.mark.parametrize(
    "game",
    [
        "connect_four",
        "memoarrrr",
        *(pytest.param(game, marks=pytest.mark.slow) for game in ("babuschka", "varvitikud")),
    ],
)
def test_a_model_plays_each_deal_as_every_player(game: str) -> None:
    model = Scripted(first_move)
    verdict = judged(game, model)
    assert [(match.deal, match.player, match.reason) for match in verdict.matches] == [(0, 1, ""), (0, 2, "")]
    assert verdict.points < MEAN, "it makes the first move that there is"
    assert sum(match.written for match in verdict.matches) == len(model.questions)


def test_it_is_told_again_what_it_saw_for_it_may_remember_nothing() -> None:
    model = Scripted(first_move)
    judged("memoarrrr", model)
    told = [question.split("What you see now:")[0] for question in model.questions]
    seen = [line for line in told[3].splitlines() if "You see at" in line]
    assert seen
    assert all(line in told[5] for line in seen)


def test_an_illegal_answer_is_counted_and_asked_again() -> None:
    model = Scripted(lambda question: first_move(question) if "no legal move" in question else "**Move:** e2e4")
    verdict = judged("connect_four", model)
    for match in verdict.matches:
        assert len(match.asked) == 2 * len(match.illegal) > 0
        assert not match.reason
    assert "You answered 'e2e4', which is no legal move." in model.questions[1]
    assert [phase.illegal for phase in verdict.phases] == [0.5, 0.5, 0.5]


def test_a_model_that_never_answers_with_a_move_loses_and_the_next_match_begins() -> None:
    model = Scripted(lambda question: "I would rather not")
    verdict = judged("connect_four", model, tries=2)
    assert [match.share for match in verdict.matches] == [0, 0]
    assert {len(match.asked) for match in verdict.matches} == {3}
    assert all("'I would rather not', which is no legal move" in match.reason for match in verdict.matches)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("12", "12"),
        ("I think that b3 is best.\n\n**Move: b3**\n", "b3"),
        ("Answer: `north`.", "north"),
        ("a: b", "a: b"),
        ("```\n7\n```", "7"),
        ("", ""),
    ],
)
def test_the_last_line_of_an_answer_is_the_move(text: str, move: str) -> None:
    assert last_line(text) == move


# Its place


def played_by(strength: float, chance: np.random.Generator, luck: float = 0.0) -> ModelPlace:
    """As `judging`, with matches by chance, four deals at a time. `luck`: how much of a result is known to be luck."""
    matches: list[JudgedMatch] = []
    verdict = ModelPlace((), MEAN, None, None, is_luck_free=False)
    while not verdict.is_sure and len(matches) < 400:
        own = (verdict.points - MEAN) / SCALE
        level = min(STRENGTHS, key=lambda level: abs(STRENGTHS[level] - own))
        share = 1 / (1 + math.exp(STRENGTHS[level] - strength))
        for won in (chance.random(8) < share).astype(float).tolist():
            deal, player = divmod(len(matches), 2)
            matches.append(JudgedMatch(deal, player + 1, level, won, luck * (won - share), 20, (), (), 0, 0))
        verdict = verdict_of(matches, STRENGTHS)
    return verdict


@pytest.mark.parametrize("strength", [-1.0, 0.3, 2.0])
def test_its_place_is_right_and_sure_within_200_matches(strength: float) -> None:
    chance = np.random.default_rng(7)
    verdicts = [played_by(strength, chance) for _ in range(12)]
    true = MEAN + SCALE * strength
    held = sum((one.low or 0) <= true <= (one.high or 0) for one in verdicts)
    assert held >= 9, "19 of 20 on average"
    assert np.median([len(one.matches) for one in verdicts]) <= 200


def test_known_luck_makes_it_sure_sooner() -> None:
    plain, free = (played_by(0.3, np.random.default_rng(3), luck) for luck in (0.0, 0.7))
    assert len(free.matches) < 0.8 * len(plain.matches)


def test_a_model_that_always_wins_is_not_sure_of_its_place() -> None:
    matches = [JudgedMatch(deal, 1, "expert", 1.0, None, 20, (), (), 0, 0) for deal in range(40)]
    verdict = verdict_of(matches, STRENGTHS)
    assert verdict.points > MEAN + SCALE * STRENGTHS["expert"]
    assert not verdict.is_sure
    assert not verdict.is_luck_free


# Programs and addresses


def test_the_command_judges_a_program_and_writes_what_it_knows(tmp_path) -> None:
    model = shlex.join([sys.executable, "-S", "-c", FIRST])
    file = tmp_path / "verdict.json"
    order = [
        "judge",
        "connect_four",
        "--model",
        model,
        "--matches",
        "2",
        "--reviews",
        "1",
        "--json",
        "--file",
        str(file),
    ]
    done = typer.testing.CliRunner().invoke(app, order)
    assert done.exit_code == 0, done.output
    found = json.loads(file.read_text())
    assert json.loads(done.stdout) == found
    assert (found["game"], len(found["matches"]), found["reviewed"]) == ("connect_four", 2, 1)
    assert all(phase["cost"] is not None for phase in found["phases"])


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("there-is-no-such-program", "cannot be started"),
        (shlex.join([sys.executable, "-S", "-c", "import sys; sys.exit('no key')"]), "ended with 1: no key"),
        (shlex.join([sys.executable, "-S", "-c", "import time; time.sleep(9)"]), "--move-limit"),
        ("", "--model"),
        ("'", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_program_is_said(command: str, says: str) -> None:
    with pytest.raises(ModelFailed, match=says):
        CommandModel(command, 0.3 if "sleep" in command else 30).ask("rules", "question")


@contextmanager
def answering(*answers: tuple[int, object]) -> Iterator[tuple[str, list[tuple[str, dict[str, object]]]]]:
    """A server of models that gives these answers, one after the other; and what it was asked."""
    asked: list[tuple[str, dict[str, object]]] = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((f"{self.path} {self.headers['Authorization']}", body))
            status, answer = left.pop(0)
            self.send_response(status)
            self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
        server.shutdown()


def test_a_model_at_an_address_is_asked_again_while_it_is_busy(monkeypatch) -> None:
    monkeypatch.setenv("SAMOVAR_MODEL_KEY", "secret")
    said = {"choices": [{"message": {"content": "b3"}}], "usage": {"prompt_tokens": 90, "completion_tokens": 2}}
    with answering((429, {}), (200, said)) as (url, asked):
        assert ServedModel(url, "small", 30).ask("the rules", "a question") == ("b3", 90, 2)
    (where, _), (_, body) = asked
    assert where == "/v1/chat/completions Bearer secret"
    assert body["model"] == "small"
    assert [message["content"] for message in body["messages"]] == ["the rules", "a question"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((401, {}), "SAMOVAR_MODEL_KEY"),
        ((404, {}), "--model-name"),
        ((200, {"odd": 1}), "otherwise than"),
        ((200, 7), "otherwise"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(answer: tuple[int, object], says: str) -> None:
    with answering(answer) as (url, _), pytest.raises(ModelFailed, match=says):
        ServedModel(url, "small", 30).ask("rules", "question")


def test_an_address_where_nobody_is_is_said() -> None:
    with pytest.raises(ModelFailed, match="cannot be asked"):
        ServedModel("http://127.0.0.1:9/v1", "small", 30).ask("rules", "question")


def test_a_game_in_which_some_play_together_is_refused() -> None:
    with pytest.raises(BadTournament, match="play together"):
        next(judging(JudgeOrder(GAME, 2), Scripted(first_move)))
