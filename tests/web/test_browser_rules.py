"""The rules beside a table: a sheet that opens where the match is."""

import pytest

from support.browsers import barriers
from support.waiting import until

pytestmark = pytest.mark.browser

# Which heading is at the upper edge of what the sheet shows.
AT_TOP = """() => {
  const room = document.querySelector(".rules-room"), edge = room.getBoundingClientRect().top;
  const isAt = (heading) => Math.abs(heading.getBoundingClientRect().top - edge) < 40;
  return [...room.querySelectorAll("h2, h3")].find((heading) => isAt(heading) && !heading.closest("figure"))?.innerText;
}"""
DOUBLE = """() => [...document.querySelectorAll("[id]")].map((one) => one.id)
  .filter((id, number, all) => all.indexOf(id) !== number)"""


def open_rules(guest):
    guest.press(guest.page.locator(".rules-link"))
    guest.page.locator("dialog[open] .rules-text").wait_for()


@pytest.mark.parametrize("manner", ["keyboard", "phone"])
def test_rules_open_at_the_phase_that_is_on_and_close_where_one_was(visit, manner):
    guest = visit(manner)
    guest.open_table("matryoshka", 3, bots=2)
    guest.until(lambda seen: seen["turn"], "the match begins")
    open_rules(guest)
    until(lambda: guest.page.evaluate(AT_TOP) == "Display", "the sheet opens at the phase")
    until(lambda: guest.page.evaluate("document.activeElement.innerText") == "Display", "readers begin there")
    assert guest.runs_over() <= 0
    assert guest.bounds("dialog button")["top"] >= 0, "the way out is in sight"
    assert guest.page.evaluate(DOUBLE) == []
    if manner == "keyboard":
        guest.page.keyboard.press("Escape")
        until(lambda: guest.page.evaluate("document.activeElement.className") == "rules-link", "the focus is back")
    else:
        guest.press(guest.page.locator("dialog button"))
    guest.page.locator("dialog[open]").wait_for(state="detached")
    guest.move()
    guest.until(lambda seen: seen["turn"], "the exchange has begun")
    open_rules(guest)
    assert guest.page.evaluate(AT_TOP) == "Exchange", "it has gone on"


def test_escape_in_the_rules_puts_nothing_back_on_the_board(visit):
    guest = visit()
    guest.open_table("babuschka", 2, bots=1, first=0)
    picked = guest.pick()["picked"]
    open_rules(guest)
    guest.page.mouse.click(900, 450)  # a place without anything to press, so that nothing has the focus
    guest.page.keyboard.press("Escape")
    guest.page.locator("dialog[open]").wait_for(state="detached")
    assert guest.look()["picked"] == picked


def test_whoever_asks_for_a_tab_gets_one_and_others_a_sheet_without_barriers(visit):
    guest = visit()
    guest.open_table("connect_four", 2, bots=1)  # axe takes long to look at pictures
    with guest.context.expect_page() as opened:
        guest.page.locator(".rules-link").click(modifiers=["ControlOrMeta"])
    opened.value.wait_for_url("**/rules/connect_four#phase-*")  # a new tab is blank at first
    assert guest.page.locator("dialog[open]").count() == 0
    open_rules(guest)
    assert barriers(guest.page) == []
