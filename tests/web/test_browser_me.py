"""A page of one's own in a real browser: signs, a link to a phone, pace and sound that go along, tables
that are hidden and left."""

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser


def make_page(guest, name="Anna", mark="moon", colour="plum"):
    guest.go("/me")
    guest.fill("#name", name)
    for field, value in (("mark", mark), ("colour", colour)):
        choose(guest, field, value)
    guest.press(guest.page.locator(".me-form button.primary"))
    guest.page.locator("#devices").wait_for()


def choose(guest, field, value):
    """A chip; by keyboard with the arrows."""
    chip = guest.page.locator(f'.me-form input[name="{field}"][value="{value}"]')
    if guest.manner == "keyboard":
        guest.walk_to(guest.page.locator(f'.me-form input[name="{field}"]:checked'))
        for _ in range(10):
            if chip.is_checked():
                break
            guest.page.keyboard.press("ArrowRight")
    else:
        guest.press(chip)
    assert chip.is_checked()


def own_link(guest):
    return guest.page.locator("#devices .page-link a").get_attribute("href").partition("/me/")[2]


@pytest.mark.parametrize("manner", ["phone", "keyboard", "scriptless"])
def test_a_page_is_made_and_taken_to_another_device(visit, manner):
    anna, phone = visit(manner, language="fr-FR"), visit("phone")
    make_page(anna, "Zoé")
    sign = anna.page.locator("header .mark")
    assert "colour-plum" in sign.get_attribute("class")
    assert "Zoé" in anna.page.locator(".me-link").text_content()
    phone.go(f"/me/{own_link(anna)}")
    phone.press(phone.page.locator("main form button.primary"))
    phone.page.locator("#devices").wait_for()
    assert phone.page.input_value("#name") == "Zoé"
    phone.go("/")
    assert phone.page.input_value("#my-name") == "Zoé"


def test_a_sign_is_seen_in_its_colour_before_it_is_saved(visit):
    anna = visit()
    anna.go("/me")
    before = anna.page.locator(".me-title .mark").inner_html()
    choose(anna, "mark", "fish")
    choose(anna, "colour", "sky blue")
    assert anna.page.locator(".me-title .mark").inner_html() != before
    assert "colour-sky" in anna.page.locator(".me-title .mark").get_attribute("class")


def test_pace_and_sound_go_along_to_another_device(visit):
    anna, phone = visit(pace=None), visit("phone", pace=None)
    make_page(anna)
    anna.open_table("babuschka", 2, bots=1)
    with anna.page.expect_response("**/me/comfort") as kept:
        anna.press(anna.page.locator('#pace input[value="250"]'))
    assert kept.value.status == 204
    with anna.page.expect_response("**/me/comfort"):
        anna.press(anna.page.locator("#sound"))
    table = anna.page.url
    anna.go("/me")
    assert anna.page.locator('input[name="pace"][value="250"]').is_checked()
    phone.go(f"/me/{own_link(anna)}")
    phone.press(phone.page.locator("main form button.primary"))
    phone.page.locator("#devices").wait_for()
    phone.go(table)
    assert phone.page.locator('#pace input[value="250"]').is_checked()
    assert phone.page.locator("#sound").get_attribute("aria-pressed") == "true"
    phone.go("/me")
    choose(phone, "pace", "1600")
    phone.press(phone.page.locator(".me-form button.primary"))
    phone.page.locator(".me-saved").wait_for()
    anna.go(table)
    assert anna.page.locator('#pace input[value="1600"]').is_checked(), "what was said last holds"


def test_whoever_has_no_page_keeps_the_pace_in_the_browser(visit):
    anna = visit(pace=None)
    anna.open_table("babuschka", 2, bots=1)
    asked = []
    anna.page.on("request", lambda request: asked.append(request.url))
    anna.press(anna.page.locator('#pace input[value="250"]'))
    anna.reload()
    assert anna.page.locator('#pace input[value="250"]').is_checked()
    assert not any("/me/" in url for url in asked)


def test_the_table_of_a_device_that_was_cut_off_is_a_spectators(visit):
    anna, phone = visit(), visit("phone")
    make_page(anna)
    phone.go(f"/me/{own_link(anna)}")
    phone.press(phone.page.locator("main form button.primary"))
    phone.page.locator("#devices").wait_for()
    link = anna.open_table("babuschka", 2, bots=1)
    phone.go(link)
    phone.page.locator("#say").wait_for(state="attached")  # the talk is folded, with a bot alone
    anna.go("/me")
    anna.press(anna.page.locator('form[action="/me/cut-off"] button'))
    anna.page.locator("#devices").wait_for()
    phone.reload()
    assert phone.page.locator("#say").count() == 0
    anna.go(link)
    anna.page.locator("#say").wait_for(state="attached")


def test_tables_are_hidden_and_left(visit):
    anna = visit("phone")
    anna.open_table("babuschka", 2, bots=1)
    anna.open_table("memoarrrr", 2)
    anna.go("/tables")
    assert anna.page.locator(".table-line").count() == 2
    anna.press(anna.page.locator('form[action="/tables/hide"] button').first)
    anna.page.wait_for_url("**/tables")
    anna.page.locator(".table-line").wait_for()
    anna.press(anna.page.locator(".own-actions summary"))
    anna.press(anna.page.locator('form[action="/tables/leave"] button'))
    anna.page.locator(".table-line").wait_for(state="detached")
    anna.go("/tables?hidden")
    assert anna.page.locator(".table-line").count() == 1


@pytest.mark.parametrize(("manner", "language"), [("phone", "fr-FR"), ("phone", "de-DE"), ("mouse", "et-EE")])
def test_pages_of_ones_own_are_no_barrier_and_nothing_runs_over(visit, manner, language):
    anna = visit(manner, language=language)
    make_page(anna, "Wolfeschlegelsteinhausen")
    for game in ("memoarrrr", "babuschka"):
        anna.open_table(game, 2, bots=1)
        anna.resign()
    for address in ("/me", "/tables", "/me/matches", "/me/delete"):
        anna.go(address)
        assert anna.runs_over() <= 0, address
        assert barriers(anna.page) == [], address
    menu = anna.bounds(".site-menu")["height"] if manner == "phone" else 0  # a line of its own, words under drawings
    assert menu < 60
    assert anna.bounds("header.site")["height"] - menu < 70, "one line, also on a phone"
    other = visit("phone", language=language)
    anna.go("/me")
    link = own_link(anna)
    other.open_table("memoarrrr", 2)
    other.go(f"/me/{link}")
    assert other.runs_over() <= 0
    assert barriers(other.page) == []


def test_signs_are_seen_with_forced_colours(visit):
    anna = visit(forced_colors="active")
    make_page(anna)
    colours = anna.page.evaluate(
        """() => [document.querySelector("header .mark"), document.body].map((place) => [
          getComputedStyle(place).fill, getComputedStyle(place).color, getComputedStyle(place).backgroundColor])"""
    )
    assert colours[0][0] == colours[0][1], "drawn in the colour of the text"
    assert colours[0][0] != colours[1][2]
