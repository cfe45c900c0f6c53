"""The review of a match in a browser: it fills in while one waits, and can be read by everybody."""

import pytest

from samovar.engine.records.record import to_text
from support.browsers import barriers
from support.records import THROWN, played

pytestmark = pytest.mark.browser


def test_a_review_comes_by_itself_and_fits_a_phone(visit, tmp_path):
    """From a file to its end; then for somebody without scripts, who gets what was found."""
    (tmp_path / "match.json").write_text(to_text(played(THROWN, begin=5)), encoding="utf-8")
    reader = visit("phone")
    reader.go("/record")
    reader.page.set_input_files("#record", tmp_path / "match.json")
    reader.press(reader.page.get_by_role("button", name="Review this game"))
    reader.page.locator("#moments").wait_for(timeout=150_000)
    loads = reader.loads
    assert reader.page.locator("[data-unfinished]").count() == 0
    assert reader.page.locator(".review-moment").count() == 1, "the win that was thrown away"
    assert "Anna" in reader.page.locator(".review-moment h3").first.text_content()
    assert reader.runs_over() <= 0
    assert loads <= 3, "the page was not loaded anew"
    assert barriers(reader.page) == []
    reader.press(reader.page.locator(".review-moment summary"))
    reader.press(reader.page.get_by_role("link", name="Look at it in the game").first)
    reader.page.locator(".replay-at").wait_for()
    assert "eyes=0" in reader.page.url
    address = reader.page.url.partition("?")[0] + "/review"
    plain = visit("scriptless")
    plain.go(address)
    assert plain.page.locator(".curve polyline").count() == 2
    assert plain.page.locator(".review-moment").count() >= 1
