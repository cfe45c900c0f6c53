"""Names are shown in whole where there is room, as long as names can be; where a line is full, their title has all."""

import pytest

from samovar.engine.match import Match
from samovar.engine.records.record import to_text
from samovar.web.names import LONGEST_NAME

pytestmark = pytest.mark.browser

NAMES = ("Wilhelmine Wolkensteiner", "Maximilianebergmannsdorf")
SIZES = [{"width": 1280, "height": 800}, {"width": 390, "height": 844}]

# Every text with a name that is cut off by what is around it, or runs out of the page.
CUT = """(names) => {
  const places = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const place = texts.currentNode.parentElement, range = document.createRange();
    if (!names.some((name) => texts.currentNode.data.includes(name)) || !place.checkVisibility()) continue;
    if (place.closest(".for-readers, .page-waiting, .last-sentence")) continue; // sentences
    range.selectNodeContents(texts.currentNode);
    places.push([place, range.getBoundingClientRect()]);
  }
  const is_cut = ([place, text]) => {
    for (let around = place; around !== document.body; around = around.parentElement) {
      const box = around.getBoundingClientRect();
      const is_outside = text.right > box.right + 1 || text.bottom > box.bottom + 2;
      if (is_outside && getComputedStyle(around).overflowX === "hidden") return true;
    }
    return text.right > innerWidth;
  };
  const cut = places.filter(is_cut).map(([place]) => `${place.className}: ${place.textContent.trim()}`);
  return { seen: places.length, cut };
}"""


def shown(guest):
    """What is cut off, by the size of the screen."""
    cut = {}
    for size in SIZES:
        guest.page.set_viewport_size(size)
        seen = guest.page.evaluate(CUT, NAMES)
        assert seen["seen"], guest.page.url
        cut[size["width"]] = seen["cut"]
    return cut


@pytest.mark.parametrize("game", ["babuschka", "memoarrrr", "varvitikud", "connect_four"])
def test_at_a_table_for_two_names_are_shown_in_whole_on_either_turn(visit, game):
    assert {len(name) for name in NAMES} == {LONGEST_NAME}
    anna, boris = visit(), visit()
    boris.sit(anna.open_table(game, 2, NAMES[0]), NAMES[1])
    for guest in (anna, boris):
        guest.page.locator(".page-chairs", has_text=NAMES[1]).wait_for()
        assert shown(guest) == {1280: [], 390: []}
        for name in NAMES:
            assert guest.page.get_by_title(name, exact=True).count() or game == "connect_four", "drawn without names"
    for address in ("/", "/tables", "/me"):
        anna.go(address)
        assert shown(anna) == {1280: [], 390: []}, address


@pytest.mark.parametrize("game", ["babuschka", "memoarrrr", "varvitikud"])
def test_at_the_end_of_a_table_for_two_names_are_shown_in_whole_where_there_is_room(visit, tmp_path, game):
    match = Match(game, 2, seed=7, plain=True)
    match.play_random(7)
    (tmp_path / "record.json").write_text(to_text(match.record({"names": list(NAMES)})), encoding="utf-8")
    guest = visit()
    guest.go("/record")
    guest.page.set_input_files("#record", tmp_path / "record.json")
    guest.press(guest.page.locator("main form button").first)
    guest.page.locator(".page-sheet").wait_for()
    cut = shown(guest)
    assert cut[1280] == []
    assert not [place for place in cut[390] if not place.startswith("sheet-person")], "a score sheet has no more room"
