"""A look at a game's table without a server: `python -m samovar.web.drawing.preview matryoshka --seats 4
--moves 30 --seat 0 -o table.html`

Writes one page that holds all it needs, to open in a browser or to take a picture of. For those who
draw a game.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.language.languages import LANGUAGES
from samovar.web.drawing.render import HERE, art, draw_sheet, draw_table
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person

NAMES = ("Anna", "Boris", "Chloé", "Dmitri", "Élise")


def page(match: Match, seat: int | None, language: str = "en", picked: tuple[str, ...] = (), **more: Any) -> str:
    """The table as one viewer sees it."""
    people = [
        Person(NAMES[number], "person" if number in (seat, 0) else "bot", "" if number in (seat, 0) else "medium")
        for number in range(match.seats)
    ]
    scene = make_scene(match, seat, language, people, picked=picked, **more)
    style = "".join(
        path.read_text(encoding="utf-8")
        for path in (HERE / "static" / "samovar.css", Path(match.game.folder) / "table.css")
        if path.exists()
    )
    sheet = draw_sheet(scene) if match.over else ""
    prompt = f'<h1>{match.game.name}</h1><p class="prompt">{scene.prompt if scene.choices else ""}</p>'
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width, initial-scale=1">'
        f"<title>{match.game.name}</title><style>{style}</style><body>{art(match.game)}"
        f'<main class="table game-{match.game.id}">{prompt}<form '
        f'id="move">{draw_table(scene)}</form>{sheet}</main></body></html>'
    )


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("game")
    asked.add_argument("--seats", type=int)
    asked.add_argument("--moves", type=int, default=10, help="random moves made before")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument(
        "--seat", default="actor", help="whose eyes: a number, 'actor' (whoever is to move) or 'nobody' (a spectator)"
    )
    asked.add_argument("--language", choices=LANGUAGES, default="en")
    asked.add_argument("--pick", action="append", default=[])
    asked.add_argument("--memory", action="store_true")
    asked.add_argument("--open", action="store_true")
    asked.add_argument("--option", action="append", default=[], help="name=value")
    asked.add_argument("-o", "--output", type=Path, required=True)
    chosen = asked.parse_args()
    game = find_game(chosen.game)
    options = {
        name: next(o for o in game.options if o.name == name).parse(value)
        for name, _, value in (text.partition("=") for text in chosen.option)
    }
    match = Match(game, chosen.seats, chosen.seed, plain=True, **options)
    match.play_random(chosen.seed, limit=chosen.moves)
    actor = match.actors[0] if match.actors else 0
    seat = {"actor": actor, "nobody": None}.get(chosen.seat, int(chosen.seat) if chosen.seat.isdigit() else None)
    chosen.output.write_text(
        page(match, seat, chosen.language, tuple(chosen.pick), helps_memory=chosen.memory, is_open=chosen.open),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
