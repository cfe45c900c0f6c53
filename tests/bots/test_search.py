"""The search: finds what is there to find, gives the same answer for the same seed, keeps to its
memory, and uses trees again only where it may."""

import subprocess
import sys

import numpy as np
import pytest

from samovar.bots import make_bot, search, tree
from samovar.bots.bot import Answer
from samovar.engine.heuristics import USUAL_LEVELS
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.ways.backend import backend
from samovar.errors import BadBot, BrokenBot, NotAnActor, UnknownBot


def played(moves: str) -> Match:
    """A match of Connect Four, columns as letters."""
    match = Match("connect_four", seed=1, first=0)
    for column in moves:
        match.play(match.actors[0], column)
    return match


def ask(match: Match, bot: str, seed: int = 1) -> Answer:
    return make_bot(bot, match.game, seed).choose(match.seat(match.actors[0]))


@pytest.mark.parametrize(("moves", "best"), [("aabbcc", "d"), ("dadbdc", "d"), ("eaebe", "e")])
def test_it_wins_at_once_and_stops_who_would(moves: str, best: str) -> None:
    answer = ask(played(moves), "search:400")
    assert answer.reasons[0].text == best


def test_a_sure_win_is_expected_to_come_first() -> None:
    reasons = ask(played("aabbcc"), "search:2000").reasons
    assert reasons[0].place < 1.05
    assert reasons[0].visits > reasons[1].visits


def test_it_answers_the_same_for_the_same_seed_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match("memoarrrr", 3, 5)
    match.play_random(2, limit=12)
    first = ask(match, "search:300", seed=9)
    monkeypatch.setenv("SAMOVAR_THREADS", "1")
    assert ask(match, "search:300", seed=9) == first
    assert any(ask(match, "search:300", seed=other) != first for other in (10, 11, 12))


@pytest.mark.parametrize("game", ["connect_four", "memoarrrr", "matryoshka"])
@pytest.mark.slow
def test_plain_and_compiled_grow_the_same_tree(game: str) -> None:
    match = Match(game, seed=8)
    match.play_random(3, limit=6)
    plain, compiled = (make_bot("search:30", match.game, 1, plain=plain) for plain in (True, False))
    seat = match.seat(match.actors[0])
    assert plain.choose(seat) == compiled.choose(seat)


PLAIN = """
import sys
from samovar.bots import bot_names, make_bot
from samovar.engine.match import Match
for name in set(bot_names()) & {"random", "greedy", "search", "easy", "medium", "hard", "expert"}:
    match = Match("memoarrrr", 3, 5, plain=True)
    match.play_random(2, limit=12)
    seat = match.seat(match.actors[0])
    make_bot(name, match.game, 1, limit=0.01, plain=True).choose(seat)
    print(name)
assert "numba" not in sys.modules
"""


def test_a_bot_ordered_to_be_plain_compiles_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", PLAIN], capture_output=True, text=True)
    assert not done.stderr
    assert len(done.stdout.split()) == 7


@pytest.mark.slow
@pytest.mark.parametrize(("plain", "worlds"), [(True, 1), (False, search.PORTION)])
def test_when_time_is_up_it_answers_with_what_it_has_found(plain: bool, worlds: int) -> None:
    match = Match("matryoshka", seed=8)
    bot = make_bot("expert", match.game, 1, limit=0.0, plain=plain)
    answer = bot.choose(match.seat(match.actors[0]))
    assert answer.move in match.legal(match.actors[0])
    assert [int(grown.nodes[tree.ROOT, tree.VISITS]) for grown in bot._search._trees] == [16 * worlds] * 2  # type: ignore[attr-defined]


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    match = Match("memoarrrr", 3, 5)
    seat = match.seat(match.actors[0])
    assert make_bot("search:777", match.game, 1, limit=1000.0).choose(seat) == make_bot(
        "search:777", match.game, 1
    ).choose(seat)


