"""Every game in OpenSpiel: importing this module registers `samovar_babuschka` and all others with
`pyspiel`.

    import pyspiel, samovar.envs.openspiel
    game = pyspiel.load_game("samovar_memoarrrr(seats=3,expert=true)")

`samovar_memoarrrr(version=0)` insists on a version of the environment, the game's
`environment_version`; without it, the one that is installed is meant.

Parameters are `seats`, the game's own options (`first=-1`: any seat starts) and two more, `deals`
and `seed`. All chance of a match is in its deal, so a match begins with one chance node of `deals`
equally likely outcomes; outcome i is the deal of `Match(..., seed=seed + i)`. Who learns from few
deals learns them by heart, so ask for many. With `true_chance=true` the first node has every deal
with its probability, and a move that rolls is followed by a node with all that can come of it. That
is for small members of a game: `samovar_matryoshka_tiny`, see docs/exploitability.md.

Three more are those of all adapters (`table.py`): `encoding`, how observers write tensors; `turned`;
`rewards`, by which returns are. Legal moves are lists in OpenSpiel, so there is no `actions`.

Simultaneous choices are made one after another, the lowest seat first; nothing of a choice is seen
by the others.

The information state is the seat's observation, which is all that it knows of how the match stands,
what it remembers of hidden cards included; the string also says whose turn it is. It is *not*
perfect recall in OpenSpiel's sense: two rows of moves that leave the seat knowing the same have one
information state, whatever it saw on the way. A search loses nothing by that, because what can
follow depends on how the match stands and on nothing else; proofs that need perfect recall (that of
CFR) do not hold. With `recall=true` they do: then the string is the row of all that the seat has
seen, at every moment, and of its own moves. It has no fixed length, so there is no tensor of it.

An observer of public information tells what a spectator sees, as a text. One of private information
tells all that the seat knows: the contract does not say what of it others know as well.

`resample_from_infostate` gives a state "from here on": a world that fits all that the seat knows,
without the moves that led there, since the true ones would tell secrets. It can be played, cloned
and serialized like any other. OpenSpiel's C++ code has no way to ask a Python game for it, so the
search to use is `open_spiel.python.algorithms.ismcts`; `CompiledRollouts` makes that one several
times as fast.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from hashlib import blake2b

import numpy as np

from samovar.engine.arrays import AnyState, Array, Ints, as_memory
from samovar.engine.contract import Game, Options, Value
from samovar.engine.kinds import RAW
from samovar.engine.match import SHOWN_MOVES
from samovar.engine.rule import Rule, rule
from samovar.engine.ways import kernels
from samovar.engine.ways.backend import backend
from samovar.engine.ways.operations import NOTHING
from samovar.engine.ways.plain import plain, plain_state
from samovar.engine.ways.rewards import PLACE
from samovar.engine.ways.stand_ins import AnyStates, act, actors, lowest_seat
from samovar.envs import Untyped, installed_games, need, picture
from samovar.envs.openspiel_types import (
    PREFIX,
    check_number,
    check_version,
    game_type,
    option_value,
    utility_of,
)
from samovar.envs.table import Terms, list_moves
from samovar.envs.true_chance import PENDING, TrueChance
from samovar.errors import BadOption, BadPosition, IllegalMove, MatchOver, UnknownOption, UnknownSeat

pyspiel: Untyped = need("pyspiel")

WORDS = ("encoding", "turned", "rewards")  # of `table.py`
MOST_POINTS = 10_000.0  # ahead of others: OpenSpiel wants a bound, and games do not say one
MOST_DEALS = 1_000_000
MOST_SEED = 2**31 - 1 - MOST_DEALS  # OpenSpiel's whole numbers have 32 bits
TO_THE_END = 2**62

OVER = int(pyspiel.PlayerId.TERMINAL)
CHANCE = int(pyspiel.PlayerId.CHANCE)
NOBODY = -1
SEATS = 16  # more than any table has: an answer of `proceed` is a seat and SEATS times the number of its moves


def proceed(states: AnyStates, out: Ints, is_turned: bool, seat: int, move: int) -> int:
    """One checked move, or none where the seat is NOBODY. Answers who chooses then and from how
    many moves, which are in `out`; OVER at the end; what `act` answers to a wrong move, and then
    nothing has changed. One call for all of it, because calling compiled code costs more than the
    rules do."""
    mask = actors(states[0]) if seat == NOBODY else act(states[0], seat, move, out)
    if mask < 0:
        return mask
    return outlook(states[0], mask, is_turned, out)


@rule
def outlook(state: AnyState, mask: int, is_turned: bool, out: Ints) -> int:
    if mask == 0:
        return OVER
    seat = lowest_seat(mask)
    return seat + SEATS * list_moves(state, seat, is_turned, out)


class Workbench(threading.local):
    """Room for one state and for what is asked about it: compiled code gets the same arrays again
    and again. Each thread has its own."""

    def __init__(self, terms: Terms) -> None:
        game = terms.game
        ready = backend(game)
        self.states = np.zeros(1, game.state)
        self.bytes = as_memory(self.states.view(np.uint8))
        self.seat, self.seed = np.zeros((2, 1), np.int64)
        self.seen = np.zeros((1, game.observation_size), np.int8)
        scratch = ready.scratch()
        self.out = as_memory(scratch[1])

        def with_arrays(function: Rule, name: str, *arrays: Array | bool) -> Callable[..., int]:
            return partial(ready.make(function, name), *(map(plain, arrays) if ready.is_plain else arrays))

        self.proceed = with_arrays(proceed, "openspiel", self.states, scratch[1], terms.turned)
        self.imagine = with_arrays(kernels.loop, "determinize", self.states, self.seat, self.seed, NOTHING, *scratch)
        self.look = with_arrays(kernels.loop, "observe", self.states, self.seat, self.seen, NOTHING, *scratch)


class Position:
    """How a match stands. It never changes, so clones share it, and all that was found out about
    it."""

    __slots__ = ("drawing", "legal", "player", "seen", "state", "variant")

    def __init__(self, variant: OpenSpielVariant, state: bytes, player: int, legal: list[int]) -> None:
        self.variant = variant
        self.state = state  # empty before the deal
        self.player = player
        self.legal = legal
        self.seen: dict[int, bytes] = {}  # observations by seat, as they were asked for
        self.drawing = ""  # once asked for

    def __deepcopy__(self, memo: object) -> Position:
        return self

    def __reduce__(self) -> tuple[Callable[[str, bytes], Position], tuple[str, bytes]]:
        return unpickled, (self.variant.text, self.state)

    def observation(self, seat: int) -> bytes:
        """What the seat knows; before the deal all is zero."""
        if seat not in self.seen:
            self.seen[seat] = self.variant.observation(self.state, seat)
        return self.seen[seat]


def unpickled(text: str, state: bytes) -> Position:
    variant: OpenSpielVariant = loaded(text).variant
    size = variant.game.state.itemsize
    if state and len(state) not in (size, size + (PENDING.size if variant.true_chance else 0)):
        raise BadPosition(
            f"This is no state of {variant.game.name} as installed here. Deserialize it with the version that "
            "serialized it."
        )
    return variant.position(state)


@cache
def loaded(text: str) -> Untyped:
    return pyspiel.load_game(text)


class OpenSpielVariant:
    """A game with its seats, options and deals, and what can be done there."""

    def __init__(
        self,
        game: Game,
        seats: int,
        deals: int,
        seed: int,
        true_chance: bool,
        recall: bool,
        version: int,
        **options: Value,
    ) -> None:
        self.game = game
        check_version(game, version)
        self.terms = Terms.of(game, seats, **{name: options[name] for name in WORDS})
        self.seats = self.terms.seats
        self.recall = recall
        self.options = game.check_options(
            seats, {option.name: option_value(option, options[option.name]) for option in game.options}
        )
        self.deals = check_number("deals", deals, 1, MOST_DEALS)
        self.seed = check_number("seed", seed, 0, MOST_SEED)
        self.true_chance = TrueChance(game, self.seats, self.options) if true_chance else None
        own = {"seats": seats, "deals": deals, "seed": seed, "true_chance": true_chance, "recall": recall}
        own["version"] = version
        self.text: str = pyspiel.game_parameters_to_string({"name": PREFIX + game.id, **own, **options})
        self.start = Position(self, b"", CHANCE, [])
        self._backend = backend(game)
        self._bench = Workbench(self.terms)
        self._setup = game.setup(self.seats, self.options)

    @cached_property
    def _deals(self) -> list[tuple[int, float]]:
        return [(deal, 1 / self.deals) for deal in range(self.deals)]

    def outcomes(self, position: Position) -> list[tuple[int, float]]:
        """What chance may do next, by number, and how likely."""
        if self.true_chance is None:
            return self._deals
        return [(number, odds) for number, (odds, _) in enumerate(self.true_chance.likely(position.state))]

    @property
    def most_outcomes(self) -> int:
        return self.deals if self.true_chance is None else self.true_chance.most_outcomes

    @property
    def most_chance_nodes(self) -> int:
        return 1 if self.true_chance is None else self.true_chance.most_nodes

    def position(self, state: bytes) -> Position:
        if self.true_chance is not None and self.true_chance.is_pending(state):
            return Position(self, state, CHANCE, [])
        return self._proceed(state, NOBODY, 0) if state else self.start

    def after(self, position: Position, action: int) -> Position:
        """The position after a move or, at the start, a deal."""
        true = self.true_chance
        if position.player >= 0:
            move = self._by_rules(position, action)
            if true is not None and true.rolls and action in position.legal:
                return self.position(true.moved(position.state, position.player, move))
            return self._proceed(position.state, position.player, move)
        if position.player == OVER:
            raise MatchOver("The match is over; nobody may move. Ask the game for a new initial state.")
        if true is not None:
            return self.position(true.chosen(position.state, action))
        if not 0 <= action < self.deals:
            raise IllegalMove(
                f"There is no deal {action}. They are numbered 0 to {self.deals - 1}; the parameter 'deals' says how "
                "many there are."
            )
        states = np.zeros(1, self.game.state)
        self._backend.deal(states, self._setup, self.seed + action)
        return self.position(states.tobytes())

    def imagined(self, position: Position, seat: int, seed: int) -> Position:
        """Another position that fits all that the seat knows."""
        self.check_seat(seat)
        if position is self.start:
            return position
        bench = self._bench
        size = self.game.state.itemsize
        bench.bytes[:] = position.state[:size]
        bench.seat[0], bench.seed[0] = seat, seed
        bench.imagine()
        return self.position(bench.states.tobytes() + position.state[size:])

    def observation(self, state: bytes, seat: int) -> bytes:
        self.check_seat(seat)
        if not state:
            return bytes(self.game.observation_size)
        bench = self._bench
        bench.bytes[:] = state[: self.game.state.itemsize]
        bench.seat[0] = seat
        bench.look()
        return bench.seen.tobytes()

    def tensor(self, position: Position, seat: int) -> Array:
        """The observation as `encoding` has it."""
        raw = np.frombuffer(position.observation(seat), np.int8)
        if self.terms.encoding == RAW:
            return raw
        rows = np.zeros((1, self.terms.row_size), np.int8)
        if position.state:
            self._backend.encode(self.states(position), raw[None].copy(), rows)
        return rows.reshape(-1)

    def _by_rules(self, position: Position, action: int) -> int:
        """The number that a move has in the rules."""
        if not self.terms.turned:
            return action
        if action not in position.legal:
            raise self._refusal(position, action)
        moves = np.array([action], np.int64)
        self._backend.rotate_moves(self.states(position), position.player, moves, back=True)
        return int(moves[0])

    def states(self, position: Position, copies: int = 1) -> Array:
        return np.frombuffer(bytearray(position.state[: self.game.state.itemsize] * copies), self.game.state)

    def returns(self, states: Array) -> Array:
        """By state and seat, as if the match ended now."""
        return self.terms.pay(states)

    def roll_out(self, position: Position, seeds: Array) -> Array:
        """The returns of random matches from here on, one for each seed."""
        states = self.states(position, len(seeds))
        self._backend.play_random(states, seeds, np.zeros(len(seeds), np.int64), TO_THE_END)
        return self.returns(states)

    def action_text(self, position: Position, player: int, action: int) -> str:
        if player == CHANCE:
            return f"deal {self.seed + action}" if self.true_chance is None else f"outcome {action}"
        try:
            move = self._by_rules(position, action)
            return self.game.move_text(plain_state(self.states(position)), player, move)
        except (ValueError, IndexError):  # OpenSpiel also asks before the deal, and about illegal moves
            return f"move {action}"

    def tell(self, position: Position) -> str:
        """What a spectator sees, and a mark that tells this state from all others."""
        if position is self.start:
            return "before the deal"
        return f"{self.spectacle(position)}\n{blake2b(position.state, digest_size=8).hexdigest()}"

    def spectacle(self, position: Position) -> str:
        """What a spectator sees."""
        if position is self.start:
            return ""
        return picture.text(self.game, self.game.view(plain_state(self.states(position)), None))

    def check_seat(self, seat: int) -> int:
        if not 0 <= seat < self.seats:
            raise UnknownSeat(f"There is no seat {seat} at this table; its seats are 0 to {self.seats - 1}.")
        return seat

    def _proceed(self, state: bytes, seat: int, move: int) -> Position:
        bench = self._bench
        bench.bytes[:] = state
        answer = bench.proceed(seat, move)
        if answer >= 0:
            return Position(self, bench.states.tobytes(), answer % SEATS, bench.out[: answer // SEATS].tolist())
        if answer == OVER:
            return Position(self, bench.states.tobytes(), OVER, [])
        raise self._refusal(self.position(state), move)

    def _refusal(self, position: Position, move: int) -> IllegalMove:
        texts = [self.action_text(position, position.player, legal) for legal in position.legal[:SHOWN_MOVES]]
        more = len(position.legal) - len(texts)
        legal = ", ".join(f"{number} ({text})" for number, text in zip(position.legal, texts, strict=False)) + (
            f" and {more} more" if more else ""
        )
        return IllegalMove(f"Seat {position.player} may not play {move} now. Legal now: {legal}.")


class SamovarState(pyspiel.State):  # type: ignore[misc]
    """A match in OpenSpiel. All that Python has of it is the position: OpenSpiel clones and pickles
    a state's attributes one by one."""

    def __init__(self, game: SamovarGame) -> None:
        super().__init__(game)
        self._position = game.variant.start
        self._past: tuple[str, ...] = ()  # by seat, all that it has seen and done; only with recall

    def current_player(self) -> int:
        return self._position.player

    def is_terminal(self) -> bool:
        return self._position.player == OVER

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self._position.variant.outcomes(self._position)

    def returns(self) -> list[float]:
        position = self._position
        if position.player != OVER:
            return [0.0] * position.variant.seats
        shares: list[float] = position.variant.returns(position.variant.states(position))[0].tolist()
        return shares

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> SamovarState:
        """A state that the player cannot tell from this one, from here on: it has no history."""
        position = self._position
        other = type(self)(self.get_game())
        other._position = position.variant.imagined(position, player_id, int(probability_sampler() * 2**53))
        if self._past:  # the others remember nothing of what was before: nobody knows what it was
            other._past = tuple(
                past if seat == player_id else seen
                for seat, (past, seen) in enumerate(zip(self._past, sights(other._position), strict=True))
            )
        return other

    def __str__(self) -> str:
        position = self._position
        if not position.drawing:
            position.drawing = position.variant.tell(position)
        return position.drawing

    def _legal_actions(self, player: int) -> list[int]:
        return self._position.legal

    def _apply_action(self, action: int) -> None:
        position = self._position
        self._position = position.variant.after(position, action)
        if position.variant.recall:
            self._past = remembered(self._past, position.player, action, self._position)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._position.variant.action_text(self._position, player, action)

    # The same as OpenSpiel's own, without its way through C++ and back.

    def is_chance_node(self) -> bool:
        return self._position.player == CHANCE

    def legal_actions(self, player: int | None = None) -> list[int]:
        position = self._position
        if position.player >= 0 and (player is None or player == position.player):
            return position.legal.copy()
        actions: list[int] = super().legal_actions() if player is None else super().legal_actions(player)
        return actions

    def information_state_string(self, player: int | None = None) -> str:
        return information_text(self, self._position.player if player is None else player)


