"""The script of one game: its view, texts and drawing, and the words of each language beside it."""

from __future__ import annotations

from samovar.engine.contract import Game
from samovar.engine.words import words_in
from samovar.language.grammar import all_rules
from samovar.language.languages import translations
from samovar.wasm.script import Script
from samovar.web.drawing.scene import choosers, make_scene, tell_event
from samovar.web.names import Person
from samovar.web.static_site.templates import export_template, sentences_of

HEAD = 'import * as $t from "./templates.mjs";\n'


def template_of(game: Game) -> str:
    return f"games/{game.id}/table.html" if game.face else "plain_table.html"


def table_script(game: Game) -> str:
    """A module that draws the tables of a game."""
    script = Script([(game.face.examples, "$.dict([])")] if game.face else ())
    exported = {
        "make_scene": make_scene,
        "tell_event": tell_event,
        "choosers": choosers,
        "Person": Person,
        "view": game.view,
        "move_text": game.move_text,
        "parse_move": game.parse_move,
        "face": game.face,
        "tell_move": game.tell_move,
    }
    for name, thing in exported.items():
        script.export(name, thing)
    export_template(script, "kit.html", "kit")
    export_template(script, template_of(game), "table")
    return HEAD + script.text()


def words_script(game: Game, language: str) -> str:
    """What the table of a game says in a language."""
    script = Script()
    script.export("words", words_in(game, language))
    tell = translations(language).gettext
    texts = sorted({*sentences_of(["kit.html", template_of(game)]), *game.heuristics.offered})
    script.export("sentences", {text: tell(text) for text in texts})
    script.export("rules", all_rules())
    return script.text()
