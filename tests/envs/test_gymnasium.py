"""Many tables of the vector environment are as many single matches, played one by one."""

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import samovar
from samovar.bots import Answer
from samovar.engine.chance import MAX_SEED, RNG_WORDS, below, derive_seed, seed_rng
from samovar.engine.contract import Game
from samovar.engine.heuristics import Heuristics
from samovar.engine.rule import rule
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import backend
from samovar.engine.ways.stand_ins import MOVE_STREAM
from samovar.engine.ways.turns import next_seed
from samovar.envs import gymnasium as ours
from samovar.envs import opponents, picture, versioned_id
from samovar.envs.gymnasium import NEXT_DRAW, vector
from samovar.errors import (
    BadBatch,
    BadBot,
    BadOption,
    BadPosition,
    BotFailed,
    IllegalMove,
    MatchOver,
    MissingExtra,
    NotAnActor,
    UnknownBot,
    UnknownSeat,
)

pytestmark = pytest.mark.research

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'research' is not installed")
check_env = import_module("gymnasium.utils.env_checker").check_env

GAMES = [samovar.find_game(game_id) for game_id in samovar.game_ids()]
VARIANTS = [(game, seats, options) for game in GAMES for seats, options in game.variants()]
NAMES = [f"{game.id}-{seats}-{'-'.join(map(str, options.values()))}" for game, seats, options in VARIANTS]


class OneTable:
    """What happens at one table, by `Match` and in plain steps."""

    def __init__(
        self, game: Game, seats: int, seed: int, learner: int, opponent: str, *, rotates: bool = False, **options: Any
    ) -> None:
        self.game, self.seats, self.seed, self.learner, self.opponent, self.rotates, self.options = (
            game,
            seats,
            seed,
            learner,
            opponent,
            rotates,
            options,
        )
        self.begin()

    def begin(self) -> None:
        self.match = samovar.Match(self.game, self.seats, self.seed, **self.options)
        self.draw = self.seed
        if self.opponent not in CHOICES:
            self.bots = {
                seat: samovar.make_bot(self.opponent, self.game, derive_seed(self.seed, seat))
                for seat in range(self.seats)
            }
        self.answer()
        if self.match.over:
            self.next()

    def next(self) -> None:
        self.seed = next_seed(self.seed)
        self.learner = (self.learner + self.rotates) % self.seats
        self.begin()

    def answer(self) -> None:
        while not self.match.over and self.match.actors[0] != self.learner:
            seat = self.match.actors[0]
            self.draw = (self.draw + NEXT_DRAW) & MAX_SEED
            choose = CHOICES.get(self.opponent)
            move = choose(self.match, seat, self.draw) if choose else self.bots[seat].choose(self.match.seat(seat)).move
            self.match.play(seat, move)

    def step(self, move: int) -> samovar.Match | None:
        """The match that has ended, if one has."""
        self.match.play(self.learner, move)
        self.answer()
        ended = self.match if self.match.over else None
        if ended:
            self.next()
        return ended


def random_choice(match: samovar.Match, seat: int, draw: int) -> int:
    rng = [0] * RNG_WORDS
    seed_rng(rng, draw, MOVE_STREAM, 0)
    moves = match.legal(seat)
    return moves[below(rng, len(moves))]


def quick_choice(match: samovar.Match, seat: int, draw: int) -> int:
    move = np.zeros(1, np.int64)
    backend(match.game, plain=True).rollout_move(match.imagine(seat, draw).states, seat, draw, move)
    return int(move[0])


CHOICES: dict[str, Callable[[samovar.Match, int, int], int]] = {"random": random_choice, "quick": quick_choice}


def pick(mask: np.ndarray, choose: np.random.Generator) -> np.ndarray:
    """A legal move at every table."""
    return np.array([choose.choice(np.flatnonzero(row)) for row in mask])


def check_row(table: OneTable, seen: np.ndarray, mask: np.ndarray, seat: int) -> None:
    assert seat == table.learner
    assert table.match.actors[0] == table.learner
    assert seen.tobytes() == table.match.observation(table.learner).tobytes()
    assert np.flatnonzero(mask).tolist() == table.match.legal(table.learner)
    assert mask.max() == 1


def place_reward(places: tuple[int, ...], seat: int) -> float:
    others = places[:seat] + places[seat + 1 :]
    return sum((other > places[seat]) - (other < places[seat]) for other in others) / len(others)


