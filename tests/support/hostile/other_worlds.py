"""Worlds that a viewer cannot tell apart, with all their past: what the viewer receives must be the same
in both, byte for byte.

The present and the last moves are put into another world. From the earliest of them on a world that the
seat may imagine is played on, by moves that leave the seat's observations as they were: its own moves
are the same, those of others may be different ones. Where no move does that, the next moment is imagined
anew. So every moment by itself is one that the seat cannot tell from the truth, and nothing that it
receives may depend on more of the past than on what it saw in each moment.
"""

from __future__ import annotations

import numpy as np

from samovar.engine.contract import nothing_hidden
from samovar.engine.match import Match
from samovar.web.store.queries.hands import Hand
from samovar.web.tables.hands import viewpoint

from .houses import Fault
from .people import Request

MOMENTS = 24  # that are put into another world; pages show less of the past
MOST_TRIED = 4  # of another's moves
ASKED = 4  # of all that can be asked for, besides the page itself


def has_worlds(table):
    return table.status == "playing" and table.game.determinize is not nothing_hidden


def other_past(match, seat, choose):
    """The match in another world, of which the seat knows as much at every moment."""
    first = max(0, len(match.history) - MOMENTS)
    positions, history = match.positions, list(match.history)
    world = _standing(match, positions[first]).imagine(seat, choose.getrandbits(60))
    for ply in range(first, len(history)):
        truth = _standing(match, positions[ply + 1])
        positions[ply] = world.state_bytes
        move = _follow(world, truth, history[ply], seat, choose)
        if move is None:
            world = truth.imagine(seat, choose.getrandbits(60))
        else:
            history[ply] = history[ply][0], move
    positions[-1] = world.state_bytes
    other = match.copy()
    other.states = np.frombuffer(bytearray(positions[-1]), match.game.state)
    other._past, other.history = positions[:-1], history
    other._read_actors()
    return other


def _standing(match, state):
    return Match.standing(match.game, match.seats, state, plain=True, options=match.options)


def _follow(world, truth, made, seat, choose):
    """The move after which the seat sees in this world what it saw in truth; None: there is none. An
    observation says what a seat knows, not what was done last, so the news must be the same, too."""
    mover, move = made
    legal, seen = world.legal(mover), seen_by(truth, seat)
    others = [] if mover == seat else choose.sample(legal, min(MOST_TRIED, len(legal)))
    for candidate in [*others, move]:
        if candidate in legal:
            world.play(mover, candidate)
            if seen_by(world, seat) == seen:
                return candidate
            world.undo()
    return None


def seen_by(match, seat):
    return match.actors, match.observation(seat).tobytes(), match.news(seat)


async def compare(e, table_id, browser):
    """What a browser receives of a table, in the true world and in another."""
    table = e.in_memory(table_id)
    if table is None:
        return False
    eyes = seat_of(e, table, browser)
    seat = e.choose.randrange(table.seats) if eyes is None else eyes
    truth = table.match
    other = other_past(truth, seat, e.choose)
    if other.positions == truth.positions:
        return False
    await e.has_token(browser)
    requests = asked_for(e, table, browser, eyes)
    received = []
    try:
        for match in (truth, other):
            table.match = match
            e.house.app.state.looks.forget()
            received.append([await answer_to(e, request) for request in requests])
    finally:
        table.match = truth
        e.house.app.state.looks.forget()
    for request, one, another in zip(requests, *received, strict=True):
        if one != another:
            whom = "a spectator" if eyes is None else f"player {eyes + 1}"
            where = f"{table.game.name} after {len(truth.history)} moves"
            apart = first_difference(str(one), str(another))
            raise Fault(f"worlds: {whom} of {where} can tell them apart by {request}: {apart}")
    return True


def seat_of(e, table, browser):
    """With whose eyes a browser sees a table."""
    person, device = e.person_of(browser), e.device_of(browser)
    if not device:
        return table.seat_of(person)
    row = e.ledger.hand_of(device, table.id)
    return viewpoint(table, person, device, Hand(*row) if row else None).seat


def asked_for(e, table, browser, eyes):
    """The page, and some of all else that a viewer can ask for."""
    page, api, last = f"/table/{table.id}", f"/api/tables/{table.id}", len(table.match.history)
    key = e.keys.good(table.id, eyes) if eyes is not None else None
    token = key.text if key else ""
    nonsense = {"move": e.choose.choice((10**9, "nonsense")), "revision": table.revision - e.choose.randrange(2)}
    steps = [Request(browser, "GET", f"{page}?at={last - back}") for back in range(1, min(last, 9) + 1)]
    rest = [
        Request(browser, "GET", page, parts="1"),
        Request(browser, "GET", f"{page}?list"),
        Request(browser, "GET", f"/live?table={table.id}", first_only=True),
        Request(browser, "GET", f"{page}/ahead"),
        Request(browser, "GET", f"{page}/screen"),
        Request(browser, "GET", f"/live?table={table.id}&screen", first_only=True),
        Request(browser, "GET", f"/record/{table.id}"),
        Request(browser, "GET", "/me/export"),
        Request(browser, "GET", "/tables"),
        Request(None, "GET", f"{api}/moves", token=token),
        Request(None, "GET", f"{api}/record", token=token),
        Request(None, "GET", f"{api}/events?language=fr", token=token, first_only=True),
        Request(None, "POST", f"{api}/moves", data=nonsense, token=token),
        Request(browser, "POST", f"{page}/hint", {"hand": "" if eyes is None else eyes}),
        Request(browser, "POST", f"{page}/move", {"move": "nonsense", "ply": table.revision, "hand": eyes}),
    ]
    some = [*e.choose.sample(steps, min(2, len(steps))), *e.choose.sample(rest, ASKED - 2)]
    return [Request(browser, "GET", page), Request(None, "GET", api, token=token), *some]


async def answer_to(e, request):
    """All of an answer; of its cookie what it says, which may be a hint."""
    answer = await e.house.ask(
        request.method, request.address, request.headers, request.body, first_only=request.first_only
    )
    reader = request.browser.copy("reader") if request.browser else None
    if reader:
        reader.keep(answer)
    return answer.kept, reader and reader.session


def first_difference(one, other):
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"\n{one[max(0, place - 100) : place + 100]!r}\n{other[max(0, place - 100) : place + 100]!r}"
