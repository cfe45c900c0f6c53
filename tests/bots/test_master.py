"""The bot `master`: what the network says guides it and does not blind it; it is as blind to secrets as every bot;
and without a network the match goes on."""

import logging
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from samovar.bots import guided, make_bot, master, network_file, search, tree
from samovar.bots.bot import Answer, Order
from samovar.bots.master import GuidedTree, MasterBot
from samovar.bots.network_file import Network, NetworkCard, quantise, weight_shapes
from samovar.engine.contract import Options
from samovar.engine.heuristics import USUAL_LEVELS, Guidance
from samovar.engine.match import Match
from samovar.engine.registry import find_game, game_ids
from samovar.errors import BadBot
from samovar.testing import players
from support.networks import random_network

VARIANTS = [(game, seats, options) for game in game_ids() for seats, options in find_game(game).variants()]


@cache
def tiny(game: str) -> Network:
    return random_network(find_game(game), 4, 1)


def rating(scores: list[float], share: float = 0.5) -> Network:
    """A network of Connect Four that rates the columns so, wherever it looks, and expects this share for whoever
    acts."""
    game = find_game("connect_four")
    weights = {name: np.zeros(shape) for name, shape in weight_shapes(game.plan, 4, 1).items()}
    weights["move.embed"][:, 0] = scores
    weights["move.out"][0] = 1
    weights["value.out_bias"][:2] = np.log(share / (1 - share)) * np.array([1, -1])
    return quantise(game, weights, NetworkCard())


EVEN = [1.0] * 7


def played(moves: str) -> Match:
    """A match of Connect Four, columns as letters."""
    match = Match("connect_four", seed=1, first=0, plain=True)
    for column in moves:
        match.play(match.actors[0], column)
    return match


def thinker(
    network: Network, budget: str, *, is_plain: bool = True, limit: float = np.inf, **numbers: int
) -> MasterBot:
    game = network.game
    order = Order("master", budget, game, 1, limit, is_plain)
    return MasterBot(order, network, replace(game.heuristics.guidance, **numbers))


def ask(match: Match, network: Network, budget: str, **numbers: int) -> Answer:
    return thinker(network, budget, **numbers).choose(match.seat(match.actors[0]))


def grown(bot: MasterBot) -> GuidedTree:
    (only,) = bot._trees
    assert isinstance(only, GuidedTree)
    return only


def rows(of: GuidedTree) -> np.ndarray:
    return of.nodes[: of.orders[tree.USED]]


# What guides it


def test_moves_are_tried_as_often_as_the_network_likes_them_where_all_are_worth_the_same() -> None:
    scores = [0.0, 0.5, 1.0, 3.0, 2.0, 1.5, 2.5]
    bot = thinker(rating(scores), "200", first_play=0, doubt=0)
    match = played("")
    bot.choose(match.seat(0))
    visits = {move: visits for move, (visits, _) in grown(bot).tried().items()}
    assert sorted(visits, key=lambda move: -visits[move]) == sorted(visits, key=lambda move: -scores[move])
    chances = np.exp(scores) / np.exp(scores).sum()
    for move, count in visits.items():
        assert count == pytest.approx(200 * chances[move], abs=4)


def test_doubt_and_softening_make_chances_more_even() -> None:
    def chances(**numbers: int) -> list[int]:
        bot = thinker(rating([0.0, 0, 0, 2, 0, 0, 0]), "1", **numbers)
        bot.choose(played("").seat(0))
        children = list(grown(bot).children(tree.ROOT))
        return sorted(int(grown(bot).nodes[child, guided.LIKELY]) for child in children)

    sure = chances(doubt=0)
    assert sum(sure) == 1 << 16
    assert sure[-1] / sure[0] == pytest.approx(np.exp(2), rel=0.01)
    soft = chances(doubt=0, soften=200)
    assert soft[-1] / soft[0] == pytest.approx(np.exp(1), rel=0.01)
    doubtful = chances(doubt=500)
    assert doubtful[0] == pytest.approx((sure[0] + (1 << 16) / 7) / 2, abs=2)