def check_like_matches(
    game: Game, seats: int, opponent: str, steps: int, *, size: int = 3, seat: int | str = "rotate", **options: Any
) -> int:
    """Plays random moves at both; how many matches have ended."""
    seed = 40
    many = vector(game, size, seats, opponent=opponent, seat=seat, threads=1, **options)
    looks, infos = many.reset(seed=seed)
    rotates = seat == "rotate"
    single = [
        OneTable(game, seats, seed + i, i % seats if rotates else int(seat), opponent, rotates=rotates, **options)
        for i in range(size)
    ]
    choose = np.random.default_rng(seed)
    count = 0
    for _ in range(steps):
        for table, seen, mask, own in zip(
            single, looks["observation"], looks["action_mask"], infos["seat"], strict=True
        ):
            check_row(table, seen, mask, own)
        moves = pick(looks["action_mask"], choose)
        before = [table.learner for table in single]
        ended = [table.step(int(move)) for table, move in zip(single, moves, strict=True)]
        looks, rewards, terminations, truncations, infos = many.step(moves)
        assert terminations.tolist() == [match is not None for match in ended]
        assert not truncations.any()
        assert ("final_obs" in infos) == any(ended)
        for i, match in enumerate(ended):
            if match is None:
                assert rewards[i] == 0
                continue
            count += 1
            assert rewards[i] == pytest.approx(place_reward(match.places, before[i]))
            assert infos["final_obs"][i]["observation"].tobytes() == match.observation(before[i]).tobytes()
            assert infos["final_obs"][i]["action_mask"].all()
            assert tuple(infos["final_info"]["places"][i]) == match.places
            assert tuple(infos["final_info"]["scores"][i]) == match.scores
            assert infos["final_info"]["seat"][i] == before[i]
    many.close()
    return count


@pytest.mark.parametrize(("game", "seats", "options"), VARIANTS, ids=NAMES)
def test_every_variant_is_played_like_single_matches(game: Game, seats: int, options: dict) -> None:
    check_like_matches(game, seats, "random", 6, **options)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_quick_opponents_play_like_single_matches(game: Game) -> None:
    check_like_matches(game, game.seats[-1], "quick", 5)


@pytest.mark.parametrize("opponent", ["random", "quick"])
def test_matches_that_end_are_dealt_anew_and_rewarded(opponent: str) -> None:
    assert check_like_matches(samovar.find_game("connect_four"), 2, opponent, 60, size=4) >= 8
    assert check_like_matches(samovar.find_game("memoarrrr"), 3, opponent, 60, size=4, expert=True) >= 4


def test_simultaneous_choices_are_made_like_in_single_matches() -> None:
    """A learner in the middle acts after some opponents and before others."""
    game = next(
        game for game in GAMES if any(len(samovar.Match(game, game.seats[-1], seed).actors) > 1 for seed in range(3))
    )
    assert check_like_matches(game, game.seats[-1], "random", 40, seat=1) >= 1


@pytest.mark.parametrize(
    ("game_id", "opponent", "steps"),
    [
        ("connect_four", "greedy", 25),
        ("memoarrrr", "greedy", 8),
        ("babuschka", "search:20", 4),
        ("memoarrrr", "easy", 12),
    ],
)
def test_bots_play_like_at_single_matches(game_id: str, opponent: str, steps: int) -> None:
    check_like_matches(samovar.find_game(game_id), 2, opponent, steps, size=2)


def test_the_reward_is_the_learners() -> None:
    """Whoever takes the first legal move loses to a bot that thinks."""
    tables = vector("memoarrrr", 8, 2, opponent="greedy", seat="rotate")
    looks, _ = tables.reset(seed=5)
    total = np.zeros(8)
    for _ in range(40):
        looks, rewards, *_ = tables.step(looks["action_mask"].argmax(1))
        total += rewards
    assert (total < 0).all()


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_the_next_step_deals_anew_where_that_is_asked_for(opponent: str) -> None:
    """The same matches, with one step more for each that ends; the moves of that step are not
    looked at."""
    game = samovar.find_game("memoarrrr")
    tables = vector(game, 3, 2, opponent=opponent, seat="rotate", autoreset_mode="NextStep")
    looks, infos = tables.reset(seed=40)
    single = [OneTable(game, 2, 40 + i, i % 2, opponent, rotates=True) for i in range(3)]
    last: list[tuple[samovar.Match, int] | None] = [None] * 3
    count = 0
    for _ in range(40):
        moves = looks["action_mask"].argmax(1)
        for i, table in enumerate(single):
            seen, mask, own = looks["observation"][i], looks["action_mask"][i], infos["seat"][i]
            if last[i] is None:
                check_row(table, seen, mask, own)
                seat = table.learner
                ended = table.step(int(moves[i]))
                last[i] = (ended, seat) if ended else None
            else:
                match, seat = last[i]
                assert own == seat
                assert seen.tobytes() == match.observation(seat).tobytes()
                assert mask.all()
                moves[i] = -1
                last[i] = None
        looks, rewards, terminations, truncations, infos = tables.step(moves)
        assert terminations.tolist() == [ended is not None for ended in last]
        assert not truncations.any()
        assert "final_obs" not in infos
        for i, ended in enumerate(last):
            if ended is None:
                assert rewards[i] == 0
            else:
                count += 1
                assert rewards[i] == place_reward(ended[0].places, ended[1])
                assert infos["_places"][i]
                assert tuple(infos["places"][i]) == ended[0].places
                assert tuple(infos["scores"][i]) == ended[0].scores
    assert count >= 3


