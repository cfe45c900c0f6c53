"""The table of players in a real browser: on a phone and on a desk, in two languages, in the dark,
by keyboard, and without scripts."""

import random

import pytest
from sqlalchemy import create_engine

from samovar.engine.heuristics import LEVEL_NAMES
from support import servers
from support.browsers import barriers
from support.people import GAME, keep_matches, known

pytestmark = pytest.mark.browser

LONG = "Maximiliennedekerguelenx"  # the longest name there is, in one word


@pytest.fixture(scope="module")
def club(browser, tmp_path_factory):
    """A site where some people have played a lot."""
    folder = tmp_path_factory.mktemp("club")
    with servers.serving(folder) as site:
        choose, people = random.Random(3), ["anna", "boris", LONG.lower(), "zoe"]
        matches = [choose.sample([*people, "easy", "hard"], choose.choice((2, 3))) for _ in range(40)]
        database = create_engine(f"sqlite:///{folder}/samovar.db")
        with database.begin() as connection:
            keep_matches(connection, [*matches, ["igor", "easy"]], known(*people, "igor"))
        database.dispose()
        yield site


@pytest.mark.parametrize(
    ("manner", "language"), [("phone", "fr-FR"), ("mouse", "en-GB"), ("phone", "de-DE"), ("phone", "et-EE")]
)
def test_pages_of_players_fit_and_have_no_barriers(visit, club, manner, language):
    reader = visit(manner, address=club.address, language=language)
    reader.go("/players")
    assert reader.runs_over() <= 0
    assert barriers(reader.page) == []
    reader.go(f"/players/{GAME}")
    rows = reader.page.locator(".ranks").first.locator("tbody tr")
    assert rows.count() == 4 + len(LEVEL_NAMES), "four people and the bots"
    assert reader.page.locator(".ranks").last.locator("tbody tr").count() == 1, "Igor has one match"
    assert reader.runs_over() <= 0
    assert barriers(reader.page) == []
    reader.press(reader.page.locator("a", has_text=LONG).first)
    reader.page.locator(".curve").wait_for()
    reader.press(reader.page.locator("main summary"))
    assert reader.page.locator("details tbody tr").count() > 5
    assert reader.runs_over() <= 0
    assert barriers(reader.page) == []


@pytest.mark.parametrize("language", ["en-GB", "fr-FR", "de-DE", "et-EE"])
def test_words_of_the_picture_lie_in_it_and_not_on_one_another(visit, club, language):
    reader = visit("phone", address=club.address, language=language)
    for number in range(4):
        reader.go(f"/players/{GAME}")
        reader.press(reader.page.locator(".ranks tbody a").nth(number))
        reader.page.wait_for_url(f"**/{GAME}/*")
        boxes = reader.page.eval_on_selector_all(
            ".curve, .curve text",
            "all => all.map(one => one.getBoundingClientRect()).map(box => [box.left, box.top, box.right, box.bottom])",
        )
        (left, top, right, bottom), *words = boxes
        assert all(left <= box[0] and top <= box[1] and box[2] <= right and box[3] <= bottom for box in words)
        pairs = [(a, b) for number, a in enumerate(words) for b in words[:number]]
        assert not any(overlap(a, b) for a, b in pairs)


def overlap(a, b):
    """By more than what letters leave free above and below."""
    return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 4


@pytest.mark.parametrize("manner", ["keyboard", "scriptless"])
def test_one_joins_and_leaves(visit, club, manner):
    anna = visit(manner, address=club.address)
    anna.open_table(GAME, 2, name="Olga", bots=1, rated=True)
    assert anna.page.locator("form[action$='/back']").count() == 0
    anna.go("/players")
    anna.fill("#player-name", "Olga")
    anna.press(anna.page.locator("form[action='/players/join'] button"))
    anna.page.locator("form[action='/players/leave']").wait_for()
    assert "Olga" in anna.page.locator(".joining").inner_text()
    anna.press(anna.page.locator("form[action='/players/leave'] button"))
    anna.page.locator("form[action='/players/join']").wait_for()
    anna.go(f"/players/{GAME}")
    day = anna.page.locator("time").first.inner_text()
    assert day.startswith("1970-01-01") == (manner == "scriptless"), "as the reader writes it, where a script can"
