"""What networks are shown besides: relations and factors say what can be worked out from the view or
from the rules in another way; Babuschka's turned moves; and the kit finds what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from samovar import Match, find_game
from samovar.engine.batch import Batch
from samovar.engine.contract import Game
from samovar.engine.kinds import Part, count, make_encode, one_of
from samovar.engine.rule import rule
from samovar.engine.tokens import Tokens
from samovar.engine.ways.plain import plain, plain_state
from samovar.games.babuschka.board import FACING, FACINGS, TURNED, square_of
from samovar.games.memoarrrr.state import CARD_NAMES, PLACE_NAMES
from samovar.games.varvitikud.deck import DECK
from samovar.testing import kinds


def moments(game_id: str, seats: int, every: int = 1, **options: Any) -> Iterator[Match]:
    """Some moments of a random match."""
    match = Match(game_id, seats, 5, plain=True, **options)
    while not match.over:
        if len(match.history) % every == 0:
            yield match
        match.play_random(len(match.history), limit=1)


def seen(match: Match, seat: int) -> dict[str, list[int]]:
    """Observation and relations of a seat by name."""
    game = match.game
    row = np.zeros(game.longest_row, np.int8)
    row[: game.observation_size] = match.observation(seat)
    assert game.relate is not None
    game.relate(plain(row), game.observation_size)
    return by_name((*game.observation, *game.relations), row.tolist())


def factors(match: Match, seat: int, move: int) -> dict[str, list[int]]:
    row = np.zeros(match.game.factor_encoding.raw_size, np.int8)
    assert match.game.factor is not None
    match.game.factor(match.state, seat, move, plain(row))
    return by_name(match.game.factors, row.tolist())


def by_name(parts: tuple[Part, ...], numbers: list[int]) -> dict[str, list[int]]:
    named, start = {}, 0
    for part in parts:
        named[part.name] = numbers[start : start + part.size]
        start += part.size
    return named


# Relations


def test_memoarrrr_relates_what_is_known_to_the_last_location() -> None:
    """A card connects where revealing it is told as a connection, and fails where it costs."""
    told = {"connects": 0, "fails": 0, "neither": 0}
    for match in moments("memoarrrr", 3, expert=True):
        seat = match.actors[0]
        view, relations = match.view(seat), seen(match, seat)
        assert sum(relations["connects"]) + sum(relations["fails"]) <= relations["face_up"].count(0)
        if view.phase != "reveal" or view.last is None:
            continue
        for move in match.legal(seat):
            after = match.copy()
            after.play(seat, move)
            place = PLACE_NAMES.index(match.move_text(seat, move))
            outcome = next(event.kind for event in after.view(seat).news if event.kind in ("connects", "fails"))
            known = relations["animal"][place] >= 0
            for kind in ("connects", "fails"):
                assert relations[kind][place] == (known and kind == outcome)
            told[outcome if known else "neither"] += 1
            connects = factors(match, seat, move)["connects"]
            assert connects == [-1 if not known else int(outcome == "connects")]
    assert min(told.values()) > 5


def test_matryoshka_tells_runs_and_columns_of_own_cards() -> None:
    offered = 0
    for match in moments("matryoshka", 3, every=4):
        for seat in range(3):
            relations = seen(match, seat)
            own = {card for card in relations["own"] if card >= 0}
            for k, card in enumerate([*relations["own"], *relations["offers"]]):
                found = relations["run"][k], relations["column"][k], relations["value"][k]
                if card < 0:
                    assert found == (0, 0, 0)
                    continue
                offered += card not in own
                row = sorted(other % 7 for other in own | {card} if other // 7 == card // 7)
                breaks = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(row)) if b > a + 1), len(row)]
                run = next(row[a:b] for a, b in pairwise(breaks) if card % 7 in row[a:b])
                assert found == (len(run), sum(other % 7 == card % 7 for other in own | {card}), card % 7 + 1)
    assert offered


def test_varvitikud_tells_what_one_stick_more_or_less_is_worth() -> None:
    lost = 0
    for match in moments("varvitikud", 4, every=12):
        for seat in range(4):
            relations = seen(match, seat)
            for k in range(4):
                other = (seat + k) % 4
                before = match.scores[other]
                for colour in range(6):
                    changed = match.copy()
                    changed.states["sticks"][0, other, colour] += 1
                    assert relations["gains"][6 * k + colour] == changed.scores[other] - before
                    if match.states["sticks"][0, other, colour]:
                        changed.states["sticks"][0, other, colour] -= 2
                        assert relations["losses"][6 * k + colour] == before - changed.scores[other]
                        lost += 1
                    else:
                        assert relations["losses"][6 * k + colour] == 0
    assert lost


# 12 lies north of 0 and 14 east of it, so 51 (green, orange, yellow, red) joins both at 1,1.
CORNER: dict[str, Any] = {
    "field": [[0, 0, 0], [14, 1, 0], [12, 0, 1]],
    "hands": [[51, 2, 3, 4], [1, 5, 6, 7]],
    "sticks": [{"red": 2, "green": 1}, {"blue": 2, "purple": 2, "orange": 1}],
}


def test_varvitikud_tells_who_is_ahead_and_how_far() -> None:
    match = Match.arranged("varvitikud", plain=True, **CORNER)  # 4 points against 9
    for seat, ahead, turns in ((0, 0, -1), (1, 2, 1)):
        relations = seen(match, seat)
        assert (relations["ahead"], relations["far_ahead"]) == ([ahead, -1, -1], [turns, 0, 0])
    match = Match.arranged("varvitikud", plain=True, **CORNER | {"sticks": [[3] * 6]})  # 63 against none
    assert [seen(match, seat)["far_ahead"][0] for seat in range(2)] == [3, -3]
    assert factors(match, 0, match.legal(0)[0])["ahead"] == [16]


def test_varvitikud_tells_who_is_ahead_as_it_would_be_scored() -> None:
    told: set[tuple[int, int]] = set()
    for match in moments("varvitikud", 4, every=5):
        for seat in range(4):
            relations = seen(match, seat)
            for k in range(3):
                lead = match.scores[seat] - match.scores[(seat + k + 1) % 4]
                found = relations["ahead"][k], relations["far_ahead"][k]
                assert found == (np.sign(lead) + 1, np.clip(int(lead / 4), -3, 3))
                told.add(found)
    assert {ahead for ahead, _ in told} == {0, 1, 2}
    assert {turns for _, turns in told} >= {-1, 0, 1}


def test_varvitikud_tells_how_open_the_places_of_a_corner_are() -> None:
    """By card: north, east, south, west. The place between 12 and 14 has two free sides, the others have
    three."""
    room = np.array(seen(Match.arranged("varvitikud", plain=True, **CORNER), 0)["room"]).reshape(4, 54)
    assert room[:, 0].tolist() == [0, 0, 4, 4]
    assert room[:, 12].tolist() == [4, 3, 0, 4]
    assert room[:, 14].tolist() == [3, 4, 4, 0]
    assert np.delete(room, [0, 12, 14], axis=1).sum() == 0


def test_varvitikud_tells_how_open_every_place_is() -> None:
    told: set[int] = set()
    for match in moments("varvitikud", 2, every=6, half_turn=True):
        lying = {(card.x, card.y): card.card for card in match.view(0).field}
        relations = seen(match, 0)
        beside = ((0, 1), (1, 0), (0, -1), (-1, 0))
        wanted = np.zeros((4, 54), int)
        for (x, y), card in lying.items():
            for side, (east, north) in enumerate(beside):
                place = x + east, y + north
                if place not in lying:
                    free = sum((place[0] + a, place[1] + b) not in lying for a, b in beside)
                    wanted[side, card] = 1 + free
        assert relations["room"] == wanted.ravel().tolist()
        told |= set(relations["room"])
    assert told == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("seats", [2, 4])
def test_babuschka_tells_the_dolls_that_people_see(seats: int) -> None:
    sizes = ["small", "medium", "large"]
    for match in moments("babuschka", seats, every=20):
        for seat in range(seats):
            facing = FACING[seats, seat]
            tops = {
                TURNED[facing, square_of(doll.field)]: (
                    (FACING[seats, doll.seat] - facing) % 4,
                    sizes.index(doll.size),
                )
                for doll in match.view(seat).dolls
            }
            relations = seen(match, seat)
            assert [tops.get(square, (-1, -1)) for square in range(64)] == list(
                zip(relations["top"], relations["top_size"], strict=True)
            )


# Factors


def test_factors_say_what_the_text_of_a_move_says() -> None:
    match = Match("memoarrrr", 2, 5, plain=True)
    look = factors(match, match.actors[0], match.parse_move(match.actors[0], "east"))
    assert (look["act"], look["side"], look["place"]) == ([1], [1], [-1])
    match.play_random(1, limit=2)
    seat = match.actors[0]
    for move in match.legal(seat):
        told = factors(match, seat, move)
        place = PLACE_NAMES.index(match.move_text(seat, move))
        assert (told["act"], told["place"], told["side"]) == ([0], [place], [-1])
        card = CARD_NAMES[match.states["card"][0, place]]
        known = seen(match, seat)["animal"][place] >= 0
        shown = [told["animal"][0], told["landscape"][0]]
        assert shown == (list(divmod(CARD_NAMES.index(card), 5)) if known else [-1, -1])


def test_factors_of_varvitikud_tell_the_sticks_that_a_placement_brings() -> None:
    ends = 0
    for match in moments("varvitikud", 2, every=3, half_turn=True):
        seat = match.actors[0]
        if match.view(seat).phase != "place":
            continue
        for move in match.legal(seat)[::7]:
            after = match.copy()
            after.play(seat, move)
            told = factors(match, seat, move)
            joined = [code != 0 for code in after.states["joined"][0].tolist()]
            assert sum(told["joined"]) == sum(joined)
            assert told["ends"] == [int(2 in after.states["joined"][0].tolist())]
            ends += told["ends"][0]
            gained = (match.states["reserve"][0] - after.states["reserve"][0]).tolist()
            if not told["ends"][0]:
                assert told["joined"] == gained
    assert ends


def test_factors_of_varvitikud_tell_what_a_move_brings_and_opens() -> None:
    """51 brings a red and a yellow stick: 8 points against 9. Then red for blue makes it 11 against 11."""
    match = Match.arranged("varvitikud", plain=True, **CORNER)
    told = [factors(match, 0, match.parse_move(0, "51@1,1"))]
    match.play(0, "51@1,1")
    told += [factors(match, 0, match.parse_move(0, text)) for text in ("red>1:blue", "stop")]
    assert [(move["points"], move["ahead"]) for move in told] == [([4], [-1]), ([3], [0]), ([0], [-1])]
    assert [move["opens"] for move in told] == [[0, 1, 0, 1, 0, 0], [0] * 6, [0] * 6]


@pytest.mark.parametrize("seats", [2, 3])
def test_factors_of_varvitikud_tell_points_and_lead_as_the_rules_count_them(seats: int) -> None:
    acts, ends = set(), 0
    for match in moments("varvitikud", seats, every=2, half_turn=True):
        seat = match.actors[0]
        for move in match.legal(seat)[::5]:
            after = match.copy()
            after.play(seat, move)
            told = factors(match, seat, move)
            lead = after.scores[seat] - max(score for k, score in enumerate(after.scores) if k != seat)
            assert told["points"] == [after.scores[seat] - match.scores[seat]]
            assert told["ahead"] == [np.clip(lead, -16, 16)]
            if told["card"][0] >= 0:
                turned, card = told["half_turn"][0], told["card"][0]
                joined = after.states["joined"][0].tolist()
                free = [DECK[card][edge ^ 2 * turned] for edge in range(4) if not joined[edge]]
                assert told["opens"] == [free.count(colour) for colour in range(6)]
            acts.add(told["act"][0])
            ends += told["ends"][0]
    assert acts >= {0, 1}
    assert ends


def test_factors_of_matryoshka_tell_the_cards() -> None:
    acts = set()
    for match in moments("matryoshka", 4, every=3):
        for seat in match.actors:
            for move in match.legal(seat)[::11]:
                told = factors(match, seat, move)
                word, *names = match.move_text(seat, move).split()
                acts.add(word)
                assert told["act"] == [["show", "put", "offer", "take"].index(word)]
                shown = {f"{'ABCDEFGHIJ'[card // 7]}{card % 7 + 1}" for card in range(70) if told["shown"][card]}
                assert shown == (set(names) if word == "show" else set())
                if word in ("put", "offer"):
                    assert f"{'ABCDEFGHIJ'[told['colour'][0]]}{told['value'][0]}" == names[0]
                if word == "take":
                    assert told["seat"] == [(int(names[0]) - seat) % 4]
    assert acts == {"show", "put", "offer", "take"}


def test_factors_of_babuschka_tell_rows_and_covered_dolls() -> None:
    covers = 0
    for match in moments("babuschka", 4, every=15):
        seat = match.actors[0]
        tops = match.view(seat).tops
        for move in match.legal(seat):
            told = factors(match, seat, move)
            start, end = match.move_text(seat, move).split("-")
            assert told["rows"][0] == told["to"][0] // 8 - told["from"][0] // 8
            assert ["small", "medium", "large"][told["size"][0]] == tops[start][1]
            assert told["covers"] == [(tops[end][0] - seat) % 4 if end in tops else -1]
            covers += end in tops
    assert covers


@pytest.mark.slow
def test_compiled_varvitikud_shows_networks_the_same_numbers() -> None:
    game = find_game("varvitikud")
    batch = Batch(game, 3, 3, 5, threads=1, encoding="planes", factors="raw", half_turn=True)
    batch.reset(seed=5)
    encode = make_encode(game.encoding)
    row, planes = np.zeros(game.longest_row, np.int8), np.zeros((1, game.encoding.size), np.int8)
    told = np.zeros(game.factor_encoding.raw_size, np.int8)
    for _ in range(6):
        for i, seat in enumerate(batch.actor.tolist()):
            state = plain_state(batch.states[i : i + 1])
            game.observe(state, seat, plain(row))
            assert game.relate is not None
            assert game.factor is not None
            game.relate(plain(row), game.observation_size)
            encode(plain(row), plain(planes), 0, 0)
            assert planes[0].tobytes() == batch.observations[i].tobytes()
            for k in range(batch.legal_counts[i]):
                game.factor(state, seat, int(batch.legal_moves[i, k]), plain(told))
                assert told.tobytes() == batch.legal_factors[i, k].tobytes()
        for _ in range(5):
            batch.step(batch.random_moves())


# Turned moves


def twin_of(match: Match) -> Match:
    """The same position with the board turned and the seats moved on, by a half turn with two seats,
    by a quarter with four."""
    twin = match.copy()
    seats = match.seats
    state, turned = match.states[0], twin.states[0]
    for seat in range(seats):
        other = (seat + 1) % seats
        quarters = (FACING[seats, seat] - FACING[seats, other]) % FACINGS
        for size in range(3):
            fields = [square for square in range(64) if int(state["dolls"][seat, size]) >> square & 1]
            turned["dolls"][other, size] = sum(1 << TURNED[quarters, square] for square in fields)
        turned["place"][other] = state["place"][seat]
    turned["turn"] = (state["turn"] + 1) % seats
    return twin.imagine(0, seed=0)  # nothing is hidden, and who is to act is read anew


@pytest.mark.parametrize("seats", [2, 4])
def test_a_position_and_its_turned_twin_are_the_same_to_the_seats_that_sit_there(seats: int) -> None:
    for match in moments("babuschka", seats, every=10):
        twin = twin_of(match)
        assert not twin.faults
        for seat in range(seats):
            one, other = seen(match, seat), seen(twin, (seat + 1) % seats)
            assert one.pop("facing") != other.pop("facing")
            assert one == other
        seat, twin_seat = match.actors[0], twin.actors[0]
        assert turned_moves(match, seat) == turned_moves(twin, twin_seat)
        assert set(match.legal(seat)) != set(twin.legal(twin_seat))


def turned_moves(match: Match, seat: int) -> set[int]:
    assert match.game.rotate_move is not None
    return {match.game.rotate_move(match.state, seat, move) for move in match.legal(seat)}


@pytest.mark.parametrize(("game_id", "seats"), [("matryoshka", 4), ("varvitikud", 3)])
def test_moves_that_name_a_seat_can_be_had_as_it_is_counted_from_the_observer(game_id: str, seats: int) -> None:
    named = 0
    for match in moments(game_id, seats):
        seat = match.actors[0]
        for move in match.legal(seat)[:40]:
            assert match.game.rotate_move is not None
            turned = match.game.rotate_move(match.state, seat, move)
            told = factors(match, seat, move)
            who = told.get("with", told.get("seat", [-1]))[0]
            if who < 0:
                assert turned == move
                continue
            named += turned != move
            as_seat_0 = match.copy()
            assert factors(as_seat_0, 0, turned).get("with", [who]) == [who]
            assert match.move_text(0, turned).count(str(who)) == 1
    assert named


# The kit finds what is wrong


@rule
def tells_nothing(state: Any, seat: int, move: int, out: Any) -> None:
    out[0] = 0


@rule
def tells_a_secret(state: Any, seat: int, move: int, out: Any) -> None:
    out[0] = move
    out[1] = state.card[12]


@rule
def writes_one(seen: Any, at: int) -> None:
    seen[at] = 1


@rule
def one_on(state: Any, seat: int, move: int) -> int:
    return move + 1


MOVE = Part("move", 1, "its number", one_of(104))

WRONG: list[tuple[str, dict[str, Any]]] = [
    ("have the same factors", {"factors": (MOVE,), "factor": tells_nothing}),
    (
        "depend on what it cannot know",
        {"factors": (MOVE, Part("box", 1, "the hidden card", one_of(25))), "factor": tells_a_secret},
    ),
    ("relate leaves entry 1 unwritten", {"relations": (Part("odd", 2, "two", one_of(2)),), "relate": writes_one}),
    ("turned back to", {"rotate_move": one_on, "rotate_back": one_on}),
]


@pytest.mark.parametrize(("complaint", "changes"), WRONG, ids=[complaint for complaint, _ in WRONG])
def test_the_kit_finds_features_that_are_wrong(complaint: str, changes: dict[str, Any]) -> None:
    game = replace(find_game("memoarrrr"), tokens=Tokens(), **changes)  # which are of the true features
    with pytest.raises(AssertionError, match=complaint):
        kinds.check_features(game, 2, {}, seed=3)


def test_the_kit_finds_numbers_beyond_their_kind() -> None:
    game = find_game("memoarrrr")
    with pytest.raises(AssertionError, match="'treasures' is 3, and its kind is count, 0 to 2"):
        kinds.check_numbers(changed(game, "treasures", kind=count(0, 2)), 2, {}, seed=3)


def test_the_kit_finds_shapes_that_do_not_fit() -> None:
    with pytest.raises(AssertionError, match="its shape"):
        kinds.check_parts(changed(find_game("memoarrrr"), "animal", shape=(5, 4)))


def changed(game: Game, name: str, **changes: Any) -> Game:
    parts = tuple(replace(part, **changes) if part.name == name else part for part in game.observation)
    return replace(game, observation=parts)
