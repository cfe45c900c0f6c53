"""A site under a path of its host, in a browser: scripts, streams and the service worker find their way."""

import pytest

from samovar.client import Client
from support.browsers import Guest
from support.under_a_path import site_under_a_path

pytestmark = pytest.mark.browser


def test_scripts_find_their_way(browser, tmp_path):
    with site_under_a_path(tmp_path) as site:
        made = Client(site).make_table("connect_four", chairs=["token", "token"], options={"first": 0})
        anna = Guest(browser, site)
        try:
            anna.go(made.page)
            made.seats[0].play("d")
            anna.wait_for("document.querySelector('[data-table]').dataset.state.startsWith('1.')")
            scope = anna.page.evaluate("() => navigator.serviceWorker.ready.then((worker) => worker.scope)")
            assert scope == f"{site}/"
            assert anna.page.evaluate("() => caches.match('/games/offline').then(Boolean)")
            assert anna.complaints == []
        finally:
            anna.context.close()
