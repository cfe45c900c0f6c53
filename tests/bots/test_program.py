"""Programs as bots: whatever a program does, its bot answers with a legal move or fails with one
clear line, and nothing of it stays behind."""

import json
import os
import re
import select
import shlex
import sys
import tomllib
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samovar import processes
from samovar.bots import Answer, Bot, make_bot, program
from samovar.bots.program import Fault, Program, ask_message
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game, found_in
from samovar.errors import BadBot, BotFailed
from samovar.processes import LONGEST_ANSWER

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples" / "bots"
PAGE = (ROOT / "docs" / "writing-bots.md").read_text(encoding="utf-8")
GAMES = ["babuschka", "matryoshka", "memoarrrr", "varvitikud"]
PYTHON = f"{shlex.quote(sys.executable)} -I -S"

# Little programs begin with these lines; most go on until they are first asked.
TALK = """import json, os, signal, subprocess, sys, time
def say(**message): print(json.dumps(message), flush=True)
def hear(): return json.loads(sys.stdin.readline())
"""
GREET = "hear(); say(type='ready'); match = hear()\n"
ASKED = GREET + "ask = hear()\n"


@pytest.fixture(params=[processes.PolledPipes, processes.ThreadedPipes])
def _pipes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to talk to a process keep the same bounds; Windows has the second one alone."""
    if request.param is processes.PolledPipes and processes.PIPES is not processes.PolledPipes:
        pytest.skip("pipes cannot be polled here")
    monkeypatch.setattr(processes, "PIPES", request.param)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not decide whether a program had the time to end by itself."""
    monkeypatch.setattr(processes, "GRACE_SECONDS", 20.0)


def write(folder: Path, code: str, argument: str = "") -> str:
    """The order of a bot whose program is this code."""
    path = folder / "program.py"
    path.write_text(TALK + code)
    return f"program:{argument}{PYTHON} {path}"


def new_match(game: str = "babuschka", seats: int | None = None, seed: int = 7, **options: Any) -> Match:
    return Match(game, seats, seed, plain=True, **options)


def first_answer(order: str) -> Answer:
    match = new_match(first=0)
    bot = make_bot(order, match.game, 5)
    try:
        return bot.choose(match.seat(0))
    finally:
        bot.close()


def play(match: Match, bots: list[Bot]) -> None:
    try:
        while not match.over:
            seat = match.actors[0]
            match.play(seat, bots[seat].choose(match.seat(seat)).move)
    finally:
        for bot in bots:
            bot.close()


# What is ordered


@pytest.mark.parametrize(
    ("argument", "wrong"),
    [
        ("", "needs a command"),
        ("  ", "needs a command"),
        ("seconds=2", "needs a command"),
        ("no-such-program-anywhere --fast", "no program 'no-such-program-anywhere'"),
        (str(EXAMPLES), "no program"),
        ("sh -c 'unclosed", "cannot be read"),
        ("seconds=0 sh", "above 0"),
        ("seconds=-1 sh", "above 0"),
        ("seconds=nan sh", "above 0"),
        ("seconds=inf sh", "above 0"),
        ("seconds=soon sh", "above 0"),
    ],
)
def test_order_that_cannot_be_is_refused_at_once_with_the_remedy(argument: str, wrong: str) -> None:
    with pytest.raises(BadBot, match=wrong) as caught:
        make_bot(f"program:{argument}", find_game("babuschka"), 1)
    assert "Write program:COMMAND" in str(caught.value)


def test_bot_that_is_never_asked_starts_nothing(tmp_path: Path) -> None:
    bot = make_bot(write(tmp_path, f"open({str(tmp_path / 'started')!r}, 'w')"), find_game("babuschka"), 1)
    bot.close()
    assert not (tmp_path / "started").exists()


# What is answered


def test_move_is_given_by_number_or_text_with_reasons(tmp_path: Path) -> None:
    order = write(
        tmp_path,
        ASKED
        + "say(type='move', move='c1-c2', reasons=[{'move': 137, 'visits': 3, 'place': 1.5, 'mood': 'good'}], more=1)",
    )
    answer = first_answer(order)
    assert answer.move == 138
    ((move, text, visits, place),) = ((one.move, one.text, one.visits, one.place) for one in answer.reasons)
    assert (move, text, visits, place) == (137, "c1-b2", 3, 1.5)
    assert first_answer(write(tmp_path, ASKED + "say(type='move', move=ask['legal'][2]['move'])")) == Answer(139)