def test_a_table_alone_is_dealt_anew_in_the_next_step() -> None:
    table = vector("connect_four", autoreset_mode="NextStep", first=0)
    start, _ = table.reset(seed=3)
    looks, ended = start, np.zeros(1, bool)
    while not ended[0]:
        looks, _, ended, *_ = table.step(looks["action_mask"].argmax(1))
    looks, rewards, ended, *_ = table.step([0])
    assert looks["observation"].tobytes() == start["observation"].tobytes()
    assert (rewards[0], ended[0]) == (0, False)


def test_a_reset_forgets_which_matches_were_over() -> None:
    one, other = (vector("connect_four", 2, autoreset_mode="NextStep") for _ in range(2))
    looks, _ = one.reset(seed=3)
    ended = np.zeros(2, bool)
    while not ended.any():
        looks, _, ended, *_ = one.step(looks["action_mask"].argmax(1))
    assert play(one, 5, 3) == play(other, 5, 3)


# Seeds


def play(tables: Any, steps: int, seed: int | None, learner: int = 0) -> list[bytes]:
    looks, _ = tables.reset(seed=seed)
    choose = np.random.default_rng(learner)
    seen = []
    for _ in range(steps):
        looks, rewards, *_ = tables.step(pick(looks["action_mask"], choose))
        seen += [looks["observation"].tobytes(), looks["action_mask"].tobytes(), rewards.tobytes()]
    return seen


@pytest.mark.parametrize("opponent", ["random", "quick", "greedy"])
def test_the_same_seed_gives_the_same_and_another_does_not(opponent: str) -> None:
    one, other = (vector("memoarrrr", 2, 2, opponent=opponent, seat="rotate") for _ in range(2))
    first = play(one, 12, 7)
    assert first == play(other, 12, 7)
    assert first == play(one, 12, 7)
    assert first != play(one, 12, 8)


def test_without_a_seed_deals_follow_from_those_before() -> None:
    one, other = (vector("memoarrrr", 3, 2) for _ in range(2))
    assert play(one, 2, 7) == play(other, 2, 7)
    later = play(one, 2, None)
    assert later == play(other, 2, None)
    assert later != play(one, 2, None)
    assert play(vector("memoarrrr", 3, 2), 2, None) != play(vector("memoarrrr", 3, 2), 2, None)


def test_a_table_does_not_depend_on_the_others() -> None:
    few, many = vector("memoarrrr", 2, 2), vector("memoarrrr", 6, 2)
    looks, _ = few.reset(seed=3)
    more, _ = many.reset(seed=3)
    for _ in range(20):
        assert looks["observation"].tobytes() == more["observation"][:2].tobytes()
        moves = more["action_mask"].argmax(1)
        looks, more = few.step(moves[:2])[0], many.step(moves)[0]


def test_threads_change_nothing() -> None:
    assert play(vector("memoarrrr", 5, 2, threads=1), 12, 7) == play(vector("memoarrrr", 5, 2, threads=2), 12, 7)


def test_deals_in_which_the_learner_never_acts_are_passed_over() -> None:
    """V8: in some deals of Värvitikud nobody can place."""
    dealt = samovar.Batch("varvitikud", 20_000, seats=2, seed=0)
    dead = np.flatnonzero(np.asarray(dealt.actors()) == 0)
    assert len(dead), "there is no such deal among these"
    game = samovar.find_game("varvitikud")
    assert samovar.Match(game, 2, int(dead[0])).over
    tables = vector(game, 1, 2, seat=0)
    looks, _ = tables.reset(seed=int(dead[0]))
    check_row(
        OneTable(game, 2, next_seed(int(dead[0])), 0, "random"), looks["observation"][0], looks["action_mask"][0], 0
    )


