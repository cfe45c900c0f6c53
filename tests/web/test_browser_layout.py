"""Where things are at a table: nothing jumps between turns, nothing is cut off or out of reach on a
phone, and on a screen of 1280 x 800 all that one plays with is in sight."""

import time

import pytest

from support.browsers import PATIENCE, barriers

pytestmark = pytest.mark.browser

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}


# Nothing jumps

# By game: what keeps its place from the first turn to the last. Cards in a hand and on the field
# come and go, so it is their frames that count.
STEADY = {
    "matryoshka": [".stages", ".own-hand, .several", ".nest:has(.own-hand) .tray", ".nest:has(.own-hand) .own-display"],
    "memoarrrr": [".status", ".sea", ".island .place", ".own .seat", ".others"],
    "varvitikud": [".vt-cloth", ".vt-own", ".vt-stock", ".vt-others .vt-seat:last-child"],
    "babuschka": [".board", ".cell", ".side-far", ".side-own"],
}
# of the page around it: on a phone all else is below the board
BESIDE = [".page-board", '[data-part="news"]', '[data-part="talk"]', ".page-say"]
ABOVE = [".page-board", ".page-last"]

WATCH_SHIFTS = """
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifts += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
"""

PLACES = """(selectors) => Object.fromEntries(selectors.flatMap((selector) => {
  const place = [...document.querySelectorAll(selector)].find((one) => one.checkVisibility());
  if (!place || getComputedStyle(place).position === "sticky" || place.closest(".drawer")) return [];
  const box = place.getBoundingClientRect();
  return [[selector, [Math.round(box.left + scrollX), Math.round(box.top + scrollY)]]];
}))"""


IN_SIGHT = """(selectors) => [...document.querySelectorAll(selectors.join())].filter((place) => {
  const box = place.getBoundingClientRect();
  return box.height && (box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth);
}).map((place) => `${place.className} ends at ${Math.round(place.getBoundingClientRect().bottom)}`)"""

PLAYED_WITH = {
    "matryoshka": [".prompt", ".hand", ".tray-cloth", ".several-done", ".own-display .shelf"],
    "memoarrrr": [".prompt", ".sea", ".own .seat"],
    "varvitikud": [".prompt", ".vt-cloth", ".vt-own", ".vt-cell"],
    "babuschka": [".prompt", ".board", ".side-own"],
}


# By game: all three have longer words than English.
LANGUAGE = {"matryoshka": "de-DE", "memoarrrr": "et-EE", "varvitikud": "de-DE", "babuschka": "fr-FR"}


class Screen:
    """A page, and where things were on it."""

    def __init__(self, page, selectors):
        self.page, self.selectors = page, selectors
        self.first = {}
        self.jumps = []
        self.shifts = 0.0
        self.page.evaluate("window.shifts = 0")

    def catch_up(self, number):
        end = time.monotonic() + PATIENCE
        while int(self.page.locator("[data-table]").get_attribute("data-number")) < number:
            assert time.monotonic() < end, f"entry {number} does not come"
            self.page.wait_for_timeout(15)

    def compare(self, when):
        self.shifts = self.page.evaluate("shifts")  # the end, with its sheet, is not counted
        for selector, place in self.page.evaluate(PLACES, self.selectors).items():
            was = self.first.setdefault(selector, place)
            if max(abs(one - other) for one, other in zip(was, place, strict=True)) > 1:
                self.jumps.append(f"{when}: {selector} was at {was}, is at {place}")


