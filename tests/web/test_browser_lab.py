"""The lab in a browser: ordered, watched and stopped, with scripts, without them, and by keys alone."""

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser


def test_an_order_on_a_phone_fills_in_by_itself(visit):
    reader = visit("phone", language="fr-FR")
    reader.go("/")
    reader.press(reader.page.get_by_role("link", name="Laboratoire"))
    reader.press(reader.page.get_by_role("link", name="Connect Four"))
    reader.page.wait_for_url("**/lab?game=connect_four")
    assert reader.runs_over() <= 0
    assert barriers(reader.page) == []
    reader.page.uncheck("#players-easy")
    reader.press(reader.page.get_by_role("button", name="Mesurer"))
    reader.page.wait_for_url("**/lab/*")
    loads = reader.loads
    reader.page.get_by_role("link", name="Lire le rapport").wait_for(timeout=150_000)
    assert reader.loads == loads, "the page was not loaded anew"
    assert reader.page.get_by_role("button", name="Arrêter et garder").count() == 0
    assert reader.runs_over() <= 0
    assert barriers(reader.page) == []
    reader.press(reader.page.get_by_role("link", name="Lire le rapport"))
    reader.page.wait_for_url("**/report")
    assert reader.page.title() == "Laboratoire\u00a0: Connect Four"
    assert reader.page.locator("html").get_attribute("lang") == "fr"
    assert reader.page.get_by_role("heading", name="Joué au hasard").is_visible()
    assert reader.runs_over() <= 0


def test_without_scripts_the_page_is_loaded_anew_until_it_is_stopped(visit):
    plain = visit("scriptless")
    plain.go("/lab?game=connect_four")
    plain.page.check("input[name=seconds][value='300']")
    plain.press(plain.page.get_by_role("button", name="Measure", exact=True))
    plain.page.get_by_role("link", name="Look at what there is so far").wait_for(timeout=150_000)
    plain.press(plain.page.get_by_role("button", name="Stop and keep"))
    plain.page.get_by_role("link", name="Read the report").wait_for(timeout=30_000)
    assert "What was measured until then is kept." in plain.page.locator("[role=status]").text_content()


def test_keys_are_enough(visit):
    typist = visit("mouse")
    typist.go("/lab?game=connect_four")
    typist.page.focus("input[name=seconds]:checked")
    typist.page.keyboard.press("ArrowRight")
    typist.page.keyboard.press("Tab")
    typist.page.keyboard.press("Enter")
    typist.page.wait_for_url("**/lab/*")
    stop = typist.page.get_by_role("button", name="Stop and keep")
    stop.focus()
    typist.page.locator("progress:not([value='0'])").wait_for(timeout=150_000)
    assert stop.evaluate("button => button === document.activeElement"), "what is swapped does not take the focus away"
    typist.page.keyboard.press("Enter")
    typist.page.locator("[data-unfinished]").wait_for(state="detached", timeout=30_000)
