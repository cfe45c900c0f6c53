"""Small members of the games: sound games of their own, by the same source, found in every process,
and nothing to the full game."""

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import samovar
from samovar.engine.contract import Game
from samovar.engine.installed import found_in
from samovar.engine.members import member, members_of
from samovar.engine.registry import find_game, game_ids
from samovar.engine.rule import PLAIN_VARIABLE
from samovar.errors import BrokenGame, UnknownGame
from samovar.testing import checks, kinds, players, worlds

MEMBERS = [f"{game_id}_{name}" for game_id in game_ids() for name in members_of(game_id)]
TINY = [game_id for game_id in MEMBERS if game_id.endswith("_tiny")]
HIDDEN = [game_id for game_id in TINY if not game_id.startswith("babuschka")]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is worth compiling."""
    monkeypatch.setenv(PLAIN_VARIABLE, "1")


def test_each_of_our_games_has_two_members_or_more() -> None:
    for game_id in ("babuschka", "matryoshka", "memoarrrr", "varvitikud"):
        assert {"tiny", "small"} <= members_of(game_id).keys()
    assert not set(MEMBERS) & set(game_ids())


# The kit


@pytest.mark.parametrize("game_id", MEMBERS)
@pytest.mark.usefixtures("plain")
def test_a_member_is_a_sound_game(game_id: str) -> None:
    game = find_game(game_id)
    assert game.id == game_id
    assert game.face is None
    assert game_id.rpartition("_")[2] in game.name
    seats, options = game.variants()[-1]
    checks.check_walk(game, seats, options, seed=11)
    checks.check_length(game, seats, options, matches=20)
    checks.check_simultaneous(game, seats, options, seed=13)
    kinds.check_numbers(game, seats, options, seed=21)
    worlds.check_worlds(game, seats, options, seed=14, looks=4)


@pytest.mark.parametrize("game_id", MEMBERS)
@pytest.mark.usefixtures("plain")
@pytest.mark.slow
def test_bots_can_play_a_member(game_id: str) -> None:
    game = find_game(game_id)
    seats, options = game.variants()[-1]
    players.check_evaluation(game, seats, options)
    kinds.check_features(game, seats, options, seed=22)


@pytest.mark.parametrize("game_id", HIDDEN)
@pytest.mark.usefixtures("plain")
@pytest.mark.slow
def test_a_member_keeps_its_secrets(game_id: str) -> None:
    game = find_game(game_id)
    seats, options = game.variants()[-1]
    worlds.check_variety(game, seats, options, deals=300)


@pytest.mark.parametrize("game_id", MEMBERS)
@pytest.mark.usefixtures("plain")
def test_a_member_is_won_and_lost_and_its_choices_matter(game_id: str) -> None:
    """There is a deal from which, by other moves, another seat wins."""
    game = find_game(game_id)
    assert any({(1, 2), (2, 1)} <= ends_of(game, deal) for deal in range(8))


def ends_of(game: Game, deal: int) -> set[tuple[int, ...]]:
    ends = set()
    for seed in range(30):
        match = samovar.Match(game, game.seats[0], deal)
        choose = np.random.default_rng(seed)
        while not match.over:
            seat = match.actors[0]
            match.play(seat, int(choose.choice(match.legal(seat))))
        ends.add(match.places)
    return ends


# The same rules, other numbers


@pytest.mark.parametrize("game_id", TINY)
def test_a_member_leaves_the_full_game_alone(game_id: str) -> None:
    full, small = find_game(game_id.removesuffix("_tiny")), find_game(game_id)
    assert small is member(full, "tiny")
    assert small.deal.__code__ == full.deal.__code__
    assert small.deal is not full.deal
    assert small.state.itemsize < full.state.itemsize or small.moves < full.moves
    assert not {function.__module__ for function in small.rules.values()} & {
        function.__module__ for function in full.rules.values() if ".games." in function.__module__
    }
    sizes = members_of(full.id)["tiny"].sizes
    ours, theirs = (vars(sys.modules[f"{module_of(game)}.sizes"]) for game in (full, small))
    assert all(theirs[name] == size for name, size in sizes.items())
    assert any(ours[name] != size for name, size in sizes.items())


def module_of(game: Game) -> str:
    return game.deal.__module__.rpartition(".")[0]  # type: ignore[attr-defined, no-any-return]


@pytest.mark.usefixtures("plain")
def test_options_of_a_member_have_one_value() -> None:
    match = samovar.Match("babuschka_tiny", 2, 1)
    assert match.options["patience"] == 3
    with pytest.raises(samovar.SamovarError, match=r"cannot be 4\. It takes 3 "):
        samovar.Match("babuschka_tiny", 2, 1, patience=4)


@pytest.mark.usefixtures("plain")
def test_what_is_drawn_at_once_is_sorted_in_a_small_matryoshka() -> None:
    """So that deals which nobody can tell apart are one, imagined ones too."""
    match = samovar.Match("matryoshka_small", 2, 3)
    for world in (match, match.imagine(0, seed=5)):
        deck = list(world.state.deck)
        draws = [deck[0:2], deck[2:4], deck[6:8]]
        assert draws == [sorted(draw) for draw in draws]


# Found by name


@pytest.mark.parametrize(
    ("game_id", "says"),
    [
        ("matryoshka_tinny", "Did you mean 'matryoshka_tiny'? Known: matryoshka, matryoshka_tiny, matryoshka_small."),
        ("connect_four_tiny", "connect_four has no smaller members"),
        ("tiny", "There is no game 'tiny'. Known: babuschka"),
    ],
)
def test_a_member_that_is_not_there_is_refused_with_those_that_are(game_id: str, says: str) -> None:
    with pytest.raises(UnknownGame, match=re.escape(says)):
        find_game(game_id)


OTHER_PROCESS = """
import pickle, sys
views = pickle.loads(bytes.fromhex(sys.argv[1]))  # before anything of samovar is imported
from samovar.engine.match import Seat
for view, sent in zip(views, sys.argv[2:], strict=True):
    seat = Seat.from_bytes(bytes.fromhex(sent))
    assert seat.view == view, "another view"
    print(seat.game.id, seat.legal)
