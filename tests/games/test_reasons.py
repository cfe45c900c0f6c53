"""Reasons say what the rules then do: whatever is told of a move is found out again by making it, in worlds that
the player imagines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import samovar
from samovar.engine.contract import Event, event
from samovar.engine.match import Match
from samovar.games.matryoshka.moves import card_text
from samovar.games.matryoshka.scoring import scores
from samovar.games.matryoshka.state import cards_held
from samovar.games.memoarrrr.rules import are_connected


def positions(game: str, seeds: range, every: int = 3, **options: Any) -> Iterator[tuple[Match, int]]:
    """Moments of random matches, and who is asked there."""
    for seed in seeds:
        match = samovar.Match(game, seed=seed, plain=True, **options)
        while not match.over and len(match.history) < 150:
            if len(match.history) % every == 0:
                yield match, match.actors[0]
            match.play_random(1000 * seed + len(match.history), limit=1)


def some(moves: list[int], count: int = 4) -> list[int]:
    return moves[:: len(moves) // count + 1]


def told(match: Match, seat: int, move: int) -> dict[str, dict[str, Any]]:
    """The reasons by kind, as the seat is told them."""
    return {event.kind.removeprefix("reason."): dict(event.facts) for event in match.seat(seat).reasons(move)}


def after(match: Match, seat: int, move: int) -> Match:
    world = match.imagine(seat, 7)
    world.play(seat, move)
    return world


def news(match: Match, seat: int, kind: str) -> dict[str, Any] | None:
    return next((dict(event.facts) for event in match.news(seat) if event.kind == kind), None)


def test_babuschka() -> None:
    kinds: set[str] = set()
    for match, seat in positions("babuschka", range(2), every=4):
        for move in some(match.legal(seat)):
            reasons, world = told(match, seat, move), after(match, seat, move)
            kinds.update(reasons)
            chair, before = world.view(seat).chairs[seat], match.view(seat).chairs[seat]
            covers, uncovers = news(world, seat, "covers"), news(world, seat, "uncovers")
            assert ("home" in reasons or "finishes" in reasons) == (chair.home > before.home)
            assert reasons.get("home", {"home": chair.home})["home"] == chair.home
            assert ("finishes" in reasons) == (chair.home == chair.dolls)
            if covers and not ("home" in reasons and covers["other_seat"] == seat):
                own = covers["other_seat"] == seat
                assert reasons["covers_own" if own else "covers"]["other_size"] == covers["other_size"]
            assert covers or not {"covers", "covers_own"} & reasons.keys()
            assert bool(uncovers) == bool({"frees", "frees_other"} & reasons.keys())
            if "frees_other" in reasons:
                assert uncovers == {**reasons["frees_other"], "start": uncovers["start"]}
            start, end = match.move_text(seat, move).split("-")
            if "rows" in reasons and chair.facing in ("north", "south"):
                assert reasons["rows"]["rows"] == abs(int(start[1]) - int(end[1]))
    assert {"rows", "covers", "covers_own", "frees", "frees_other", "home"} <= kinds


def test_a_doll_that_finishes() -> None:
    dolls = {"f8": "0S 0M", "f7": "0L", "c8": "0S 0M 0L", "d8": "0S 0M 0L", "e8": "0S 0M 0L"}
    dolls |= dict.fromkeys(("c4", "d4", "e4", "f4"), "1S 1M 1L")
    match = samovar.Match.arranged("babuschka", dolls=dolls, turn=0, plain=True)
    assert told(match, 0, match.parse_move(0, "f7-f8")) == {"finishes": {}}


def test_varvitikud() -> None:
    kinds: set[str] = set()
    for match, seat in positions("varvitikud", range(3), every=1, seats=3):
        before = match.view(seat)
        for move in some(match.legal(seat), 4 if before.phase == "place" else 12):
            reasons, world = told(match, seat, move), after(match, seat, move)
            kinds.update(reasons)
            view = world.view(seat)
            gained = view.scores[seat] - before.scores[seat]
            if before.phase == "place":
                sticks = sum(view.sticks[seat]) - sum(before.sticks[seat])
                assert (reasons.get("whole") or reasons["sticks"])["points"] == gained
                assert reasons.get("sticks", {"count": sticks})["count"] == sticks
                swaps = view.swaps_left if (view.turn, view.phase) == (seat, "swap") else 0
                assert reasons.get("swaps", {"count": 0})["count"] == swaps
                assert ("ends" in reasons) == (view.ending == "missing_stick")
            elif move != max(match.legal(seat)):  # to stop is the last one
                other = int(match.move_text(seat, move).partition(">")[2][0])
                lost = view.scores[other] - before.scores[other]
                assert gained == told_points(reasons, "gain", "whole") - told_points(reasons, "loss")
                assert lost == told_points(reasons, "helps") - told_points(reasons, "harms")
        if before.phase == "swap":
            stop = max(match.legal(seat))
            gains = [
                after(match, seat, move).scores[seat] - before.scores[seat]
                for move in match.legal(seat)
                if move != stop
            ]
            assert ("enough" in told(match, seat, stop)) == (max(gains) <= 0)
    assert {"whole", "sticks", "swaps", "ends", "gain", "loss", "helps", "harms"} <= kinds


def told_points(reasons: dict[str, dict[str, Any]], *kinds: str) -> int:
    return sum(int(reasons[kind]["points"]) for kind in kinds if kind in reasons)


def all_worth(match: Match, seat: int, without: str | None = None) -> int:
    """What the rules count for all cards of a seat, or all but one, as if they were shown."""
    world = match.copy()
    state = world.state
    count = cards_held(state.round)
    cards = [card_text(state.cards[seat, i]) for i in range(count)]
    state.shown[seat] = sum(1 << i for i, card in enumerate(cards) if card != without)
    points = [0] * world.seats
    scores(state, points)
    return points[seat]


def test_matryoshka() -> None:
    kinds: set[str] = set()
    for match, seat in positions("matryoshka", range(2), every=3):
        view = match.view(seat)
        for move in some(match.legal(seat), 3):
            reasons, world = told(match, seat, move), after(match, seat, move)
            kinds.update(reasons)
            verb, _, named = match.move_text(seat, move).partition(" ")
            if verb == "show":
                while world.view(seat).phase == "display" and world.view(seat).round == view.round:
                    world.play(world.actors[0], world.legal(world.actors[0])[0])
                assert reasons.get("worth", {"points": 0})["points"] == world.view(seat).seats[seat].points
            elif verb == "take":
                gained = all_worth(world, seat) - all_worth(match, seat)
                assert gained == told_points(reasons, "gain") - told_points(reasons, "loss")
            else:
                lost = all_worth(match, seat) - all_worth(match, seat, without=named)
                assert lost == told_points(reasons, "costs")
                assert ("lone" in reasons) == (lost == 0)
    assert {"worth", "run", "column", "costs", "lone", "wanted", "chosen", "gain", "loss", "helps"} <= kinds


def test_memoarrrr() -> None:
    kinds: set[str] = set()
    for match, seat in positions("memoarrrr", range(4), every=2, seats=3, expert=True):
        view = match.view(seat)
        for move in some(match.legal(seat)):
            reasons, world = told(match, seat, move), after(match, seat, move)
            kinds.update(reasons)
            for kind, happens in (("animal", "connects"), ("landscape", "connects"), ("misses", "fails")):
                if kind in reasons:
                    facts = news(world, seat, happens)
                    assert facts, f"{kind} is told, and then it happens otherwise: {world.news(seat)}"
                    assert facts["card"] == reasons[kind]["card"]
            assert ("crab" in reasons) <= (news(world, seat, "extra_turn") is not None)
            if "seen_by" in reasons:
                other = reasons["seen_by"]["other_seat"]
                looked = [dict(event.facts).get("seat") for event in past(match) if event.kind in ("looks", "peeks")]
                assert other in looked
                assert other != seat
            assert view.phase == "reveal" or not {"animal", "landscape", "misses", "leaves"} & reasons.keys()
    wanted = {"animal", "landscape", "misses", "leaves", "alone", "learns", "chance", "seen_by", "new", "moves_unseen"}
    assert wanted <= kinds


def past(match: Match) -> list[Event]:
    return [event for events in match.log(None) for event in events]


def test_memoarrrr_counts_the_cards_that_a_location_can_be() -> None:
    match = samovar.Match("memoarrrr", 2, 3, plain=True)
    match.play_random(5, limit=9)
    seat = match.actors[0]
    move, facts = next(
        (move, told(match, seat, move)["chance"]) for move in match.legal(seat) if "chance" in told(match, seat, move)
    )
    worlds = [match.imagine(seat, seed).state for seed in range(400)]
    cards = {int(state.card[move]) for state in worlds}
    last = match.state.card[match.state.last]
    assert facts == {"cards": len(cards), "count": sum(bool(are_connected(card, last)) for card in cards)}


def leaking(state: Any, seat: int, move: int) -> tuple[Event, ...]:
    return (event("reason.learns", cards=repr([int(card) for card in state.card])),)


def test_what_the_seat_does_not_know_cannot_be_told() -> None:
    """Whatever a game says: it is asked about a world that the seat imagines."""
    match = samovar.Match("memoarrrr", 2, 4, plain=True)
    match.play_random(4, limit=12)
    seat = match.actors[0]
    other = match.imagine(seat, 9)
    assert leaking(match.state, seat, 0) != leaking(other.state, seat, 0)
    game = replace(match.game, reasons=leaking)
    seats = [world.seat(seat) for world in (match, other)]
    for one in seats:
        one.game = game
    assert seats[0].reasons(0) == seats[1].reasons(0)


def test_a_game_without_reasons_gives_none() -> None:
    match = samovar.Match("connect_four", seed=1, plain=True)
    assert match.seat(match.actors[0]).reasons(3) == ()