@pytest.mark.parametrize(("moves", "best"), [("aabbcc", 3), ("dadbdc", 3)])
def test_it_finds_what_the_network_hides(moves: str, best: int) -> None:
    """The move that wins is the last that the network would make."""
    scores = [6.0] * 7
    scores[best] = 0.0
    match = played(moves)
    network = rating(scores)
    assert ask(match, network, "1").move != best
    assert ask(match, network, "300").move == best


def test_a_single_simulation_plays_what_the_network_likes_best() -> None:
    for best in (0, 3, 6):
        answer = ask(played(""), rating([5.0 if column == best else 0.0 for column in range(7)]), "1")
        assert answer.move == best
        assert answer.reasons[0].visits == 1


def test_what_the_network_expects_is_what_came_of_a_simulation() -> None:
    """From the eyes of who acts there, which is the other one."""
    (reason, *_) = ask(played(""), rating(EVEN, 0.8), "1").reasons
    assert reason.place == pytest.approx(1.8, abs=0.01)
    (mixed, *_) = ask(played(""), rating(EVEN, 0.8), "1", mix=500, depth=0).reasons
    assert mixed.place == pytest.approx(1 + (0.8 + 0.5) / 2, abs=0.01)


def test_a_match_that_is_over_counts_as_it_ended() -> None:
    reasons = {reason.move: reason for reason in ask(played("aabbcc"), rating(EVEN, 0.2), "300").reasons}
    assert reasons[3].place == 1


def test_less_is_expected_of_an_untried_move_than_of_those_tried_but_not_at_the_root() -> None:
    def tried(first_play: int) -> tuple[int, int]:
        bot = thinker(rating([0.0, 0, 0, 4, 0, 0, 0]), "60", first_play=first_play)
        bot.choose(played("").seat(0))
        of = grown(bot)
        favourite = next(child for child in of.children(tree.ROOT) if of.nodes[child, tree.MOVE] == 3)
        return tuple(sum(of.nodes[child, tree.VISITS] > 0 for child in of.children(n)) for n in (tree.ROOT, favourite))

    (at_root, few), (also_at_root, many) = tried(900), tried(0)
    assert at_root == also_at_root > 1
    assert few == 1 < many


# Its tree


def test_all_simulations_are_counted_and_their_number_is_that_ordered() -> None:
    bot = thinker(rating(EVEN), "50")
    match = played("")
    bot.choose(match.seat(0))
    assert grown(bot).nodes[tree.ROOT, tree.VISITS] == 50
    assert sum(visits for visits, _ in grown(bot).tried().values()) == 50


def test_without_time_it_answers_with_the_first_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMOVAR_THREADS", "1")
    bot = thinker(rating(EVEN), "9000", limit=0.0)
    assert bot.choose(played("").seat(0)).move in range(7)
    assert grown(bot).nodes[tree.ROOT, tree.VISITS] == 1
    bot = thinker(rating(EVEN), "0.02s")
    bot.choose(played("").seat(0))
    assert grown(bot).nodes[tree.ROOT, tree.VISITS] >= 1


def test_a_full_tree_grows_no_more_and_goes_on_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_NODES", 20)
    bot = thinker(rating(EVEN), "100")
    bot.choose(played("").seat(0))
    assert grown(bot).nodes.shape[0] == grown(bot).orders[tree.USED] == 20
    assert grown(bot).nodes[tree.ROOT, tree.VISITS] == 100


def test_the_tree_of_the_last_move_is_used_again_with_all_it_knows_where_nothing_is_hidden() -> None:
    match = played("")
    bot = thinker(rating([0.0, 1, 2, 3, 2, 1, 0]), "100")
    match.play(0, bot.choose(match.seat(0)).move)
    old = grown(bot)
    match.play(1, "d")
    node = old.find(match.seat(0).imagine(0).states)
    assert node != tree.NONE
    kept = old.below(node, 100)
    likely = sorted(old.nodes[child, guided.LIKELY] for child in old.children(node))
    assert sorted(kept.nodes[child, guided.LIKELY] for child in kept.children(tree.ROOT)) == likely
    assert len(likely) == 7
    visits = int(old.nodes[node, tree.VISITS])
    bot.choose(match.seat(0))
    assert grown(bot).nodes[tree.ROOT, tree.VISITS] == visits + 100


