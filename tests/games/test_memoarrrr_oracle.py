"""Memoarrrr!: whole matches beside a slow second writing of the rules, with players that know the
cards and so reach the rare ends (R14)."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.games.memoarrrr import GAME
from samovar.games.memoarrrr.state import CARD_NAMES, MIDDLES, PLACE_NAMES, SIDE_NAMES

ISLAND = [place for place in PLACE_NAMES if place != "c3"]
OPTIONS = [{}, {"expert": True}, {"expert": True, "first_reveal_ability": True, "ordered_stack": True}]


class Naive:
    """The rules once more, with names instead of numbers and nothing clever. Reads the deal from a
    fresh match."""

    def __init__(self, match: Match) -> None:
        state = match.state
        self.seats = match.seats
        self.expert, self.first_ability = bool(state.expert), bool(state.first_reveal_ability)
        self.island = {place: CARD_NAMES[state.card[PLACE_NAMES.index(place)]] for place in ISLAND}
        self.volcanoes = [[state.volcano[n, k] for k in range(self.seats - 1)] for n in range(7)]
        self.treasures = list(state.treasure)
        self.won: list[int] = []
        self.sides: dict[str, int] = {}
        self.starter = self.turn = match.actors[0]
        self.asked = "look"
        self.new_round()

    def new_round(self) -> None:
        self.up: list[str] = []
        self.last: str | None = None  # a card, not a place
        self.block: str | None = None
        self.held: dict[int, int] = {}
        self.stack = list(self.volcanoes[len(self.won)]) if len(self.won) < 7 else []

    def hidden(self) -> list[str]:
        return [place for place in ISLAND if place not in self.up]

    def choices(self) -> list[str]:
        free = [place for place in self.hidden() if place != self.block]
        if self.asked == "look":
            return [side for side in SIDE_NAMES if side not in self.sides]
        if self.asked == "swap":
            at = next(place for place, card in self.island.items() if card == self.last)
            return [
                f"swap {place}"
                for place in ISLAND
                if abs(ord(place[0]) - ord(at[0])) + abs(int(place[1]) - int(at[1])) == 1
            ]
        if self.asked in ("peek", "block"):
            return [f"{self.asked} {place}" for place in self.hidden()]
        if not self.won and self.last is None:
            return [
                place
                for place in free
                if not any(
                    place in middle and side in self.sides for side, middle in zip(SIDE_NAMES, MIDDLES, strict=True)
                )
            ]
        return free

    def play(self, move: str) -> None:
        if self.asked == "look":
            self.sides[move] = self.turn
            self.turn = (self.turn + 1) % self.seats
            self.asked = "look" if len(self.sides) < self.seats else "reveal"
        elif self.asked == "reveal":
            self.reveal(move)
        elif self.asked == "swap":
            place = move.split()[1]
            at = next(spot for spot, card in self.island.items() if card == self.last)
            self.island[at], self.island[place] = self.island[place], self.island[at]
            self.up = [{at: place, place: at}.get(spot, spot) for spot in self.up]
            self.next_turn(None)
        else:
            self.next_turn(move.split()[1] if self.asked == "block" else None)

    def reveal(self, place: str) -> None:
        card, before = self.island[place], self.last
        self.up.append(place)
        self.last = card
        animal, landscape = card.split("-")
        if before is not None and animal not in before and landscape not in before:
            self.held[self.turn] = self.stack.pop(0)
            self.next_turn(None)
        elif not self.expert or animal == "turtle" or (before is None and not self.first_ability):
            self.next_turn(None)
        elif animal == "crab":
            self.begin_turn()
        elif animal == "octopus" or self.hidden():
            self.asked = {"octopus": "swap", "penguin": "peek", "walrus": "block"}[animal]
        else:
            self.next_turn(None)

    def next_turn(self, block: str | None) -> None:
        self.block = block
        self.turn = (self.turn + 1) % self.seats
        while self.turn in self.held:
            self.turn = (self.turn + 1) % self.seats
        self.begin_turn()

    def begin_turn(self) -> None:
        self.asked = "reveal"
        if not self.stack:
            self.won.append(self.turn)
            self.starter = max(self.held, key=lambda seat: self.held[seat])
            self.asked = "reveal" if len(self.won) < 7 else "over"
            self.turn = self.starter
            self.new_round()
        elif not [place for place in self.hidden() if place != self.block]:
            self.held[self.turn] = self.stack.pop(0)
            self.next_turn(None)

    def rubies(self) -> tuple[int, ...]:
        return tuple(
            sum(self.treasures[n] for n, winner in enumerate(self.won) if winner == seat) for seat in range(self.seats)
        )


def choose(naive: Naive, moves: list[str], player: random.Random) -> str:
    """Mostly a location that connects, and among those preferably one that leaves others: rounds
    get long."""
    if naive.asked == "reveal" and naive.last is not None and player.random() < 0.99:
        animal, landscape = naive.last.split("-")
        good = [place for place in moves if animal in naive.island[place] or landscape in naive.island[place]]

        def ways_on(place: str) -> int:
            animal, landscape = naive.island[place].split("-")
            return sum(
                animal in naive.island[other] or landscape in naive.island[other]
                for other in naive.hidden()
                if other != place
            )

        if good:
            return min(good, key=lambda place: (ways_on(place) == 0, ways_on(place), player.random()))
    return player.choice(moves)


@pytest.mark.rules("4.8", "7.5", "7.7", "7.8", "7.9")
@pytest.mark.parametrize("options", OPTIONS, ids=["base", "expert", "all"])
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.slow
def test_matches_of_players_that_know_the_cards_agree_with_the_naive_rules(seats: int, options: dict[str, Any]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(5):
        match = Match(GAME, seats, seed, plain=True, **options)
        naive = Naive(match)
        player = random.Random(seed)
        while not match.over:
            assert match.actors == (naive.turn,)
            moves = match.moves(naive.turn)
            assert moves == naive.choices()
            move = choose(naive, moves, player)
            match.play(naive.turn, move)
            naive.play(move)
            assert match.faults == ()
            seen.update(event.kind for event in match.news(None))
        assert naive.asked == "over"
        assert match.scores == naive.rubies()
        order = sorted(range(seats), key=lambda seat: (-match.scores[seat], -naive.won.count(seat)))
        assert [match.places[seat] for seat in order] == sorted(match.places)
        assert len(match.history) <= GAME.max_length(seats, match.options)
    assert seen["all_revealed"] > 0  # these players do reach the end of the island


@pytest.mark.parametrize("options", OPTIONS, ids=["base", "expert", "all"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_plain_and_compiled_give_identical_bytes(seats: int, options: dict[str, Any]) -> None:
    results = []
    for plain in (True, False):
        ready = backend(GAME, plain)
        states, seeds, played = np.zeros(12, GAME.state), np.arange(12, dtype=np.int64), np.zeros(12, np.int64)
        ready.deal(states, GAME.setup(seats, GAME.check_options(seats, options)), seeds)
        snapshots = [states.tobytes()]
        for moves in (10, 25, 2**40):
            ready.play_random(states, seeds, played, moves)
            snapshots.append(states.tobytes())
        results.append([*snapshots, played.tobytes()])
    assert results[0] == results[1]


def test_max_length_counts_reveals_and_abilities() -> None:
    assert GAME.max_length(2, {"expert": False}) == 2 + 7 * 24
    assert GAME.max_length(4, {"expert": True}) == 4 + 7 * 39