# Secrets


class Spy:
    """A bot that keeps what it is handed."""

    handed: list[Any]

    def choose(self, seat: Seat) -> Answer:
        self.handed.append(seat)
        return Answer(seat.legal[0])

    def close(self) -> None: ...


def test_a_bot_is_handed_a_seat_that_knows_its_past_and_not_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy()
    spy.handed = []
    monkeypatch.setattr(opponents, "make_bot", lambda *order: spy)
    tables = vector("memoarrrr", 1, 2, opponent="spy", first=0)
    looks, _ = tables.reset(seed=1)
    assert spy.handed == []
    match = samovar.Match("memoarrrr", 2, 1, first=0)
    for _ in range(6):
        move = int(looks["action_mask"].argmax())
        match.play(0, move)
        looks, _, ended, *_ = tables.step([move])
        assert not ended.any()
        while match.actors == (1,):
            seat = spy.handed.pop(0)
            assert type(seat) is Seat
            assert (seat.number, seat.moment) == (1, len(match.history))
            assert seat.sights == match.seat(1).sights
            assert seat.observation.tobytes() == match.observation(1).tobytes()
            assert seat.imagine(0).state_bytes != match.state_bytes
            match.play(1, seat.legal[0])
        assert spy.handed == []


LEGAL = samovar.find_game("memoarrrr").legal


@rule
def peek(state: Any, seat: int, rng: Any, out: Any) -> int:
    """Heuristics that look at hidden cards."""
    count = LEGAL(state, seat, out)
    return out[(state.card[0] + 5 * state.card[1] + 7 * state.card[2]) % count]


def test_quick_opponents_choose_alike_in_worlds_they_cannot_tell_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "backend", lambda game: backend(game, plain=True))
    cheat = replace(samovar.find_game("memoarrrr"), heuristics=Heuristics(rollout_move=peek))
    opponent = opponents.QuickOpponent(cheat)
    count = 40
    truths = [samovar.Match("memoarrrr", 3, seed) for seed in range(count)]
    seats = [match.actors[0] for match in truths]
    worlds = [match.imagine(seat, 99) for match, seat in zip(truths, seats, strict=True)]
    chosen = []
    for matches in (truths, worlds):
        states = np.concatenate([match.states for match in matches])
        opponent.move(np.arange(count), states, np.array(seats), np.arange(count))
        chosen.append(states["did_move"].tolist())
    assert chosen[0] == chosen[1]
    assert len(set(chosen[0])) > 3


# What Gymnasium expects


def test_spaces_and_names_are_gymnasiums() -> None:
    tables = vector("memoarrrr", 4, 3, opponent="quick", expert=True)
    game = samovar.find_game("memoarrrr")
    assert isinstance(tables, gymnasium.vector.VectorEnv)
    assert tables.num_envs == 4
    assert tables.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    assert tables.single_action_space == gymnasium.spaces.Discrete(game.moves)
    assert tables.observation_space == gymnasium.vector.utils.batch_space(tables.single_observation_space, 4)
    assert tables.action_space == gymnasium.vector.utils.batch_space(tables.single_action_space, 4)
    tables.action_space.seed(1)
    looks, infos = tables.reset(seed=1)
    finals = 0
    for _ in range(50):
        assert tables.observation_space.contains(looks)
        assert infos["_action_mask"].all()
        assert infos["_seat"].all()
        assert infos["action_mask"].tobytes() == looks["action_mask"].tobytes()
        for row, mask in zip(infos["legal_moves"], infos["action_mask"], strict=True):
            assert row[row >= 0].tolist() == np.flatnonzero(mask).tolist()
        moves = tables.action_space.sample(mask=tuple(infos["action_mask"]))
        looks, rewards, terminations, truncations, infos = tables.step(moves)
        for array, kind in ((rewards, np.float64), (terminations, np.bool_), (truncations, np.bool_)):
            assert (array.shape, array.dtype) == ((4,), kind)
        for look in infos.get("final_obs", np.zeros(0))[terminations[: len(infos.get("final_obs", ()))]]:
            assert tables.single_observation_space.contains(look)
            finals += 1
    assert finals


def test_what_was_given_is_the_callers_to_keep() -> None:
    tables = vector("connect_four", 2, seat="rotate")
    looks, infos = tables.reset(seed=1)
    kept = [looks["observation"], looks["action_mask"], infos["seat"]]
    before = [array.copy() for array in kept]
    changed = [False] * 3
    while not all(changed):
        looks, _, _, _, infos = tables.step(looks["action_mask"].argmax(1))
        now = looks["observation"], looks["action_mask"], infos["seat"]
        changed = [was or bool((new != old).any()) for was, new, old in zip(changed, now, before, strict=True)]
        assert all((array == old).all() for array, old in zip(kept, before, strict=True))


