"""The table of players: who is in it, what counts, how it is counted, and what nobody is told."""

import random
import re
from dataclasses import replace
from itertools import pairwise
from math import log

import pytest
from sqlalchemy import text

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.ratings import SCALE, standings
from samovar.engine.heuristics import LEVEL_NAMES, USUAL_LEVELS
from samovar.engine.registry import find_game
from samovar.web.people import players, ratings
from samovar.web.people.players import Players, public_id
from samovar.web.people.ratings import FEWEST_MATCHES, MOST_TOGETHER, RatedMatch, rate
from samovar.web.store.entries import Settings
from samovar.web.store.store import Store
from samovar.web.tables.actions import Leaving, Resigning
from support.people import GAME, keep_matches, known
from support.players import post
from support.visitors import SECRET, Visitor, running

ROWS = text("SELECT * FROM results WHERE table_id = :table ORDER BY seat")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


@pytest.fixture
def new_site(tmp_path):
    """Where nobody has played yet."""
    with running(tmp_path) as client:
        yield client


def play_rated(site, **facts):
    """Anna and Boris at a rated table; Anna begins."""
    anna, boris = Visitor(site), Visitor(site)
    anna.go(f"/new/{GAME}?seats=2")
    anna.send(f"/new/{GAME}", name="Anna", first="0", rated="on", **facts)
    boris.go(anna.address)
    boris.send("/sit", name="Boris")
    anna.go(anna.address)
    return anna, boris, anna.address


def join(visitor, name):
    visitor.go("/players")
    visitor.send("/players/join", name=name)
    return visitor


def ask(site, question, *values, **facts):
    async def asked():
        return await question(*values, **facts)

    return site.blocking_portal.call(asked)


def rows_of(site, table):
    return ask(site, site.app.state.tables.store.all, ROWS, table=table.split("/")[-1])


def forget_figures(site):
    """As after some minutes."""
    site.app.state.players._figures.clear()


# How it is counted


def made_up(true, count, seed):
    """Matches for two of the players, by their true strengths."""
    choose = random.Random(seed)
    matches = []
    for number in range(count):
        a, b = choose.sample(sorted(true), 2)
        a_wins = choose.random() < 1 / (1 + 10 ** ((true[b] - true[a]) / 400))
        matches.append(RatedMatch(number, 2, ((a, 1 if a_wins else 2), (b, 2 if a_wins else 1))))
    return matches


def as_outcomes(matches):
    names = tuple(dict.fromkeys(player for match in matches for player, _ in match.places))
    outcomes = [
        Outcome(
            number,
            number,
            tuple(player for player, _ in match.places),
            (0, 0),
            tuple(place for _, place in match.places),
            1,
        )
        for number, match in enumerate(matches)
    ]
    return Tournament(GAME, names, 2, len(outcomes), 5, {}), outcomes


def test_figures_are_those_of_the_arena_on_the_same_outcomes(monkeypatch):
    """Where nothing is known of the levels beforehand."""
    monkeypatch.setattr(ratings, "CERTAIN", 0.0)
    monkeypatch.setattr(ratings, "RESAMPLES", 1000)
    matches = made_up({"anna": 1700, "boris": 1500, "zoe": 1300, "hard": 1650, "medium": 1500}, 120, 1)
    matches.append(RatedMatch(120, 2, (("anna", 1), ("boris", 1))))
    tournament, outcomes = as_outcomes(matches)
    arena = standings(replace(tournament, bots=(*tournament.bots, "easy", "expert")), outcomes)
    site = rate(matches, USUAL_LEVELS)
    for name in ("anna", "boris", "zoe"):
        pair = next(pair for pair in arena.pairs if {pair.a, pair.b} == {name, "medium"})
        leads = (pair.lead_low, pair.lead, pair.lead_high)
        low, points, high = leads if pair.a == name else (-lead for lead in reversed(leads))
        assert site[name].points == pytest.approx(1500 + points, abs=1)
        assert site[name].low == pytest.approx(1500 + low, abs=20), "of other samples"
        assert site[name].high == pytest.approx(1500 + high, abs=20)