@pytest.mark.parametrize(
    ("game", "seats", "facts"),
    [("matryoshka", 3, {}), ("memoarrrr", 4, {}), ("varvitikud", 3, {}), ("babuschka", 4, {"patience": 1})],
)
def test_nothing_jumps_between_turns(visit, game, seats, facts):
    """Anna has the match on two screens, and plays on the larger one."""
    anna = visit(viewport=DESK, language=LANGUAGE[game])
    anna.context.add_init_script(WATCH_SHIFTS)
    anna.open_table(game, seats, bots=seats - 1, **facts)
    phone = visit("phone", language=LANGUAGE[game], storage_state=anna.context.storage_state())
    phone.context.add_init_script(WATCH_SHIFTS)
    phone.go(anna.page.url)
    screens = [
        Screen(anna.page, [*BESIDE, *STEADY[game]]),
        Screen(phone.page, [*ABOVE, *STEADY[game]]),
    ]
    hidden = []
    for number in range(20):
        seen = anna.until(lambda seen: seen["turn"] or seen["over"], "Anna's turn, or the end")
        if seen["over"]:
            break
        for screen in screens:
            screen.catch_up(seen["number"])
            screen.compare(f"turn {number}, {screen.page.viewport_size['width']} px")
        hidden += anna.page.evaluate(IN_SIGHT, PLAYED_WITH[game])
        anna.move()
    assert number > 3
    assert [jump for screen in screens for jump in screen.jumps] == []
    assert hidden == [], "on the larger one"
    assert max(screen.shifts for screen in screens) < 0.02


def test_a_question_and_a_problem_push_nothing_away(visit):
    anna, boris = visit(viewport=DESK), visit("phone")
    boris.sit(anna.open_table("memoarrrr", 2, first=0))
    anna.move()
    boris.move()
    anna.press(anna.action("back"))
    for guest in (anna, boris):
        question = guest.page.locator(".asking")
        question.wait_for()
        before = guest.page.evaluate(PLACES, [".sea"])
        question.evaluate("question => question.remove()")
        assert guest.page.evaluate(PLACES, [".sea"]) == before
    before = anna.page.evaluate(PLACES, [".sea"])
    anna.page.evaluate("tell_problem('It is not your turn now.')")
    anna.page.locator("#problem").wait_for()
    assert anna.page.evaluate(PLACES, [".sea"]) == before


@pytest.mark.parametrize(
    ("game", "seats", "moves"),
    [
        ("matryoshka", 5, 4),
        ("memoarrrr", 2, 2),
        ("varvitikud", 4, 4),
        ("babuschka", 2, 1),
    ],
)
def test_all_that_one_plays_with_is_in_sight_with_other_numbers_of_players(visit, game, seats, moves):
    anna = visit(viewport=DESK)
    anna.open_table(game, seats, bots=seats - 1)
    hidden = []
    for _ in range(moves):
        if anna.until(lambda seen: seen["turn"] or seen["over"], "Anna's turn, or the end")["over"]:
            break
        anna.page.evaluate("scrollTo(0, 0)")
        hidden += anna.page.evaluate(IN_SIGHT, PLAYED_WITH[game])
        anna.move()
    assert hidden == []


@pytest.mark.parametrize("game", ["matryoshka", "memoarrrr", "varvitikud", "babuschka"])
def test_no_barriers_and_nothing_cut_off_on_a_phone(visit, game):
    anna = visit("phone", language=LANGUAGE[game])
    anna.open_table(game, 4, name="Anne-Charlotte-Wilhelmine", bots=3)
    anna.move()
    anna.until(lambda seen: seen["turn"] or seen["over"], "Anna's turn, or the end")
    assert anna.runs_over() <= 0
    assert barriers(anna.page) == []


# The bar at the top


def test_the_last_sentence_and_unread_remarks_stand_at_the_top_of_a_phone(visit):
    anna, boris = visit(), visit("phone")
    boris.sit(anna.open_table("babuschka", 2, first=0))
    anna.move()
    seen = boris.until(lambda seen: seen["turn"], "Boris is to move")
    sentence, unread = boris.page.locator(".last-sentence"), boris.page.locator(".unread")
    assert sentence.text_content() == seen["news"][0]
    assert sentence.evaluate("line => getComputedStyle(line).whiteSpace") == "nowrap"
    assert unread.is_hidden()
    for words in ("Hello.", "Are you there?"):
        anna.say(words)
        anna.until(lambda seen, words=words: any(words in line for line in seen["talk"]), words)
    boris.until(lambda seen: len(seen["talk"]) == 2, "Boris gets both")
    assert unread.text_content().split()[-1] == "2"
    assert unread.get_attribute("aria-label") == "Unread remarks: 2"
    boris.page.evaluate("scrollTo(0, 0)")
    boris.reload()
    unread.wait_for()
    boris.press(unread)
    unread.wait_for(state="hidden")
    boris.page.evaluate("scrollTo(0, 0)")
    boris.reload()
    assert unread.is_hidden(), "this browser remembers that they were seen"
    boris.say("Yes.")
    boris.until(lambda seen: len(seen["talk"]) == 3, "Boris has said it")
    boris.page.evaluate("scrollTo(0, 0)")
    assert unread.is_hidden(), "own words are no news"


