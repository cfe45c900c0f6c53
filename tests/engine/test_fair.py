"""Fair by proof: a record proves its deal to everybody, and a forged one does not."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import samovar
from samovar.cli import app
from samovar.engine.records.fair import check_nonce, commitment, deal_seed, new_secret, old_commitment, verify
from samovar.engine.records.record import to_text
from samovar.errors import BadNonce, BadRecord, NotCommitted

GAME = samovar.find_game("memoarrrr")
SECRET = "5ec4e7" * 10 + "0000"
ANNA, BORIS = "a1" * 16, "b2" * 64
NONCES = [ANNA, BORIS, None]
MAKERS = ["browser", "program", None]
OPTIONS = GAME.check_options(3, {"expert": True})
SHOWN = commitment(GAME, 3, OPTIONS, SECRET)


def played(seed: int | str | None = None, **table: Any) -> dict[str, Any]:
    """The record of a match at a fair table, with changes to what the table told."""
    match = samovar.Match(GAME, 3, deal_seed(SECRET, NONCES) if seed is None else seed, plain=True, expert=True)
    match.play_random(1, limit=20)
    told = {"commitment": SHOWN, "secret": SECRET, "nonces": NONCES, "nonce_makers": MAKERS, **table}
    return json.loads(json.dumps(match.record({key: value for key, value in told.items() if value is not None})))


def old_record(**table: Any) -> dict[str, Any]:
    match = samovar.Match(GAME, 3, 7, plain=True, expert=True)
    match.play_random(1, limit=5)
    return match.record({"commitment": old_commitment(GAME, 3, OPTIONS, 7, "5a17"), "salt": "5a17", **table})


def sha(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()


def test_commitment_and_seed_are_hashes_of_the_documented_lines() -> None:
    options = '{"expert": true, "first": null, "first_reveal_ability": false, "ordered_stack": false}'
    assert sha(f'{{"game": "memoarrrr", "options": {options}, "rules": 1, "seats": 3, "secret": "{SECRET}"}}') == SHOWN
    assert sha(f'{{"nonces": ["{ANNA}", "{BORIS}", null], "secret": "{SECRET}"}}') == deal_seed(SECRET, NONCES)
    line = f'{{"game": "memoarrrr", "options": {options}, "rules": 1, "salt": "5a17", "seats": 3, "seed": 7}}'
    assert sha(line) == old_commitment(GAME, 3, OPTIONS, 7, "5a17")


def test_every_part_changes_the_deal() -> None:
    others = [
        [ANNA, BORIS, ANNA],
        [BORIS, ANNA, None],
        [ANNA, None, BORIS],
        [None, BORIS, None],
        [ANNA[:-1] + "0", BORIS, None],
    ]
    seeds = {deal_seed(secret, nonces) for secret in (SECRET, SECRET[::-1]) for nonces in (NONCES, *others)}
    assert len(seeds) == 12
    assert all(samovar.Match(GAME, seed=seed, plain=True).seed == seed for seed in seeds)


def test_secrets_are_long_and_never_the_same() -> None:
    made = {new_secret() for _ in range(50)}
    assert len(made) == 50
    assert {len(bytes.fromhex(secret)) for secret in made} == {32}


@pytest.mark.parametrize(
    "nonce", ["", "a" * 31, "a" * 129, "A" * 32, "g" * 32, "a" * 32 + "\n", " " + "a" * 32, "٣" * 32, 7, None]
)
def test_a_nonce_is_enough_hex_digits_and_nothing_else(nonce: Any) -> None:
    with pytest.raises(BadNonce, match="at least 16 random bytes"):
        check_nonce(nonce)
    assert [check_nonce(fine) for fine in (ANNA, BORIS)] == [ANNA, BORIS]


def test_a_fair_record_is_verified() -> None:
    match = verify(played(), SHOWN, ANNA)
    assert match.seed == deal_seed(SECRET, NONCES)
    assert len(match.history) == 20
    verify(played(), f" {SHOWN.upper()}\n", BORIS.upper())  # as people copy them


def test_a_record_of_an_old_table_is_still_verified() -> None:
    record = old_record()
    assert verify(record, record["table"]["commitment"]).seed == 7
    with pytest.raises(BadRecord, match="not the deal that was committed to"):
        verify(old_record(salt="5a18"))
    with pytest.raises(BadRecord, match="not the deal that was committed to"):
        verify(record, SHOWN)
    with pytest.raises(BadRecord, match="Your nonce had no part"):
        verify(record, nonce=ANNA)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ({"secret": SECRET[::-1]}, "not the deal that was committed to"),
        ({"commitment": "0" * 64}, f"gives the commitment {SHOWN}, the one told is 000"),
        ({"nonces": [BORIS, ANNA, None]}, "does not follow from secret and nonces"),
        ({"nonces": [ANNA, BORIS[:-1] + "0", None]}, "does not follow from secret and nonces"),
        ({"nonces": [ANNA, BORIS]}, "does not say which nonces"),
        ({"nonces": ANNA}, "does not say which nonces"),
        ({"nonces": None}, "does not say which nonces"),
        ({"nonces": [ANNA, [BORIS], None]}, "a nonce that is none. A nonce is a text"),
        ({"nonces": [ANNA, "b2", None]}, "a nonce that is none. A nonce is a text"),
        ({"nonce_makers": None}, "does not say which nonces"),
        ({"nonce_makers": ["browser", "program"]}, "does not say which nonces"),
        ({"nonce_makers": ["browser", "operator", None]}, "does not say who made its nonces"),
        ({"nonce_makers": ["browser", None, None]}, "does not say who made its nonces"),
        ({"nonce_makers": ["browser", "program", "server"]}, "does not say who made its nonces"),
    ],
)
def test_what_does_not_fit_is_told(table: dict[str, Any], text: str) -> None:
    with pytest.raises(BadRecord, match=text):
        verify(played(**table))


def test_another_commitment_or_nonce_than_noted_is_told() -> None:
    with pytest.raises(BadRecord, match="the one told is 1111"):
        verify(played(), "1" * 64)
    with pytest.raises(BadRecord, match="the one told is 0000"):
        verify(played(commitment="0" * 64), SHOWN)
    with pytest.raises(BadRecord, match="Your nonce had no part in this deal"):
        verify(played(), nonce="c3" * 16)
    with pytest.raises(BadRecord, match="does not follow from secret and nonces"):
        verify(played(seed="00" * 32))


def test_nobody_but_the_players_has_a_part_in_a_deal() -> None:
    more = [*NONCES, ANNA]
    with pytest.raises(BadRecord, match="for every player"):
        verify(played(seed=deal_seed(SECRET, more), nonces=more, nonce_makers=[*MAKERS, "browser"]))


def test_a_record_without_commitment_says_so(tmp_path: Path) -> None:
    match = samovar.Match(GAME, 3, 7, plain=True)
    position = samovar.Match.arranged(GAME, plain=True)
    for record in (
        match.record(),
        position.record(),
        position.record({"commitment": SHOWN, "secret": SECRET}),
        played(secret=7),
    ):
        with pytest.raises(NotCommitted, match="no commitment"):
            verify(record)


# In the terminal


def told(tmp_path: Path, record: dict[str, Any], *arguments: str) -> str:
    path = tmp_path / "match.json"
    path.write_text(to_text(record))
    done = CliRunner().invoke(app, ["verify", str(path), *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return " ".join(done.output.split())


def test_verify_tells_all_that_is_proven(tmp_path: Path) -> None:
    assert told(tmp_path, played(), "--commitment", SHOWN, "--nonce", ANNA) == (
        "Fair. Memoarrrr!, 3 players, 20 moves, all of them legal. Proven: "
        "- The deal was fixed before the first move: it is the one committed to. "
        "- 1 browser and 1 program had a part in it. "
        "- Your nonce is in it."
    )


def test_verify_tells_what_is_not_proven(tmp_path: Path) -> None:
    text = told(tmp_path, played(nonce_makers=["server", "server", None]))
    assert (
        f"Not proven: that the table showed this commitment at the beginning, see --commitment: {SHOWN}; that your "
        "own nonce is in it" in text
    )
    assert "that the operator did not try deals, as the server made the nonce of player 1 and player 2." in text
    assert "had a part in it" not in text
    text = told(tmp_path, old_record(nonce_makers=7), "--commitment", old_record()["table"]["commitment"])
    assert text.endswith("Not proven: that the operator did not choose the deal, in which no player had a part.")


def test_verify_refuses_what_was_forged(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="committed to"):
        told(tmp_path, played(), "--commitment", "0" * 64)
    with pytest.raises(BadRecord, match="Your nonce"):
        told(tmp_path, played(), "--nonce", "0" * 32)


# Options that came after a table was committed to

OLD_GAME = samovar.find_game("matryoshka")
OLD_OPTIONS = {"first": None, "long_columns": "extend"}  # before there was `growth`


def of_an_older_table(options: dict[str, Any]) -> dict[str, Any]:
    """A match that was committed to without an option that has come since, recorded with these."""
    shown = commitment(OLD_GAME, 3, OLD_OPTIONS, SECRET)
    match = samovar.Match.as_written(OLD_GAME, 3, deal_seed(SECRET, NONCES), options, plain=True)
    match.play_random(1, limit=5)
    told = {"commitment": shown, "secret": SECRET, "nonces": NONCES, "nonce_makers": MAKERS}
    return json.loads(json.dumps(match.record(told)))


@pytest.mark.parametrize("growth", [{}, {"growth": 3}], ids=["as written", "with the default laid in"])
def test_a_table_from_before_an_option_is_still_the_one_committed_to(growth: dict[str, Any]) -> None:
    record = of_an_older_table({**OLD_OPTIONS, **growth})
    assert record["options"] == {**OLD_OPTIONS, **growth}
    assert verify(record).options["growth"] == 3
    assert samovar.replay(record).record(record["table"]) == record


def test_another_value_than_the_default_is_not() -> None:
    with pytest.raises(BadRecord, match="not the deal that was committed to"):
        verify(of_an_older_table({**OLD_OPTIONS, "growth": 4}))
    with pytest.raises(BadRecord, match="not the deal that was committed to"):
        verify(of_an_older_table({**OLD_OPTIONS, "long_columns": "cap"}))