def test_a_position_gets_the_likeliest_moves_first_and_all_in_the_end() -> None:
    scores = [0.0, 1, 2, 3, 2.5, 1.5, 0.5]
    for again, budget, expected in ((1000, "40", {3, 4}), (5, "90", set(range(7)))):
        bot = thinker(rating(scores), budget, widen=2, again=again)
        bot.choose(played("").seat(0))
        of = grown(bot)
        assert {int(of.nodes[child, tree.MOVE]) for child in of.children(tree.ROOT)} == set(range(7)), "at the root all"
        favourite = next(child for child in of.children(tree.ROOT) if of.nodes[child, tree.MOVE] == 3)
        assert {int(of.nodes[child, tree.MOVE]) for child in of.children(favourite)} == expected


def test_a_position_is_looked_at_again_only_where_worlds_may_show_it_otherwise() -> None:
    bot = thinker(rating(EVEN), "60", again=1000)
    bot.choose(played("").seat(0))
    assert rows(grown(bot))[:, guided.LOOKS].max() == 1
    match = Match("varvitikud", 2, 4, plain=True)
    match.play_random(1, limit=4)
    bot = thinker(tiny("varvitikud"), "40", again=1000, explore=100)
    bot.choose(match.seat(match.actors[0]))
    found = rows(grown(bot))
    assert found[tree.ROOT, guided.LOOKS] == 1
    assert found[1:, guided.LOOKS].max() > 1, "other cards come up in other worlds"
    moves = found[1:][found[1:, guided.LOOKED] > 0]
    assert (moves[:, guided.LIKELY] <= moves[:, guided.LOOKED] << 16).all()


def test_what_others_choose_at_the_same_time_is_not_in_the_tree() -> None:
    match = Match("matryoshka", 3, 4, plain=True, first=2)
    bot = thinker(tiny("matryoshka"), "12", first_play=1000)
    bot.choose(match.seat(1))
    of = grown(bot)
    own = list(of.children(tree.ROOT))
    assert {int(of.nodes[node, tree.SEAT]) for node in own} == {1}
    below = [child for node in own for child in of.children(node)]
    assert below, "nothing was tried below the first move"
    assert {int(of.nodes[node, tree.SEAT]) for node in below} == {2}, "the starting seat puts a card up"


def test_others_choose_at_the_same_time_by_rollout_moves_or_as_the_network_would() -> None:
    match = Match("matryoshka", 3, 4, plain=True)
    found = []
    for others in (False, True):
        bot = thinker(tiny("matryoshka"), "6", others=others)
        bot.choose(match.seat(1))
        found.append(rows(grown(bot)).tobytes())
    assert found[0] != found[1]


def test_what_is_seen_after_a_move_leads_to_nodes_of_its_own() -> None:
    match = Match("memoarrrr", 2, 4, plain=True)
    match.play_random(1, limit=8)
    for split in (True, False):
        bot = thinker(tiny("memoarrrr"), "30", split=split, explore=3000)
        bot.choose(match.seat(match.actors[0]))
        found = rows(grown(bot))
        assert (found[1:, tree.MOVE] < 0).any() == split
        assert (found[found[:, tree.MOVE] < 0][:, guided.LOOKS] > 0).any() == split


# The same answer