def test_without_scripts_the_last_sentence_is_there_and_the_mark_is_not(visit):
    anna, boris = visit(), visit("scriptless")
    boris.sit(anna.open_table("babuschka", 2, first=0))
    anna.say("Hello.")
    seen = anna.move()
    boris.until(lambda seen: seen["turn"], "Boris is to move")
    assert boris.page.locator(".last-sentence").text_content() == seen["news"][0]
    assert boris.page.locator(".unread").is_hidden()


# Drawers

RICH_PLACE = """() => [...document.querySelectorAll("button.vt-place")]
  .find((place) => Number(place.querySelector(".vt-gain").textContent) > 1)?.dataset.name"""


def place_card(guest):
    """Where two edges or more are joined, if there is such a place: then sticks may be swapped."""
    seen = guest.until(lambda seen: seen["turn"], "a turn")
    for name in seen["picks"]:
        guest.press(guest.spot(name))
        guest.until(lambda now, name=name: name in now["picked"], f"{name} is picked")
        place = guest.page.evaluate(RICH_PLACE)
        if place:
            return guest.send(guest.spot(place))
    return guest.send(guest.spot(guest.look()["moves"][0]))


def until_a_swap(guest):
    """At a table of its own: some deals end before there is one."""
    for _ in range(5):
        guest.open_table("varvitikud", 2, bots=1, half_turn=True)
        for _ in range(20):
            seen = guest.until(lambda seen: seen["turn"] or seen["over"], "a turn, or the end")
            if seen["over"]:
                break
            if any(name.startswith("give-") for name in seen["picks"]):
                return seen
            place_card(guest)
    raise AssertionError("there was nothing to swap")


def in_sight(place):
    return place.evaluate(
        "place => { const box = place.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }"
    )


@pytest.mark.parametrize("manner", ["phone", "scriptless"])
def test_what_can_be_swapped_comes_from_the_lower_edge_of_a_phone(visit, manner):
    anna = visit(manner, viewport=PHONE)
    seen = until_a_swap(anna)
    drawer = anna.page.locator(".drawer")
    assert drawer.get_attribute("data-drawer") == "give"
    assert all(in_sight(anna.spot(name)) for name in (*seen["picks"], "stop"))
    first = seen["picks"][0]
    anna.spot(first).click()
    seen = anna.until(lambda seen: seen["picked"], "a stick is picked")
    assert drawer.get_attribute("data-drawer") == "take"
    assert all(in_sight(anna.spot(name)) for name in seen["moves"] if name.startswith("take-"))
    if manner == "phone":
        assert drawer.evaluate("drawer => drawer === document.activeElement")
        anna.page.keyboard.press("Escape")
    else:
        anna.page.locator('[data-name="drawer-back"]').click()
    anna.until(lambda seen: not seen["picked"], "the stick is put back")
    assert drawer.get_attribute("data-drawer") == "give"
    assert barriers(anna.page) == [] if manner == "phone" else True


# The field


