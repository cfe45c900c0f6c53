"""Templates, the site's and the games', in each language."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import _lru_cache_wrapper, cache, lru_cache, partial
from pathlib import Path
from types import CodeType
from typing import Any, TypeAlias, TypeVar

from jinja2 import BytecodeCache, ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined, Template
from jinja2.bccache import Bucket
from jinja2.environment import TemplateModule
from jinja2.runtime import Context
from jinja2.utils import missing
from markupsafe import Markup, escape

from samovar.engine.contract import Event, Game, Words
from samovar.engine.places import percent_of
from samovar.engine.registry import find_game
from samovar.engine.words import words_in
from samovar.language.grammar import Facts
from samovar.language.languages import listed, translations
from samovar.web.base_path import place, under
from samovar.web.drawing.clock_words import allowance_text, clock_text, left_text
from samovar.web.drawing.quick import QuickWriter, make_macro, markup
from samovar.web.drawing.scene import MarkedMoves, TableScene, choosers, tell_event
from samovar.web.names import Person
from samovar.web.people.family import sign_of

Thing = TypeVar("Thing")
HERE = Path(__file__).parents[1]
INSIGHT = HERE.parent / "insight"  # what reviews are drawn with
# what is a visitor's own is a mark in what was drawn, so that many can share it; all marks begin like this
MARK = f"mark{secrets.token_hex(12)}"
TOKEN_MARK = f"{MARK}token;"  # in forms
KEPT = 2048  # pieces of each macro that is kept


class QuickContext(Context):
    """Calls what a template calls with fewer questions: a fifth of the time to draw a table went
    into them."""

    def call(self, called: Any, /, *args: Any, **facts: Any) -> Any:
        if not facts and type(called) is _lru_cache_wrapper:
            return called(*args)
        if hasattr(called, "jinja_pass_arg"):  # it wants to know the context, as those that translate do
            return super().call(called, *args, **facts)
        if not facts:
            return called(*args)
        facts.pop("_loop_vars", None)
        facts.pop("_block_vars", None)
        return called(*args, **facts)


class QuickTemplate(Template):
    """Asks nothing again that is the same for all templates of a language: they share their globals,
    so what one imports from another is made once, and what is escaped already stays as it is."""

    @classmethod
    def from_code(cls, environment: Environment, code: Any, globals: Any, uptodate: Any = None) -> Template:
        made = super().from_code(environment, code, globals, uptodate)
        made.root_render_func.__globals__.update(escape=escaped, Macro=make_macro)
        return made

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:
        if self._module is None:
            self._module = self.make_module()
        return self._module

    def new_context(self, vars: Any = None, shared: bool = False, locals: Any = None) -> Context:
        if not shared:
            return super().new_context(vars, shared, locals)
        known = {name: value for name, value in (locals or {}).items() if value is not missing}
        return self.environment.context_class(
            self.environment, {**vars, **known} if known else vars, self.name, self.blocks
        )


class QuickEnvironment(Environment):
    """Finds templates by their name alone, for the files of a running site do not change."""

    template_class = QuickTemplate
    context_class = QuickContext
    code_generator_class = QuickWriter

    def __init__(self, **settings: Any) -> None:
        super().__init__(auto_reload=False, **settings)
        self._found: dict[Any, Template] = {}

    def preprocess(self, source: str, name: str | None = None, filename: str | None = None) -> str:
        return super().preprocess(place(source), name, filename)

    def get_template(self, name: Any, parent: Any = None, globals: Any = None) -> Template:
        if name not in self._found:
            self._found[name] = super().get_template(name, parent, globals)
        return self._found[name]


class SharedCode(BytecodeCache):
    """A template is compiled once for all languages, which differ in what it is rendered with: that took as long as all
    else in the first pages of a site. So no filter that knows its language may be asked about what stands in a template
    itself, which would be answered then, in one language for all."""

    def __init__(self) -> None:
        self._code: dict[str, tuple[str, CodeType | None]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        checksum, code = self._code.get(bucket.key, ("", None))
        bucket.code = code if checksum == bucket.checksum else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = bucket.checksum, bucket.code


SHARED = SharedCode()


def escaped(value: object) -> Markup:
    kind = type(value)
    if kind is Markup:
        return value  # type: ignore[return-value]
    return _escaped(value) if kind in (str, int) else escape(value)


_escaped = lru_cache(KEPT, typed=True)(escape)  # names of places and classes, numbers: the same all the time


@cache
def environment(language: str) -> Environment:
    """One for each language: a template asks for a sentence with `_()` and gets it in the
    reader's."""
    environment = QuickEnvironment(
        loader=ChoiceLoader([FileSystemLoader([HERE / "templates", INSIGHT]), FunctionLoader(_game_template)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
        bytecode_cache=SHARED,
    )
    environment.filters["iso_time"] = iso_time
    environment.filters.update(
        clock=clock_text, time_left=partial(left_text, language), allowance=partial(allowance_text, language)
    )
    environment.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined]
    # both names: the one that templates use would ask for the other each time
    environment.globals["_"] = environment.globals["gettext"] = partial(_gettext, language)
    environment.filters["percent_of"] = percent_of
    environment.globals["listed"] = partial(listed, language)
    environment.globals["language"] = language
    environment.globals["token_mark"] = TOKEN_MARK
    environment.globals.update(kept=kept, each=each, sign_of=sign_of, under=under, choosers=choosers)
    # for sentences that are not written in a template; nothing is filled in
    environment.globals["tell"] = translations(language).gettext
    return environment


def iso_time(seconds: int) -> str:
    """A moment for browsers, which know where their reader is."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _gettext(language: str, sentence: str, /, **facts: object) -> Markup:
    """A sentence in the reader's language, filled in with the forms that it asks for."""
    return _translated(language, sentence) % Facts(facts) if facts else _plain(language, sentence)


@lru_cache(KEPT)
def _translated(language: str, sentence: str) -> Markup:
    return Markup(translations(language).gettext(sentence))


@lru_cache(KEPT)
def _plain(language: str, sentence: str) -> Markup:
    """A sentence with nothing to fill in; a percent sign is doubled in the catalogue all the same."""
    return _translated(language, sentence) % {}


def kept(macro: Callable[..., Markup], pieces: int = KEPT) -> Callable[..., Markup]:
    """A macro whose pieces are kept by all its arguments: from one move to the next most of a table
    stays as it is. A scene cannot be hashed, so nobody gets what was drawn for somebody else."""
    return lru_cache(maxsize=pieces, typed=True)(macro)


def each(macro: Callable[[Thing], Markup], things: Iterable[Thing]) -> Markup:
    """The pieces of many things, a line each: a loop in a template takes three times as long."""
    return markup("\n".join(map(macro, things)))


def _game_template(name: str) -> str | None:
    """`games/ID/table.html` is the file in the game's folder."""
    folder, _, rest = name.partition("/")
    game_id, _, file = rest.partition("/")
    if folder != "games" or file != "table.html":
        return None
    path = Path(find_game(game_id).folder) / file
    return path.read_text(encoding="utf-8") if path.exists() else None


PageFacts: TypeAlias = dict[str, object]  # what a template is given, by name


def render(template: str, language: str, facts: Mapping[str, object]) -> str:
    return render_with(template, language, shared_facts(language, facts))


def shared_facts(language: str, facts: Mapping[str, object]) -> PageFacts:
    """With what all templates of the language know, for several of them: to put these together again
    for each part of a page took as long as to draw a small one."""
    return {**environment(language).globals, **facts}


def render_with(template: str, language: str, shared: PageFacts) -> str:
    found = _template(language, template)
    try:
        return "".join(found.root_render_func(found.new_context(shared, shared=True)))
    except Exception:
        found.environment.handle_exception()  # which names the line of the template


@cache
def _template(language: str, name: str) -> Template:
    return environment(language).get_template(name)


def draw_table(scene: TableScene) -> Markup:
    """The table as the game's face draws it, or as text; where moves are marked, with their arrows."""
    return _draw(scene, "table") + _draw_arrows(scene)


def _draw_arrows(scene: TableScene) -> Markup:
    """They have no places yet: only a browser knows where things are, and `arrows.js` asks it."""
    if not isinstance(scene.choices, MarkedMoves) or not scene.choices.hops:
        return Markup("")
    return Markup(render("parts/arrows.html", scene.language, {"hops": scene.choices.hops}))


def draw_after(scene: TableScene) -> Markup:
    """The pieces that take the places of those that a board holds."""
    return _draw(scene, "after")


def draw_sheet(scene: TableScene) -> Markup:
    """The score sheet of a match that is over."""
    return _draw(scene, "sheet")


def draw_told(scene: TableScene, events: tuple[Event, ...]) -> tuple[str, str]:
    """What happened in words, and with the pictures that the game's face has for it."""
    told = [_told(scene.game, scene.language, scene.people, event) for event in events]
    return " ".join([text for text, _ in told]), " ".join([drawn for _, drawn in told])


@lru_cache(KEPT)
def _told(game: Game, language: str, people: tuple[Person, ...], event: Event) -> tuple[str, str]:
    """Kept by all that it depends on: most of what happens is told to several viewers, in the same words."""
    text = tell_event(words_in(game, language), people, event)
    pictures = getattr(_macros(game, language), "told", None)
    return text, escape(text) + (Markup(pictures(event)) if pictures else "")


def _draw(scene: TableScene, macro: str) -> Markup:
    return Markup(getattr(_macros(scene.game, scene.language), macro)(scene))


@cache
def _macros(game: Game, language: str) -> TemplateModule:
    """The template of a game, with what is the same for everybody who looks at it."""
    name = f"games/{game.id}/table.html" if game.face else "plain_table.html"
    words = words_in(game, language)
    return (
        environment(language)
        .get_template(name)
        .make_module({"face": game.face, "words": words, "say": partial(_say, words)})
    )


def _say(words: Words, key: str, /, **facts: object) -> str:
    return words[key].format(**facts)


@cache
def art(game: Game) -> Markup:
    """The drawings of a game, to be put once into a page."""
    path = Path(game.folder) / "art.svg"
    return Markup(path.read_text(encoding="utf-8")) if game.face and path.exists() else Markup("")
