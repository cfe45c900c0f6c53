"""A table that is drawn in a browser is the one that the site draws, byte for byte: of every game, for every seat and a
spectator, in every language."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from samovar.engine.face import BrowserFace
from samovar.engine.match import Match
from samovar.engine.registry import find_game
from samovar.language.languages import LANGUAGES
from samovar.testing.wasm import find_node
from samovar.wasm.facts import facts_of
from samovar.web.drawing.render import draw_sheet, draw_table, draw_told
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person
from samovar.web.static_site.files import write_drawing

DRIVER = Path(__file__).with_name("drawn.mjs")
MATCHES: list[tuple[str, int, dict[str, Any]]] = [
    ("babuschka", 4, {}),
    ("matryoshka", 5, {"long_columns": "cap"}),
    ("memoarrrr", 4, {"expert": True}),
    ("varvitikud", 3, {"half_turn": True}),
    ("connect_four", 2, {}),
]
SEED = 3
PEOPLE = [Person("Anna"), Person("Boris <b>", "bot", "medium"), Person("Chloé"), Person("Dmitri"), Person("Élise")]
WISHES = {"helps": "helps_memory", "isOpen": "is_open", "holds": "holds"}


def wishes_at(match: Match) -> list[dict[str, Any]]:
    """In which ways it is looked at."""
    return [{"holds": True}, {"isOpen": True}] if match.over else [{}, {"helps": True, "holds": True}]


def drawn(match: Match, viewer: int | None, language: str, people: list[Person], wishes: dict[str, Any]) -> list[str]:
    known = {WISHES[name]: value for name, value in wishes.items() if name in WISHES}
    scene = make_scene(match, viewer, language, people, picked=wishes.get("picked", ()), **known)
    told = draw_told(scene, scene.view.news)[1]
    return [str(draw_table(scene)), scene.prompt, str(told), str(draw_sheet(scene)) if match.over else ""]


def first_step(match: Match, viewer: int | None, people: list[Person]) -> list[dict[str, Any]]:
    """With the first step of a move made, where moves have several."""
    choices = make_scene(match, viewer, "en", people).choices
    names = [choice.name for choice in choices if choice.move is None]
    return [{"picked": names[:1]}] if names else []


def told_position(match: Match, at: int) -> dict[str, Any]:
    now = match.at(at)
    return {
        "bytes": now.state_bytes.hex(),
        "before": match.at(at - 1).state_bytes.hex() if at else "",
        "moves": at,
        "legal": [now.legal(seat) for seat in range(now.seats)],
        "actors": now.actors,
        "over": now.over,
        "scores": now.scores,
        "places": now.places,
        "success": now.success if now.over else None,
    }


def under_way(match: Match) -> int:
    """The last move that takes away what somebody has to look at first, where the game has such moves."""
    last, face = len(match.history), match.game.face
    if face is None or face.holds is BrowserFace().holds:
        return last * 2 // 3
    return next(at for at in range(last - 1, 0, -1) if face.holds(match.at(at).view(None)))


@pytest.mark.parametrize(("game", "seats", "options"), MATCHES, ids=[name for name, *_ in MATCHES])
def test_the_browser_draws_what_the_site_draws(tmp_path: Path, game: str, seats: int, options: dict[str, Any]) -> None:
    """At the beginning, under way and at the end of a match."""
    match = Match(find_game(game), seats, SEED, plain=True, **options)
    match.play_random(SEED)
    last = len(match.history)
    people = PEOPLE[:seats]
    positions, expected = [], []
    for at in (0, under_way(match), last):
        now = match.at(at)
        asked: list[tuple[int | None, str, dict[str, Any]]] = []
        for viewer in (None, *range(seats)):
            asked += [(viewer, "en", wish) for wish in (*wishes_at(now), *first_step(now, viewer, people))]
        asked += [(now.actors[0] if now.actors else None, language, {}) for language in LANGUAGES]
        expected.append([drawn(now, *one[:2], people, one[2]) for one in asked])
        positions.append({**told_position(match, at), "asked": asked})
    write_drawing(match.game, tmp_path)
    told = {
        "facts": {name: fact for name, fact in facts_of(match.game).items() if name in ("game", "name", "state")},
        "people": [{"name": one.name, "kind": one.kind, "level": one.level} for one in people],
        "positions": positions,
    }
    (tmp_path / "told.json").write_text(json.dumps(told), encoding="utf-8")
    done = subprocess.run([find_node(), DRIVER, tmp_path], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected
    assert sum(map(len, expected)) > 3 * seats
