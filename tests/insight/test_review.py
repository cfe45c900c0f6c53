"""Reviews: what a match turned on. Start, choices and luck add up to the result, nothing that was hidden from a
player counts against them, and only what is over is told."""

import json
import math
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

import samovar
from samovar.engine.contract import Event, Game, event
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.errors import BadRecord, BadReview, RecordVersion
from samovar.insight import moments
from samovar.insight.estimate import Comparison
from samovar.insight.moments import Following, following, hidden_from, is_find, line_after, moment_of
from samovar.insight.page import page
from samovar.insight.report import Telling, names_of, show, to_json
from samovar.insight.review import ChosenMove, Effort, Review, Reviewer, review, reviewing, shares_of
from samovar.insight.written import WrittenReview, write
from samovar.language.languages import LANGUAGES
from samovar.web.drawing.moments import draw_alone
from support import outcome_games, tiny_game

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
TABLES = [(name, seats) for name in GAMES for seats in find_game(name).seats]
STEPS = [(outcome_games.GAME, seats) for seats in outcome_games.GAME.seats]


def named(value: object) -> str:
    return value.id if isinstance(value, Game) else str(value)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain Python a few simulations have to do."""
    monkeypatch.setattr("samovar.insight.review.EFFORTS", (Effort(5, 1, 2, 0.04), Effort(8, 2, 3, 0.0)))
    monkeypatch.setattr("samovar.insight.review.WATCHING", 2)
    monkeypatch.setattr("samovar.insight.moments.WORLDS", 8)
    monkeypatch.setattr("samovar.insight.moments.REPLIES", 6)
    monkeypatch.setattr("samovar.insight.moments.LINE_SIMULATIONS", 4)
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")


def ending(game: str | Game, seats: int, moves: int = 3) -> Match:
    """The last moves of a match, which were made at random."""
    whole = Match(game, seats, 5, plain=not isinstance(game, str))
    whole.play_random(2)
    begin = max(0, len(whole.history) - moves)
    match = Match.standing(whole.game, seats, whole.positions[begin], plain=True, options=whole.options)
    for seat, move in whole.history[begin:]:
        match.play(seat, move)
    return match


def reviewed(match: Match, looks: int = 2, seed: int = 1, resigned: tuple[int, ...] = ()) -> Review:
    *_, last = Reviewer(match, resigned, seed, True).run(None, looks)
    return last


def connect_four(moves: str) -> Match:
    match = Match("connect_four", seed=1, first=0, plain=True)
    for column in moves:
        match.play(match.actors[0], column)
    return match


def expected(match: Match, seat: int) -> float:
    """By what is over there is no doubt, so one simulation is enough."""
    return samovar.estimate(match.seat(seat), simulations=1, plain=True).share


def luck_by_steps(found: Review, seat: int) -> float:
    """What changed from position to position and was not choice."""
    costs = {choice.moves_made: choice.cost for choice in found.choices if choice.seat == seat}
    steps = zip(found.shares, found.shares[1:], strict=False)
    return sum(after[seat] - before[seat] + costs.get(at, 0.0) for at, (before, after) in enumerate(steps))


SLOW = [("matryoshka", 4), ("matryoshka", 5)]
ALL = [pytest.param(*table, marks=pytest.mark.slow) if table in SLOW else table for table in TABLES]


@pytest.mark.parametrize(("game", "seats"), [*ALL, *STEPS[1:], (tiny_game.GAME, 2)], ids=named)
def test_start_choices_and_luck_add_up_to_the_result(game: str | Game, seats: int) -> None:
    match = ending(game, seats)
    found = reviewed(match)
    assert len(found.shares) == len(match.history) + 1
    for player in found.players:
        assert player.result == pytest.approx(expected(match, player.seat), abs=0.001)
        assert player.luck == pytest.approx(luck_by_steps(found, player.seat))
        assert player.start - player.cost + player.luck == pytest.approx(player.result)
        assert 0 <= player.start <= 1
    for choice in found.choices:
        assert choice.cost >= 0
        assert (choice.cost == 0) == (choice.best == choice.move)
        assert choice.seat == match.history[choice.moves_made][0]
        assert 0 <= choice.share <= choice.best_share <= 1


@pytest.mark.parametrize(("game", "seats"), [("memoarrrr", 2), ("memoarrrr", 4), ("varvitikud", 3)])
def test_the_chances_of_all_make_up_one_match(game: str, seats: int) -> None:
    match = ending(game, seats)
    found = reviewed(match)
    assert len(found.chances) == len(match.history) + 1
    for row in found.chances:
        assert sum(row) == pytest.approx(1)
    first = [place == 1 for place in match.places]
    assert found.chances[-1] == pytest.approx([is_first / sum(first) for is_first in first]), "at the end who has won"


def test_who_gives_up_does_not_win() -> None:
    match = ending("varvitikud", 3, moves=6).at(4)
    found = reviewed(match, looks=0, resigned=(1,))
    assert len(found.chances) == len(found.shares)
    assert found.chances[-1][1] == 0


def test_what_opponents_did_is_no_luck_and_without_chance_there_is_none() -> None:
    chance, none = (
        Telling(reviewed(match, looks=0), ["A", "B"]) for match in (ending("memoarrrr", 2), ending("babuschka", 2))
    )
    assert chance.heads() == ["Player", "Start", "Choices", "Opponents", "Luck", "Result"]
    assert none.heads() == ["Player", "Start", "Choices", "Opponents", "Result"]
    for telling in (chance, none):
        for player in telling.review.players:
            start, *parts, result = (int(cell.strip("+ %").replace("−", "-")) for cell in telling.line(player)[1:])
            assert abs(start + sum(parts) - result) <= 2, "each is rounded"


def test_a_find_is_what_medium_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    match = connect_four("aabbccd")
    choice = ChosenMove(6, 0, 3, 3, 1.0, 0.0, 0.0, 0.4)
    assert not is_find(match, choice), "everybody sees a row of four"
    assert is_find(match, msgspec.structs.replace(choice, move=6))


def test_praise_is_by_name_and_the_readers_own_comes_first() -> None:
    match = connect_four("aabbccd")
    choices = tuple(ChosenMove(at, at % 2, match.history[at][1], match.history[at][1], 0.6, 0.0, 0.0, lead)
                    for at, lead in ((2, 0.1), (3, 0.3), (4, 0.2)))  # fmt: skip
    found = Review(match, ((0.5, 0.5),) * 8, choices, (1.0, 0.0), (0.0, 0.0), 1.0)
    telling = Telling(found, ["{Anna}", "Boris"])
    told = telling.well(0, [2, 3, 4])
    assert [sentence.split(",")[0] for sentence in told[:3]] == ["Well found: your move 5", "Well found: your move 3",
                                                                 "Well found"]  # fmt: skip
    assert "Well found, Boris: move 4" in told[2]
    assert told[3] == "You chose the best move, or one as good, 2 of 2 times."
    assert "{Anna}" in telling.well(1, [2])[1]
    assert telling.well(None, []) == []


def test_what_would_have_come_of_the_better_move_begins_with_it_and_can_be_played() -> None:
    match = ending("memoarrrr", 2, moves=5)
    seat, move = match.history[0]
    best = next(other for other in match.at(0).legal(seat) if other != move)
    line = line_after(match, ChosenMove(0, seat, move, best, 0.5, 0.2, 0.0, 0.0))
    assert line[0] == (seat, best)
    assert 1 <= len(line) <= moments.LINE_MOVES
    played = match.at(0)
    for one in line:
        played.play(*one)
    assert len(match.history) == 5, "the match itself is as it was"


def test_who_may_expect_to_win_and_throws_it_away_made_a_choice() -> None:
    """Three in a row, and the fourth is free: the better move wins for certain."""
    match = connect_four("aabbccg")
    thrown = Reviewer(match, (), 1, True)
    thrown._look_with(6, 1)
    verdict = thrown._look(6)
    assert match.move_text(0, verdict.best) == "d"
    assert verdict.share + verdict.loss + verdict.error == pytest.approx(1)
    assert verdict.loss > 0.2
    assert verdict.lead == 0


def test_the_only_good_move_costs_nothing_and_leads() -> None:
    looked = Reviewer(connect_four("aabbccd"), (), 1, True)
    looked._look_with(6, 1)
    verdict = looked._look(6)
    assert (verdict.best, verdict.share, verdict.loss) == (3, 1.0, 0.0)
    assert verdict.lead > 0.1


def test_what_others_hide_does_not_count_against_anybody() -> None:
    """The same bets, whatever card the other one holds: what seat 0 chose costs the same."""

    def choices(other: int) -> list[ChosenMove]:
        match = Match(tiny_game.GAME, 2, 0, plain=True)
        match.states["deck"] = [2, other, *(card for card in range(6) if card not in (2, other))]
        for bet in (2, 0, 1, 1):
            match.play(match.actors[0], bet)
        return [choice for choice in reviewed(match, looks=0).choices if choice.moves_made == 0]

    assert choices(5) == choices(0) == choices(3)
    assert len(choices(1)) == 1


def test_equals_share_what_they_left_behind() -> None:
    match = ending("matryoshka", 3)
    for places, shares in (((1, 1, 3), (0.75, 0.75, 0)), ((1, 2, 3), (1, 0.5, 0)), ((1, 1, 1), (0.5, 0.5, 0.5))):
        match._results = lambda places=places: ((0, 0, 0), places)  # type: ignore[method-assign,misc]
        assert shares_of(match) == shares
    assert shares_of(match, (1,)) == (0.75, 0, 0.75)


# What can be reviewed


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    match = Match("memoarrrr", 2, 3, plain=True)
    match.play_random(1)
    return match.record({"names": ["Anna <b>", "Boris"]})


def test_a_running_match_is_not_reviewed_whatever_its_record_says(record: dict[str, Any]) -> None:
    match = Match("memoarrrr", 2, 3, plain=True)
    match.play_random(1, limit=9)
    for claimed in (match.record(), signed({**match.record(), "over": True, "places": [1, 2]})):
        with pytest.raises(BadReview, match=r"not over.*Finish it first"):
            reviewing(claimed)
    with pytest.raises(BadReview, match="No move was made"):
        reviewing(signed({**match.at(0).record(), "table": {"resigned": [1]}}))


def signed(content: dict[str, Any]) -> dict[str, Any]:
    from samovar.engine.records.digest import digest_of

    return {**content, "digest": digest_of(content)}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"rules": 99}, RecordVersion),
        ({"seed": 4}, BadRecord),
        ({"samovar": 2}, RecordVersion),
        ({"moves": 3}, BadRecord),
    ],
)
def test_damaged_records_and_those_of_other_rules_are_refused(
    record: dict[str, Any], change: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        reviewing({**record, **change})


def test_a_file_that_is_not_there_or_no_record(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="cannot be opened"):
        reviewing(tmp_path / "none.json")


@pytest.mark.parametrize(
    "asked", [{"seconds": -1}, {"seconds": math.nan}, {"seconds": 1e9}, {"looks": -1}, {"looks": 1.5}, {"seed": -1}]
)
def test_what_cannot_be_asked_is_refused(record: dict[str, Any], asked: dict[str, Any]) -> None:
    with pytest.raises(BadReview):
        review(record, **asked)


def test_giving_up_is_a_choice_of_who_gave_up() -> None:
    match = ending("varvitikud", 3, moves=6).at(4)
    found = reviewed(match, looks=0, resigned=(1,))
    assert found.result[1] == 0
    assert found.shares[-1] == found.result
    gone = found.players[1].cost - sum(choice.cost for choice in found.choices if choice.seat == 1)
    assert gone == pytest.approx(found.shares[-2][1])
    for player in found.players:
        assert player.start - player.cost + player.luck == pytest.approx(player.result)


# How it comes


def test_it_comes_bit_by_bit_and_is_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    match = ending("memoarrrr", 2, moves=5)
    monkeypatch.setenv("SAMOVAR_THREADS", "1")
    steps = list(Reviewer(match, (), 7, True).run(None, 3))
    assert len(steps[0].shares) == 1
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert (steps[0].done, steps[-1].done) == (0, 1)
    monkeypatch.setenv("SAMOVAR_THREADS", "3")
    again = reviewed(match, looks=3, seed=7)
    assert (again.choices, again.shares) == (steps[-1].choices, steps[-1].shares)
    assert any(reviewed(match, looks=0, seed=seed).shares != reviewed(match, looks=0, seed=7).shares for seed in (8, 9))


def test_without_time_every_move_is_looked_at_once_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    match = ending("varvitikud", 2, moves=4)
    *_, last = Reviewer(match, (), 1, True).run(0, None)
    assert len(last.shares) == 5
    assert last.done == 1


def test_more_looks_go_where_it_is_not_clear() -> None:
    """A choice that is far from the dearest ones is left alone."""
    looked = Reviewer(connect_four("aabbccgg"), (), 1, True)
    for at, loss in enumerate((0.5, 0.4, 0.3, 0.29, 0.01)):
        looked._look_with(at, 1)
        looked._verdicts[at] = replace(looked._look(at), loss=loss, error=0.02)
    unclear = looked._unclear()
    assert set(unclear[:2]) == {2, 3}
    assert 4 not in unclear


def test_what_was_only_glanced_at_is_looked_at_with_more_care_when_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Reviewer, "_unclear", lambda self: [])
    looked = Reviewer(ending("varvitikud", 2, moves=4), (), 1, True)
    for _ in looked.run(None, 3):
        pass
    assert sorted(looked._effort.values()).count(1) == 3
    for _ in looked.run(None, 50):
        pass
    assert set(looked._effort.values()) == {1}


def test_luck_makes_no_mistake_of_a_move_that_is_as_good_as_the_best() -> None:
    """Of equal moves one always looks best; by looks that did not choose it, it is not."""
    import numpy as np

    compared = Comparison.__new__(Comparison)
    compared.move, compared.moves = 0, list(range(6))
    choose = np.random.default_rng(1)
    losses, naive = [], []
    for _ in range(200):
        compared._looks = 0.5 + 0.05 * choose.standard_normal((8, 6))
        losses.append(compared.verdict().loss)
        means = compared._looks.mean(axis=0)
        naive.append(means.max() - means[0])
    assert np.mean(losses) < 0.25 * np.mean(naive)
    compared._looks = np.array([[0.2, 0.5, 0.4, 0, 0, 0], [0.3, 0.6, 0.4, 0, 0, 0]])
    verdict = compared.verdict()
    assert (verdict.best, verdict.lead) == (1, 0)
    assert (verdict.share, verdict.loss, verdict.error) == pytest.approx((0.25, 0.3, 0))


# Moments


def told(card: str, place: str, kind: str = "connects") -> tuple[Event, ...]:
    return (event(kind, seat=0, place=place, card=card),)


def test_what_follows_in_the_same_way_is_told_together() -> None:
    rows = [told("crab", "a1"), told("crab", "a1"), told("walrus", "a1"), told("crab", "a1", "fails")]
    first, second = following(rows)
    assert first == Following((event("connects", seat=0, place="a1", card=moments.VARIES),), 0.75)
    assert second == Following(told("crab", "a1", "fails"), 0.25)


@pytest.mark.parametrize("name", ["memoarrrr", "matryoshka", "varvitikud"])
def test_a_moment_tells_what_the_player_could_know(name: str) -> None:
    """It is the same in all worlds that the player cannot tell apart, but for what is called true."""
    game = find_game(name)
    match = Match(name, game.seats[0], 5, plain=True)
    match.play_random(2, limit=9)
    mover = match.actors[0]
    played = match.copy()
    played.play(mover, match.legal(mover)[0])
    best = match.legal(mover)[-1]
    choice = ChosenMove(9, mover, match.legal(mover)[0], best, 0.3, 0.2, 0.01, 0.0)
    found = moment_of(played, choice)
    assert found.view == match.view(mover)
    assert (found.made.share, found.better.share) == (0.3, 0.5)
    truths = {found.hidden}
    for seed in range(3):
        other = played.copy()
        other._past = [*played._past[:-1], match.imagine(mover, seed).state_bytes]
        again = moment_of(other, choice)
        assert replace(again, hidden=()) == replace(found, hidden=())
        truths.add(again.hidden)
    assert len(truths) > 1


def test_what_was_seen_before_is_sure_and_what_was_not_is_as_likely_as_it_may_be() -> None:
    match = Match.arranged(
        "memoarrrr", plain=True, seats=2, cards={"b2": "penguin-ocean", "a1": "crab-lava"},
        sides=["north", "south"], looks=[["b1", "c1", "d1"], []],
    )  # fmt: skip
    worlds = [match.seat(0).imagine(seed) for seed in range(60)]
    truth = {hidden.where: hidden for hidden in hidden_from(match, worlds, "b1 b2")}
    assert truth["b1"].chance == 1
    assert truth["b2"].what == ("penguin-ocean",)
    assert 0 <= truth["b2"].chance < 0.3
    assert [*truth][:2] == ["b1", "b2"]


# How it is told


@pytest.mark.parametrize(("game", "seats"), [TABLES[0], *TABLES[2:3], *TABLES[5:6], *TABLES[-1:]], ids=named)
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_told_in_a_terminal_as_json_and_as_a_page(game: str, seats: int, language: str) -> None:
    found = reviewed(ending(game, seats, moves=2), looks=0)
    mover, move = found.match.history[0]
    other = next((one for one in found.match.at(0).legal(mover) if one != move), move)
    found = replace(found, choices=(ChosenMove(0, mover, move, other, 0.25, 0.5, 0.01, 0.0),))
    telling = Telling(found, tuple(f"<{number}>" for number in range(seats)), language)
    written_to = StringIO()
    show(telling, Console(width=80, file=written_to))
    text = written_to.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "25 %" in text
    assert "75 %" in text
    written = json.loads(json.dumps(to_json(telling), allow_nan=False))
    assert written["moments"][0]["made"]["share"] == 0.25
    for player in written["players"]:
        assert player["start"] + player["choice"] + player["luck"] == pytest.approx(player["result"], abs=0.001)
    html = page(telling)
    assert "<0>" not in html
    assert "&lt;0&gt;" in html
    assert "<script" not in html
    assert "http://" not in html.replace("http-equiv", "")
    assert html.count("<polyline") == seats
    drawn = page(telling, draw_alone)
    assert drawn.count('<template shadowrootmode="open">') == html.count("<pre class=") == len(telling.moments)
    assert "is-made" in drawn.partition("</style>")[2].partition("<fieldset disabled>")[2]
    assert "<0>" not in drawn
    assert "<script" not in drawn


def test_names_come_from_the_record_as_far_as_they_make_sense(record: dict[str, Any]) -> None:
    assert names_of(record, "en") == ("Anna <b>", "Boris")
    assert names_of({**record, "table": {"names": ["", 3]}}, "en") == ("Player 1", "Player 2")
    assert names_of({**record, "table": {"names": ["Anna"]}}, "en") == ("Player 1", "Player 2")
    assert names_of({"seats": 3}, "en") == ("Player 1", "Player 2", "Player 3")


def test_the_command_reviews_a_file(
    tmp_path: Path, record: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    from samovar.cli import app

    file, html = tmp_path / "match.json", tmp_path / "page.html"
    file.write_text(json.dumps(record), encoding="utf-8")
    done = CliRunner().invoke(app, ["review", str(file), "--seconds", "0", "--json", "--html", str(html)])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["moves"] == len(record["moves"])
    assert "Anna &lt;b&gt;" in html.read_text(encoding="utf-8")
    unwritable = CliRunner().invoke(app, ["review", str(file), "--html", str(tmp_path / "none" / "page.html")])
    assert isinstance(unwritable.exception, BadReview)


def test_what_is_written_of_a_review_tells_the_same() -> None:
    """Read elsewhere, beside a match that is only remembered."""
    match = ending("memoarrrr", 2, moves=6)
    found = reviewed(match)
    choice = found.choices[0]
    other = next(move for move in match.at(choice.moves_made).legal(choice.seat) if move != choice.move)
    found = replace(
        found, choices=(msgspec.structs.replace(choice, best=other, cost=0.3), *found.choices[1:]), given_up=(0.1, 0.0)
    )
    lines = msgspec.json.encode(write(found, with_moments=True))
    read = msgspec.json.decode(lines, type=WrittenReview)
    remembered = Match.remembered(match.game, 2, match.positions, read.history)
    told, again = Telling(found, ("A", "B"), "de"), Telling(
        read.review(remembered), ("A", "B"), "de", read.moments_of(remembered)
    )  # fmt: skip
    assert to_json(again) == to_json(told)
    assert to_json(again)["moments"]
    assert page(again) == page(told)
