"""What the moves of a match were worth, by the prospects of every seat before and after each.

Prospects are a vector by seat: first the share of the opponents that it will leave behind, then the
chance of each place. All of it is handled alike, so several moves of a seat in a row, more than two
seats and choices at the same time need nothing of their own.
"""

from __future__ import annotations

import torch
from torch import Tensor


def outcome(rewards: Tensor, seats: Tensor) -> Tensor:
    """By match, seat and prospect: what there was in the end. `rewards` are by place, which orders
    seats as their places do; seats that a match does not have get nothing."""
    most = rewards.shape[-1]
    is_there = torch.arange(most, device=rewards.device) < seats.unsqueeze(-1)
    ahead = (rewards.unsqueeze(-2) > rewards.unsqueeze(-1)) & is_there.unsqueeze(-2)
    places = ahead.sum(-1, keepdim=True) == torch.arange(most, device=rewards.device)
    found = torch.cat([(rewards.unsqueeze(-1) + 1) / 2, places], -1)
    return found * is_there.unsqueeze(-1)


def gains(values: Tensor, outcomes: Tensor, ended: Tensor, trace: float) -> Tensor:
    """How much better than expected each step was (generalised advantage estimation), by step, match,
    seat and prospect. There is one row of values more than of the rest; outcomes count where a match
    ended."""
    found = torch.empty_like(outcomes)
    gain = torch.zeros_like(values[0])
    for step in reversed(range(len(outcomes))):
        is_over = ended[step].unsqueeze(-1).unsqueeze(-1)
        after = torch.where(is_over, outcomes[step], values[step + 1] + trace * gain)
        gain = after - values[step]
        found[step] = gain
    return found


def turned(by_seat: Tensor, actor: Tensor, seats: Tensor, sign: int) -> Tensor:
    """What is by seat counted from the actor (sign -1: made by absolute seat), or the other way round
    (sign 1). The last two dimensions are seat and prospect."""
    number = torch.arange(by_seat.shape[-2], device=actor.device)
    source = (number + sign * actor.unsqueeze(-1)) % seats.unsqueeze(-1)
    return by_seat.gather(-2, source.unsqueeze(-1).expand_as(by_seat))