def sights(position: Position) -> list[str]:
    """What every seat sees now, two digits a number."""
    return [position.observation(seat).hex() for seat in range(position.variant.seats)]


def remembered(past: tuple[str, ...], player: int, action: int, position: Position) -> tuple[str, ...]:
    """By seat: what it remembered, its own move, and what it sees now."""
    before = past or ("",) * position.variant.seats
    return tuple(
        f"{old} {action if seat == player else ''}:{seen}"
        for seat, (old, seen) in enumerate(zip(before, sights(position), strict=True))
    )


def information_text(state: SamovarState, player: int) -> str:
    """The player, whose turn it is, and the observation, two digits a number: exact and quickly
    made, as searches look their nodes up by it. With recall, all that was seen and done."""
    position = state._position
    position.variant.check_seat(player)
    return f"{player} {position.player} {state._past[player] if state._past else position.observation(player).hex()}"


def observation_text(state: SamovarState, player: int) -> str:
    """The player and its observation, to read."""
    position = state._position
    numbers = iter(np.frombuffer(position.observation(player), np.int8).tolist())
    parts = (
        f"{part.name}: {' '.join(str(next(numbers)) for _ in range(part.size))}"
        for part in position.variant.game.observation
    )
    return "\n".join([f"seat: {player}", *parts])


