"""`python -m support.hostile --seconds 60 --seed 7`: evenings of the hostile visitor until the time is up; the last
fifth of it at a site in a process of its own, which is killed."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

from .evening import Tally, spend
from .houses import Fault
from .killing import spend_killing

AN_EVENING = 1000  # deeds
KILLING = 0.2  # of the time


def main():
    parser = argparse.ArgumentParser(prog="hostile", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deeds", type=int, default=10**9)
    asked = parser.parse_args()
    began, tally, seed = time.monotonic(), Tally(), asked.seed
    until = began + asked.seconds
    try:
        while tally.deeds < asked.deeds and time.monotonic() < until - asked.seconds * KILLING:
            asyncio.run(spend(seed, min(AN_EVENING, asked.deeds - tally.deeds), tally))
            seed += 1
        seed = asked.seed
        if tally.deeds < asked.deeds:
            asyncio.run(spend_killing(seed, asked.deeds - tally.deeds, tally, until))
    except Fault as fault:
        print(fault)
        print(f"Again: make fuzz SEED={seed}")
        sys.exit(1)
    seconds, used = time.monotonic() - began, time.process_time()
    print(tally.told())
    print(f"{seconds:.0f} s, {tally.deeds / seconds:.0f} deeds/s, {used:.0f} s of the processor: nothing found")


if __name__ == "__main__":
    main()