def test_all_simulations_are_counted_and_their_number_is_that_ordered() -> None:
    match = played("")
    bot = make_bot("search:500", match.game, 1)
    bot.choose(match.seat(0))
    assert sum(int(grown.nodes[tree.ROOT, tree.VISITS]) for grown in bot._trees) == 500  # type: ignore[attr-defined]
    assert sum(reason.visits for reason in ask(match, "search:40").reasons) <= 40


def test_a_full_tree_grows_no_more_and_goes_on_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_NODES", 30)
    match = played("")
    bot = make_bot("search:2000", match.game, 1)
    bot.choose(match.seat(0))
    for grown in bot._trees:  # type: ignore[attr-defined]
        assert grown.nodes.shape[0] == 30
        assert grown.orders[tree.USED] == 30
        assert grown.nodes[tree.ROOT, tree.VISITS] == 1000


def test_a_time_budget_is_spent_thinking() -> None:
    answer = ask(played("d"), "search:0.05s")
    assert sum(reason.visits for reason in answer.reasons) >= search.PORTION


def test_the_tree_of_the_last_move_is_used_again_where_nothing_is_hidden() -> None:
    match = played("")
    bot = make_bot("search:2000", match.game, 1)
    match.play(0, bot.choose(match.seat(0)).move)
    before = list(bot._trees)  # type: ignore[attr-defined]
    match.play(1, "d")
    known = match.seat(0).imagine(0).states
    nodes = [old.find(known) for old in before]
    assert tree.NONE not in nodes
    grown = [int(old.nodes[node, tree.VISITS]) for old, node in zip(before, nodes, strict=True)]
    bot.choose(match.seat(0))
    assert [int(new.nodes[tree.ROOT, tree.VISITS]) for new in bot._trees] == [visits + 1000 for visits in grown]  # type: ignore[attr-defined]


def test_what_is_kept_of_a_tree_is_what_was_below() -> None:
    match = played("")
    bot = make_bot("search:3000", match.game, 1)
    bot.choose(match.seat(0))
    old = bot._trees[0]  # type: ignore[attr-defined]
    child = next(old.children(tree.ROOT))

    def shape(of: search.Tree, node: int) -> tuple[object, ...]:
        row = of.nodes[node].tolist()
        return (row[: tree.FIRST], [shape(of, below) for below in of.children(node)])

    assert shape(old.below(child, 100), tree.ROOT) == shape(old, child)
    assert old.below(child, 100).orders[tree.USED] > 100


def test_no_tree_is_used_again_where_something_is_hidden() -> None:
    match = Match("memoarrrr", 2, 4)
    match.play_random(1, limit=2)
    seat = match.seat(match.actors[0])
    assert not search.is_all_known(backend(match.game), seat, seat.imagine(0).states)
    chess_like = played("").seat(0)
    assert search.is_all_known(backend(chess_like.game), chess_like, chess_like.imagine(0).states)


def test_what_others_choose_at_the_same_time_is_not_in_the_tree() -> None:
    """Nothing may depend on a choice that the seat does not see: below its own display come the
    moves after all displays."""
    match = Match("matryoshka", 3, 4)
    bot = make_bot("search:400", match.game, 1)
    bot.choose(match.seat(1))
    grown = bot._trees[0]  # type: ignore[attr-defined]
    own = list(grown.children(tree.ROOT))
    assert {int(grown.nodes[node, tree.SEAT]) for node in own} == {1}
    below = [child for node in own for child in grown.children(node)]
    assert below, "nothing was tried below the first move"
    starting = int(match.state.first)
    assert {int(grown.nodes[node, tree.SEAT]) for node in below} == {starting}, (
        "after the displays the starting seat puts a card up"
    )