@pytest.mark.parametrize("mode", list(gymnasium.vector.AutoresetMode)[:2])
def test_gymnasiums_wrappers_work_on_it(mode: Any) -> None:
    """Those for observations want the mode NEXT_STEP."""
    wrappers = import_module("gymnasium.wrappers.vector")
    simple, wrapped = (vector("connect_four", 3, seat="rotate", autoreset_mode=mode) for _ in range(2))
    is_next = mode is gymnasium.vector.AutoresetMode.NEXT_STEP
    if is_next:
        wrapped = wrappers.FlattenObservation(wrapped)
    wrapped = wrappers.DictInfoToList(wrappers.RecordEpisodeStatistics(wrapped))
    looks, _ = simple.reset(seed=2)
    others, _ = wrapped.reset(seed=2)
    gained, lengths, total = np.zeros(3), np.zeros(3, int), 0
    waiting = np.zeros(3, bool)
    for _ in range(40):
        flat = np.concatenate([looks["action_mask"], looks["observation"]], 1)
        assert (
            flat.tobytes()
            == (others if is_next else np.concatenate([others["action_mask"], others["observation"]], 1)).tobytes()
        )
        moves = looks["action_mask"].argmax(1)
        others, rewards, ended, _, infos = wrapped.step(moves)
        looks, *_ = simple.step(moves)
        gained += rewards
        lengths += ~waiting
        waiting = ended & is_next
        for i in np.flatnonzero(ended):
            assert (infos[i]["episode"]["r"], infos[i]["episode"]["l"]) == (gained[i], lengths[i])
            news = infos[i] if is_next else infos[i]["final_info"]
            assert sorted(news["places"].tolist()) in ([1, 1], [1, 2])
            gained[i], lengths[i], total = 0, 0, total + 1
    assert total > 3


def test_tables_are_made_by_id() -> None:
    tables = gymnasium.make_vec("samovar/memoarrrr", 2, seats=3, opponent="quick", expert=True)
    assert isinstance(tables, ours.VectorTable)
    assert (tables.seats, tables.num_envs, tables.options["expert"]) == (3, 2, True)
    assert all(f"samovar/{game_id}" in gymnasium.registry for game_id in samovar.game_ids())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_an_id_with_a_version_is_the_game_in_that_version(game: Game) -> None:
    made = gymnasium.make(versioned_id(game))
    assert (made.spec.version, made.unwrapped._tables.game) == (game.environment_version, game)
    assert made.unwrapped.metadata["name"] == f"samovar_{game.id}_v{game.environment_version}"
    with pytest.raises(gymnasium.error.VersionNotFound):
        gymnasium.make(versioned_id(replace(game, environment_version=game.environment_version + 1)))


def test_ids_with_versions_are_written_as_gymnasium_does() -> None:
    assert {"samovar/Memoarrrr-v0", "samovar/ConnectFour-v0"} <= set(gymnasium.registry)


# One table


@pytest.mark.parametrize("game", [game.id for game in GAMES])
def test_gymnasiums_own_check_passes(game: str) -> None:
    """It draws actions without a mask."""
    table = gymnasium.make(f"samovar/{game}", illegal="replace", render_mode="ansi")
    check_env(table.unwrapped)


@pytest.mark.parametrize("words", [{}, {"actions": "legal", "encoding": "planes", "turned": True, "rewards": "margin"}])
def test_one_table_is_a_vector_of_one(words: dict[str, Any]) -> None:
    alone = gymnasium.make("samovar/memoarrrr", opponent="quick", seats=3, **words)
    many = vector("memoarrrr", 1, 3, opponent="quick", **words)
    look, info = alone.reset(seed=9)
    looks, infos = many.reset(seed=9)
    ended = False
    while not ended:
        assert alone.observation_space.contains(look)
        assert {name: part.tobytes() for name, part in look.items()} == {
            name: rows[0].tobytes() for name, rows in looks.items()
        }
        assert info["legal_moves"].tolist() == infos["legal_moves"][0].tolist()
        assert info["action_mask"].tolist() == infos["action_mask"][0].tolist()
        assert alone.unwrapped.action_masks().tolist() == (info["action_mask"] == 1).tolist()
        action = info["action_mask"].argmax()
        look, reward, ended, truncated, info = alone.step(action)
        looks, rewards, *_, infos = many.step([action])
        assert (reward, truncated) == (rewards[0], False)
    assert info["places"].tolist() == infos["final_info"]["places"][0].tolist()
    assert look["observation"].tobytes() == infos["final_obs"][0]["observation"].tobytes()
    with pytest.raises(MatchOver, match=r"reset\(\)"):
        alone.step(0)
    again, _ = alone.reset()
    assert again["observation"].tobytes() != look["observation"].tobytes()
    alone.close()