def public_text(state: SamovarState, player: int) -> str:
    return state._position.variant.spectacle(state._position)


class Observer:
    """OpenSpiel's PyObserver: what a seat knows, in one flat tensor, and the parts of the
    observation as views of it. Where there is only a text, the tensor is None."""

    def __init__(
        self, variant: OpenSpielVariant, tell: Callable[[SamovarState, int], str], *, has_tensor: bool
    ) -> None:
        self.tensor = np.zeros(variant.terms.row_size, np.float32) if has_tensor else None
        self.dict: dict[str, Array] = {} if self.tensor is None else parts_of(variant, self.tensor)
        self._tell = tell

    def set_from(self, state: SamovarState, player: int) -> None:
        if self.tensor is not None:
            self.tensor[:] = state._position.variant.tensor(state._position, player)

    def string_from(self, state: SamovarState, player: int) -> str:
        return self._tell(state, player)


def parts_of(variant: OpenSpielVariant, tensor: Array) -> dict[str, Array]:
    """The parts of an observation by name; planes lie as on the board, one behind the other."""
    game = variant.game
    if variant.terms.encoding == RAW:
        ends = np.cumsum([part.size for part in game.observation]).tolist()
        return {part.name: tensor[end - part.size : end] for part, end in zip(game.observation, ends, strict=True)}
    return {
        part.name: tensor[part.start : part.start + part.count * part.size].reshape(part.count, *part.shape)
        for part in game.encoding.planes
    }