def test_seconds_of_the_order_are_told(tmp_path: Path) -> None:
    code = ASKED + "say(type='move', move=ask['legal'][int(ask['seconds'])]['move'])"
    assert first_answer(write(tmp_path, code, "seconds=2 ")) == Answer(139)
    assert first_answer(write(tmp_path, code)) == Answer(204)  # 5 by default


LAST_WORDS = r" Its last words: 'what now\?'\.$"
MOVES = "none of the 12 legal moves"
FAILURES: dict[str, tuple[str, str]] = {
    "dies": (
        ASKED + "print('so\\nwhat now?', file=sys.stderr); sys.exit(3)",
        r"closed its output without an answer \(exit status 3\)\." + LAST_WORDS,
    ),
    "throws": (ASKED + "[].pop()", r"\(exit status 1\)\. Its last words: 'IndexError: pop from empty list'\.$"),
    "dies before hello": ("sys.exit(4)", r"closed its output without an answer \(exit status 4\)\.$"),
    "is killed": (ASKED + "os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", r"\(ended by signal 15\)\.$"),
    "closes its output": (ASKED + "os.close(1); time.sleep(60)", r"closed its output without an answer\.$"),
    "hangs": (
        "print('what now?', file=sys.stderr, flush=True)\n" + ASKED + "time.sleep(60)",
        r"did not answer 'ask' within 0\.5 seconds\." + LAST_WORDS,
    ),
    "never ends its line": (
        ASKED + "sys.stdout.write('{'); sys.stdout.flush(); time.sleep(60)",
        r"did not answer 'ask' within 0\.5 seconds\.$",
    ),
    "is no JSON": (ASKED + "print('c1-c2', flush=True); time.sleep(60)", r"answered 'c1-c2', which is not JSON\.$"),
    "is no UTF-8": (ASKED + "os.write(1, b'\\xff\\xff\\n')", "answered '\ufffd\ufffd', which is not JSON"),
    "is nested too deep": (ASKED + "print('[' * 500_000, flush=True)", r"answered '\[\[\[.*, which is not JSON"),
    "says an escape": (ASKED + "print('\\x1b[2J', flush=True)", r"answered '\\x1b\[2J', which is not JSON"),
    "is no object": (ASKED + "print('[130]', flush=True)", r"answered \[130\], which is not of type 'move'"),
    "is of another type": (ASKED + "say(type='ready')", r"answered {'type': 'ready'}, which is not of type 'move'"),
    "is not ready": ("hear(); say(type='move')", r"answered {'type': 'move'}, which is not of type 'ready'"),
    "moves as nobody may": (ASKED + "say(type='move', move=130)", f"chose 130, which is {MOVES}"),
    "moves in other words": (ASKED + "say(type='move', move='c1 to c2')", f"chose 'c1 to c2', which is {MOVES}"),
    "moves not at all": (ASKED + "say(type='move')", f"chose None, which is {MOVES}"),
    "moves by a list": (ASKED + "say(type='move', move=[137])", rf"chose \[137\], which is {MOVES}"),
    "moves by a fraction": (ASKED + "say(type='move', move=137.0)", rf"chose 137\.0, which is {MOVES}"),
    "gives no list of reasons": (ASKED + "say(type='move', move=137, reasons=5)", "reasons that are no list but 5"),
    "gives a reason of nothing": (
        ASKED + "say(type='move', move=137, reasons=['fun'])",
        "gave the reason 'fun'; one is like",
    ),
    "expects no place": (
        ASKED + "say(type='move', move=137, reasons=[{'move': 137, 'visits': 1, 'place': float('nan')}])",
        "gave the reason",
    ),
    "reasons about no move": (
        ASKED + "say(type='move', move=137, reasons=[{'move': 1, 'visits': 1, 'place': 1}])",
        f"chose 1, which is {MOVES}",
    ),
    "never ends a long line": (
        ASKED + "while True: os.write(1, b'x' * 65536)",
        f"answered with more than {LONGEST_ANSWER} bytes",
    ),
    "says a long line": (
        ASKED + f"print('x' * {LONGEST_ANSWER + 1}, flush=True)",
        f"answered with more than {LONGEST_ANSWER} bytes",
    ),
    "floods us": ('while True: os.write(1, b\'{"type": "ready"}\\n\' * 4096)', "said more than it was asked"),
}


