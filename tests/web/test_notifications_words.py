"""What a message says, and what it never says."""

import random
from email.header import decode_header, make_header
from types import SimpleNamespace

import pytest

from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.language.languages import LANGUAGES
from samovar.web.names import Person
from samovar.web.notifications.events import TableEvent, events, turn_of
from samovar.web.notifications.hooks import in_head
from samovar.web.notifications.hours import MOST_A_DAY, allowed_at
from samovar.web.notifications.words import message
from samovar.web.people.people import Wishes
from samovar.web.store.queries.outbox import Channel

HOUR, DAY = 3600 * 1000, 24 * 3600 * 1000
MIDNIGHT = 20_000 * DAY  # in Greenwich, in summer
GAMES = ("matryoshka", "memoarrrr", "varvitikud", "babuschka")
NAMES = ("Anna", "Boris", "Clara", "Dmitri", "Elena")


def table_of(match, changes=()):
    """As much of a table as is looked at."""
    people = tuple(Person(name, "person", "") for name in NAMES[: match.seats])
    return SimpleNamespace(
        id="some-table",
        match=match,
        game=match.game,
        seats=match.seats,
        status="over" if match.over else "playing",
        actors=match.actors,
        changes=list(changes),
        revision=len(changes),
        changed_at=0,
        chairs=[SimpleNamespace(seat=seat, kind="person") for seat in range(match.seats)],
        people=people,
        clocks=None,
        asked_for_pause=set(),
    )


@pytest.mark.parametrize("game", GAMES)
def test_whatever_happens_at_a_table_its_messages_say_the_same(game):
    """So nothing hidden can be in them, nor anything that a spectator does not see."""
    said = {}
    for seed in range(6):
        match, choose, changes = (
            Match(game, seats=find_game(game).seats[0], seed=seed, plain=True),
            random.Random(seed),
            [],
        )
        while True:
            for event in events(table_of(match, changes), 0):
                for language in LANGUAGES:
                    told = message([event], language)
                    said.setdefault((event.seat, event.kind, language), set()).add(told)
            if match.over:
                break
            changes.append((seat := choose.choice(match.actors), match.actors))
            match.play(seat, choose.choice(match.legal(seat)))
    assert {kind for _, kind, _ in said} == {"turn", "end"}
    for (seat, _, _), notices in said.items():
        [told] = notices
        others = [name for other, name in enumerate(NAMES[: find_game(game).seats[0]]) if other != seat]
        assert all(name in told.text for name in others)
        assert NAMES[seat] not in told.text
        assert find_game(game).name in told.title


def test_a_turn_has_the_same_number_as_long_as_it_lasts():
    """What others do at the same time, and one's own moves, leave it as it is."""
    table = SimpleNamespace(changes=[], revision=0)
    numbers = []
    for mover, actors in [(0, (0, 1, 2)), (2, (1, 2)), (1, (1,)), (0, (0,)), (0, (0,)), (1, (1, 0)), (0, (0,))]:
        table.changes.append((mover, actors))
        table.revision += 1
        numbers.append((turn_of(table, 0), turn_of(table, 1)))
    # seat 0 acts from 3 on, seat 1 from the beginning to 2, and again at 5
    assert numbers == [(0, 0), (2, 0), (3, 0), (3, 4), (3, 5), (3, 5), (3, 7)]


def a_way(**facts):
    return Channel("w", "anna", "web", "https://example.org", "", True, "en", 0, "", **facts)


@pytest.mark.parametrize(
    ("hour", "wishes", "expected"),
    [
        (12, Wishes(22, 7), 12),
        (23, Wishes(22, 7), 31),
        (3, Wishes(22, 7), 7),
        (7, Wishes(22, 7), 7),
        (13, Wishes(12, 14), 14),
        (15, Wishes(12, 14), 15),
        (3, Wishes(5, 5), 3),
        (20, Wishes(22, 7, "Europe/Tallinn"), 28),
        (3, Wishes(22, 7, "Nowhere/Land"), 7),
    ],
)
def test_quiet_hours_are_those_of_where_somebody_is(hour, wishes, expected):
    assert allowed_at(wishes, a_way(), MIDNIGHT + hour * HOUR) == MIDNIGHT + expected * HOUR


def test_between_two_messages_there_is_some_time_and_no_day_has_too_many():
    noon = MIDNIGHT + 12 * HOUR
    assert allowed_at(Wishes(minutes=30), a_way(sent=noon - 60_000), noon) == noon + 29 * 60_000
    full = a_way(day=MIDNIGHT // DAY, count=MOST_A_DAY)
    assert allowed_at(Wishes(0, 0), full, noon) == MIDNIGHT + DAY
    assert allowed_at(Wishes(0, 0), full, noon + DAY) == noon + DAY


@pytest.mark.parametrize("title", ["Babuschka: it is your turn", "Värvitikud\u202f: à vous", "Ä" * 300])
def test_any_title_fits_into_the_head_of_a_request_and_comes_out_again(title):
    carried = in_head(title)
    assert carried.isascii()
    assert carried.isprintable()
    assert str(make_header(decode_header(carried))) == title


def test_many_tables_are_told_in_one_message_that_stays_short():
    def event(number, kind="turn"):
        return TableEvent(f"t{number}", 1, kind, 0, "Babuschka", (f"Player {number}",))

    told = message([event(1), event(2, "end"), event(3), event(3, "due")], "en")
    assert told.title == "It is your turn at 2 tables"
    assert told.text.splitlines() == [
        "Babuschka with Player 1",
        "Babuschka with Player 3",
        "Babuschka with Player 2: over",
    ]
    assert message([event(1, "end"), event(2, "end")], "en").title == "2 games are over"
    assert message([event(1, "pause"), event(2, "end")], "en").title == "Players at one table would like a pause"
    assert message([event(1, "pause"), event(2, "pause")], "en").text.splitlines() == [
        "Babuschka: Player 1 would like a pause.",
        "Babuschka: Player 2 would like a pause.",
    ]
    assert message([event(1, "pause"), event(2)], "en").title == "It is your turn at one table"
    assert len(message([event(number) for number in range(50)], "en").text.splitlines()) == 6
    assert message([event(1), event(1, "due")], "en").title == "Babuschka: your time is running out"
