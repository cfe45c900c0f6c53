"""The page of what the site keeps is made from what it does keep."""

import pytest

from samovar.language.languages import LANGUAGES
from samovar.web.pages.privacy import KEPT, notes_of
from samovar.web.site import Site
from samovar.web.store.declared import metadata
from support.visitors import SECRET, Visitor, running


def test_every_table_of_the_database_is_told_of():
    told = [table for part in KEPT for table in part.tables]
    assert sorted(told) == sorted(metadata.tables)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_can_read_it_in_their_language(tmp_path, language):
    with running(tmp_path, entry="invited") as client:
        stranger = Visitor(client, language)
        page = stranger.go("/privacy")
        assert stranger.status == 200
        english = Visitor(client).go("/privacy").words
        assert (page.words == english) == (language == "en")


def test_it_tells_how_this_site_is_run():
    def told(days=0, **facts):
        return " ".join(notes_of(Site("", SECRET, **facts), days))

    assert "invited" in told(entry="invited")
    assert "proxy" in told(entry="header")
    assert "e-mail" in told(mail_server="smtp://mail")
    assert "e-mail" not in told()
    assert "removed by themselves" in told(days=30)
    assert "removed by themselves" not in told()
