"""The site in a real browser: whole matches in every manner, a restart, many tabs, accessibility, and what the script promises."""

import time

import pytest
from browsers import PATIENCE, Guest, Missing, Server, running_browser, until


@pytest.fixture(scope="module")
def browser():
    try:
        with running_browser() as found:
            yield found
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    made = Server(tmp_path_factory.mktemp("site"))
    yield made
    made.stop()


@pytest.fixture
def visit(browser, server):
    """Makes guests. Whatever they do, no page of theirs may complain."""
    made = []

    def visit(manner="mouse", address=server.address, **facts):
        made.append(Guest(browser, address, manner, seed=len(made), **facts))
        return made[-1]

    yield visit
    complaints = [complaint for guest in made for complaint in guest.complaints]
    for guest in made:
        guest.close()
    assert not complaints


def sit_down(visit, game, seats, manner="mouse", bots=0, **facts):
    """Anna opens a table, Boris comes by the link."""
    anna, boris = visit(manner), visit(manner)
    boris.sit(anna.open_table(game, seats, bots=bots, **facts))
    return anna, boris


# Whole matches


def play_on(guests, check=lambda guest: None):
    """Until the match is over. Returns how many moves they made."""
    moves = 0
    idle = time.monotonic()
    while True:
        looks = [guest.look() for guest in guests]
        if all(seen and seen["over"] for seen in looks):
            return moves
        turns = [guest for guest, seen in zip(guests, looks, strict=True) if seen and seen["turn"]]
        for guest in turns[:1]:
            guest.move()
            check(guest)
            moves += 1
            idle = time.monotonic()
        if not turns:
            assert time.monotonic() < idle + PATIENCE, f"nobody is to move: {looks}"
            guests[0].page.wait_for_timeout(15)


@pytest.mark.parametrize(
    ("game", "seats", "bots", "manner", "facts"),
    [
        ("varvitikud", 3, 1, "mouse", {}),
        ("memoarrrr", 3, 1, "keyboard", {}),
        ("matryoshka", 3, 1, "phone", {}),
        ("babuschka", 4, 2, "scriptless", {"patience": 1}),
    ],
)
def test_two_people_play_a_whole_match(visit, game, seats, bots, manner, facts):
    import time
    t=time.time()
    anna, boris = sit_down(visit, game, seats, manner, bots, **facts)
    print("sat", time.time()-t)
    loads = [guest.loads for guest in (anna, boris)]

    def check(guest):
        if manner == "phone":
            assert guest.runs_over() <= 0, guest.look()
        if manner == "keyboard":
            assert guest.page.evaluate("document.activeElement !== document.body"), "the focus is lost"

    moves = play_on((anna, boris), check)
    print("moves", moves, time.time()-t)
    assert moves > 3
    if manner != "scriptless":
        assert [guest.loads for guest in (anna, boris)] == loads, "the moves of others come without loading the page"
    for guest in (anna, boris):
        assert guest.page.locator(".page-sheet .page-places li").count() == seats
        assert guest.page.locator(".page-sheet table").count() >= 1
    old = table_of(anna)
    anna.press(anna.page.locator('form[action$="/again"] button'))
    anna.until(lambda seen: seen["table"] != old, "a new table")
    next_one = boris.page.locator(".page-status a.primary")
    if manner == "scriptless":
        boris.page.reload()
    boris.press(next_one)
    boris.until(lambda seen: seen["table"] == table_of(anna) != old, "both are at the new table")


def table_of(guest):
    return guest.page.url.split("?")[0].split("/")[-1]
