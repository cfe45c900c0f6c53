"""Score sheets on a phone: nothing is cut off, whoever played."""

import pytest

from samovar.engine.match import Match
from samovar.engine.records.record import to_text
from samovar.engine.registry import find_game

pytestmark = pytest.mark.browser

# As long as names can be, beside usual ones.
NAMES = ("Maximilienne-Alexandrine", "Emelya", "Wolfeschlegelsteinhausen", "Анастасия Владимировна 2", "Vasilisa")
VARIANTS = [
    (game, seats) for game in ("babuschka", "matryoshka", "memoarrrr", "varvitikud") for seats in find_game(game).seats
]

# What is wider than its place. A name may be: it ends in an ellipsis then.
CUT_OFF = """() => [...document.querySelectorAll(".page-sheet, .page-sheet *")]
  .filter((one) => !one.closest(".for-readers, .sheet-person, svg") && one.clientWidth)
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.tagName}.${one.className}: ${one.textContent.trim()}`)"""

# Words of names that stand in two lines.
BROKEN = """() => [...document.querySelectorAll(".page-sheet .sheet-person")].flatMap((name) => {
  const text = name.firstChild, range = document.createRange();
  return [...text.data.matchAll(/[^\\s-]+/g)].filter((word) => {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    const isUpright = getComputedStyle(name).writingMode !== "horizontal-tb";
    return new Set([...range.getClientRects()].map((part) => Math.round(isUpright ? part.left : part.top))).size !== 1;
  }).map((word) => word[0]);
})"""

TITLES = "() => [...document.querySelectorAll('.page-sheet .sheet-name')].map((name) => name.title)"


@pytest.fixture
def guest(visit):
    return visit("phone", language="fr-FR")


def show(guest, tmp_path, match, names):
    """The end of a match, as a record."""
    path = tmp_path / "record.json"
    path.write_text(to_text(match.record({"names": list(names)})), encoding="utf-8")
    guest.go("/record")
    guest.page.set_input_files('input[type="file"]', str(path))
    guest.press(guest.page.locator("main form button").first)
    guest.page.locator(".page-sheet .sheet-name").first.wait_for()


@pytest.mark.parametrize(("game", "seats"), VARIANTS)
def test_a_score_sheet_fits_a_phone_whatever_people_are_called(guest, tmp_path, game, seats):
    match = Match(game, seats, seed=7, plain=True)
    match.play_random(7)
    show(guest, tmp_path, match, NAMES[:seats])
    assert guest.page.evaluate(CUT_OFF) == []
    assert guest.page.evaluate(BROKEN) == []
    assert sorted(guest.page.evaluate(TITLES)) == sorted(NAMES[:seats]), "all of a name is in its title"
