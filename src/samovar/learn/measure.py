"""How well a network plays, in matches against bots: each deal once with the network in every seat."""

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
    """The share of its opponents that the network leaves behind, ties counting half: 0.5 is as good as
    the bot, with any number of seats. Without search; the network is asked at all tables at once."""
    game, device = net.game, net.embed.device
    options = {name: value for name, value in variant.items() if name != "seats"}
    seats = variant["seats"]
    matches = [Match(game, seats, FIRST_DEAL + deal, **options) for deal in range(deals) for _ in range(seats)]
    own = np.arange(len(matches)) % seats
    tables = LearnerTables(game, len(matches), [variant], 0, restart=False)
    tables.put(np.concatenate([match.states for match in matches]))
    batch = tables.batch
    bots = {
        (table, seat): make_bot(rival, game, derive_seed(table, seat))
        for table in range(len(matches))
        for seat in range(seats)
        if seat != own[table]
    }
    pay, chance = np.zeros(len(matches)), np.random.default_rng(0)
    while (actor := batch.actor.copy()).max() >= 0:
        moves = np.full(len(matches), NO_MOVE, np.int64)
        if (actor == own).any():
            seen = (rows.to(device) for rows in (tables.planes, tables.factors, tables.counts))
            with torch.no_grad():
                scores = net(*seen).scores.cpu().numpy()
            best = (scores + chance.random(scores.shape) / 1000).argmax(1)  # among equals any
            moves = np.where(actor == own, batch.legal_moves[np.arange(len(best)), best], moves)
        for table, seat in enumerate(actor.tolist()):
            if seat >= 0:
                if seat != own[table]:
                    moves[table] = bots[table, seat].choose(matches[table].seat(seat)).move
                matches[table].play(seat, int(moves[table]))
        batch.step(moves)
        pay += np.where(batch.ended, batch.rewards[np.arange(len(own)), own], 0)
    for bot in bots.values():
        bot.close()
    return float((pay.mean() + 1) / 2)
