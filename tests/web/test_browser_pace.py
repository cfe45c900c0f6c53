"""What happens at a table in a pace that people can follow, in a real browser: looks that wait, what
is held, steps through the last moves, movement and sound."""

import time
from itertools import pairwise

import pytest

from samovar.engine.registry import find_game
from support.browsers import PATIENCE

pytestmark = pytest.mark.browser

# Every look that a page shows, by its number, and when.
KEEP_LOOKS = """
  window.looks = [];
  document.addEventListener("samovar:shown", () => {
    const number = Number(document.querySelector("[data-table]").dataset.number);
    if (looks.at(-1)?.number !== number) looks.push({ number, at: performance.now() });
  });
"""


def wait_for(page, what):
    """Until an expression is true in a page: its security policy forbids Playwright to do that."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(what):
        assert time.monotonic() < end, f"did not happen: {what}"
        page.wait_for_timeout(15)


GAMES = ["babuschka", "matryoshka", "memoarrrr", "varvitikud"]


def play(guests, number):
    """Some moves by whoever is to move; the number of the last entry."""
    for _ in range(number):
        while not (ready := [guest for guest in guests if (guest.look() or {}).get("turn")]):
            guests[0].page.wait_for_timeout(10)
        seen = ready[0].move()
    return seen["number"]


def choose_pace(guest, name):
    guest.page.locator(".chip", has_text=name).click()


def table_of_two(visit, game, **facts):
    """Anna and Boris play, Wanda watches at the usual pace."""
    anna, boris, wanda = visit(), visit(), visit(pace=None)
    wanda.context.add_init_script(KEEP_LOOKS)
    link = anna.open_table(game, 2, first=0, **facts)
    boris.sit(link)
    anna.until(lambda seen: seen["turn"], "the match has begun")
    wanda.go(link)
    wait_for(wanda.page, "is_live")
    return anna, boris, wanda


# The queue


def test_quick_moves_are_shown_one_after_the_other_for_those_who_are_slow(visit):
    anna, boris, wanda = table_of_two(visit, "babuschka")
    hasty = wanda.new_page(wanda.page.url)
    wait_for(hasty, "is_live")
    choose_pace(wanda, "slow")
    assert hasty.evaluate("pace()") == 1600, "it is one browser's, not one page's"
    hasty.evaluate("pace = () => 250")
    before = wanda.look()["number"]
    for page in (wanda.page, hasty):
        page.evaluate("held_until = Date.now() + 60000")  # until the others have played
    last = play([anna, boris], 4)
    for page in (wanda.page, hasty):
        wait_for(page, f"has_come({last})")
    for page in (wanda.page, hasty):
        page.evaluate("held_until = 0; go_on_showing()")
    wait_for(hasty, f"Number(page.dataset.number) === {last}")
    assert wanda.look()["number"] < last, "the slow page is not there yet"
    wanda.until(lambda seen: seen["number"] == last, "the slow page has shown all of it")
    looks = [look for look in wanda.page.evaluate("looks") if look["number"] > before]
    assert [look["number"] for look in looks] == list(range(before + 1, last + 1))
    gaps = [later["at"] - look["at"] for look, later in pairwise(looks)]
    assert min(gaps) > 1000


def test_a_pace_stays_in_the_browser(visit):
    anna = visit(pace=None)
    anna.open_table("babuschka", 2, bots=1)
    assert anna.page.locator("[name=pace]:checked").input_value() == "800"
    choose_pace(anna, "fast")
    anna.reload()
    assert anna.page.locator("[name=pace]:checked").input_value() == "250"


def test_whoever_does_something_sees_at_once_how_things_are(visit):
    anna, others = visit(pace=60_000), [visit() for _ in range(3)]
    link = anna.open_table("babuschka", 4, first=0)
    for guest, name in zip(others, ("Boris", "Chloé", "Dora"), strict=True):
        guest.sit(link, name)
    anna.move()
    last = play(others, 2)
    wait_for(anna.page, f"has_come({last})")
    assert anna.look()["number"] < last
    anna.say("Hello!")
    anna.until(lambda seen: seen["talk"] and seen["number"] > last, "she sees all of it")
    assert anna.page.evaluate("queue.length") == 0
    assert len(anna.look()["news"]) == 3


def test_many_looks_go_by_quickly(visit):
    _, _, wanda = table_of_two(visit, "babuschka")
    wanda.page.evaluate("""() => {
      const look = { table: page.dataset.table, turn: false, title: "", parts: {} };
      pace = () => 1500;
      for (let number = 1000; number < 1012; number += 1) hear({ told: { ...look, number, state: `${number}` } });
    }""")
    start = time.monotonic()
    wait_for(wanda.page, "queue.length <= 8")
    assert time.monotonic() - start < 4, "three of them in a fifth of the time"
    wanda.page.wait_for_timeout(500)
    assert wanda.page.evaluate("queue.length") == 8


def test_what_only_a_look_in_between_has_changed_is_shown_when_a_page_catches_up(visit):
    _, _, wanda = table_of_two(visit, "babuschka")
    wanda.page.evaluate("""() => {
      const look = { table: page.dataset.table, turn: false, title: "" };
      held_until = Date.now() + 60000;
      hear({ told: { ...look, number: 1000, state: "1", parts: { talk: "<p>Early.</p>" } } });
      hear({ told: { ...look, number: 1001, state: "2", parts: { news: "<p>Late.</p>" } } });
    }""")
    talk, news = (wanda.page.locator(f"[data-part={name}]") for name in ("talk", "news"))
    assert (talk.text_content(), news.text_content()) != ("Early.", "Late.")
    wanda.page.evaluate("catch_up()")
    assert (talk.text_content(), news.text_content()) == ("Early.", "Late.")


def test_a_page_in_the_background_is_up_to_date_and_offers_the_moves_it_missed(visit):
    anna, boris, wanda = table_of_two(visit, "babuschka")
    wanda.page.evaluate("pace = () => 60000")
    hide = "Object.defineProperty(document, 'hidden', { value: %s, configurable: true })"
    wanda.page.evaluate(hide % "true")
    last = play([anna, boris], 3)
    wanda.until(lambda seen: seen["number"] == last, "a page that nobody looks at does not wait")
    wanda.page.evaluate(hide % "false")
    wanda.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    wanda.page.locator(".steps.is-offered").wait_for()


# What is held


def to_the_end_of_a_round(anna, boris, wanda):
    """Until the watcher's page shows the locations once more."""
    for _ in range(60):
        play([anna, boris], 1)
        wait_for(wanda.page, "queue.length === 0 || held_until > 0")
        if wanda.page.locator("#go-on").count():
            return
    pytest.fail("no round ends")