def test_the_levels_are_as_far_apart_as_the_arena_says():
    levels = find_game(GAME).heuristics.levels
    everybody_loses = [RatedMatch(number, 2, (("easy", 1), (f"person-{number % 9}", 2))) for number in range(300)]
    told = rate(everybody_loses, levels)
    for lower, upper in pairwise(LEVEL_NAMES):
        odds = (2 * levels[upper].beats_lower + 1) / (2 * (100 - levels[upper].beats_lower) + 1)
        assert told[upper].points - told[lower].points == pytest.approx(SCALE * log(odds), abs=2)
    assert told["medium"].points == 1500
    assert all(told[level].low is None and not told[level].history for level in LEVEL_NAMES)


def test_who_beats_a_bot_is_above_it_and_few_matches_have_no_interval():
    told = rate(
        [RatedMatch(number, 2, (("anna", 1), ("hard", 2))) for number in range(FEWEST_MATCHES - 1)], USUAL_LEVELS
    )
    assert told["anna"].points > told["hard"].points
    assert told["anna"].low is None
    more = rate([RatedMatch(number, 2, (("anna", 1), ("hard", 2))) for number in range(FEWEST_MATCHES)], USUAL_LEVELS)
    assert more["anna"].low < more["anna"].points < more["anna"].high


def test_a_hundred_matches_between_two_browsers_weigh_no_more_than_twenty():
    def lifted(count):
        return rate([RatedMatch(number, 2, (("anna", 1), ("sock", 2))) for number in range(count)], USUAL_LEVELS)[
            "anna"
        ].points

    assert lifted(10) < lifted(MOST_TOGETHER)
    assert lifted(MOST_TOGETHER) == lifted(5 * MOST_TOGETHER)


def test_matches_against_bots_are_not_capped_and_bots_say_nothing_of_each_other():
    few = [RatedMatch(number, 2, (("anna", 1), ("hard", 2))) for number in range(MOST_TOGETHER)]
    many = [RatedMatch(number, 2, (("anna", 1), ("hard", 2))) for number in range(3 * MOST_TOGETHER)]
    assert rate(many, USUAL_LEVELS)["anna"].points > rate(few, USUAL_LEVELS)["anna"].points
    resigned = [RatedMatch(number, 3, (("anna", 3), ("easy", 1), ("expert", 1))) for number in range(30)]
    told = rate(resigned, USUAL_LEVELS)
    assert told["expert"].points - told["easy"].points > 300


def test_a_history_ends_with_the_points_of_today():
    told = rate(made_up({"anna": 1600, "boris": 1500, "zoe": 1400}, 90, 3), USUAL_LEVELS)
    for name in ("anna", "boris", "zoe"):
        history = told[name].history
        assert history[-1].points == told[name].points
        assert 10 < len(history) <= ratings.STAGES
        assert [moment.matches for moment in history] == sorted({moment.matches for moment in history})


def test_no_matches_are_no_problem():
    assert set(rate([], USUAL_LEVELS)) == set(LEVEL_NAMES)


# Who is in it


@pytest.mark.anyio
async def test_only_who_joined_counts(database_url):
    store = Store(database_url)
    await store.open()
    try:
        game, table = find_game(GAME), Players(store, SECRET)
        stranger_and_anna = [("anna", "stranger"), ("hard", "stranger", "anna")]
        alone = [("easy", "hard"), ("stranger", "hard"), ("anna", "anna")]
        await store.do(
            keep_matches, [*stranger_and_anna, *alone, ("anna", "boris"), ("boris", "medium")], known("anna", "boris")
        )
        figures = await table.figures(game)
        assert [match.places for match in figures.matches] == [
            (("hard", 1), ("anna", 3)),
            (("anna", 1), ("boris", 2)),
            (("boris", 1), ("medium", 2)),
        ]
        board = await table.board(game, "anna")
        assert {line.name for line in board.newcomers} == {"Anna", "Boris"}
        assert [line.name for line in board.newcomers if line.is_you] == ["Anna"]
        await store.do(keep_matches, [], {"boris": {"name": "Boris"}})
        board = await table.board(game, None)
        assert {line.name for line in board.newcomers} == {"Anna"}, "who left is gone at once"
        assert not any(line.name == "Boris" for one in board.last("anna", 9) for line in one.others)
        assert [one.other.level for one in board.against("anna")] == ["hard"]
    finally:
        await store.close()


