"""The first page and the chairs of a table in a real browser: chips on a phone, a name that goes
along, a table that is called off while somebody looks."""

import pytest

from support.browsers import barriers

pytestmark = pytest.mark.browser


# How far down the first page the last of our games says what it is, how long and for whom.
SAID_UNTIL = """() => Math.max(...[...document.querySelectorAll("[aria-labelledby=games] .game-facts")]
  .map((facts) => facts.getBoundingClientRect().bottom))"""


@pytest.mark.parametrize("language", ["en-GB", "de-DE", "et-EE", "fr-FR"])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_ways_to_play_and_all_our_games_are_in_sight_at_once(visit, size, language):
    width, height = size
    anna = visit("phone" if width < 400 else "mouse", language=language)
    anna.page.set_viewport_size({"width": width, "height": height})
    anna.go("/")
    assert anna.page.locator(".play-ways a").count() == 3
    assert anna.page.locator("[aria-labelledby=games] .game-facts").count() == 4
    assert anna.page.evaluate(SAID_UNTIL) <= height
    assert anna.runs_over() <= 0
    assert anna.page.evaluate("document.documentElement.scrollHeight") <= 2000


def test_with_friends_the_link_can_be_shared_from_the_table(visit):
    anna = visit("phone")
    anna.page.add_init_script("navigator.share = async (what) => { window.shared = what; }")
    anna.go("/")
    anna.press(anna.page.get_by_role("link", name="With friends"))
    anna.press(anna.page.locator('form[action="/play/memoarrrr"] .game-play'))
    anna.page.wait_for_url("**/table/*")
    anna.press(anna.page.get_by_role("button", name="Share"))
    assert anna.page.evaluate("window.shared.url") == anna.page.url


@pytest.mark.parametrize("manner", ["phone", "keyboard", "scriptless"])
def test_the_language_is_chosen_in_the_menu(visit, manner):
    anna = visit(manner)
    anna.go("/puzzles")
    anna.press(anna.page.locator(".languages > summary"))
    if manner != "scriptless":  # axe is a script
        assert barriers(anna.page, ("light",)) == []
    assert anna.runs_over() <= 0
    anna.press(anna.page.locator(".languages button[lang=et]"))
    anna.page.locator("html[lang=et]").wait_for()
    assert anna.page.url.endswith("/puzzles")


IS_CUT = """() => [...document.querySelectorAll(".chip, .game-card button, .game-card a, .my-name > *")]
  .filter((place) => {
    const box = place.getBoundingClientRect();
    const card = (place.closest(".game-card") || document.documentElement).getBoundingClientRect();
    const is_short = place.tagName !== "INPUT" && place.scrollWidth > place.clientWidth + 1;
    return is_short || box.left < card.left || box.right > card.right + 0.5;
  }).map((place) => place.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("language", ["de-DE", "et-EE"])
def test_chips_wrap_on_a_phone_and_nothing_is_cut(visit, language):
    anna = visit("phone", language=language)
    anna.go("/")
    for more in anna.page.locator(".game-more > summary").all():
        anna.press(more)
    assert anna.runs_over() <= 0
    assert anna.page.evaluate(IS_CUT) == []
    heights = anna.page.eval_on_selector_all(".chip", "chips => chips.map(chip => chip.getBoundingClientRect().height)")
    assert min(heights) >= 44, "a finger hits it"
    assert barriers(anna.page) == []


@pytest.mark.parametrize("manner", ["phone", "keyboard", "scriptless"])
def test_a_match_begins_with_what_the_chips_say(visit, manner):
    anna = visit(manner)
    anna.go("/")
    card = anna.page.locator('form[action="/play/memoarrrr"]')
    anna.press(card.locator("summary"))
    for name, value in (("seats", "3"), ("level", "easy")):
        chip = card.locator(f'input[name="{name}"][value="{value}"]')
        if manner == "keyboard":
            card.locator(f'input[name="{name}"]:checked').focus()
            anna.page.keyboard.press("ArrowRight" if name == "seats" else "ArrowLeft")
        else:
            anna.press(chip)
        assert chip.is_checked()
    if manner != "scriptless":
        anna.page.fill("#my-name", "Zoé")
    anna.press(card.locator(".game-play"))
    anna.page.wait_for_url("**/table/*")
    chairs = anna.page.locator(".page-chairs li")
    assert chairs.count() == 3
    assert ("Guest" if manner == "scriptless" else "Zoé") in chairs.first.inner_text()
    assert "easy" in chairs.last.inner_text()
    anna.go("/")
    assert card.locator('input[name="seats"][value="3"]').is_checked()
    assert anna.page.locator("[aria-labelledby=mine] .table-line").count() == 1
    if manner != "scriptless":  # axe is a script
        assert barriers(anna.page, ("light",)) == []


def test_resigning_takes_a_second_click_and_is_no_barrier(visit):
    anna, boris = visit("phone"), visit()
    boris.sit(anna.open_table("babuschka", 2, first=0))
    resign = anna.action("resign")
    assert not resign.is_visible(), "not by accident"
    anna.press(anna.page.locator("summary", has_text="Resign or leave"))
    anna.press(anna.page.locator("summary", has_text="Change my name"))
    assert anna.runs_over() <= 0
    assert barriers(anna.page) == []
    anna.fill("#new-name", "Anouk")
    anna.press(anna.action("name"))
    boris.page.locator(".page-chairs", has_text="Anouk").wait_for()
    anna.press(resign)
    boris.page.locator(".prompt", has_text="Anouk resigned.").wait_for()
    assert boris.page.locator(".page-chairs .tag", has_text="resigned").count() == 1
    assert barriers(boris.page, ("light",)) == []


def test_who_looks_at_a_table_that_is_cancelled_is_told(visit):
    anna, boris = visit(), visit()
    boris.sit(anna.open_table("memoarrrr", 3))
    anna.page.locator("summary", has_text="Cancel this table").click()
    anna.press(anna.action("cancel"))
    anna.page.wait_for_url(lambda address: address.endswith("/"))
    boris.page.locator("h1", has_text="This table was cancelled").wait_for()
    boris.complaints.clear()  # a browser complains by itself about a page that is gone
    assert "Anna" in boris.page.locator(".lead").inner_text()
    assert barriers(boris.page, ("light",)) == []


SHOWN_SINCE = """() => {
  const time = document.createElement("time");
  time.dateTime = `${new Date().toISOString().slice(0, 10)}T10:00:00+00:00`;
  time.dataset.since = "since {time}";
  document.querySelector(".page-chairs").append(time);
  document.dispatchEvent(new CustomEvent("samovar:shown", { detail: { parts: ["chairs"], moved: false } }));
  return time.textContent;
}"""


def test_since_when_somebody_is_away_is_told_in_the_readers_own_time(visit):
    anna = visit(timezone_id="Asia/Kathmandu")
    anna.open_table("memoarrrr", 3)
    told = anna.page.evaluate(SHOWN_SINCE)
    assert told.startswith("since "), told
    assert "15:45" in told or "03:45" in told, "10:00 of the server's clock is 15:45 there"