"""


@pytest.mark.usefixtures("plain")
def test_another_process_finds_members_by_what_it_is_sent() -> None:
    matches = [samovar.Match(game_id, seed=4) for game_id in TINY]
    seats = [match.seat(match.actors[0]) for match in matches]
    views = pickle.dumps([seat.view for seat in seats])
    told = run("-c", OTHER_PROCESS, views.hex(), *(seat.to_bytes().hex() for seat in seats))
    assert told.splitlines() == [f"{seat.game.id} {seat.legal}" for seat in seats]
    for match in matches:
        assert samovar.replay(match.record()).state_bytes == match.state_bytes


def run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], env=os.environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


# A game of another package: the first to take the last of some stones wins.

SIZES = """
from samovar.engine.members import Member

STONES = 20
MOST = 3
MEMBERS = {
    "tiny": Member(help="five stones", sizes={"STONES": 5, "MOST": 2}),
    "odd": Member(help="a mistake", sizes={"STONE": 5}),
}
"""
STATE = """
import numpy as np
from samovar.engine.rule import rule
from .sizes import STONES

STATE = np.dtype([("seats", np.int8), ("left", np.int8), ("turn", np.int8), ("last", np.int8)])

@rule
def fill(state):
    state.left = STONES
"""
GAME = """
from dataclasses import dataclass
from samovar.engine.chance import starting_seat
from samovar.engine.contract import Event, Game, Part, nothing_hidden, usual_prompt
from samovar.engine.rule import rule
from .sizes import MOST, STONES
from .state import STATE, fill

@rule
def deal(state, seats, options, rng):
    state.seats = seats
    state.turn = starting_seat(rng, seats, options.first)
    fill(state)

@rule
def actors(state):
    return 0 if state.left == 0 else 1 << state.turn

@rule
def legal(state, seat, out):
    count = min(MOST, state.left)
    for k in range(count):
        out[k] = k
    return count

@rule
def apply(state, seat, move):
    state.left -= move + 1
    state.turn = 1 - seat
    state.last = seat

@rule
def scores(state, out):
    for seat in range(2):
        out[seat] = 1 if state.left == 0 and state.last == seat else 0

@rule
def observe(state, seat, out):
    out[0] = state.left

@dataclass(frozen=True)
class View:
    left: int
    prompt: Event
    news: tuple[Event, ...] = ()

GAME = Game(
    id="stones", name="Stones", seats=(2,), state=STATE, moves=MOST, max_length=lambda seats, options: STONES,
    observation=(Part("left", 1, "stones left"),), deal=deal, actors=actors, legal=legal, apply=apply, scores=scores,
    determinize=nothing_hidden, observe=observe, view=lambda state, seat: View(state.left, usual_prompt(0, seat)),
    move_text=lambda state, seat, move: str(move + 1), words={"en": {}},
)
"""


@pytest.fixture
def stones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a game, as pip would install it."""
    package, facts = tmp_path / "stones_game", tmp_path / "stones_game-1.dist-info"
    for folder in (package, facts):
        folder.mkdir()
    for name, text in {"sizes": SIZES, "state": STATE, "__init__": GAME}.items():
        (package / f"{name}.py").write_text(text)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: stones-game\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[samovar.games]\nstones = stones_game:GAME\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    forget_stones()
    yield package
    monkeypatch.undo()
    forget_stones()


def forget_stones() -> None:
    found_in.cache_clear()
    find_game.cache_clear()
    for name in [name for name in sys.modules if "stones" in name and name != __name__]:
        del sys.modules[name]


@pytest.mark.usefixtures("plain")
def test_a_game_of_another_package_has_members_in_the_same_way(stones: Path) -> None:
    match = samovar.Match("stones_tiny", first=0)
    assert (match.state.left, match.legal(0)) == (5, [0, 1])
    assert samovar.Match("stones").state.left == 20
    with pytest.raises(BrokenGame, match=r"stones has no size 'STONE'\. Did you mean 'STONES'\?"):
        find_game("stones_odd")


@pytest.mark.usefixtures("plain")
def test_modules_that_name_each_other_in_full_are_refused(stones: Path) -> None:
    """The member would have got the rule of the full game, and its size."""
    text = (stones / "__init__.py").read_text().replace("from .state", "from stones_game.state")
    (stones / "__init__.py").write_text(text)
    with pytest.raises(BrokenGame, match=r"would share 'fill' with the full Stones\. Import the modules"):
        find_game("stones_tiny")


COMPILED = """
import samovar
from samovar.engine.ways.backend import backend

totals = []
for game in ("stones_tiny", "stones"):
    match = samovar.Match(game, first=0)
    while not match.over:
        match.play(match.actors[0], match.legal(match.actors[0])[-1])
    entries = backend(match.game)._entries.values()
    totals.append((len(match.history), sum(sum(entry.stats.cache_misses.values()) for entry in entries)))
print(*totals)
"""


@pytest.mark.slow
def test_compiled_members_are_kept_apart_and_found_by_the_next_process(
    stones: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PLAIN_VARIABLE, raising=False)
    first, second = (run("-c", COMPILED) for _ in range(2))
    assert re.fullmatch(r"\(3, [1-9]\d*\) \(7, [1-9]\d*\)\n", first)
    assert second == "(3, 0) (7, 0)\n"