def test_a_learner_at_one_table_takes_the_next_seat_in_every_match() -> None:
    table = gymnasium.make("samovar/memoarrrr", seats=3, seat="rotate")
    seats = [table.reset(seed=1)[1]["seat"], *(table.reset()[1]["seat"] for _ in range(4))]
    assert seats == [0, 1, 2, 0, 1]
    assert table.reset(seed=1)[1]["seat"] == 0


def test_one_table_can_be_drawn_as_the_learner_sees_it() -> None:
    table = gymnasium.make("samovar/memoarrrr", seat=1, render_mode="ansi")
    with pytest.raises(NotAnActor, match=r"reset\(\)"):
        table.unwrapped.action_masks()
    table.reset(seed=1)
    seen = table.unwrapped._tables._batch.states.tobytes()
    match = samovar.Match.standing(samovar.find_game("memoarrrr"), 2, seen)
    assert table.render() == picture.text(match.game, match.view(1))


# Other words, and opponents of one's own


def first_legal(look: dict[str, np.ndarray], rng: np.random.Generator) -> np.ndarray:
    return look["action_mask"].argmax(1)


def any_legal(look: dict[str, np.ndarray], rng: np.random.Generator) -> np.ndarray:
    return pick(look["action_mask"], rng)


class Policy:
    """As Stable-Baselines3 has them."""

    def __init__(self, space: Any = None) -> None:
        self.observation_space = space
        self.shown: list[Any] = []

    def predict(self, observation: Any, state: Any = None, action_masks: Any = None) -> tuple[np.ndarray, None]:
        self.shown.append(observation)
        return action_masks.argmax(1), None


class FirstLegal:
    def choose(self, seat: Seat) -> Answer:
        return Answer(seat.legal[0])


@pytest.mark.parametrize("game", ["memoarrrr", "babuschka"])
def test_functions_policies_and_bots_play_alike(game: str) -> None:
    """They all take the first legal move."""
    runs = [
        play(vector(game, 4, 2, opponent=opponent, seat="rotate"), 40, 3)
        for opponent in (first_legal, Policy(), FirstLegal())
    ]
    assert runs[0] == runs[1] == runs[2]
    assert runs[0] != play(vector(game, 4, 2, opponent=any_legal, seat="rotate"), 40, 3)


def test_chance_of_a_function_follows_from_the_seed() -> None:
    one, other = (vector("memoarrrr", 3, 3, opponent=any_legal) for _ in range(2))
    assert play(one, 25, 3) == play(other, 25, 3)


@pytest.mark.parametrize("words", [{}, {"actions": "legal", "encoding": "planes"}])
def test_an_opponent_is_shown_what_a_learner_in_its_seat_would_be(words: dict[str, Any]) -> None:
    shown: list[dict[str, np.ndarray]] = []

    def spy(look: dict[str, np.ndarray], rng: np.random.Generator) -> np.ndarray:
        shown.append(look)
        return look["action_mask"].argmax(1)

    tables = vector("connect_four", 3, opponent=spy, first=0, **words)
    tables.reset(seed=1)
    mirror = vector("connect_four", 3, opponent=lambda look, rng: np.array([0, 1, 2]), seat=1, first=0, **words)
    expected, _ = mirror.reset(seed=1)
    tables.step(np.array([0, 1, 2]))
    assert {name: rows.tobytes() for name, rows in shown[0].items()} == {
        name: rows.tobytes() for name, rows in expected.items()
    }


def test_a_policy_is_shown_what_it_learned_from() -> None:
    tables = vector("connect_four", 2, first=0)
    whole, part = Policy(tables.single_observation_space), Policy(tables.single_observation_space["observation"])
    for policy in (whole, part):
        play(vector("connect_four", 2, opponent=policy, first=0), 2, 1)
    assert set(whole.shown[0]) == {"observation", "action_mask"}
    assert whole.shown[0]["observation"].tobytes() == part.shown[0].tobytes()


