"""A tournament's file: JSON lines, first what was ordered, then the outcomes as they came. What is
in it need not be played again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import msgspec
from filelock import lock_descriptor

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.plan import TournamentPlan
from samovar.engine.installed import own_version
from samovar.engine.registry import find_game
from samovar.errors import BadTournament, SamovarError
from samovar.json_types import JsonObject

FORMAT = 1


def header(tournament: Tournament) -> JsonObject:
    """What must be the same for outcomes to belong together, options left at their defaults
    included."""
    game = find_game(tournament.game)
    ordered = {
        "game": game.id,
        "bots": list(tournament.bots),
        "seats": tournament.seats,
        "matches": tournament.matches,
        "seed": tournament.seed,
        "options": game.check_options(tournament.seats, tournament.options),
    }
    return {"format": FORMAT, "samovar": own_version(), "rules": game.version, **ordered}


def file_name(tournament: Tournament) -> str:
    """One that no other tournament has."""
    digest = hashlib.blake2b(json.dumps(header(tournament), sort_keys=True).encode(), digest_size=8).hexdigest()
    return f"{tournament.game}-{digest}.jsonl"


def outcomes_in(path: str | Path, tournament: Tournament) -> list[Outcome]:
    """Of the matches that were played."""
    with ArenaFile(tournament, path) as store:
        return store.outcomes()


class ArenaFile:
    """The outcomes of a tournament, each once; without a path they are kept in memory only."""

    def __init__(self, tournament: Tournament, path: str | Path | None = None) -> None:
        self._outcomes: dict[int, Outcome] = {}
        self._file: BinaryIO | None = None
        if path is None:
            return
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._file = open(path, "a+b")  # noqa: SIM115 - open as long as the store is
            if not lock_descriptor(self._file.fileno(), blocking=False):
                raise BlockingIOError
            self._read(self._file, tournament)
        except BlockingIOError:
            self.close()
            raise BadTournament(
                f"{str(path)!r} is in use: this tournament is being played already. Wait for it, or give another "
                "--file."
            ) from None
        except OSError as error:
            self.close()
            raise BadTournament(
                f"The tournament's file {str(path)!r} cannot be used: {error.strerror}. Give another --file."
            ) from error
        except BadTournament as error:
            self.close()
            raise BadTournament(f"{str(path)!r} {error} Give another --file, or delete it.") from error

    def __contains__(self, number: int) -> bool:
        return number in self._outcomes

    def __len__(self) -> int:
        return len(self._outcomes)

    def outcomes(self) -> list[Outcome]:
        """By number, however they came."""
        return [self._outcomes[number] for number in sorted(self._outcomes)]

    def add(self, outcome: Outcome) -> None:
        if outcome.number not in self._outcomes:
            self._outcomes[outcome.number] = outcome
            self._write(asdict(outcome))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> ArenaFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _write(self, line: JsonObject) -> None:
        if self._file is not None:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()

    def _read(self, file: BinaryIO, tournament: Tournament) -> None:
        """A last line without an end was being written when the process was killed: it is cut off,
        and that match played again."""
        file.seek(0)
        content, expected = file.read(), header(tournament)
        whole = content[: content.rfind(b"\n") + 1]
        if not whole and json.dumps(expected).encode().startswith(content):  # new, or killed at once
            file.truncate(0)
            self._write(expected)
            return
        try:
            head, *outcomes = map(json.loads, whole.splitlines())
            differs = differences(with_defaults(head), expected)
            if head["format"] == FORMAT:
                self._outcomes = {each["number"]: msgspec.convert(each, Outcome) for each in outcomes}
        except (ValueError, TypeError, KeyError, AttributeError):
            raise BadTournament("is not the file of a tournament, or is damaged.") from None
        # Of another version's bots nothing is added to its outcomes; where none is missing they can be read.
        if differs and not (differs.keys() == {"samovar"} and len(self) >= len(TournamentPlan(tournament))):
            raise BadTournament(f"is the file of another tournament: {'; '.join(differs.values())}.")
        file.truncate(len(whole))


def with_defaults(head: JsonObject) -> JsonObject:
    """Options that have come since it was written were as they are by default now."""
    try:
        return {**head, "options": find_game(head["game"]).check_options(head["seats"], head["options"])}
    except SamovarError:  # of a game or with a choice that is not known here
        return head


def differences(there: JsonObject, here: JsonObject) -> dict[str, str]:
    return {
        key: f"{key} {there.get(key)!r} there, {value!r} here" for key, value in here.items() if there.get(key) != value
    }
