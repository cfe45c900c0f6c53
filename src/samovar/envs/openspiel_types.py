"""What OpenSpiel wants to know of a game before it is played: its type, and its options as parameters."""

from __future__ import annotations

from functools import cache

from samovar.engine.contract import Game, Option, Value, nothing_hidden
from samovar.engine.kinds import RAW
from samovar.engine.ways.rewards import PLACE
from samovar.envs import Untyped, need
from samovar.errors import BadOption

pyspiel: Untyped = need("pyspiel")

PREFIX = "samovar_"
USUAL_DEALS = 1000
RANDOM = -1  # as a parameter, where numbers are the choices


def utility_of(game: Game, seats: int) -> Untyped:
    """Who gains by whose loss. Teams of one size gain together what the others lose."""
    kinds = pyspiel.GameType.Utility
    if game.is_together(seats):
        return kinds.IDENTICAL
    teams = game.teams(seats)
    return kinds.ZERO_SUM if len({teams.count(team) for team in teams}) == 1 else kinds.GENERAL_SUM


@cache
def game_type(game: Game, utility: Untyped, recall: bool = False) -> Untyped:
    """The facts that hold for every variant."""
    kinds = pyspiel.GameType
    return kinds(
        short_name=PREFIX + game.id,
        long_name=game.name,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=(
            kinds.Information.PERFECT_INFORMATION
            if game.determinize is nothing_hidden
            else kinds.Information.IMPERFECT_INFORMATION
        ),
        utility=utility,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(game.seats),
        min_num_players=min(game.seats),
        provides_information_state_string=True,
        provides_information_state_tensor=not recall,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "seats": game.seats[0],
            "deals": USUAL_DEALS,
            "seed": 0,
            "true_chance": False,
            "recall": False,
            "version": game.environment_version,
            "encoding": RAW,
            "turned": False,
            "rewards": PLACE,
            **{option.name: usual_parameter(option) for option in game.options},
        },
    )


def usual_parameter(option: Option) -> bool | int | str:
    """An option's default as OpenSpiel can pass it: `random` has no value of its own there, it is a
    word among words and else a number."""
    if option.default is None:
        return "random" if any(isinstance(choice, str) for choice in option.choices) else RANDOM
    return option.default


def option_value(option: Option, parameter: Value) -> Value:
    """What a parameter says; `check_options` refuses what is no choice."""
    if isinstance(parameter, str):
        return option.parse(parameter)
    return None if parameter == RANDOM and None in option.choices else parameter


def check_number(name: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise BadOption(f"Parameter {name!r} is a number from {least} to {most}, not {value!r}.")
    return value


def check_version(game: Game, version: int) -> None:
    if version != game.environment_version:
        raise BadOption(
            f"{game.name} is installed in version {game.environment_version} of its environment, not {version}. Leave "
            "'version' out, or install the release that has that one: a learner sees or is paid something else there."
        )