def test_a_field_can_be_moved_and_brought_closer_and_stays_so(visit):
    anna = visit(viewport=DESK)
    anna.open_table("varvitikud", 2, bots=1)
    for _ in range(3):
        anna.until(lambda seen: seen["turn"], "a turn")
        place_card(anna)
    anna.until(lambda seen: seen["turn"], "a turn")
    box = anna.page.locator("[data-lens]")
    width = "box => box.querySelector('.vt-card').getBoundingClientRect().width"
    fits = "box => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth"
    for _ in range(50):  # while the last card flies in, it may be anywhere
        if box.evaluate(fits):
            break
        anna.page.wait_for_timeout(100)
    assert box.evaluate(fits)
    whole = box.evaluate(width)
    for _ in range(3):
        anna.page.locator('[data-zoom="in"]').click()
    closer = box.evaluate(width)
    assert closer > 1.5 * whole
    before = box.evaluate("box => [box.scrollLeft, box.scrollTop]")
    ends = box.evaluate("box => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]")
    middle = box.bounding_box()
    anna.page.mouse.move(middle["x"] + 200, middle["y"] + 250)
    anna.page.mouse.down()
    anna.page.mouse.move(middle["x"] + 150, middle["y"] + 180, steps=4)
    anna.page.mouse.up()
    after = box.evaluate("box => [box.scrollLeft, box.scrollTop]")
    drawn = [min(start + way, end) for start, way, end in zip(before, (50, 70), ends, strict=True)]  # a field ends
    assert drawn == pytest.approx(after, abs=2)
    assert after != before
    where = """box => {
      const [frame, place] = [box, box.querySelector(".vt-card")].map((one) => one.getBoundingClientRect());
      return [place.x - frame.x, place.y - frame.y];
    }"""
    at = box.evaluate(where)
    box.focus()
    anna.page.keyboard.press("ArrowDown")
    anna.page.wait_for_timeout(300)
    assert box.evaluate(where)[1] < at[1], "arrow keys move it"
    anna.pick()
    at = box.evaluate(where)
    anna.page.locator('[data-name="put-back"]').click()
    anna.until(lambda seen: not seen["picked"], "a new board")
    assert box.evaluate(where) == pytest.approx(at, abs=2), "it is as it was on the new board"
    assert box.evaluate("box => box.scrollLeft + box.scrollTop"), "and not at its beginning"
    assert box.evaluate(width) == pytest.approx(closer, abs=1)
    anna.page.locator('[data-zoom="whole"]').click()
    assert box.evaluate(width) == pytest.approx(whole, abs=1)


def test_without_scripts_a_field_scrolls_in_its_frame(visit):
    anna = visit("scriptless", viewport=PHONE)
    anna.open_table("varvitikud", 2, bots=1)
    box = anna.page.locator(".vt-cloth")
    assert box.evaluate("box => getComputedStyle(box).overflowX") == "auto"
    assert anna.page.locator(".lens-tools").is_hidden()
    assert anna.runs_over() <= 0


# Choosing several


def test_no_more_boxes_can_be_ticked_than_are_wanted_and_their_points_are_told(visit):
    anna = visit()
    anna.open_table("matryoshka", 3, bots=2)
    boxes = [card for card, _ in anna.until(lambda seen: seen["wanted"] == 2, "a display is to be chosen")["boxes"]]
    run = next(((one, other) for one in boxes for other in boxes if one < other and one[1] == other[1]), boxes[:2])
    points = 2 if run[0][1] == run[1][1] or (run[0][0] == run[1][0] and int(run[1][1]) - int(run[0][1]) == 1) else 0
    worth = anna.page.locator(".several-worth")
    assert worth.text_content() == "Points: 0"
    assert anna.page.locator(".several-ask").is_hidden(), "nobody has to ask for it"
    for card in run:
        anna.press(anna.box(card))
    worth.filter(has_text=f"Points: {points}").wait_for(timeout=PATIENCE * 1000)
    third = next(card for card in boxes if card not in run)
    anna.press(anna.box(third))
    assert {card for card, is_ticked in anna.look()["boxes"] if is_ticked} == set(run)
    assert anna.page.locator(".several-count").text_content() == "2 of 2 chosen"
    assert anna.page.locator(".several-note").text_content() == "That would be more than 2. Untick another one first."
    anna.press(anna.box(run[0]))
    assert anna.page.locator(".several-note").text_content() == ""
    anna.press(anna.box(third))
    assert {card for card, is_ticked in anna.look()["boxes"] if is_ticked} == {run[1], third}


def test_own_sticks_and_what_is_left_stay_in_sight_on_a_phone(visit):
    anna = visit(viewport={"width": 390, "height": 844})
    anna.open_table("varvitikud", 3, bots=2)
    anna.until(lambda seen: seen["turn"] or seen["over"], "Anna's turn, or the end")
    for place in (".prompt", ".vt-held", ".vt-strip"):
        box = anna.bounds(place)
        assert box["top"] >= 0, place
        assert box["bottom"] <= 844, place
    numbers = [int(number) for number in anna.page.locator(".vt-strip .vt-count").all_inner_texts()]
    left = anna.page.locator(".vt-reserve .vt-count").all_inner_texts()
    assert numbers[6:] == [int(number) for number in left]
