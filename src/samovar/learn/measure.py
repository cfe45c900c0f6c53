"""How well a network plays, in matches against bots: each deal once with the network in every seat.

In a cooperative game it has no opponents, and beside a bot it shows what the bot can do. So there it has all seats, and
the bot has all of them in the same deals.
"""

from __future__ import annotations

import numpy as np
import torch

from samovar.bots import make_bot
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Options
from samovar.engine.match import Match
from samovar.engine.ways.stand_ins import NO_MOVE
from samovar.learn.network import TorchNet
from samovar.learn.tables import LearnerTables

FIRST_DEAL = 2**40  # far from those that are learned from


def share_won(net: TorchNet, rival: str, variant: Options, deals: int) -> float:
    """The share of its opponents that the network leaves behind, or of the deals in which all together do better with
    it than with the bot; ties count half. 0.5 is as good as the bot, with any number of seats. Without search; the
    network is asked at all tables at once."""
    game, device, seats = net.game, net.embed.device, variant["seats"]
    options = {name: value for name, value in variant.items() if name != "seats"}
    own = np.eye(seats, dtype=np.bool_)  # who the network is in the matches of a deal
    if game.is_together(seats):
        own = np.array([[True] * seats, [False] * seats])
    matches = [Match(game, seats, FIRST_DEAL + deal, **options) for deal in range(deals) for _ in own]
    is_own = np.tile(own, (deals, 1))
    tables = LearnerTables(game, len(matches), [variant], 0, restart=False)
    tables.put(np.concatenate([match.states for match in matches]))
    batch = tables.batch
    bots = {
        (table, seat): make_bot(rival, game, derive_seed(table, seat)) for table, seat in np.argwhere(~is_own).tolist()
    }
    pay, chance = np.zeros((len(matches), seats)), np.random.default_rng(0)
    while (actor := batch.actor.copy()).max() >= 0:
        moves = np.full(len(matches), NO_MOVE, np.int64)
        acts = is_own[np.arange(len(matches)), actor] & (actor >= 0)
        if acts.any():
            seen = (rows.to(device) for rows in (tables.planes, tables.factors, tables.counts))
            with torch.no_grad():
                scores = net(*seen).scores.cpu().numpy()
            best = (scores + chance.random(scores.shape) / 1000).argmax(1)  # among equals any
            moves = np.where(acts, batch.legal_moves[np.arange(len(best)), best], moves)
        for table, seat in enumerate(actor.tolist()):
            if seat >= 0:
                if not acts[table]:
                    moves[table] = bots[table, seat].choose(matches[table].seat(seat)).move
                matches[table].play(seat, int(moves[table]))
        batch.step(moves)
        pay += np.where(batch.ended[:, None], batch.rewards, 0)
    for bot in bots.values():
        bot.close()
    if game.is_together(seats):
        return float((np.sign(pay[::2, 0] - pay[1::2, 0]).mean() + 1) / 2)
    return float((pay[is_own].mean() + 1) / 2)
