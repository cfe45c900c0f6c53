"""The process in which the quick part of the kit looks at a game in work, one check after the other:
`python -m samovar.dev.kit_worker NICENESS`.

The checks are those of `samovar.testing.conformance`, by plain rules, with the fewest and the most seats. The
rest of the kit takes minutes, and authors run it with pytest.
"""

from __future__ import annotations

import sys
from inspect import signature

import msgspec

from samovar.dev.faults import fault_of
from samovar.dev.messages import Check, Finding
from samovar.engine.registry import find_game
from samovar.processes import be_nice, serve
from samovar.testing import endless

# By their names in the kit, those first that say most about rules that were just changed.
QUICK = (
    "rules_use_nothing_that_cannot_be_compiled",
    "facts_are_complete",
    "every_state_of_a_match_is_sound_and_readable",
    "random_matches_end_in_time",
    "replay_undo_and_copy_give_identical_bytes",
    "numbers_are_of_their_kinds_and_moves_can_be_told_as_parts",
    "parts_fill_their_shapes",
    "order_of_simultaneous_commits_is_irrelevant",
    "worlds_fit_and_nothing_hidden_is_received",
    "what_no_seat_has_seen_is_dealt_anew_and_nothing_else",
    "nothing_hidden_is_received_in_thousands_of_positions",
    "evaluations_are_shares_and_quick_moves_legal",
    "rules_pages_number_the_same_rules",
    "the_lesson_can_be_played_to_its_end_in_every_way",
)


def look(check: Check) -> Finding:
    """What one check says of the game; nothing where all is well."""
    try:
        import pytest

        from samovar.testing import conformance
    except ModuleNotFoundError:
        return Finding("pytest", 1, "The kit needs pytest: pip install pytest.")
    game = find_game(check.game)
    variants = dict.fromkeys((0, len(game.variants()) - 1))  # the fewest seats, and the most with the last options
    planned = [
        (name, test, variant)
        for name in QUICK
        for test in [getattr(conformance, f"test_{name}")]
        for variant in (variants if "seats" in signature(test).parameters else [0])
    ]
    name, test, variant = planned[check.number]
    seats, options = game.variants()[variant]
    given = {"game": game, "seats": seats, "options": options}
    fault = None
    try:
        with endless.patience(game):
            test(**{name: value for name, value in given.items() if name in signature(test).parameters})
    except Exception as error:
        fault = fault_of(error, game.folder)
    except pytest.skip.Exception:  # there is nothing to look at
        pass
    what = fault.what if fault else ""
    return Finding(name.replace("_", " "), len(planned), what, fault)


def answer(line: bytes) -> bytes:
    return msgspec.json.encode(look(msgspec.json.decode(line, type=Check)))


def main() -> None:
    be_nice(int(sys.argv[1]))
    serve(answer)


if __name__ == "__main__":
    main()