def test_at_the_end_of_a_round_the_cards_stay_until_one_goes_on_or_some_seconds(visit):
    anna, boris, wanda = table_of_two(visit, "memoarrrr")
    wanda.page.evaluate("pace = () => 10")
    wanda.page.evaluate("hold = ((old) => () => { old(); if (held_until) held_until = Date.now() + 60000; })(hold)")
    to_the_end_of_a_round(anna, boris, wanda)
    cards = wanda.page.locator(".place.how-gone")
    assert cards.count() > 1
    patient = wanda.new_page(wanda.page.url)
    assert patient.locator(".place.how-gone").count() == cards.count()
    patient.locator("#go-on").wait_for(state="detached")
    assert patient.locator(".place.how-gone").count() == 0, "after some seconds it goes by itself"
    assert not wanda.page.locator(".page-status .prompt").is_visible()
    last = play([anna, boris], 1)
    wait_for(wanda.page, f"has_come({last})")
    assert cards.count() > 1, "the next round has begun, and this page still shows the last one"
    wanda.page.locator("#go-on").click()
    wanda.until(lambda seen: seen["number"] >= last, "the next round")
    assert cards.count() == 0
    assert wanda.page.locator("#go-on").count() == 0
    assert wanda.page.locator(".page-status .prompt").is_visible()


# Steps


