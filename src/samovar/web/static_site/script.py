"""The scripts that draw: one of each game, one of what stands around all tables, and the words of each language."""

from __future__ import annotations

from functools import cache

from samovar.engine.contract import Game, Option
from samovar.engine.places import percent_of
from samovar.engine.words import words_in
from samovar.language.grammar import all_rules
from samovar.language.languages import translations
from samovar.wasm.facts import NETWORK_LEVEL
from samovar.wasm.script import NoScript, ScriptModule
from samovar.web.drawing.scene import choosers, make_scene, tell_event
from samovar.web.names import Person
from samovar.web.static_site.templates import export_template, sentences_of
from samovar.web.tables.chairs import BOT_NAMES
from samovar.web.tables.hands import has_secrets

HEAD = 'import * as $t from "./templates.mjs";\n'
# what stands around a table, by its name in the script
AROUND = {"pages": "static_play.html", "kit": "kit.html", "choices": "choices.html", "outcome": "outcome.html"}
# of the site, as they are, in this order
SITE_SCRIPTS = ("samovar", "pace", "steps", "layout", "several", "lens", "keyboard")
MOST_COUNTED = 200  # the forms of a noun are the same from 2 on, or it is not known how to say them
MORE_SENTENCES = ("%(names)s and %(name)s", "bot", "Guest")


def template_of(game: Game) -> str:
    return f"games/{game.id}/table.html" if game.face else "plain_table.html"


def table_script(game: Game) -> str:
    """A module that draws the tables of a game."""
    script = ScriptModule([(game.face.examples, "$.dict([])")] if game.face else ())
    exported = {
        "make_scene": make_scene,
        "tell_event": tell_event,
        "choosers": choosers,
        "Person": Person,
        "view": game.view,
        "faded": game.faded,
        "move_text": game.move_text,
        "parse_move": game.parse_move,
        "face": game.face,
        "tell_move": game.tell_move,
        "draw": None if game.face else game.draw,
        "about": {
            "has_secrets": has_secrets(game),
            "levels": [level for level in game.heuristics.offered if level != NETWORK_LEVEL],
            "options": [_option(option) for option in game.own_options],
        },
    }
    for name, thing in exported.items():
        script.export(name, thing)
    export_template(script, template_of(game), "table")
    return HEAD + script.text()


def _option(option: Option) -> dict[str, object]:
    facts = {"name": option.name, "help": option.help, "usual": option.default}
    if isinstance(option.default, bool):
        return {**facts, "kind": "switch"}
    if isinstance(option.choices, range):
        return {**facts, "kind": "number", "least": option.choices[0], "most": option.choices[-1]}
    return {**facts, "kind": "choice", "choices": tuple(option.choices)}


@cache
def pages_script() -> str:
    """A module that draws what stands around every table."""
    script = ScriptModule()
    script.export("bot_names", BOT_NAMES)
    script.export("site_scripts", SITE_SCRIPTS)
    script.export("percent_of", percent_of)
    for known_as, name in AROUND.items():
        export_template(script, name, known_as)
    return HEAD + script.text()


def words_script(game: Game, language: str) -> str:
    """What the table of a game says in a language."""
    script = ScriptModule()
    script.export("words", words_in(game, language))
    script.export("sentences", _sentences(game, language))
    script.export("counted", _forms(language))
    script.export("rules", all_rules())
    return script.text()


def _sentences(game: Game, language: str) -> dict[str, str | list[str]]:
    found = frozenset[str | tuple[str, str]]().union(*map(sentences_of, (*AROUND.values(), template_of(game))))
    catalogue = translations(language)
    texts = sorted({*MORE_SENTENCES, *game.heuristics.offered, *(text for text in found if isinstance(text, str))})
    counted = sorted(text for text in found if isinstance(text, tuple))
    return {text: catalogue.gettext(text) for text in texts} | {
        one: [catalogue.ngettext(one, many, number) for number in range(3)] for one, many in counted
    }


def _forms(language: str) -> bool:
    """Whether from 2 on all numbers take the same form, as they do in all languages there are."""
    tell = translations(language).ngettext
    if len({tell("%(num)s point", "%(num)s points", number) for number in range(2, MOST_COUNTED)}) > 1:
        raise NoScript(f"locale/{language}", 1, "a noun that has several plurals")
    return True
