"""Networks: whole numbers say what the floats they were made of would say, plain and compiled; a file is
taken as it was written or refused; the bot plays what is rated highest, and is told no secrets."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from samovar.bots import make_bot, network_rules
from samovar.bots.network import network_for, read
from samovar.bots.network_file import (
    MOST_BYTES,
    Network,
    NetworkCard,
    digest,
    file_shapes,
    is_matrix,
    quantise,
)
from samovar.bots.network_rules import ONE, SHIFT, WHOLE, judge, look, place_chances, score_all, weigh
from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.engine.rule import rule
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain
from samovar.errors import BadNetwork, NotAnActor
from samovar.testing import players
from support import outcome_games, tiny_game
from support.networks import FloatNetwork, random_network, random_weights, seen_by, told, weights_of

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
# Every number between two steps is rounded to 1/256, by which it is wrong by less than that. Matrices add such
# errors up, with either sign, and leave them about as large as they are: two or three of 256 were seen.
CLOSE = 5 / ONE


@cache
def game_of(name: str) -> Game:
    return {"blind": tiny_game.GAME, "steps": outcome_games.GAME}.get(name) or find_game(name)


@cache
def network_of(name: str) -> Network:
    return random_network(game_of(name))


# What it says


@rule
def ask(states, seat, net, moves, scores):
    look(states[0], seat, net)
    return score_all(states[0], seat, net, moves, scores)


def asked(network: Network, match: Match, seat: int, *, is_plain: bool = True):
    """The net after a look, and moves with their scores."""
    ready = backend(match.game, is_plain)
    net = network.ready()
    _, moves, _ = ready.scratch()
    scores = moves.copy()
    arguments = (match.states.copy(), seat, net, moves, scores)
    count = ready.make(ask, "ask_network")(*(map(plain, arguments) if is_plain else arguments))
    return net, moves[:count], scores[:count]


def compare(network: Network, match: Match) -> None:
    """Whole numbers and floats, from the eyes of who is to act."""
    seat, floats = match.actors[0], FloatNetwork(network)
    net, _, scores = asked(network, match, seat)
    assert net.logits / ONE == pytest.approx(floats.look(seen_by(match, seat)), abs=CLOSE)
    assert scores / ONE == pytest.approx(floats.scores(told(match, seat)), abs=CLOSE)


@pytest.mark.parametrize("name", [*GAMES, "blind"])
def test_whole_numbers_say_what_floats_say(name: str) -> None:
    game = game_of(name)
    for seed, seats in enumerate((min(game.seats), max(game.seats))):
        match = Match(game, seats, seed, plain=True)
        match.play_random(seed, limit=(2, 9)[seed])
        if not match.over:
            compare(network_of(name), match)


def test_a_second_look_knows_nothing_of_the_first() -> None:
    match = Match("memoarrrr", 2, 5, plain=True)
    net = network_of("memoarrrr").ready()
    ready = backend(match.game, True)
    for played in range(4):
        match.play_random(played, limit=3)
        _, moves, _ = ready.scratch()
        scores = moves.copy()
        ready.make(ask, "ask_network")(*map(plain, (match.states, match.actors[0], net, moves, scores)))
        fresh, _, others = asked(network_of("memoarrrr"), match, match.actors[0])
        assert net.logits.tobytes() == fresh.logits.tobytes()
        assert scores[: len(others)].tolist() == others.tolist()


@pytest.mark.parametrize("name", ["memoarrrr", "babuschka"])
def test_numbers_are_cut_off_where_those_of_floats_are(name: str) -> None:
    game = game_of(name)
    weights = random_weights(game, 8, 2, 3)
    for rows in ("own", "embed", "move.embed"):
        weights[rows] *= 60
    for matrix in [matrix for matrix in weights if matrix.endswith("beside")]:
        weights[matrix] *= 5
    network = quantise(game, weights, NetworkCard())
    match = Match(game, seed=4, plain=True)
    match.play_random(3, limit=12)
    net, _, _ = asked(network, match, match.actors[0])
    cuts, count = net.sizes[network_rules.CUTS], game.plan.tokens
    assert (net.work[cuts : cuts + count] == network_rules.MOST).sum() > count, "little to cut off"
    compare(network, match)


@pytest.mark.research
@pytest.mark.parametrize("name", GAMES)
def test_it_says_what_the_network_said_that_has_learned(name: str) -> None:
    import torch

    from samovar.learn.network import TorchNet

    game = game_of(name)
    match = Match(game, max(game.seats), 3, plain=True)
    match.play_random(1, limit=8)
    seat = match.actors[0]
    torch.manual_seed(1)
    learned = TorchNet(game, 32, 2)
    for parameter in learned.parameters():  # much of it begins as nothing
        torch.nn.init.normal_(parameter, 0, 0.15)
    planes, factors = np.zeros((1, game.encoding.size), np.int8), torch.tensor(told(match, seat))
    backend(game, True).observe(match.states, seat, planes, "planes")
    with torch.no_grad():
        said = learned(torch.tensor(planes).float(), factors.unsqueeze(0), torch.tensor([len(factors)]))
    net, _, scores = asked(quantise(game, learned.weights(), NetworkCard()), match, seat)
    logits = torch.cat([said.shares, said.places.flatten(1)], 1).numpy()[0]
    # Its weights have more than eight bits: each is wrong by up to 1/254 of the largest of its column.
    assert net.logits / ONE == pytest.approx(logits, abs=0.05)
    assert scores / ONE - np.log(np.exp(scores / ONE).sum()) == pytest.approx(said.scores.numpy()[0], abs=0.05)
    assert np.abs(logits).max() > 0.3, "nothing is said"
    assert np.ptp(scores) > 20, "all moves are the same"


def test_weights_are_as_near_as_eight_bits_come() -> None:
    game = game_of("memoarrrr")
    weights = random_weights(game, 8, 2, 5)
    near = weights_of(quantise(game, weights, NetworkCard()))
    for name, values in weights.items():
        finest = np.abs(values).max(0) / 127 if is_matrix(name) else 1 / ONE
        assert (np.abs(near[name] - values) <= finest * 0.51 + 2**-SHIFT * 128).all(), name


@pytest.mark.slow
def test_plain_and_compiled_give_the_same_bytes() -> None:
    name = "memoarrrr"
    match = Match(name, seed=8)
    for played in range(3):
        match.play_random(played, limit=5)
        answers = [asked(network_of(name), match, match.actors[0], is_plain=is_plain) for is_plain in (True, False)]
        (net, *rest), (other, *others) = answers
        assert [array.tobytes() for array in (*net, *rest)] == [array.tobytes() for array in (*other, *others)]


# What is made of what a network says


@settings(max_examples=40, deadline=None)
@given(some.lists(some.integers(-6000, 6000), min_size=1, max_size=40))
def test_chances_are_those_of_the_scores_and_add_up_to_one(scores: list[int]) -> None:
    chances = list(scores)
    weigh(chances, len(chances))
    assert sum(chances) == WHOLE
    exact = np.exp((np.array(scores) - max(scores)) / ONE)
    assert np.array(chances) / WHOLE == pytest.approx(exact / exact.sum(), abs=(1 + len(scores)) / WHOLE)


@rule
def conclude(states, seat, net, shares, places):
    look(states[0], seat, net)
    judge(net, shares)
    place_chances(net, 1, places)


@pytest.mark.parametrize(("name", "seats"), [("memoarrrr", 3), ("steps", 3), ("steps", 4)])
def test_shares_and_places_are_told_by_seat(name: str, seats: int) -> None:
    """With opponents half of them is left behind on average; the logits are counted from who looks."""
    game = game_of(name)
    match = Match(game, seats, 2, plain=True)
    network = network_of(name)
    for seat in range(seats):
        net, shares, places = network.ready(), [0] * seats, [0] * seats
        backend(game, True).make(conclude, "conclude")(*map(plain, (match.states, seat, net)), shares, places)
        expected = 1000 / (1 + np.exp(-net.logits[:seats] / ONE))
        if not game.is_together(seats):
            expected += 500 - expected.mean()
        assert shares == pytest.approx(np.roll(expected, seat), abs=1)
        most = max(game.seats)
        exact = np.exp(net.logits[most * (1 + (1 - seat) % seats) :][:seats] / ONE)
        assert np.array(places) / WHOLE == pytest.approx(exact / exact.sum(), abs=1e-4)


def test_steps_is_played_together_with_some_and_in_teams_with_others() -> None:
    """Else the test above would not see both."""
    assert {outcome_games.GAME.is_together(seats) for seats in (3, 4)} == {True, False}


# The file


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    network = network_of("memoarrrr")
    card = NetworkCard("abc", "samovar learn memoarrrr", "1", "5 M", "today", "60 % against “expert”")
    replace(network, card=card).save(tmp_path / "some.safetensors")
    again = Network.load(tmp_path / "some.safetensors", network.game)
    assert again.card == card
    assert again.to_bytes() == (tmp_path / "some.safetensors").read_bytes()
    assert [array.tobytes() for array in again.ready()] == [array.tobytes() for array in network.ready()]


def test_the_layout_is_that_of_safetensors() -> None:
    data = network_of("memoarrrr").to_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    assert end % 8 == 0
    assert {type(text) for text in header.pop("__metadata__").values()} == {str}
    begin = 0
    for entry in header.values():
        assert entry["data_offsets"][0] == begin
        begin = entry["data_offsets"][1]
        size = {"I8": 1, "I16": 2, "I32": 4}[entry["dtype"]]
        assert begin - entry["data_offsets"][0] == size * np.prod(entry["shape"])
    assert end + begin == len(data)


def refused(data: bytes, name: str = "memoarrrr") -> str:
    with pytest.raises(BadNetwork) as error:
        Network.from_bytes(data, game_of(name))
    return str(error.value)


def header_of(data: bytes) -> int:
    return 8 + int.from_bytes(data[:8], "little")


def test_a_damaged_file_is_refused() -> None:
    data = network_of("memoarrrr").to_bytes()
    end = header_of(data)
    cuts = [0, 1, 7, 8, 9, end - 1, end, end + 1, len(data) // 2, len(data) - 1]
    draw = np.random.default_rng(1)
    for length in (*cuts, *draw.integers(len(data), size=20).tolist()):
        refused(data[:length])
    for place in (*range(8), *draw.integers(8, end, 300).tolist(), *draw.integers(end, len(data), 50).tolist()):
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(draw.integers(8))
        refused(bytes(flipped))
    assert "damaged" in refused(data + b"\0")


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 8,
        (2**62).to_bytes(8, "little") + b"{}",
        (10**5).to_bytes(8, "little") + b"[" * 10**5,
        (2).to_bytes(8, "little") + b"[]",
        (2).to_bytes(8, "little") + b"{}",
        (4).to_bytes(8, "little") + b"\xff\xfe\xfd\xfc",
        (5000).to_bytes(8, "little") + b"9" * 5000,
        (20).to_bytes(8, "little") + b'{"__metadata__":[1]}',
    ],
    ids=["length", "huge", "deep", "list", "empty", "letters", "long", "card"],
)
def test_what_is_no_network_is_refused(data: bytes) -> None:
    refused(data)


def test_no_more_is_read_than_a_network_can_have(tmp_path: Path) -> None:
    with open(tmp_path / "large", "wb") as file:
        file.truncate(4 * MOST_BYTES)
    with pytest.raises(BadNetwork, match="more than"):
        Network.load(tmp_path / "large", game_of("memoarrrr"))


def written(network: Network, change) -> bytes:
    """A file that somebody else has written, with a checksum of its own."""
    data = network.to_bytes()
    end = header_of(data)
    header = json.loads(data[8:end])
    checksum = header["__metadata__"]["checksum"]
    body = change(header, data[end:]) or data[end:]
    text = json.dumps(header).encode().replace(checksum.encode(), b"0" * 32)
    whole = len(text).to_bytes(8, "little") + text + body
    return whole.replace(b"0" * 32, digest(whole).encode(), 1)


def test_a_file_by_other_hands_is_read_too() -> None:
    """So the tests below are about what they change."""
    network = network_of("memoarrrr")
    again = Network.from_bytes(written(network, lambda header, body: None), network.game)
    assert again.to_bytes() == network.to_bytes()


def texts(**changed: str):
    return lambda header, body: header["__metadata__"].update(changed)


def entry(**changed: object):
    return lambda header, body: header["own"].update(changed)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (texts(format="samovar network 0"), "format"),
        (texts(game="chess"), "chess"),
        (texts(rules="99"), "other rules"),
        (texts(plan="0"), "told otherwise"),
        (texts(width="0"), "width"),
        (texts(width="9" * 5000), "width"),
        (texts(width="²"), "width"),
        (texts(layers="-1"), "layers"),
        (texts(width="9"), "array"),
        (texts(layers="3"), "arrays"),
        (entry(dtype="F32"), "own"),
        (entry(shape=[10**9, 10**9]), "own"),
        (entry(shape=None), "own"),
        (entry(data_offsets=[0, 2**60]), "own"),
        (lambda header, body: header.update(own=[]), "own"),
        (lambda header, body: header.pop("own") and None, "arrays"),
        (lambda header, body: body[:-1], "early"),
        (lambda header, body: body + b"\0", "after its end"),
    ],
)
def test_a_file_of_something_else_is_refused(change, said: str) -> None:
    assert said in refused(written(network_of("memoarrrr"), change))


def test_a_network_of_another_game_or_of_another_plan_is_refused() -> None:
    assert "memoarrrr" in refused(network_of("memoarrrr").to_bytes(), "varvitikud")
    game = game_of("memoarrrr")
    group = replace(game.tokens.groups[0], alike=("animal",))
    other = replace(game, tokens=replace(game.tokens, groups=(group,)))
    with pytest.raises(BadNetwork, match="told otherwise"):
        Network.from_bytes(random_network(other).to_bytes(), game)


@pytest.mark.parametrize(
    "names",
    [
        ("0.0.in",),
        ("0.0.in.scale",),
        ("0.0.out", "1.0.out"),
        ("move.in", "move.role.0"),
    ],
    ids=" ".join,
)
def test_numbers_that_could_outgrow_32_bits_are_refused(names: tuple[str, ...]) -> None:
    """In a sum of products, in what it comes to, in what two layers add to a thing, and in a move."""
    network = random_network(game_of("memoarrrr"), 128 if names == ("0.0.in",) else 8)
    if len(names) == 2:  # neither could by itself
        names = (*names, *(f"{name}.scale" for name in names))
    largest = {name: np.full_like(network.arrays[name], np.iinfo(network.arrays[name].dtype).max) for name in names}
    with pytest.raises(BadNetwork, match="32 bits"):
        replace(network, arrays={**network.arrays, **largest})


def test_a_scale_below_nothing_is_refused() -> None:
    network = network_of("memoarrrr")
    with pytest.raises(BadNetwork, match="32 bits"):
        replace(network, arrays={**network.arrays, "move.out.scale": -network.arrays["move.out.scale"]})


def test_weights_that_do_not_fit_are_refused() -> None:
    game = game_of("memoarrrr")
    weights = random_weights(game, 8, 2, 1)
    for wrong, said in (
        ({"own": weights["own"][:, :7]}, "shape"),
        ({"own": np.zeros(3)}, "no network"),
        ({"own": np.zeros((26, 5000))}, "no network"),
        ({"1.0.in": weights["1.0.in"].T}, "shape"),
        ({"more": np.zeros(3)}, "more"),
        ({"99.table.in": np.zeros(3)}, "layers"),
        ({"move.in": weights["move.in"] * np.nan}, "not all numbers"),
        ({"move.in": weights["move.in"] * 1e9}, "too many"),
    ):
        with pytest.raises(BadNetwork, match=said):
            quantise(game, {**weights, **wrong}, NetworkCard())
    del weights["move.out"]
    with pytest.raises(BadNetwork, match=r"move\.out"):
        quantise(game, weights, NetworkCard())


def test_large_weights_are_made_coarser_so_that_they_fit() -> None:
    """All as large as they can be: with eight bits each the sums of a column would outgrow 32 bits."""
    game = game_of("memoarrrr")
    weights = {name: np.full(values.shape, 0.5) for name, values in random_weights(game, 128, 1, 1).items()}
    network = quantise(game, weights, NetworkCard())
    assert network.arrays["0.0.in"].max() < 127
    assert weights_of(network)["0.0.in"] == pytest.approx(0.5, rel=0.05)


def test_every_game_has_a_network_of_less_than_a_megabyte_at_the_usual_width() -> None:
    for name in GAMES:
        shapes = file_shapes(game_of(name).plan, 96, 3).values()
        assert sum(kind.itemsize * np.prod(shape) for kind, shape in shapes) < 1_000_000


# The bot


@pytest.fixture
def file(tmp_path: Path) -> str:
    network_of("memoarrrr").save(tmp_path / "some.safetensors")
    return str(tmp_path / "some.safetensors")


def test_it_plays_what_is_rated_highest_and_says_why(file: str) -> None:
    match = Match("memoarrrr", 3, 4, plain=True)
    match.play_random(1, limit=9)
    seat = match.seat(match.actors[0])
    found = read(seat, network_of("memoarrrr"), plain=True)
    answer = make_bot(f"network:{file}", match.game, 3, plain=True).choose(seat)
    assert [answer.move] == [max(found.chances, key=lambda move: found.chances[move])] == list(found.best)
    assert [reason.chance for reason in answer.reasons] == sorted(found.chances.values(), reverse=True)[:5]
    assert {reason.place for reason in answer.reasons} == {1 + 2 * (1 - found.shares[seat.number])}
    players.check_reasons(answer, seat)
    assert sum(found.chances.values()) == 1
    assert sum(found.shares) == pytest.approx(1.5, abs=1e-3)
    assert [sum(places) for places in found.places] == [1, 1, 1]


def test_who_may_not_act_has_prospects_but_no_moves() -> None:
    match = Match("memoarrrr", 2, 4, plain=True)
    waits = match.seat(1 - match.actors[0])
    found = read(waits, network_of("memoarrrr"), plain=True)
    assert (found.chances, found.best) == ({}, ())
    assert len(found.shares) == 2


def test_equals_are_chosen_by_chance_and_samples_are_drawn_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of("blind")
    weights = random_weights(game, 8, 1, 1)
    for flat in (True, False):
        if flat:
            weights["move.embed"][:] = 0
        else:  # one is likely, the others are possible
            weights["move.embed"][:] = [[0], [2], [0]]
            weights["move.out"][:] = 0.1
        network = quantise(game, weights, NetworkCard())
        monkeypatch.setattr(Network, "find", classmethod(lambda cls, game, network=network: network))
        seat = Match(game, seed=1, plain=True).seat(0)
        chosen = {
            name: [make_bot(name, game, seed, plain=True).choose(seat).move for seed in range(60)]
            for name in ("network", "network:sample")
        }
        assert set(chosen["network"]) == ({0, 1, 2} if flat else {1})
        assert set(chosen["network:sample"]) == {0, 1, 2}
        weights = random_weights(game, 8, 1, 1)


@pytest.mark.parametrize("name", ["memoarrrr", "blind"])
def test_it_answers_alike_in_all_worlds_that_a_seat_cannot_tell_apart(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SAMOVAR_PLAIN", "1")
    network_of(name).save(tmp_path / "some.safetensors")
    monkeypatch.setattr(players, "BOTS", (f"network:{tmp_path / 'some.safetensors'}",))
    players.check_bots(game_of(name), min(game_of(name).seats), {}, 7)


def test_without_a_network_it_says_where_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(BadNetwork, match="samovar learn blind"):
        make_bot("network", tiny_game.GAME, 1)
    with pytest.raises(BadNetwork, match="No such file"):
        make_bot(f"network:{tmp_path}/none", "memoarrrr", 1)
    with pytest.raises(BadNetwork, match="directory"):
        make_bot(f"network:{tmp_path}", "memoarrrr", 1)


def test_it_is_asked_only_when_it_may_act(file: str) -> None:
    match = Match("memoarrrr", 2, 4, plain=True)
    with pytest.raises(NotAnActor):
        make_bot(f"network:{file}", match.game, 3, plain=True).choose(match.seat(1 - match.actors[0]))


@pytest.mark.parametrize("name", GAMES)
def test_networks_that_are_shipped_can_be_used(name: str) -> None:
    network = Network.find(game_of(name))
    if network is None:
        with pytest.raises(BadNetwork):
            network_for(game_of(name))
    else:
        assert len(network.to_bytes()) < 1_000_000
        assert all(vars(network.card).values()), "the card has a blank"
