"""A bot for Babuschka as a program of its own: it moves the doll that comes nearest to home, as far
as it goes."""

import json
import random
import sys

chance = random.Random()
seat = 0


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def way(start: str, end: str) -> int:
    """How many steps from field to field, as in `c1` to `d3`: 2."""
    return max(abs(ord(start[0]) - ord(end[0])), abs(int(start[1]) - int(end[1])))


def gain(text: str, goal: list[str]) -> float:
    """How much nearer to its goal a move brings a doll; among equals it is left to chance."""
    start, end = text.split("-")
    return min(way(start, field) for field in goal) - min(way(end, field) for field in goal) + chance.random()


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="ready")
    elif message["type"] == "match":
        if message["game"] != "babuschka":
            sys.exit(f"I know how to play babuschka, not {message['game']}.")
        seat = message["seat"]
        chance.seed(message["seed"])
    elif message["type"] == "ask":
        goal = message["view"]["chairs"][seat]["goal"]
        best = max(message["legal"], key=lambda one: gain(one["text"], goal))
        say(type="move", move=best["text"])
    elif message["type"] == "quit":
        break