@pytest.mark.usefixtures("_pipes")
@pytest.mark.parametrize(("code", "wrong"), FAILURES.values(), ids=FAILURES)
def test_program_fails_in_one_clear_line_when_it(code: str, wrong: str, tmp_path: Path) -> None:
    order = write(tmp_path, code, "seconds=0.5 " if "0\\.5" in wrong else "seconds=60 ")
    tracemalloc.start()
    try:
        with pytest.raises(BotFailed, match=wrong) as caught:
            first_answer(order)
        assert tracemalloc.get_traced_memory()[1] < 8 * LONGEST_ANSWER
    finally:
        tracemalloc.stop()
    told = str(caught.value)
    assert told.startswith(f"The program '{order.partition(' ')[2]}' ")
    assert told.isprintable()
    assert len(told) < 1000


def test_program_that_does_not_say_hello_in_time_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "HELLO_SECONDS", 0.1)
    with pytest.raises(BotFailed, match=r"did not answer 'hello' within 0\.1 seconds"):
        first_answer(write(tmp_path, "time.sleep(60)"))


@pytest.mark.usefixtures("_pipes")
def test_program_that_answers_twice_fails_when_next_asked(tmp_path: Path) -> None:
    match = new_match(first=0)
    bot = make_bot(
        write(
            tmp_path,
            ASKED + "print((json.dumps({'type': 'move', 'move': 137}) + '\\n') * 2, end='', flush=True); hear()",
        ),
        match.game,
        1,
    )
    assert bot.choose(match.seat(0)) == Answer(137)
    for fault in ("said more than it was asked", "closed its output"):  # once it has failed, it fails
        with pytest.raises(BotFailed, match=fault):
            bot.choose(match.seat(0))
    bot.close()


def test_file_that_is_no_program_fails(tmp_path: Path) -> None:
    path = tmp_path / "noise"
    path.write_bytes(b"\x00\x01")
    path.chmod(0o755)
    with pytest.raises(BotFailed, match="cannot be started: Exec format error"):
        first_answer(f"program:{path}")


@pytest.mark.usefixtures("_pipes")
def test_program_that_does_not_listen_cannot_hold_us_up(tmp_path: Path) -> None:
    running = Program([sys.executable, "-c", "import time; time.sleep(60)"])
    with pytest.raises(Fault, match=r"within 0\.2 seconds"):
        running.ask({"type": "ask", "more_than_a_pipe_holds": "x" * 10**6}, "move", 0.2)
    running.end(9)


@pytest.mark.usefixtures("_pipes")
def test_answer_that_comes_before_all_of_the_question_is_read_counts() -> None:
    early = 'import sys, time; print(\'{"type": "move"}\', flush=True); time.sleep(0.3); sys.stdin.readline()'
    running = Program([sys.executable, "-c", early])
    assert running.ask({"type": "ask", "more_than_a_pipe_holds": "x" * 10**6}, "move", 60) == {"type": "move"}
    running.end(9)


@pytest.mark.usefixtures("_pipes")
def test_program_that_chats_on_its_standard_error_is_not_held_up(tmp_path: Path) -> None:
    assert first_answer(
        write(tmp_path, ASKED + "sys.stderr.write('well... ' * 200_000); say(type='move', move=137)")
    ) == Answer(137)


# What stays behind

STUBBORN = "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)\n"
ENDINGS = {
    "when it quits": ("while hear()['type'] != 'quit': pass", False),
    "when its input ends": ("sys.stdin.read()", False),
    "when it is told": ("time.sleep(60)", False),
    "when it will not": (STUBBORN + "time.sleep(60)", False),
    "when its output is closed": (STUBBORN + "os.close(1); os.close(2); time.sleep(60)", False),
    "when it has died": ("sys.exit(1)", False),
    "when it has failed": ("ask = hear(); print('?', flush=True); time.sleep(60)", True),
}


