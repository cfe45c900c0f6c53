"""Which matches a tournament consists of. Nothing here is left to chance: the plan follows from the
tournament alone, on every machine.

A *line-up* says which bots sit at the table: all of them, or every choice of so many as there are
seats. Each deal is played by every line-up in each of its rotations, so that every bot has had
every seat of the same deal, and luck cancels out. All matches of one deal are a *group*.

Where seats play in teams, a bot has all seats of one. Where all seats are one team, every mixture of
the bots is a line-up: each by itself, and with each of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement

from samovar.arena.outcome import Tournament
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Options
from samovar.errors import BadTournament


@dataclass(frozen=True)
class PlannedMatch:
    """All that is needed to play one match of a tournament, anywhere."""

    number: int
    deal: int
    game: str
    options: Options
    seed: int  # of the deal
    bots: tuple[str, ...]  # by seat
    bot_seeds: tuple[int, ...]  # by seat
    is_luck_measured: bool = True


class TournamentPlan:
    """The matches of a tournament, by number: `for match in Plan(tournament)`."""

    is_luck_measured = True

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        if tournament.matches < 1:
            raise BadTournament(
                f"A tournament has at least one match, not {tournament.matches}. Ask for more with --matches."
            )
        if len(tournament.bots) < tournament.parties:
            sides = "seats" if tournament.parties == tournament.seats else "teams"
            raise BadTournament(
                f"There are {tournament.parties} {sides} and only {len(tournament.bots)} bots: "
                f"{', '.join(tournament.bots) or 'none'}. "
                "Name more of them; a bot may be named several times: --bots expert,hard,hard."
            )

    @cached_property
    def line_ups(self) -> list[tuple[str, ...]]:
        """By seat where all play together, else by team. A bot that is named twice counts as two, but
        not with itself."""
        if self.is_together:
            return list(combinations_with_replacement(self.tournament.names, self.tournament.seats))
        return list(combinations(self.tournament.bots, self.tournament.parties))

    @property
    def is_together(self) -> bool:
        return self.tournament.parties == 1

    @property
    def rotations(self) -> int:
        """Of a line-up."""
        return self.tournament.seats if self.is_together else self.tournament.parties

    @property
    def group(self) -> int:
        """How many matches are played with the same deal."""
        return len(self.line_ups) * self.rotations

    @property
    def planned_matches(self) -> int:
        """The matches asked for, rounded up to whole groups: with a part of one, luck would not
        cancel out."""
        return -(-self.tournament.matches // self.group) * self.group

    def __len__(self) -> int:
        return self.planned_matches

    def __iter__(self) -> Iterator[PlannedMatch]:
        return map(self.match, range(self.planned_matches))

    def match(self, number: int) -> PlannedMatch:
        ordered, seats = self.tournament, self.tournament.seats
        deal, within = divmod(number, self.group)
        line_up, rotation = divmod(within, self.rotations)
        bots = self.line_ups[line_up]
        turned = bots[len(bots) - rotation :] + bots[: len(bots) - rotation]
        return PlannedMatch(
            number=number,
            deal=deal,
            game=ordered.game,
            options=dict(ordered.options),
            seed=derive_seed(ordered.seed, "deal", deal),
            bots=turned if self.is_together else tuple(turned[team] for team in ordered.teams),
            bot_seeds=tuple(derive_seed(ordered.seed, "bot", deal, number, seat) for seat in range(seats)),
            is_luck_measured=self.is_luck_measured,
        )