def test_what_is_seen_after_a_move_leads_to_nodes_of_its_own() -> None:
    """A location that the seat knows shows one card, another one any of those that it may be; below
    are the replies to that card."""
    match = Match("memoarrrr", 2, 4)
    while match.state.round < 2 or match.state.last < 0:
        match.play_random(len(match.history), limit=1)
    seat = match.actors[0]
    known = int(match.state.shown | match.state.peeked[seat])
    bot = make_bot("search:20000", match.game, 1)
    bot.choose(match.seat(seat))
    grown = bot._trees[0]  # type: ignore[attr-defined]
    cards = {place: {int(grown.nodes[seen, tree.MOVE]) for seen in grown.children(node)}
             for node in grown.children(tree.ROOT) for place in [int(grown.nodes[node, tree.MOVE])]}  # fmt: skip
    assert {len(shown) for place, shown in cards.items() if known >> place & 1} == {1}
    assert {len(shown) for place, shown in cards.items() if not known >> place & 1} == {25 - known.bit_count()}
    assert all(number < 0 for shown in cards.values() for number in shown)
    below = [
        child for node in grown.children(tree.ROOT) for seen in grown.children(node) for child in grown.children(seen)
    ]
    assert {int(grown.nodes[child, tree.SEAT]) for child in below} <= {0, 1}
    assert all(0 <= int(grown.nodes[child, tree.MOVE]) < match.game.moves for child in below)


def test_a_tree_with_such_nodes_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way down would lead through moves that are none."""
    monkeypatch.setattr(search, "is_all_known", lambda *_: True)
    monkeypatch.setattr(search.Tree, "find", lambda *_: pytest.fail("an old tree was looked through"))
    match = Match("memoarrrr", 2, 4)
    bot = make_bot("search:100", match.game, 1)
    for _ in range(3):
        bot.choose(match.seat(0))
        assert [int(grown.nodes[tree.ROOT, tree.VISITS]) for grown in bot._trees] == [50, 50]  # type: ignore[attr-defined]


def test_a_single_legal_move_needs_no_thought() -> None:
    match = Match("varvitikud", seed=1)
    for seed in range(10_000):
        if match.over:
            match = Match("varvitikud", seed=seed)
        if len(match.legal(match.actors[0])) == 1:
            break
        match.play_random(seed, limit=1)
    assert ask(match, "search:50") == Answer(match.legal(match.actors[0])[0])


@pytest.mark.parametrize("budget", ["0", "-5", "many", "0s", "3601s", "1e9", "5 s", "999999999999"])
def test_a_bad_budget_is_refused_with_the_remedy(budget: str) -> None:
    with pytest.raises(BadBot, match=r"Write search:8000 .* or search:0\.5s"):
        make_bot(f"search:{budget}", find_game("connect_four"), 1)


def test_an_unknown_bot_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownBot, match="Did you mean 'expert'"):
        make_bot("expart", find_game("connect_four"), 1)


@pytest.mark.parametrize("bot", ["random:5", "greedy:1"])
def test_bots_without_an_argument_refuse_one(bot: str) -> None:
    with pytest.raises(BadBot, match="takes no argument"):
        make_bot(bot, find_game("connect_four"), 1)


@pytest.mark.parametrize("bot", ["random", "greedy", "search", "easy"])
def test_a_seat_that_may_not_act_has_nothing_to_choose(bot: str) -> None:
    with pytest.raises(NotAnActor, match="Ask the bot of a seat that acts"):
        make_bot(bot, find_game("connect_four"), 1).choose(played("").seat(1))


def test_a_bot_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "parse_budget", lambda name, text: 1 / 0)
    with pytest.raises(BrokenBot, match="search:5"):
        make_bot("search:5", find_game("connect_four"), 1)


def test_greedy_takes_the_win_in_front_of_it() -> None:
    answer = ask(played("aabbcc"), "greedy")
    assert answer.reasons[0].text == "d"
    assert answer.reasons[0].place == 1


def test_random_plays_every_legal_move_sooner_or_later() -> None:
    seat = played("").seat(0)
    counts = np.bincount([make_bot("random", seat.game, seed).choose(seat).move for seed in range(700)], minlength=7)
    assert counts.min() > 60


def test_a_game_without_levels_of_its_own_has_the_usual_ones() -> None:
    assert find_game("connect_four").heuristics.levels == USUAL_LEVELS