def test_turned_moves_and_places_in_the_list_are_the_same_matches() -> None:
    """By the numbers of the rules at one vector, in other words at the others; a bot follows."""
    tables = [
        vector("babuschka", 2, opponent="greedy", seat=1, first=1, **words)
        for words in ({}, {"turned": True}, {"actions": "legal"}, {"actions": "legal", "turned": True})
    ]
    looks = [table.reset(seed=4)[0] for table in tables]
    for _ in range(4):
        straight = np.array([np.flatnonzero(row)[-1] for row in looks[0]["action_mask"]])
        states = tables[0]._batch.states
        turned = straight.copy()
        backend(tables[0].game).rotate_moves(states, np.array([1, 1]), turned)
        place = [
            [list(row).index(move) for row, move in zip(table._batch.legal_moves, moves, strict=True)]
            for table, moves in ((tables[2], straight), (tables[3], turned))
        ]
        looks = [table.step(actions)[0] for table, actions in zip(tables, (straight, turned, *place), strict=True)]
        assert len({table._batch.states.tobytes() for table in tables}) == 1
        assert (straight != turned).all()


def test_rewards_go_by_what_is_asked_for() -> None:
    by = {rewards: vector("memoarrrr", 4, 3, rewards=rewards) for rewards in ("place", "margin", "both")}
    looks = {rewards: tables.reset(seed=2)[0] for rewards, tables in by.items()}
    total = 0
    for _ in range(40):
        gained = {}
        for rewards, tables in by.items():
            looks[rewards], gained[rewards], ended, _, infos = tables.step(looks[rewards]["action_mask"].argmax(1))
        for table in np.flatnonzero(ended):
            own, *others = infos["final_info"]["scores"][table]
            assert gained["margin"][table] == own - np.mean(others)
            assert gained["both"][table] == pytest.approx(gained["place"][table] + gained["margin"][table] / 100)
            total += 1
    assert total >= 4


def test_what_is_not_legal_can_be_played_where_that_is_asked_for() -> None:
    tables = vector("memoarrrr", 3, illegal="replace")
    _, infos = tables.reset(seed=1)
    wrong = np.array([-1, 103, 10**9])
    counts = (infos["legal_moves"] >= 0).sum(1)
    meant = infos["legal_moves"][np.arange(3), wrong % counts]
    other = vector("memoarrrr", 3)
    other.reset(seed=1)
    assert tables.step(wrong)[0]["observation"].tobytes() == other.step(meant)[0]["observation"].tobytes()


@pytest.mark.parametrize("opponent", [3, None, FirstLegal, object()])
def test_what_cannot_play_is_refused(opponent: Any) -> None:
    with pytest.raises(BadBot, match=r"function of \(look, rng\)"):
        vector("connect_four", 2, opponent=opponent)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda look, rng: 1 / 0, "ZeroDivisionError"),
        (lambda look, rng: look["action_mask"], r"2 whole numbers and gave int8 of shape \(2, 7\)"),
        (lambda look, rng: np.zeros(2), "whole numbers and gave float64"),
        (lambda look, rng: np.array([0, 9]), "Move 9 is not legal"),
        (lambda look: look["action_mask"].argmax(1), "takes 1 positional argument"),
    ],
)
def test_a_failing_function_is_named_and_stops_all_tables(answer: Any, reason: str) -> None:
    tables = vector("connect_four", 2, opponent=answer, first=0)
    tables.reset(seed=1)
    with pytest.raises(BotFailed, match=f"<lambda> failed: .*{reason}.*reset"):
        tables.step([0, 0])
    with pytest.raises(NotAnActor, match=r"reset\(\)"):
        tables.step([0, 0])


# What is refused


@pytest.mark.parametrize(
    ("arguments", "error", "remedy"),
    [
        ({"opponent": "gredy"}, UnknownBot, "Did you mean 'greedy'"),
        ({"opponent": "greedy:9"}, BadBot, "Write 'greedy'"),
        ({"opponent": "search:0"}, BadBot, "search:8000"),
        ({"seat": 2}, UnknownSeat, "0 to 1.*'rotate'"),
        ({"seat": -1}, UnknownSeat, "0 to 1"),
        ({"seat": True}, UnknownSeat, "0 to 1"),
        ({"seat": "turn"}, UnknownSeat, "'rotate'"),
        ({"num_envs": 0}, BadBatch, "at least one"),
        ({"autoreset_mode": "Disabled"}, BadOption, "'SameStep' or 'NextStep'"),
    ],
)
def test_wrong_tables_are_refused(arguments: dict, error: type[Exception], remedy: str) -> None:
    with pytest.raises(error, match=remedy):
        vector("memoarrrr", **{"num_envs": 2, "seats": 2, **arguments})


