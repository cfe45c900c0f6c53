"""How an observation and moves become tokens: nothing is lost, and what does not fit is refused."""

from __future__ import annotations

import numpy as np
import pytest

import samovar
from samovar.engine.kinds import FLAG, Part, count, one_of
from samovar.engine.tokens import (
    COUNT,
    MARK,
    NAME,
    POINT,
    SKIP,
    TABLE,
    WEIGH,
    Group,
    Tokens,
    check_tokens,
    make_plan,
)
from samovar.errors import BrokenGame

PARTS = (
    Part("colour", 4, "by field", one_of(3)),
    Part("marked", 8, "two rows by field", FLAG),
    Part("last", 1, "a field", one_of(4)),
    Part("points", 2, "by seat", count(0, 9)),
    Part("noise", 1, "nothing", one_of(5)),
)
FACTORS = (Part("act", 1, "what", one_of(2)), Part("to", 1, "a field", one_of(4)), Part("with", 4, "by field", FLAG))
FIELDS = Group("field", 4, reads=("colour", "marked"), marks=("last",), alike=("colour",), shape=(2, 2), lines=True)
TOKENS = Tokens((FIELDS,), points={"to": "field", "with": "field"}, ignores=("noise",))


def test_every_number_goes_where_the_tokens_say():
    plan = make_plan(TOKENS, PARTS, FACTORS, 10, 2)
    mode, target, base, first, values = plan.seen.tolist()
    assert mode == [NAME] * 4 + [COUNT] * 8 + [MARK] + [COUNT] * 2 + [SKIP]
    assert target[:4] == [1, 2, 3, 4]
    assert target[4:12] == [1, 2, 3, 4] * 2
    assert target[12] == 1
    assert target[13:15] == [TABLE] * 2
    # things share their rows; rows of a part and numbers of the table have their own
    assert len(set(base[:4])) == 1
    assert len(set(base[4:8])) == len(set(base[8:12])) == 1
    assert base[4] != base[8]
    assert base[13] != base[14]
    assert first == [0] * 16
    assert values[:4] == [3] * 4
    assert plan.embedded == 3 + 2 * 2 + 1 + 2 * 10
    assert plan.tokens == 5


def test_neighbours_are_alike_or_in_one_line():
    plan = make_plan(TOKENS, PARTS, FACTORS, 10, 2)
    alike, rows, columns = plan.keys_of(0)
    assert (alike.values, alike.first_raw, alike.numbers) == (3, 0, ())
    assert rows.numbers == (0, 0, 1, 1)
    assert columns.numbers == (0, 1, 0, 1)


def test_a_move_points_at_things():
    plan = make_plan(TOKENS, PARTS, FACTORS, 10, 2)
    mode, target, base, *_ = plan.factors.tolist()
    assert mode == [NAME, POINT] + [WEIGH] * 4
    assert target[1:] == [1, 1, 2, 3, 4]
    assert base[1:] == [0, 1, 1, 1, 1]
    assert plan.roles == (0, 0)
    assert plan.move_embedded == 2


def test_a_game_that_says_nothing_has_the_table_alone_and_moves_by_number():
    plan = make_plan(Tokens(), PARTS, (), 10, 2)
    assert plan.tokens == 1
    assert set(plan.seen[1].tolist()) == {TABLE}
    assert plan.factors[:, 0].tolist() == [NAME, 0, 0, 0, 10]


@pytest.mark.parametrize("name", samovar.game_ids())
def test_no_two_numbers_of_a_game_are_mixed_up(name):
    """A token's rows tell its numbers apart, except those of things that are told alike on purpose."""
    plan = samovar.find_game(name).plan
    mode, target, base, _, values = plan.seen
    assert len(mode) == samovar.find_game(name).encoding.raw_size
    read = [(t, b) for m, t, b in zip(mode.tolist(), target.tolist(), base.tolist(), strict=True) if m != SKIP]
    assert len(set(read)) == len(read)
    ends = [b + (1 if m == MARK else v) for m, b, v in zip(mode, base, values, strict=True) if m != SKIP]
    assert max(ends) == plan.embedded
    used = np.zeros(plan.embedded, int)
    for b, e in {(int(b), int(b + (1 if m == MARK else v))) for m, b, v in zip(mode, base, values, strict=True) if m}:
        used[b:e] += 1
    assert set(used.tolist()) == {1}


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [
        (Tokens((Group("field", 4, reads=("color",)),)), "no part 'color'. Did you mean 'colour'"),
        (Tokens((Group("field", 3, reads=("colour",)),)), "no rows of 3"),
        (Tokens((Group("field", 4, reads=("colour",), marks=("points",)),)), "does not name one of the 4"),
        (Tokens((Group("field", 4, reads=("colour",)), Group("again", 4, reads=("colour",)))), "twice"),
        (Tokens((Group("field", 4, reads=("colour", "marked"), alike=("marked",)),)), "not by 'marked'"),
        (Tokens((Group("field", 4, reads=("colour",), shape=(2, 3)),)), "do not lie in"),
        (Tokens((Group("field", 4, reads=("colour",), beside=True),)), "give their shape"),
        (Tokens((FIELDS,), points={"to": "fields"}), "no group. Did you mean 'field'"),
        (Tokens((Group("seat", 2, reads=("points",)),), points={"to": "seat"}), "does not point at one of the 2"),
        (Tokens((FIELDS,), points={"from": "field"}), "no part 'from'"),
        (Tokens(ignores=("nothing",)), "no part 'nothing'"),
    ],
)
def test_what_does_not_fit_is_refused(tokens, problem):
    with pytest.raises(BrokenGame, match=problem):
        check_tokens("This", tokens, PARTS, FACTORS)
