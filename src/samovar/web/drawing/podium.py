"""A picture of how a match ended, to be sent to others: signs on a podium, and no names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from samovar.engine.contract import Game
from samovar.language.languages import ENGLISH
from samovar.web.drawing.render import render

GROUND = 282  # of a picture that is 600 wide and 315 high
HEIGHTS = {1: 112, 2: 84, 3: 60}
LOWEST = 36
SLOTS = (0, -1, 1, -2, 2)  # from the middle on, the best first
COLOURS = ("#b3261e", "#1f5f96", "#2d6a3e", "#8a4fa0", "#a15c07")
SIGNS = "●▲■◆★"


class PodiumStep(NamedTuple):
    x: int  # of its middle
    y: int  # of its upper edge
    height: int
    place: int
    sign: str
    colour: str


def steps_of(places: Sequence[int]) -> list[PodiumStep]:
    """One for each seat. An even number of them stands a little to the right, so that it is in the middle."""
    ranking = sorted(range(len(places)), key=lambda seat: places[seat])
    width = width_of(places)
    start = 300 + (width // 2 if len(places) % 2 == 0 else 0)
    heights = {seat: HEIGHTS.get(places[seat], LOWEST) for seat in ranking}
    return [
        PodiumStep(
            start + slot * width, GROUND - heights[seat], heights[seat], places[seat], SIGNS[seat], COLOURS[seat]
        )
        for slot, seat in zip(SLOTS, ranking, strict=False)
    ]


def width_of(places: Sequence[int]) -> int:
    return min(130, 560 // len(places))


def podium_picture(game: Game, places: Sequence[int]) -> bytes:
    facts = {"game": game, "steps": steps_of(places), "width": width_of(places) - 6}
    return render("podium.svg", ENGLISH, facts).encode()