@pytest.mark.anyio
async def test_only_the_newest_matches_and_players_are_counted(database_url, monkeypatch):
    store = Store(database_url)
    await store.open()
    try:
        monkeypatch.setattr(players, "MOST_ROWS", 10)  # two of the three of the first match
        monkeypatch.setattr(players, "MOST_PLAYERS", 2)
        matches = [("anna", "hard", "old"), ("old", "easy"), ("anna", "boris"), ("boris", "hard"), ("anna", "easy")]
        await store.do(keep_matches, matches, known("anna", "boris", "old"))
        figures = await Players(store, SECRET).figures(find_game(GAME))
        assert [match.places for match in figures.matches] == [
            (("anna", 1), ("boris", 2)),
            (("boris", 1), ("hard", 2)),
            (("anna", 1), ("easy", 2)),
        ]
    finally:
        await store.close()


@pytest.mark.anyio
async def test_figures_are_made_once_in_a_while_however_many_ask(tmp_path, monkeypatch):
    import anyio

    made = []
    monkeypatch.setattr(players, "rate", lambda *facts: made.append(facts) or rate(*facts))
    store = Store(f"sqlite:///{tmp_path}/samovar.db")
    await store.open()
    try:
        table, game = Players(store, SECRET), find_game(GAME)
        await store.do(keep_matches, [("anna", "easy")], known("anna"))
        assert made == [], "nobody has asked"
        async with anyio.create_task_group() as asking:
            for _ in range(20):
                asking.start_soon(table.board, game, None)
        assert len(made) == 1
        await table.board(game, None)
        assert len(made) == 1, "it is kept"
        table._figures[GAME] = replace(table._figures[GAME], until=0.0)
        await table.board(game, None)
        assert len(made) == 1, "nothing has been played since"
        await store.do(keep_matches, [], known("boris"))
        await store.do(keep_matches, [("boris", "hard")], {}, 5)
        await table.board(game, None)
        assert len(made) == 1, "not before its time"
        table._figures[GAME] = replace(table._figures[GAME], until=0.0)
        board = await table.board(game, None)
        assert len(made) == 2
        assert {line.name for line in board.newcomers} == {"Anna", "Boris"}
    finally:
        await store.close()


@pytest.mark.anyio
async def test_while_figures_take_long_those_of_before_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(players, "PATIENCE", 0.01)
    store = Store(f"sqlite:///{tmp_path}/samovar.db")
    await store.open()
    try:
        table, game = Players(store, SECRET), find_game(GAME)
        before = await table.figures(game)
        assert before.matches == []
        table._figures[GAME] = before = replace(before, until=0.0)
        await store.do(keep_matches, [("anna", "easy")], known("anna"))
        async with table._one_at_a_time:  # another game is being counted
            assert await table.figures(game) is before
        monkeypatch.setattr(players, "PATIENCE", 30.0)
        assert len((await table.figures(game)).matches) == 1
    finally:
        await table.close()
        await store.close()