@pytest.mark.parametrize("opponent", ["random", "greedy"])
@pytest.mark.parametrize("wrong", [[-1], [0.5], [10**9], [0, 0], ["x"]])
def test_a_wrong_move_is_refused_and_nothing_has_changed(wrong: list, opponent: str) -> None:
    one, other = (vector("memoarrrr", 3, 2, opponent=opponent) for _ in range(2))
    looks, _ = one.reset(seed=1)
    other.reset(seed=1)
    moves = looks["action_mask"].argmax(1)
    with pytest.raises((IllegalMove, BadBatch)):
        one.step([*moves[:2].tolist(), *wrong])
    after, expected = one.step(moves), other.step(moves)
    assert after[0]["observation"].tobytes() == expected[0]["observation"].tobytes()
    assert (after[1] == expected[1]).all()


def test_a_refusal_names_the_match_and_its_legal_moves() -> None:
    tables = vector("connect_four", 3, first=0)
    tables.reset(seed=1)
    with pytest.raises(IllegalMove, match=r"Move 9 .* seat 0 in match 1.* Legal there: 0, 1, 2, 3, 4, 5, 6\."):
        tables.step([0, 9, 0])


def test_a_step_before_the_reset_or_after_the_end_is_refused() -> None:
    tables = vector("connect_four", 1)
    with pytest.raises(NotAnActor, match=r"reset\(\)"):
        tables.step([0])
    tables.reset(seed=1)
    tables.close()
    with pytest.raises(NotAnActor, match=r"reset\(\)"):
        tables.step([0])


@pytest.mark.parametrize("seed", [-1, 2**63, True, 1.5, 2**63 - 1])
def test_a_wrong_seed_is_refused(seed: Any) -> None:
    """The last one has no room for the deal of the second table."""
    with pytest.raises(BadPosition, match="seed"):
        vector("connect_four", 2).reset(seed=seed)


def test_options_of_reset_are_refused() -> None:
    with pytest.raises(BadOption, match="reset_mask"):
        vector("connect_four", 2).reset(seed=1, options={"reset_mask": np.array([True, False])})


class Faulty(Spy):
    broken = False

    def choose(self, seat: Seat) -> Answer:
        if self.broken:
            raise RuntimeError("no more")
        return Answer(seat.legal[0])


def test_after_a_bot_has_failed_only_a_new_deal_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = Faulty()
    monkeypatch.setattr(opponents, "make_bot", lambda *order: bot)
    tables = vector("connect_four", 2, opponent="faulty", first=0)
    looks, _ = tables.reset(seed=1)
    bot.broken = True
    with pytest.raises(BotFailed, match=r"'faulty' failed at table 0: .*no more.*reset\(\)"):
        tables.step([0, 0])
    bot.broken = False
    with pytest.raises(NotAnActor, match=r"reset\(\)"):
        tables.step([0, 0])
    again, _ = tables.reset(seed=1)
    assert again["observation"].tobytes() == looks["observation"].tobytes()
    tables.step([0, 0])


def test_an_illegal_answer_of_a_bot_is_its_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "make_bot", lambda *order: Illegal())
    tables = vector("connect_four", 1, opponent="illegal", first=0)
    tables.reset(seed=1)
    with pytest.raises(BotFailed, match="may not play"):
        tables.step([0])


class Illegal(Spy):
    def choose(self, seat: Seat) -> Answer:
        return Answer(seat.game.moves)


def test_bots_are_closed_when_their_match_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Counted] = []
    monkeypatch.setattr(opponents, "make_bot", lambda *order: made.append(Counted()) or made[-1])
    tables = vector("connect_four", 2, opponent="counted")
    looks, _ = tables.reset(seed=1)
    ends = 0
    while ends < 3:
        looks, _, ended, *_ = tables.step(looks["action_mask"].argmax(1))
        ends += int(ended.sum())
        assert sum(bot.closed for bot in made) == 1 + ends  # one was made to see whether it can be
    tables.close()
    assert [bot.closed for bot in made] == [1] * len(made)
    assert len(made) == 1 + 2 + ends


class Counted(Spy):
    closed = 0

    def choose(self, seat: Seat) -> Answer:
        return Answer(seat.legal[0])

    def close(self) -> None:
        self.closed += 1


def test_a_missing_package_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "samovar.envs.gymnasium")
    with pytest.raises(MissingExtra, match=r"'gymnasium'.*samovar-games\[research\]"):
        import_module("samovar.envs.gymnasium")
