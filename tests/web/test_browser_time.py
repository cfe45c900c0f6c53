"""Clocks in a real browser: they count down by the time of the site, in words that are the same with
and without scripts, and nothing moves because of them."""

import re

import pytest

from support.browsers import barriers, sit_down

pytestmark = pytest.mark.browser

# A visitor whose computer is an hour ahead.
AHEAD = """
  const now = Date.now, origin = performance.timeOrigin;
  Date.now = () => now() + 3600000;
  Object.defineProperty(performance, "timeOrigin", { get: () => origin + 3600000 });
"""


def times(guest):
    """What each clock shows, in seconds."""
    shown = guest.page.locator(".clocks .clock").all_inner_texts()
    return [int(minutes) * 60 + int(seconds) for minutes, seconds in (text.split(":") for text in shown)]


def count_down(guest, seconds, seat=0):
    """Until a clock has come to so many."""
    guest.until(lambda seen: times(guest)[seat] <= seconds, f"the clock shows {seconds}")


def left(guest):
    return re.sub(r"\s", " ", guest.page.locator(".clocks strong").first.inner_text())


def top_of_board(guest):
    return guest.bounds('[data-part="board"]')["y"]


def test_a_clock_counts_down_for_everybody_and_stands_when_others_are_to_move(visit):
    anna, boris = sit_down(visit, "babuschka", first=0, time="20+20")
    for guest in (anna, boris):
        count_down(guest, 1198)
        assert times(guest)[1] == 1200
    assert abs(times(anna)[0] - times(boris)[0]) <= 1
    before, thought = top_of_board(boris), times(anna)[0]
    anna.move()
    boris.until(lambda seen: seen["turn"], "it is for Boris to move")
    stands = times(boris)[0]
    assert thought < stands <= thought + 20, "the seconds for the move are added"
    count_down(boris, 1198, 1)
    assert times(boris)[0] == times(anna)[0] == stands
    assert top_of_board(boris) == before, "nothing moves because of clocks"


def test_a_visitor_whose_computer_is_wrong_sees_the_right_time(visit):
    anna, boris = visit(), visit()
    boris.context.add_init_script(AHEAD)
    boris.sit(anna.open_table("babuschka", 2, first=0, time="5+5"))
    count_down(anna, 298)
    assert abs(times(boris)[0] - times(anna)[0]) <= 1


def test_low_time_is_marked(visit):
    anna, _ = sit_down(visit, "babuschka", first=0, time="5+5")
    assert not anna.page.locator(".is-low").count()
    anna.page.evaluate("""() => {
      document.querySelector("[data-until]").dataset.until = Date.now() + 20000;
      show_clocks();
    }""")
    assert anna.page.locator(".is-low").inner_text().startswith("0:")


@pytest.mark.parametrize("language", ["en-GB", "fr-FR"])
def test_by_post_the_script_tells_what_the_page_told_without_it(visit, language):
    anna, reader = visit(language=language), visit("scriptless", language=language)
    link = anna.open_table("babuschka", 2, bots=1, first=0, time="3d")
    anna.until(lambda seen: seen["turn"], "it is for Anna to move")
    reader.go(link)
    assert left(anna) == left(reader) == ("3 days left" if language == "en-GB" else "encore 3 jours")
    assert anna.page.locator(".clocks time").is_visible(), "and until when, where the visitor lives"
    assert not reader.page.locator(".clocks time").is_visible()
    anna.go("/")
    assert left_in_list(anna) == left(reader)


def left_in_list(guest):
    return re.sub(r"\s", " ", guest.page.locator(".table-line small").first.inner_text())


@pytest.mark.parametrize("manner", ["keyboard", "scriptless"])
def test_time_is_chosen_by_keyboard_and_without_scripts(visit, manner):
    anna = visit(manner)
    anna.go("/new/babuschka?seats=2")
    anna.fill("#name", "Anna")
    if manner == "keyboard":
        anna.walk_to(anna.page.locator("#time"))
        anna.page.keyboard.type("3 d")
        anna.walk_to(anna.page.locator("#late"))
        anna.page.keyboard.type("this")
    else:
        anna.page.select_option("#time", "3d")
        anna.page.select_option("#late", "one_move")
    anna.press(anna.page.locator(".new-table button.primary"))
    anna.page.wait_for_url("**/table/*")
    rules = anna.page.locator('[data-part="chairs"]').inner_text()
    assert "3 days for each move. When it runs out, a bot makes this move." in rules


@pytest.mark.parametrize(("time", "schemes"), [("20+20", ("light", "dark")), ("7d", ("light",))])
def test_clocks_are_no_barrier_and_fit_a_phone(visit, time, schemes):
    anna = visit("phone", language="fr-FR")
    anna.go("/new/matryoshka?seats=5")
    assert anna.runs_over() <= 0
    assert barriers(anna.page, ("light",)) == []
    anna.open_table("matryoshka", 5, "Anna-Katharina Maximilia", bots=3, time=time)
    boris = visit("phone")
    boris.sit(anna.page.url, "Boris Alexandrovitch")
    anna.page.locator(".clocks").wait_for()
    for guest in (anna, boris):
        assert guest.runs_over() <= 0
        assert guest.bounds(".clocks")["height"] < 40, "they have one line"
    assert barriers(anna.page, schemes) == []
