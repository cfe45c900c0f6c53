"""Every outcome of chance with its probability: of a deal, and of a move that rolls.

The rules run in plain Python, drawing from a `Script` in the place of the generator. They run once
for every row of choices there is, and outcomes that come to the same are put together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np

from samovar.engine.arrays import AnyState, Ints
from samovar.engine.chance import CHANCE_FIELD, below, draw_key, roll, shuffle, word
from samovar.engine.contract import Game, Value
from samovar.engine.rule import Compiler, Rule
from samovar.engine.ways.backend import bound_rules
from samovar.engine.ways.plain import plain_state
from samovar.errors import TooLarge

MOST_RUNS = 1_000_000  # of a deal, one for each row of choices: some minutes

# A tree of choices is known to be too large when all of so many scripts, drawn as chance draws them, are so much less
# likely than one of the most allowed. Of a tree that is not, scripts as unlikely as that have together less than a
# tenth of the chance: that all drawn are among them happens once in 10**20 trees.
DRAWN = 20
LESS_LIKELY = 10

Outcomes = list[tuple[Fraction, bytes]]  # the probability and the state


class Script:
    """Makes the choices of chance in the order of a script, beyond its end always the first, or
    drawn ones; then says what the next script is."""

    def __init__(self) -> None:
        self.begin()

    def begin(self, chance: Random | None = None) -> None:
        self._chance = chance
        self._taken: list[int] = []
        self._weights: list[Sequence[int]] = []
        self._at = 0

    def choose(self, weights: Sequence[int]) -> int:
        """One of several outcomes, as likely as their weights say."""
        if len(weights) == 1:
            return 0
        if self._at == len(self._taken):
            self._taken.append(self._chance.choices(range(len(weights)), weights)[0] if self._chance else 0)
            self._weights.append(weights)
        self._at += 1
        return self._taken[self._at - 1]

    @property
    def probability(self) -> Fraction:
        likely = certain = 1
        for taken, weights in zip(self._taken, self._weights, strict=True):
            likely *= weights[taken]
            certain *= sum(weights)
        return Fraction(likely, certain)

    def turn_page(self) -> bool:
        """The next script; False after the last one."""
        self._at = 0
        while self._taken and self._taken[-1] + 1 == len(self._weights[-1]):
            self._taken.pop()
            self._weights.pop()
        if not self._taken:
            return False
        self._taken[-1] += 1
        return True


# What stands for the rules of `chance.py`; `rng` is a script. It has a default where a rule is not
# handed the generator.


def scripted_below(rng: Script, n: int) -> int:
    return rng.choose((1,) * n)


def scripted_shuffle(rng: Script, cards: Ints, count: int) -> None:
    """Equal cards are one choice, so that a shuffle has no more scripts than results."""
    for last in range(count - 1, 0, -1):
        left = Counter(cards[k] for k in range(last + 1))
        values = sorted(left)
        value = values[rng.choose([left[each] for each in values])]
        other = max(k for k in range(last + 1) if cards[k] == value)
        cards[last], cards[other] = value, cards[last]


def scripted_word(rng: Script) -> int:
    raise TooLarge("This game draws whole words of 32 bits, which have too many outcomes. Draw with `below` instead.")


def no_key(state: AnyState, rng: Script) -> None:
    """What rolls is in the script, so no key is drawn."""


@cache
def _scripted(game: Game) -> tuple[Callable[..., object], Callable[..., object], Script]:
    """The game's `deal` and `apply`, and the script that a move rolls by."""
    script = Script()

    def scripted_roll(state: AnyState, n: int, script: Script = script) -> int:
        return script.choose((1,) * n)

    drawn: dict[Rule, Rule] = {
        below: scripted_below,
        shuffle: scripted_shuffle,
        word: scripted_word,
        draw_key: no_key,
        roll: scripted_roll,
    }
    compiler = Compiler(lambda copied: copied, {**bound_rules(game), **drawn}, tables_as_arrays=False)
    return compiler.copy(game.deal), compiler.copy(game.apply), script


def all_deals(game: Game, seats: int, options: Mapping[str, Value], most: int = MOST_RUNS) -> Outcomes:
    """Every deal with its probability. `options` are checked ones, all of them."""
    setup = plain_state(game.setup(seats, options))
    deal, _, script = _scripted(game)

    def run() -> bytes:
        states = np.zeros(1, game.state)
        deal(plain_state(states), seats, setup, script)
        return states.tobytes()

    return _every(
        script, run, most, f"{game.name} with {seats} seats has more than {most:,} deals. Take a small member of it."
    )


def rolls(game: Game) -> bool:
    """Whether moves of the game may roll."""
    return CHANCE_FIELD in (game.state.names or ())


def outcomes(game: Game, state: bytes, seat: int, move: int, most: int = MOST_RUNS) -> Outcomes:
    """Every state that a legal move may lead to, with its probability. All keys are 0."""
    _, apply, script = _scripted(game)

    def run() -> bytes:
        states = np.frombuffer(bytearray(state), game.state)
        apply(plain_state(states), seat, move)
        return states.tobytes()

    return _every(script, run, most, f"A move of {game.name} has more than {most:,} outcomes. Roll fewer dice at once.")


def _every(script: Script, run: Callable[[], bytes], most: int, too_many: str) -> Outcomes:
    found: dict[bytes, Fraction] = {}
    script.begin()
    for number in range(most):
        state = run()
        if number == 0 and _are_more(script, run, most):
            break
        found[state] = found.get(state, Fraction(0)) + script.probability
        if not script.turn_page():
            return [(probability, state) for state, probability in found.items()]
    raise TooLarge(too_many)


def _are_more(script: Script, run: Callable[[], bytes], most: int) -> bool:
    """Whether there are certainly more scripts than that; the first one has just been run, and is the one at hand
    again if there may not be."""
    if LESS_LIKELY * most * script.probability >= 1:  # as in all that are small
        return False
    chance = Random(0)
    for _ in range(DRAWN):
        script.begin(chance)
        run()
        if LESS_LIKELY * most * script.probability >= 1:
            script.begin()
            run()
            return False
    return True