def test_joining_shows_and_leaving_hides_at_once(new_site):
    anna, boris, table = play_rated(new_site)
    post(boris, f"{table}/resign")
    watcher = Visitor(new_site)
    assert "Anna" not in watcher.go(f"/players/{GAME}").words, "nobody has joined"
    join(anna, "Anna")
    join(boris, "Boris")
    forget_figures(new_site)
    page = watcher.go(f"/players/{GAME}")
    assert "Anna" in page.words
    assert "Boris" in page.words
    link = next(link["href"] for link in page.links if link["href"].startswith(f"/players/{GAME}/"))
    boris.go("/players")
    boris.send("/players/leave")
    page = watcher.go(f"/players/{GAME}")
    assert "Boris" not in page.words
    assert "Anna" in page.words
    anna.go("/players")
    anna.send("/players/leave")
    watcher.go(link)
    assert watcher.status == 404
    assert "left the table of players" in watcher.page.words
    join(boris, "Boris")
    assert "Boris" in watcher.go(f"/players/{GAME}").words


def test_a_match_by_resignation_counts(new_site):
    anna, boris, table = play_rated(new_site)
    join(anna, "Anna")
    join(boris, "Boris")
    assert post(boris, f"{table}/resign").status_code == 200
    assert [(row.place, bool(row.is_rated)) for row in rows_of(new_site, table)] == [(1, True), (2, True)]
    forget_figures(new_site)
    page = Visitor(new_site).go(f"/players/{GAME}")
    assert page.words.index("Anna") < page.words.index("Boris")


def test_who_resigns_among_others_is_still_who_sat_there(site):
    """A bot plays on in the chair: it is not the bot that is placed last."""
    tables = site.app.state.tables

    async def play():
        table = await tables.open(GAME, 3, {}, Settings(is_rated=True), ["", "", ""])
        for name in ("anna", "boris", "zoe"):
            await tables.sit(table.id, name, name.title())
        await Resigning().do(tables, table.id, lambda _: 1)
        await Leaving().do(tables, table.id, lambda _: 2)
        await Resigning().do(tables, table.id, lambda _: 0)
        return table.id

    anna, boris, zoe = rows_of(site, site.blocking_portal.call(play))
    assert [row.person for row in (anna, boris, zoe)] == ["anna", "boris", "zoe"]
    assert [row.level for row in (anna, boris, zoe)] == ["", "", ""]
    assert (anna.place, boris.place, zoe.place) == (2, 3, 1)
    assert all(row.is_rated for row in (anna, boris, zoe))


def test_who_has_never_sat_down_cannot_join(site):
    stranger = Visitor(site)
    page = stranger.go("/players")
    assert not any(form["action"] == "/players/join" for form in page.forms)
    answer = post(stranger, "/players/join", name="Nobody")
    assert answer.status_code == 403
    assert "Play a game first" in answer.text


# What a rated table refuses


def test_a_rated_table_has_no_hints_no_memory_aid_and_no_way_back(site):
    anna, boris, table = play_rated(site)
    assert "Rated: no hints, nothing is taken back." in anna.page.words
    assert anna.move(random.Random(1)) is not None
    assert not any(form["action"].endswith(("/back", "/hint")) for form in anna.page.forms)
    for visitor, action in ((anna, "back"), (anna, "hint"), (boris, "hint")):
        answer = post(visitor, f"{table}/{action}")
        assert answer.status_code == 403
        assert "This game is rated" in answer.text


@pytest.mark.parametrize("help_", ["hints", "memory_aid"])
def test_nobody_opens_a_rated_table_with_help(site, help_):
    anna = Visitor(site, "fr")
    anna.go(f"/new/{GAME}?seats=2")
    anna.send(f"/new/{GAME}", name="Anna", rated="on", **{help_: "on"})
    assert anna.status == 422
    assert "table classée" in anna.page.words
    answer = site.post("/api/tables", json={"game": GAME, "is_rated": True, help_: True})
    assert answer.status_code == 422
    assert answer.json()["error"] == "HelpedAndRated"


def test_a_program_cannot_let_a_good_bot_play_for_it_at_a_rated_table(site):
    made = site.post(
        "/api/tables", json={"game": GAME, "is_rated": True, "chairs": ["token", "hard"], "stand_in": "expert"}
    ).json()
    headers = {"authorization": f"Bearer {made['tokens'][0]}"}
    look = site.get(f"/api/tables/{made['table']}", headers=headers).json()
    assert look["settings"]["is_rated"]
    assert look["settings"]["stand_in"] == "easy"
    address = f"/api/tables/{made['table']}/hand-over"
    assert site.post(address, headers=headers, json={"level": "expert"}).status_code == 200
    assert site.get(f"/api/tables/{made['table']}").json()["people"][0]["level"] == "easy"


