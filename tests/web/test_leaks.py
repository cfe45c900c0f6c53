"""The kit's look at the site notices every way out: pages, parts, the stream, the API and
errors."""

import pytest

from samovar.engine.registry import find_game
from samovar.language.languages import LANGUAGES
from samovar.testing import site
from samovar.web import problems
from samovar.web.api import api
from samovar.web.drawing import looks
from samovar.web.tables.table import Table

MEMOARRRR = find_game("memoarrrr")


def check():
    site.check_site(MEMOARRRR, 2, {}, seed=3, looks=1)


def test_a_sound_site_passes():
    check()


def test_a_leak_in_the_name_of_a_state_is_noticed(monkeypatch):
    monkeypatch.setattr(looks, "state_of", lambda table: f"{hash(table.playing.state_bytes)}")
    with pytest.raises(AssertionError, match="'page' tells worlds apart"):
        check()


def test_a_leak_in_a_picture_is_noticed(monkeypatch):
    honest = looks.make_scene
    monkeypatch.setattr(looks, "make_scene", lambda match, *rest, **more: honest(match, *rest, **more, is_open=True))
    with pytest.raises(AssertionError, match="tells worlds apart"):
        check()


def test_a_leak_in_one_language_is_noticed(monkeypatch):
    honest = looks.make_scene

    def telling(match, viewer, language, *rest, **more):
        return honest(match, viewer, language, *rest, **more, is_open=language == LANGUAGES[-1])

    monkeypatch.setattr(looks, "make_scene", telling)
    with pytest.raises(AssertionError, match="'translated' tells worlds apart"):
        check()


def test_a_leak_in_the_api_is_noticed(monkeypatch):
    honest = api.tell_match

    def telling(told, table, seat, language):
        honest(told, table, seat, language)
        told.news = [table.playing.state_bytes.hex()]

    monkeypatch.setattr(api, "tell_match", telling)
    with pytest.raises(AssertionError, match="'api' tells worlds apart"):
        check()


def test_a_leak_in_an_error_is_noticed(monkeypatch):
    honest = Table.move

    def telling(self, seat, move, ply):
        try:
            return honest(self, seat, move, ply)
        except problems.Problem as problem:
            problem.args = (self.playing.state_bytes.hex(),)
            raise

    monkeypatch.setattr(Table, "move", telling)
    with pytest.raises(AssertionError, match=r"'api (error|refusal)"):
        check()