@pytest.mark.parametrize(("game", "seats", "options"), VARIANTS)
def test_it_plays_every_variant_and_answers_alike_in_all_worlds_that_a_seat_cannot_tell_apart(
    game: str, seats: int, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    monkeypatch.setattr(players, "BOTS", ("master:3",))
    monkeypatch.setattr(players, "MOMENTS", 1)
    monkeypatch.setattr(Network, "find", classmethod(lambda cls, wanted: tiny(wanted.id)))
    players.check_bots(find_game(game), seats, options, 5)


def test_it_answers_the_same_for_the_same_seed() -> None:
    match = Match("memoarrrr", 3, 5, plain=True)
    match.play_random(2, limit=12)
    seat = match.seat(match.actors[0])
    answers = [MasterBot(Order("master", "12", match.game, seed, plain=True), tiny("memoarrrr")).choose(seat)
               for seed in (9, 9, 10, 11, 12)]  # fmt: skip
    assert answers[0] == answers[1]
    assert any(other != answers[0] for other in answers[2:])


@pytest.mark.slow
def test_plain_and_compiled_grow_the_same_tree() -> None:
    match = Match("memoarrrr", 3, 8)
    match.play_random(3, limit=16)
    bots = [thinker(tiny("memoarrrr"), "60", is_plain=is_plain, again=4, mix=300) for is_plain in (True, False)]
    answers = [bot.choose(match.seat(match.actors[0])) for bot in bots]
    assert answers[0] == answers[1]
    plain, compiled = (rows(grown(bot)) for bot in bots)
    assert plain.tobytes() == compiled.tobytes()
    assert len(plain) > 100


# Without a network


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where networks are looked for; there is none."""
    monkeypatch.setattr(network_file, "shipped", lambda game: tmp_path / f"{game.id}.safetensors")
    master.warn_once.cache_clear()
    return tmp_path


@pytest.mark.parametrize("damage", ["missing", "cut short", "of another game", "no network"])
def test_without_a_network_it_is_an_expert_who_thinks_longer_and_says_so_once(
    damage: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    game = find_game("connect_four")
    data = {
        "missing": b"",
        "cut short": rating(EVEN).to_bytes()[:-1],
        "of another game": tiny("memoarrrr").to_bytes(),
        "no network": b"hello",
    }[damage]
    if data:
        (folder / "connect_four.safetensors").write_bytes(data)
    with caplog.at_level(logging.WARNING):
        bots = [make_bot("master", game, 1, limit=0.01, plain=True) for _ in range(3)]
    (record,) = caplog.records
    assert "plays Connect Four as an expert that thinks longer" in record.getMessage()
    assert ("samovar learn connect_four" if damage == "missing" else "cannot be used") in record.getMessage()
    assert all(type(bot) is search.SearchBot for bot in bots)
    assert {bot.simulations for bot in bots} == {2 * USUAL_LEVELS["expert"].simulations}  # type: ignore[attr-defined]
    match = played("dd")
    match.play(0, bots[0].choose(match.seat(0)).move)


def test_even_steps_below_do_not_make_it_weak(folder: Path) -> None:
    """Babuschka's expert makes fewer simulations than the pinned one."""
    game = find_game("babuschka")
    pinned = game.heuristics.pinned["expert-2026"].simulations
    assert game.heuristics.levels["expert"].simulations < pinned
    assert make_bot("master", game, 1, plain=True).simulations == 2 * pinned  # type: ignore[attr-defined]


def test_without_a_network_a_budget_is_worth_as_much(folder: Path) -> None:
    game = find_game("connect_four")
    usual, half, timed = (make_bot(f"master{budget}", game, 1, plain=True) for budget in ("", ":500", ":0.5s"))
    assert 2 * half.simulations == usual.simulations  # type: ignore[attr-defined]
    assert timed.simulations == search.ENDLESS  # type: ignore[attr-defined]
    with pytest.raises(BadBot, match=r"master:many is no budget\. Write master:8000"):
        make_bot("master:many", game, 1)


def test_with_a_network_it_is_guided(folder: Path) -> None:
    rating(EVEN).save(folder / "connect_four.safetensors")
    game = find_game("connect_four")
    bot = make_bot("master", game, 1, plain=True)
    assert isinstance(bot, MasterBot)
    assert bot.simulations == game.heuristics.levels["master"].simulations
    with pytest.raises(BadBot, match="is no budget"):
        make_bot("master:many", game, 1)


@pytest.mark.parametrize("game", game_ids())
def test_its_numbers_make_sense(game: str) -> None:
    guidance = find_game(game).heuristics.guidance
    assert isinstance(guidance, Guidance)
    assert guidance.widen > 0
    assert guidance.again > 0
    assert guidance.soften > 0
    assert 0 < guidance.doubt <= 1000, "else a move may never be tried"
    assert 0 <= guidance.mix <= 1000


def test_a_network_that_is_not_trusted_does_not_guide(caplog: pytest.LogCaptureFixture) -> None:
    game = find_game("memoarrrr")
    wary = replace(game, heuristics=replace(game.heuristics, guidance=Guidance(trusted=False)))
    assert isinstance(make_bot("master", game, 1), MasterBot), "no network comes with it, so nothing is shown"
    assert not isinstance(make_bot("master", wary, 1), MasterBot)
    assert not caplog.records, "nothing is wrong"
