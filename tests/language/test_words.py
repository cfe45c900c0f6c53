"""The sentences of the site and the terminal: all of them are translated, none that is gone is
kept, and what is compiled is what is written."""

import gettext
import re
import string
from functools import partial
from pathlib import Path

import pytest
from jinja2 import nodes

import samovar
from samovar.language.grammar import Facts, all_rules
from samovar.language.languages import CATALOGUES, LANGUAGES, listed, own_name
from samovar.language.locale import collect
from samovar.web.drawing.render import environment
from samovar.web.tables.phrases import ACTION_TEXTS, LEVELS, PHRASES

SOURCE = Path(samovar.__file__).parent
TEMPLATES = sorted([*(SOURCE / "web" / "templates").rglob("*.html"), *(SOURCE / "games").rglob("*.html")])


@pytest.fixture(scope="module")
def collected():
    return ids(collect.collected())


def ids(catalogue):
    return {message.id for message in catalogue if message.id}


def texts(message):
    return message.string if isinstance(message.string, tuple) else (message.string,)


@pytest.mark.parametrize("language", collect.TRANSLATED)
def test_every_sentence_is_translated_and_none_is_stale(collected, language):
    kept = collect.kept(language)
    assert ids(kept) == collected, "run `make words`, then translate what is new"
    missing = [message.id for message in kept if message.id and not all(texts(message))]
    assert not missing, f"not translated to {language}: {missing}"
    assert not [message.id for message in kept if message.fuzzy and message.id]


@pytest.mark.parametrize("language", collect.TRANSLATED)
def test_translations_fill_in_the_same_facts(language):
    for message in collect.kept(language):
        if message.id:
            originals = message.id if isinstance(message.id, tuple) else (message.id,)
            wanted = {blank for text in originals for blank in blanks(text)}
            for text in texts(message):
                assert blanks(text) <= wanted, f"{text!r} fills in something else than {originals!r}"
            assert {blank for text in texts(message) for blank in blanks(text)} == wanted, message.id


def blanks(text):
    """The facts of a sentence; `de_name` is a form of `name`."""
    asked = re.findall(rf"%\((?:(?:{'|'.join(all_rules())})_)?(\w+)\)s", text)
    return set(asked) | {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", collect.TRANSLATED)
def test_compiled_sentences_are_those_written(language):
    compiled = gettext.translation("samovar", CATALOGUES, [language])
    for message in collect.kept(language):
        if isinstance(message.id, tuple):
            assert compiled.ngettext(*message.id, 1) == message.string[0]
            assert compiled.ngettext(*message.id, 5) == message.string[1]
        elif message.id:
            assert compiled.gettext(message.id) == message.string


def test_sentences_outside_templates_are_collected(collected):
    """They are marked by hand, so one could be forgotten."""
    assert {*PHRASES, *ACTION_TEXTS.values(), *LEVELS.values()} <= collected
    from samovar.web import problems

    kinds = [kind for kind in vars(problems).values() if isinstance(kind, type) and issubclass(kind, problems.Problem)]
    assert {kind.says for kind in kinds} <= collected
    assert len(kinds) > 10


def test_a_template_with_a_new_sentence_would_be_noticed(tmp_path, monkeypatch):
    (tmp_path / "locale").mkdir()
    (tmp_path / "web" / "templates").mkdir(parents=True)
    (tmp_path / "locale" / "babel.cfg").write_text((CATALOGUES / "babel.cfg").read_text())
    (tmp_path / "web" / "templates" / "new.html").write_text('<p>{{ _("Never said before") }}</p>')
    monkeypatch.setattr(collect, "HERE", tmp_path / "locale")
    monkeypatch.setattr(collect, "PACKAGE", tmp_path)
    assert ids(collect.collected()) == {"Never said before"}


def test_every_language_says_its_own_name():
    assert [own_name(language) for language in LANGUAGES] == ["English", "Deutsch", "Eesti", "Français"]


NAMES = {"name", "names", "by", "own", "other", "game"}  # the blanks that hold what somebody is called


@pytest.mark.parametrize("name", ["Emelya", "Olga", "Hélène", "Invité", "Yann", "Анна"])
def test_french_sentences_read_well_whatever_people_are_called(name):
    wrong = re.compile(
        r"(?<![-\w])(?:de|que|le|la|jusque|lorsque) (?:[aeiouéèêâîôûœ]|h[eéi])| [:;!?]|  |\bde les? ", re.IGNORECASE
    )
    for message in collect.kept("fr"):
        for text in texts(message) if message.id else ():
            told = text % Facts({blank: name if blank in NAMES else 3 for blank in blanks(text)})
            assert not wrong.search(told), told


def test_a_template_asks_for_a_form_and_what_is_filled_in_is_escaped():
    template = environment("fr").from_string('{{ _("Rules of %(game)s", game=game) }}')
    assert template.render(game="Échecs <b>") == "Règles d’Échecs &lt;b&gt;"


def test_names_are_listed_with_a_word_before_the_last():
    assert [listed("en", names) for names in ([], ["Anna"], ["Anna", "Boris"])] == ["", "Anna", "Anna and Boris"]
    assert listed("fr", ["Anna", "Boris", "Chloé"]) == "Anna, Boris et Chloé"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_nothing_in_a_template_is_told_in_one_language_before_it_is_rendered(path):
    """It is compiled once for all languages."""
    of_a_language = [name for name, filter in environment("en").filters.items() if isinstance(filter, partial)]
    assert of_a_language
    for asked in environment("en").parse(path.read_text(encoding="utf-8")).find_all(nodes.Filter):
        if asked.name in of_a_language:
            with pytest.raises(nodes.Impossible):
                asked.node.as_const()