def test_steps_lead_through_the_last_moves_by_the_arrow_keys_and_end_with_the_next_move(visit):
    anna, boris, wanda = table_of_two(visit, "babuschka")
    boards = []
    for number, move in enumerate(("c1-c2", "c8-c7", "f1-f2", "f8-f7")):
        guest = (anna, boris)[number % 2]
        start, end = move.split("-")
        guest.until(lambda seen: seen["turn"], "a turn")
        guest.press(guest.spot(start))
        guest.until(lambda seen, start=start: start in seen["picked"], "it is picked")
        last = guest.send(guest.spot(end))["number"]
        wanda.until(lambda seen, last=last: seen["number"] == last, "the watcher sees it")
        boards.append(dolls(wanda))
    loads = wanda.loads
    back = wanda.page.locator("[data-name=step-back]")
    back.focus()
    for key, number in (("ArrowLeft", 2), ("ArrowLeft", 1), ("ArrowRight", 2)):
        wanda.page.keyboard.press(key)
        wanda.page.wait_for_url(f"**?at={number + 1}")
        wanda.page.locator(".steps-at", has_text=("3 moves", "2 moves", "One move")[number] + " ago.").wait_for()
        assert dolls(wanda) == boards[number]
        assert wanda.page.evaluate("document.activeElement.closest('.steps') !== null"), "the focus stays there"
    assert wanda.loads == loads, "no page is loaded for that"
    assert "ago." in wanda.page.locator("#announcer").text_content()
    anna.move()
    wanda.page.locator(".past").wait_for(state="detached")
    assert "?" not in wanda.page.url


def dolls(guest):
    return guest.page.evaluate("[...document.querySelectorAll('[data-key^=doll]')].map((doll) => doll.dataset.key)")


# Movement

KEEP_ANIMATIONS = """
  window.animations = 0;
  const sample = () => {
    animations = Math.max(animations, document.getAnimations().length);
    requestAnimationFrame(sample);
  };
  requestAnimationFrame(sample);
"""


@pytest.mark.parametrize("game", GAMES)
def test_nothing_moves_for_those_who_ask_for_that(visit, game):
    anna = visit()
    anna.context.add_init_script(KEEP_ANIMATIONS)
    seats = min(find_game(game).seats)
    anna.open_table(game, seats, bots=seats - 1)
    for _ in range(3):
        anna.move()
    anna.page.wait_for_timeout(100)
    assert anna.page.evaluate("animations") == 0


@pytest.mark.parametrize("game", ["memoarrrr", "babuschka"])
def test_cards_turn_and_dolls_hop_for_all_others(visit, game):
    anna = visit("lively")
    anna.context.add_init_script(KEEP_ANIMATIONS)
    anna.open_table(game, 2, bots=1)
    for _ in range(3):
        anna.move()
    wait_for(anna.page, "animations > 0")
    assert (
        anna.page.evaluate(
            "Math.max(...document.getAnimations().map((one) => one.effect.getComputedTiming().duration), 0)"
        )
        <= 400
    )


# Sound

COUNT_SOUNDS = """
  window.speakers = 0;
  window.tones = 0;
  window.AudioContext = class extends AudioContext { constructor() { super(); speakers += 1; } };
  window.OscillatorNode = class extends OscillatorNode { start(when) { super.start(when); tones += 1; } };
"""


def test_sounds_are_off_until_they_are_switched_on_and_then_tell_of_moves_turns_and_talk(visit):
    anna, boris = visit(), visit()
    anna.context.add_init_script(COUNT_SOUNDS)
    link = anna.open_table("memoarrrr", 2, first=0)
    boris.sit(link)
    anna.move()
    boris.move()
    anna.until(lambda seen: seen["turn"], "Anna is to move")
    assert anna.page.evaluate("[speakers, tones]") == [0, 0]
    button = anna.page.locator("#sound")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert anna.page.evaluate("speakers") == 1
    before = anna.page.evaluate("tones")
    boris.say("What is that noise?")
    wait_for(anna.page, f"tones > {before}")
    anna.reload()
    assert button.get_attribute("aria-pressed") == "true", "the browser remembers"
    assert anna.page.evaluate("speakers") == 0, "nothing is heard before somebody touches the page"
    anna.move()
    wait_for(anna.page, "speakers === 1 && tones > 0")
    button.click()
    silent = anna.page.evaluate("tones")
    boris.say("Thank you.")
    anna.until(lambda seen: len(seen["talk"]) == 2, "Anna reads it")
    assert anna.page.evaluate("tones") == silent