@pytest.mark.usefixtures("_pipes")
@pytest.mark.parametrize(("code", "fails"), ENDINGS.values(), ids=ENDINGS)
def test_process_and_its_children_end(code: str, fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them hold the other end of a pipe that has a name: it ends for us when the last of
    them has ended."""
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.2)
    os.mkfifo(tmp_path / "fifo")
    ours = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    child = f"theirs = os.open({str(tmp_path / 'fifo')!r}, os.O_WRONLY); os.write(theirs, b'%d ' % os.getpid())\n" + (
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], pass_fds=[theirs], stdout=2)\n"
    )
    answer = "" if fails else "hear(); say(type='move', move=137)\n"
    match = new_match(first=0)
    bot = make_bot(write(tmp_path, GREET + child + answer + code), match.game, 1)
    if fails:
        with pytest.raises(BotFailed):
            bot.choose(match.seat(0))
    else:
        bot.choose(match.seat(0))
        bot.close()
    bot.close()
    number = int(os.read(ours, 100))
    with pytest.raises(ChildProcessError):  # it has been waited for, so there is no zombie
        os.waitpid(number, os.WNOHANG)
    assert select.select([ours], [], [], 10)[0], "a child still runs"
    assert os.read(ours, 1) == b""
    os.close(ours)


@pytest.mark.usefixtures("_pipes")
def test_program_has_the_time_to_save_after_its_input_has_ended(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    first_answer(
        write(
            tmp_path,
            ASKED + f"say(type='move', move=137); rest = sys.stdin.read(); open({str(saved)!r}, 'w').write(rest)",
        )
    )
    assert saved.read_text() == '{"type": "over"}\n{"type": "quit"}\n'


@pytest.mark.usefixtures("_pipes")
def test_twenty_bots_leave_no_descriptor_open(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    good = write(tmp_path, ASKED + "say(type='move', move=137)")
    for _ in range(10):
        first_answer(good)
        with pytest.raises(BotFailed):
            first_answer("program:true")
    assert len(os.listdir("/dev/fd")) == before


# What is told


@pytest.mark.parametrize("game", GAMES)
def test_whole_match_is_played_and_the_same_again(game: str, tmp_path: Path) -> None:
    seed = 987_654_321_987_654_321
    histories = []
    for number in range(2):
        match = new_match(game, seed=seed, **({"patience": 1} if game == "babuschka" else {}))
        log = tmp_path / f"heard{number}"
        tee = f"program:sh -c 'tee {log} | {PYTHON} {EXAMPLES / 'random_program.py'}'"
        play(match, [make_bot(tee if seat == 0 else "random", match.game, seat) for seat in range(match.seats)])
        histories.append(match.history)
        told = log.read_text(encoding="ascii")
        kinds = [json.loads(line)["type"] for line in told.splitlines()]
        assert kinds == ["hello", "match", *["ask"] * sum(seat == 0 for seat, _ in match.history), "over", "quit"]
        assert str(seed) not in told  # the deal is a secret
    assert histories[0] == histories[1]


def walk(game: Game) -> Iterator[Match]:
    """Every position of one random match of every variant."""
    for number, (seats, options) in enumerate(game.variants()):
        match = Match(game, seats, number, plain=True, **options)
        choose = np.random.default_rng(number)
        while not match.over:
            yield match
            seat = int(choose.choice(match.actors))
            match.play(seat, int(choose.choice(match.legal(seat))))


PHASES = {
    "babuschka": {None},
    "matryoshka": {"display", "put", "offer", "take"},
    "memoarrrr": {"look", "reveal", "peek", "swap", "block"},
    "varvitikud": {"place", "swap"},
}


def as_lists(thing: Any) -> Any:
    if isinstance(thing, dict):
        return {key: as_lists(value) for key, value in thing.items()}
    return [as_lists(one) for one in thing] if isinstance(thing, list | tuple) else thing


@pytest.mark.parametrize("game", GAMES)
def test_all_that_is_sent_is_json_and_no_secret_in_every_phase(game: str) -> None:
    phases = set()
    for number, match in enumerate(walk(find_game(game))):
        seat = match.actors[-1]
        phase = getattr(match.view(seat), "phase", None)
        if number % 20 == 0 or phase not in phases:
            message = ask_message(match.seat(seat), 5.0)
            assert json.loads(json.dumps(message, allow_nan=False)) == as_lists(message)
            assert message == ask_message(match.imagine(seat, number).seat(seat), 5.0)
        phases.add(phase)
    assert phases == PHASES[game]


# What the page says


def fits(shown: Any, real: Any) -> bool:
    """Whether something is what the page shows, where "..." stands for anything left out."""
    if isinstance(shown, dict) and isinstance(real, dict):
        rest = shown.keys() ^ real.keys()
        return (not rest or "..." in shown) and all(
            key in real and fits(value, real[key]) for key, value in shown.items() if key != "..."
        )
    if isinstance(shown, list) and isinstance(real, list):
        if shown and shown[-1] == "...":
            shown, real = shown[:-1], real[: len(shown) - 1]
        return len(shown) == len(real) and all(map(fits, shown, real))
    return bool(shown == real)


def session(folder: Path) -> list[str]:
    """The match of the page as its program heard and said it."""
    match = new_match(first=0)
    tee = f"program:sh -c 'tee {folder / 'heard'} | {PYTHON} {EXAMPLES / 'random_program.py'} | tee {folder / 'said'}'"
    bot = make_bot(tee, match.game, 5)
    match.play(0, bot.choose(match.seat(0)).move)
    match.play(1, "d8-e7")
    match.play(0, bot.choose(match.seat(0)).move)
    bot.close()
    said = iter((folder / "said").read_text().splitlines())
    lines = []
    for line in (folder / "heard").read_text().splitlines():
        lines.append(f"> {line}")
        if json.loads(line)["type"] in ("hello", "ask"):
            lines.append(f"< {next(said)}")
    assert not list(said)
    return lines


def test_session_of_the_page_is_what_a_program_hears_and_says(tmp_path: Path) -> None:
    (block,) = re.findall(r"```\n(> .*?)```", PAGE, re.DOTALL)
    begin, end = (part.splitlines() for part in block.split("...\n>", 1))
    real = session(tmp_path)
    for shown, line in [
        *zip(begin, real, strict=False),
        *zip([f">{end[0]}", *end[1:]], real[-len(end) :], strict=True),
    ]:
        assert shown[0] == line[0]
        assert fits(json.loads(shown[2:]), json.loads(line[2:])), f"{shown}\n{line}"


def test_messages_of_the_page_are_those_sent(tmp_path: Path) -> None:
    table = re.search(r"\| to the program .*?\n\n", PAGE, re.DOTALL)
    assert table
    listed = {}
    for row in table[0].strip().splitlines()[2:]:
        _, kind, keys, _, _ = (cell.strip() for cell in row.split("|"))
        listed[kind.strip("`")] = ["type", *re.findall(r"`(\w+)`", keys)]
    sent = [json.loads(line[2:]) for line in session(tmp_path) if line[0] == ">"]
    assert {message["type"]: list(message) for message in sent} == listed


@pytest.mark.parametrize(
    "name", ["random_program.py", "first_move.sh", "lucky_bot/pyproject.toml", "lucky_bot/lucky_bot.py"]
)
def test_examples_stand_in_the_page_as_they_are(name: str) -> None:
    assert f"\n{(EXAMPLES / name).read_text(encoding='utf-8')}```" in PAGE


@pytest.mark.parametrize("game", GAMES)
def test_shell_example_makes_the_first_move_of_every_game(game: str) -> None:
    match = new_match(game)
    seat = match.actors[0]
    bot = make_bot(f"program:sh {EXAMPLES / 'first_move.sh'}", match.game, 1)
    assert bot.choose(match.seat(seat)) == Answer(match.legal(seat)[0])
    bot.close()


def test_babuschka_example_beats_random_and_declines_other_games() -> None:
    order = f"program:{PYTHON} {EXAMPLES / 'homeward.py'}"
    match = new_match()
    play(match, [make_bot("random", match.game, 3), make_bot(order, match.game, 5)])
    assert match.places == (2, 1)
    match = new_match("memoarrrr")
    bot = make_bot(order, match.game, 5)
    with pytest.raises(BotFailed, match="I know how to play babuschka, not memoarrrr"):
        bot.choose(match.seat(match.actors[0]))


def test_bot_of_another_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pip would install it: the module on the path, and beside it what its pyproject.toml
    says."""
    project = tomllib.loads((EXAMPLES / "lucky_bot" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / "samovar_lucky_bot-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    (points,) = project["entry-points"].items()
    (info / "entry_points.txt").write_text(
        f"[{points[0]}]\n" + "".join(f"{name} = {value}\n" for name, value in points[1].items())
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES / "lucky_bot")
    found_in.cache_clear()
    try:
        match = new_match("memoarrrr")
        seat = match.actors[0]
        answers = [make_bot("lucky:3", match.game, 5).choose(match.seat(seat)) for _ in range(2)]
        assert answers[0] == answers[1]
        assert answers[0].move in match.legal(seat)
        assert len(answers[0].reasons) == 3
        with pytest.raises(BadBot, match="Write lucky or lucky:50"):
            make_bot("lucky:0", match.game, 5)
    finally:
        found_in.cache_clear()
