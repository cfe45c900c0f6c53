"""A bot as a program of its own: any legal move of any game, all equally likely. It needs Python,
and nothing of samovar."""

import json
import random
import sys

chance = random.Random()


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)  # without the flush nobody hears it


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="ready")
    elif message["type"] == "match":
        chance.seed(message["seed"])
    elif message["type"] == "ask":
        say(type="move", move=chance.choice(message["legal"])["move"])
    elif message["type"] == "quit":
        break