class SamovarGame(pyspiel.Game):  # type: ignore[misc]
    """A variant in OpenSpiel. Each game has a class of its own, see `register`."""

    game: Game

    def __init__(self, parameters: Options) -> None:
        game = self.game
        self.variant = OpenSpielVariant(game, **parameters)
        bound = 1.0 if self.variant.terms.rewards == PLACE else MOST_POINTS
        utility = utility_of(game, self.variant.seats)
        info = pyspiel.GameInfo(
            num_distinct_actions=game.moves,
            max_chance_outcomes=self.variant.most_outcomes,
            num_players=self.variant.seats,
            min_utility=-bound,
            max_utility=bound,
            utility_sum=0.0 if utility == pyspiel.GameType.Utility.ZERO_SUM else None,
            max_game_length=game.max_length(self.variant.seats, self.variant.options),
        )
        super().__init__(game_type(game, utility, self.variant.recall), info, dict(parameters))

    def __reduce__(self) -> tuple[Callable[[str], SamovarGame], tuple[str]]:
        return loaded, (self.variant.text,)

    def new_initial_state(self) -> SamovarState:
        return SamovarState(self)

    def max_chance_nodes_in_history(self) -> int:
        return self.variant.most_chance_nodes

    def make_py_observer(self, iig_obs_type: Untyped = None, params: Mapping[str, Value] | None = None) -> Observer:
        if isinstance(iig_obs_type, Mapping):  # OpenSpiel's C++ code leaves the first argument out
            iig_obs_type, params = None, iig_obs_type
        if params:
            raise UnknownOption(
                f"Observers of samovar's games have no parameters, so {sorted(params)} cannot be given."
            )
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if wanted.private_info == pyspiel.PrivateInfoType.NONE:
            return Observer(self.variant, public_text, has_tensor=False)
        if wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise BadOption(
                "Samovar observes what one seat knows, or what a spectator does: ask for "
                "private_info=PrivateInfoType.SINGLE_PLAYER or NONE."
            )
        if wanted.perfect_recall:
            return Observer(self.variant, information_text, has_tensor=not self.variant.recall)
        return Observer(self.variant, observation_text, has_tensor=True)