def test_the_next_match_of_a_rated_table_is_rated(site):
    _, boris, table = play_rated(site)
    post(boris, f"{table}/resign")
    boris.go(table)
    boris.send("/again")
    assert "Rated: no hints" in boris.page.words


def test_a_device_for_several_people_is_not_rated(site):
    tables = site.app.state.tables

    async def play():
        table = await tables.open(GAME, 2, {}, Settings(is_rated=True), ["", ""])
        await tables.sit(table.id, "device+1", "Anna")
        await tables.sit(table.id, "device+2", "Boris")
        await Resigning().do(tables, table.id, lambda _: 0)
        return table.id

    assert not any(row.is_rated for row in rows_of(site, site.blocking_portal.call(play)))


# What nobody is told


def test_nobody_learns_who_somebody_is(new_site):
    """The id of a person is as good as a key, and the id of a table lets strangers in."""
    anna, boris, table = play_rated(new_site)
    join(anna, "Anna")
    join(boris, "Аnna")  # the first letter is Russian
    post(boris, f"{table}/resign")
    people = [row.person for row in rows_of(new_site, table)]
    forget_figures(new_site)
    watcher = Visitor(new_site)
    pages = [watcher.go("/players"), watcher.go(f"/players/{GAME}")]
    links = [link["href"] for link in pages[-1].links if re.fullmatch(f"/players/{GAME}/[0-9a-f]{{16}}", link["href"])]
    assert len(links) == 2
    pages += [watcher.go(link) for link in links]
    pages += [boris.go("/players"), boris.go(links[0])]
    for page in pages:
        assert not any(person[:8] in page.html for person in people)
        assert table.split("/")[-1] not in page.html
        assert "Boris" not in page.html, "what he was called at the table"
    marks = {public_id(SECRET, person)[:4] for person in people}
    assert set(re.findall(r"[AА]nna · ([0-9a-f]{4})", pages[1].words)) == marks, "two of the same name"
    for person in people:
        watcher.go(f"/players/{GAME}/{person}")
        assert watcher.status == 404


@pytest.mark.parametrize("address", ["/players/chess", "/players/memoarrrr/x", "/players/memoarrrr/%00"])
def test_odd_addresses_are_not_found(site, address):
    assert site.get(address).status_code == 404


def test_a_form_without_a_name_or_a_token_is_refused(site):
    anna, _, _ = play_rated(site)
    assert post(anna, "/players/join").status_code == 422
    assert post(anna, "/players/join", name="\u2800").status_code == 422
    assert anna.client.post("/players/join", data={"name": "Anna"}).status_code == 403
    assert post(anna, "/players/leave").status_code == 200


@pytest.mark.parametrize(
    ("language", "title", "against"),
    [
        ("en", "Players of Memoarrrr!", "Against whom"),
        ("fr", "Joueurs de Memoarrrr!", "Contre qui"),
        ("de", "Spieler von Memoarrrr!", "Gegen wen"),
        ("et", "Mängijad: Memoarrrr!", "Kelle vastu"),
    ],
)
def test_pages_of_players_read_in_every_language(new_site, language, title, against):
    anna, boris, table = play_rated(new_site)
    post(boris, f"{table}/resign")
    join(anna, "Anna")
    join(boris, "Boris")
    forget_figures(new_site)
    reader = Visitor(new_site, language)
    assert title in reader.go(f"/players/{GAME}").words.replace("\u202f", "").replace("\xa0", " ")
    link = next(link["href"] for link in reader.page.links if link["href"].startswith(f"/players/{GAME}/"))
    page = reader.go(link)
    assert against in page.words
    assert "<polyline" in page.html
