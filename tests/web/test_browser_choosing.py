"""Choosing a display: large cards, of which a tap moves one to its place and back, while its points are counted."""

import pytest

pytestmark = pytest.mark.browser

LIES_IN = """card => ["home", "slot"].filter(
  (place) => document.querySelector(`[data-${place}="${card}"]`).contains(document.getElementById(`with-${card}`)))"""


def lies_in(guest, card):
    return guest.page.evaluate(LIES_IN, card)


def at_the_choice(visit, manner="mouse", **screen):
    """Where there are scripts both bots have chosen already, so that nothing redraws the table meanwhile."""
    anna = visit(manner, **screen)
    anna.open_table("matryoshka", 3, bots=2)
    bots = 0 if manner == "scriptless" else 2
    seen = anna.until(lambda seen: seen["wanted"] == 2 and len(seen["news"]) >= bots, "a display is to be chosen")
    return anna, [card for card, _ in seen["boxes"]]


@pytest.mark.parametrize("manner", ["mouse", "phone", "keyboard"])
def test_a_doll_moves_into_the_display_and_back(visit, manner):
    anna, (card, *_) = at_the_choice(visit, manner)
    assert lies_in(anna, card) == ["home"]
    anna.press(anna.box(card), "Space")
    assert lies_in(anna, card) == ["slot"]
    if manner == "keyboard":
        assert anna.page.evaluate("document.activeElement.value") == card, "it has kept the focus"
    anna.press(anna.box(card), "Space")
    assert lies_in(anna, card) == ["home"]


def test_its_place_in_the_display_calls_a_doll(visit):
    anna, (card, *_) = at_the_choice(visit)
    anna.press(anna.page.locator(f'.slot[for="with-{card}"]'))
    assert lies_in(anna, card) == ["slot"]


def test_without_scripts_it_moves_when_it_is_counted(visit):
    anna, (card, *_) = at_the_choice(visit, "scriptless")
    anna.press(anna.box(card))
    anna.press(anna.page.locator(".several-ask"))
    anna.page.locator(f'[data-slot="{card}"] input:checked').wait_for(state="attached")
    assert anna.page.locator(f'[data-home="{card}"] input').count() == 0


def test_the_points_of_columns_and_rows_are_counted_with_every_tick(visit):
    anna, cards = at_the_choice(visit)
    for card in cards[:2]:
        anna.press(anna.box(card))
    one, other = sorted(cards[:2])
    is_pair = one[1] == other[1] or (one[0] == other[0] and int(other[1]) == int(one[1]) + 1)
    told = f"Points: {2 if is_pair else 0}"
    anna.page.locator(".several-worth", has_text=told).wait_for()
    assert anna.page.locator(".several tfoot .row-sum").inner_text() == told.removeprefix("Points: ")


@pytest.mark.parametrize("screen", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}])
def test_cards_are_large_and_the_cloth_is_folded_away(visit, screen):
    anna, cards = at_the_choice(visit, viewport=screen)
    sizes = [anna.bounds(f"label:has(#with-{card})") for card in cards]
    assert min(box["width"] for box in sizes) >= 100
    assert min(box["height"] for box in sizes) >= 80
    assert anna.page.locator(".tray-cloth").count() == 0
    assert all(box["bottom"] <= screen["height"] for box in sizes), "all of them are in sight"