class CompiledRollouts:
    """An evaluator for OpenSpiel's Python searches: the random rollouts of its
    `RandomRolloutEvaluator`, played by compiled code."""

    def __init__(self, n_rollouts: int = 1, seed: int | None = None) -> None:
        self._rollouts = n_rollouts
        self._chance = np.random.default_rng(seed)

    def evaluate(self, state: SamovarState) -> Array:
        position = state._position
        if position.player == CHANCE:
            outcomes = position.variant.outcomes(position)
            drawn = self._chance.choice(len(outcomes), p=[odds for _, odds in outcomes])
            position = position.variant.after(position, int(drawn))
        means: Array = position.variant.roll_out(position, self._chance.integers(2**62, size=self._rollouts)).mean(
            axis=0
        )
        return means

    def prior(self, state: SamovarState) -> list[tuple[int, float]]:
        if state.is_chance_node():
            return state.chance_outcomes()
        moves = state.legal_actions()
        return [(move, 1 / len(moves)) for move in moves]


def register(game: Game) -> None:
    """Makes a game known to OpenSpiel; with this module all that are installed have been.

    OpenSpiel lets go of what it is given when Python is already gone. A class survives that; a
    function that nobody else holds would be freed then, and the process would end with an abort.
    """
    kind = game_type(game, utility_of(game, game.seats[0]))
    pyspiel.register_game(kind, type("SamovarGame", (SamovarGame,), {"game": game}))


def register_installed() -> None:
    for game in installed_games():
        register(game)


register_installed()
