"""The site in a real browser: whole matches in every manner, a restart, many tabs, accessibility,
and what the script promises."""

import time
import urllib.request

import pytest

from samovar.engine.match import Match
from samovar.engine.records.record import to_text
from support.browsers import PATIENCE, barriers, mover_first, sit_down
from support.servers import serving

pytestmark = pytest.mark.browser

LIGHT, BOTH = ("light",), ("light", "dark")


def table_of(guest):
    return guest.page.url.split("?")[0].split("/")[-1]


# Whole matches


def play_on(guests, check=lambda guest: None):
    """Until the match is over, or somebody has had to wait for too long. Returns how many moves
    they made."""
    moves, idle = 0, time.monotonic()
    while not all(looks := [guest.look() for guest in guests]) or not all(seen["over"] for seen in looks):
        to_move = next((guest for guest, seen in zip(guests, looks, strict=True) if seen and seen["turn"]), None)
        if to_move:
            to_move.move()
            check(to_move)
            moves, idle = moves + 1, time.monotonic()
            continue
        assert time.monotonic() < idle + PATIENCE, f"nobody is to move: {looks}"
        wait(guests)
    return moves


def wait(guests):
    """For others."""
    for guest in guests:
        if guest.manner == "scriptless":
            guest.reload()
    guests[0].page.wait_for_timeout(15)


def check_step(guest):
    if guest.manner == "phone":
        assert guest.runs_over() <= 0
    if guest.manner == "keyboard":
        assert guest.page.evaluate("document.activeElement !== document.body"), "the focus is lost"


@pytest.mark.parametrize(
    ("game", "seats", "bots", "manner", "facts"),
    [
        ("matryoshka", 3, 1, "phone", {}),
        ("memoarrrr", 3, 1, "scriptless", {}),
        ("varvitikud", 3, 1, "keyboard", {}),
        ("babuschka", 2, 0, "lively", {"patience": 1}),
    ],
)
def test_two_people_play_a_whole_match(visit, game, seats, bots, manner, facts):
    anna, boris = sit_down(visit, game, seats, manner, bots, **facts)
    loads = anna.loads, boris.loads
    assert play_on((anna, boris), check_step) > 1
    if manner != "scriptless":
        assert (anna.loads, boris.loads) == loads, "the moves of others come without loading the page"
    for guest in (anna, boris):
        assert guest.page.locator(".page-sheet .page-places li").count() == seats
        assert guest.page.locator(".page-sheet table").count() >= 1
        check_step(guest)
    old = table_of(anna)
    anna.press(anna.action("again"))
    anna.until(lambda seen: seen["table"] != old, "a new table")
    if manner == "scriptless":
        boris.reload()
    boris.press(boris.page.locator(".page-status a.primary"))
    boris.until(lambda seen: seen["table"] == table_of(anna), "both are at the new table")
    reader = visit(language="fr-FR")
    for address in (f"/table/{old}", f"/record/{old}?at=7&eyes=open", f"/record/{old}?at=9&eyes=0"):
        reader.go(address)
        assert barriers(reader.page, LIGHT if "eyes=0" in address else BOTH) == []


def test_without_scripts_a_page_that_waits_looks_again_by_itself(visit):
    anna, boris = sit_down(visit, "babuschka", manner="scriptless", first=0)
    anna.move()
    boris.until(lambda seen: seen["turn"], "Boris sees it without doing anything")


# Restart


def test_pages_go_on_by_themselves_after_the_server_was_killed(visit, tmp_path):
    with serving(tmp_path) as server:
        anna, boris = visit(address=server.address), visit(address=server.address)
        boris.sit(anna.open_table("babuschka", 2, first=0))
        for guest in (anna, boris, anna):
            acknowledged = guest.move()
        loads = anna.loads, boris.loads
        server.kill()
        for guest in (anna, boris):
            guest.until(lambda seen: "connection is lost" in seen["problem"], "it is said that nobody answers")
        server.start()
        for guest in (anna, boris):
            guest.until(
                lambda seen: not seen["problem"] and seen["state"] == acknowledged["state"],
                "the stream is back, with all that was acknowledged",
            )
        boris.move()
        seen = anna.until(lambda seen: seen["turn"], "Anna sees what Boris did")
        assert seen["news"][1:] == acknowledged["news"]
        assert len(seen["news"]) == 4
        assert (anna.loads, boris.loads) == loads, "nobody had to load the page again"
        for guest in (anna, boris):  # that the server was away is what a browser may complain about here
            guest.complaints = [complaint for complaint in guest.complaints if "net::ERR_" not in complaint]


# Many tabs


def test_seven_tabs_share_one_stream_and_an_eighth_page_still_loads(visit, server):
    """Browsers allow six connections to a site."""
    anna, boris = visit(), visit()
    tables = [anna.open_table("memoarrrr", 2) for _ in range(2)]
    tabs = [anna.page, *(anna.new_page(tables[number % 2]) for number in range(6))]
    for number, table in enumerate(tables):
        boris.sit(table)
        boris.say(f"Hello at table {number}")
    for number, tab in enumerate(tabs):
        tab.locator(".page-remarks", has_text=f"Hello at table {(number + 1) % 2}").wait_for()
    anna.new_page("/rules/babuschka").locator("h1").first.wait_for()
    figures = urllib.request.urlopen(f"{server.address}/metrics").read().decode()
    streams = next(float(line.split()[1]) for line in figures.splitlines() if line.startswith("samovar_streams "))
    assert streams <= 4, "one for each browser, and those that a browser has just left"


def test_without_a_shared_worker_a_tab_has_a_stream_of_its_own(visit):
    anna, boris = visit(), visit()
    boris.context.add_init_script("delete window.SharedWorker")
    boris.sit(anna.open_table("babuschka", 2, first=0))
    assert boris.page.evaluate("window.SharedWorker === undefined")
    anna.until(lambda seen: seen["turn"], "the match begins")
    anna.move()
    boris.until(lambda seen: seen["turn"], "Boris is to move")


# Accessibility


@pytest.mark.parametrize("language", ["en-GB", "fr-FR"])
def test_no_barriers_on_the_way_in(visit, language):
    guest, lost = visit(language=language), visit(language=language)
    found = []
    games = ("matryoshka", "memoarrrr") if language == "en-GB" else ("varvitikud", "babuschka")
    for address in ("/", *(f"/{kind}/{game}" for kind in ("new", "rules") for game in games), "/record", "/api/docs"):
        guest.go(address)
        found += barriers(guest.page)
    lost.go("/nowhere")
    found += barriers(lost.page)
    lost.complaints.clear()  # Chromium tells in its console that the page was a 404
    assert found == []


@pytest.mark.parametrize("game", ["matryoshka", "memoarrrr", "varvitikud", "babuschka"])
def test_no_barriers_at_a_table(visit, game):
    found = []
    seats, bots = (3, 1) if game == "matryoshka" else (2, 0)
    anna, boris, reader = visit(), visit(language="fr-FR"), visit()
    link = anna.open_table(game, seats, bots=bots, first=0, hints=True, memory_aid=True, open=True)
    found += barriers(anna.page, LIGHT)
    boris.go(link)
    found += barriers(boris.page, LIGHT)
    boris.sit(link)
    mover, _ = mover_first(anna, boris)
    mover.press(mover.action("hint"))
    mover.page.locator(".page-hint").wait_for()
    if mover.look()["picks"]:
        mover.pick()
    found += barriers(mover.page)  # a hint, and something picked where there are steps
    reader.go(link)
    found += barriers(reader.page, LIGHT)  # a spectator, at the start
    for _ in range(5):
        for guest in (anna, boris):
            if guest.look()["turn"]:
                guest.move()
    boris.say("A long remark that must be read, too.")
    anna.page.locator(".page-remarks").wait_for()
    for summary in boris.page.locator("main summary").all():
        if not summary.evaluate("(one) => one.parentElement.open"):
            summary.click()
    found += barriers(anna.page) + barriers(boris.page)  # the middle with a memory aid; one of them waits
    found += barriers_of_a_question(anna, boris)
    own_link = boris.page.locator('a[href*="/come/"]').get_attribute("href")
    reader.go(own_link)
    found += barriers(reader.page, LIGHT)
    reader.go("/")
    found += barriers(reader.page, LIGHT)  # with an open table
    assert found == []


def barriers_of_a_question(anna, boris):
    """Somebody would like to take a move back: not the one who moved last, so it is not free."""
    asker, asked = (anna, boris) if anna.look()["turn"] else (boris, anna)
    if not asker.action("back").count():
        asker, asked = asked, asker
    asker.press(asker.action("back"))
    asker.until(lambda seen: not asker.page.locator("body[aria-busy]").count(), "an answer")
    return barriers(asked.page, LIGHT)


# What the script promises


def test_title_and_live_region_tell_of_the_turn(visit):
    anna, boris = sit_down(visit, "babuschka", first=0)
    assert anna.page.title().startswith("● Your turn")
    assert not boris.page.title().startswith("●")
    anna.move()
    boris.until(lambda seen: seen["turn"], "Boris is to move")
    assert boris.page.title().startswith("● Your turn")
    told = boris.page.locator('[role="status"]#announcer').text_content()
    assert "Anna" in told, "what Anna did"
    assert boris.page.locator(".prompt").text_content() in told, "what is asked now"
    anna.say("Your turn, I believe.")
    boris.page.locator("#announcer", has_text="Your turn, I believe.").wait_for()
    assert boris.page.locator("#announcer").text_content() == "Anna Your turn, I believe.", (
        "what was told before is not told again"
    )


def test_browsers_bring_numbers_of_their_own_for_the_deal(visit):
    """Whoever opens the table as soon as they have seen the fingerprint, the others when they sit
    down."""
    anna, _ = sit_down(visit, "babuschka", first=0)
    told = anna.page.locator("[data-part=chairs] li", has_text="made by their browser:")
    assert told.count() == 2, anna.page.locator("[data-part=chairs]").text_content()
    numbers = told.locator("code").all_text_contents()
    assert len(set(numbers)) == 2
    assert all(len(number) == 64 for number in numbers)


def test_a_move_is_shown_also_if_the_stream_has_died_in_silence(visit):
    anna, _ = sit_down(visit, "memoarrrr", first=0)
    anna.until(lambda seen: seen["turn"] and anna.page.evaluate("is_live"), "Anna's stream has begun")
    anna.page.evaluate("hear = () => {}")
    before = anna.look()["number"]
    anna.page.locator("button.spot.choice").first.click()
    anna.until(lambda seen: seen["number"] > before, "her own move")
    assert not anna.page.evaluate("is_live"), "from now on answers bring what has changed"


def test_a_stale_form_is_refused_in_place_and_the_board_brought_up_to_date(visit):
    anna, boris = sit_down(visit, "babuschka", first=0)
    late = anna.new_page()
    late.add_init_script("delete window.SharedWorker")
    late.route("**/live?*", lambda route: None)  # hears nothing
    late.goto(anna.page.url)
    anna.move()
    boris.move()
    anna.until(lambda seen: seen["turn"], "Anna is to move again")
    late.locator(".spot.choice").first.click()
    late.locator(".spot.choice.picked").wait_for()
    state, late_state = anna.look()["state"], late.locator("[data-table]").get_attribute("data-state")
    assert late_state == state, "a look at the server brings it up to date"
    anna.move()
    late.locator("button.spot.choice").first.click()
    late.locator("#problem", has_text="The table has moved on").wait_for()
    late.locator(f'[data-table][data-state="{anna.look()["state"]}"]').wait_for()
    assert not late.locator(".spot.choice").count(), "it is not Anna's turn any more"
    anna.complaints.clear()  # Chromium tells in its console that an answer was 409


def test_talk_does_not_disturb_a_choice_that_is_half_made(visit):
    anna, boris = sit_down(visit, "babuschka", first=0, hints=True)
    picked = anna.pick()["picked"]
    anna.press(anna.action("hint"))
    anna.page.locator(".page-hint").wait_for()
    anna.page.locator("#say").fill("I am thinking abo")
    boris.say("Take your time.")
    anna.until(lambda seen: seen["talk"], "Anna reads it")
    assert anna.look()["picked"] == picked
    assert anna.page.locator("#say").input_value() == "I am thinking abo"
    anna.say("Thank you.")
    anna.until(lambda seen: len(seen["talk"]) == 2, "Anna has answered")
    assert anna.look()["picked"] == picked
    anna.wait_for("document.getElementById('say').value === ''")  # the answer may come after the stream


def test_ticked_boxes_stay_ticked_when_others_talk_or_choose(visit):
    anna, boris = sit_down(visit, "matryoshka", 3, bots=1)
    boxes = [card for card, _ in anna.until(lambda seen: seen["wanted"], "a display is to be chosen")["boxes"]]
    anna.press(anna.box(boxes[2]))
    boris.say("Which ones?")
    anna.until(lambda seen: seen["talk"], "Anna reads it")
    assert [card for card, is_ticked in anna.look()["boxes"] if is_ticked] == [boxes[2]]
    moved = boris.move()
    seen = anna.until(lambda seen: seen["number"] >= moved["number"], "Anna sees that Boris has chosen")
    assert [card for card, is_ticked in seen["boxes"] if is_ticked] == [boxes[2]]
    assert anna.page.locator(".several-count").text_content() == "1 of 2 chosen"


def test_a_board_does_not_change_under_a_finger(visit):
    anna, boris = sit_down(visit, "matryoshka", 3, bots=1)
    anna.tick(anna.until(lambda seen: seen["wanted"], "a display is to be chosen"))
    anna.page.locator("[data-several] button[name=move]").hover()
    anna.page.mouse.down()
    boris.move()
    boris.page.wait_for_timeout(300)
    with anna.page.expect_response(lambda answer: answer.url.endswith("/move")):
        anna.page.mouse.up()
    anna.until(lambda seen: any("Boris" in line for line in seen["news"]), "Anna sees what Boris did")


def test_a_name_that_is_being_typed_survives_that_others_sit_down(visit):
    anna, boris, chloe = visit(), visit(), visit()
    link = anna.open_table("varvitikud", 4)
    chloe.go(link)
    chloe.page.locator("#sit-name").click()
    chloe.page.keyboard.type("Chlé")
    chloe.page.keyboard.press("ArrowLeft")
    boris.sit(link)
    chloe.page.locator(".page-chairs", has_text="Boris").wait_for()
    chloe.page.keyboard.type("o")
    assert chloe.page.locator("#sit-name").input_value() == "Chloé"


def test_a_hint_stays_when_somebody_talks_and_hides_no_question(visit):
    anna, boris = sit_down(visit, "memoarrrr", first=0, hints=True)
    anna.move()
    boris.move()
    anna.until(lambda seen: seen["turn"], "both have looked, Anna is to move")
    anna.press(anna.action("hint"))
    hint = anna.page.locator(".page-hint")
    hint.wait_for()
    told = hint.text_content()
    boris.press(boris.action("back"))
    anna.page.locator(".asking").wait_for()
    assert hint.text_content() == told
    anna.press(anna.page.locator(".asking button").last)
    anna.page.locator(".asking").wait_for(state="detached")
    assert hint.text_content() == told
    anna.move()
    assert not hint.count(), "it was for the move that is made now"


COUNT_TRANSITIONS = """
  window.transitions = 0;
  const start = document.startViewTransition;
  document.startViewTransition = function (change) { window.transitions += 1; return start.call(document, change); };
"""


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_things_move_only_for_those_who_like_it(visit, motion):
    anna, boris = visit(reduced_motion=motion), visit()
    anna.context.add_init_script(COUNT_TRANSITIONS)
    boris.sit(anna.open_table("babuschka", 2, first=0))
    anna.until(lambda seen: seen["turn"], "Anna is to move")
    anna.move()
    boris.move()
    anna.until(lambda seen: seen["turn"], "Anna sees what Boris did")
    assert bool(anna.page.evaluate("transitions")) == (motion == "no-preference")


LATE_TRANSITION = """
  document.startViewTransition = (change) => {
    window.late = change;
    document.startViewTransition = undefined;
    return { ready: Promise.resolve(), finished: new Promise(() => {}) };
  };
"""


def test_a_change_that_waits_for_its_transition_does_not_undo_a_later_one(visit):
    anna, boris = visit("lively"), visit()
    anna.context.add_init_script(LATE_TRANSITION)
    boris.sit(anna.open_table("babuschka", 2, first=0))
    anna.press(anna.spot(anna.pick()["moves"][0]))
    boris.move()
    shown = anna.until(lambda seen: seen["turn"] and len(seen["news"]) == 2, "Anna sees both moves")
    anna.page.evaluate("late()")
    assert anna.look() == shown


def test_picks_leave_the_back_button_alone(visit):
    anna = visit()
    anna.open_table("babuschka", 2, bots=1, first=0)
    picked = anna.pick()["picked"]
    anna.reload()
    assert anna.look()["picked"] == picked, "the address of the page knows what is picked"
    anna.press(anna.page.locator('[data-name="put-back"]'))
    anna.until(lambda seen: not seen["picked"], "nothing is picked")
    anna.pick()
    anna.page.go_back()
    assert anna.page.url.endswith("/new/babuschka?seats=2")


def test_a_double_click_is_one_move(visit):
    anna, _ = sit_down(visit, "babuschka", first=0)
    before = anna.pick()
    anna.spot(before["moves"][0]).dblclick()
    has_moved_once(anna, before)


def test_a_slow_double_click_is_one_move(visit):
    """The move is answered, but the board does not change under a finger: the second click finds the old one."""
    anna, boris = sit_down(visit, "babuschka", first=0)
    before = anna.pick()
    anna.spot(before["moves"][0]).hover()
    anna.page.mouse.down()
    anna.page.mouse.up()
    anna.page.mouse.down(click_count=2)
    boris.until(lambda seen: seen["turn"], "Boris is to move")
    anna.page.locator("body:not([aria-busy])").wait_for()
    anna.page.mouse.up(click_count=2)
    has_moved_once(anna, before)


def has_moved_once(guest, before):
    seen = guest.until(lambda seen: not seen["turn"], "the other one is to move")
    guest.page.wait_for_timeout(200)
    assert not guest.look()["problem"]
    assert guest.look()["number"] == seen["number"] == before["number"] + 1


def test_moves_can_be_chosen_from_a_list(visit):
    anna, boris = sit_down(visit, "babuschka", first=0)
    anna.press(anna.page.locator('[data-name="as-list"]'))
    anna.page.locator(".as-list button").nth(3).wait_for()
    anna.send(anna.page.locator(".as-list button").nth(3))
    boris.until(lambda seen: seen["turn"], "Boris is to move")


def test_an_address_with_too_much_in_it_is_a_friendly_page(visit):
    guest = visit()
    assert guest.go("/live?" + "table=nothing&" * 100).status == 400
    assert guest.page.locator("h1").text_content() == "Oh, that did not work"
    guest.complaints.clear()  # Chromium tells in its console that the page was a 400


# Records


def finished_match(path):
    match = Match("memoarrrr", seats=2, seed=5, plain=True)
    while not match.over:
        seat = match.actors[0]
        match.play(seat, match.legal(seat)[0])
    path.write_text(to_text(match.record({"names": ["Anna", "Boris"]})), encoding="utf-8")
    return len(match.history)


def test_a_record_plays_by_itself_and_jumps_where_one_likes(visit, tmp_path):
    last = finished_match(tmp_path / "match.json")
    reader = visit()
    reader.go("/record")
    reader.page.set_input_files("#record", tmp_path / "match.json")
    reader.page.get_by_role("button", name="Show it").click()
    at = reader.page.locator(".replay-at")
    at.filter(has_text=f"Move {last} of {last}").wait_for()
    play = reader.page.get_by_role("button", name="Play", exact=True)
    play.click()
    at.filter(has_text=f"Move 2 of {last}").wait_for()
    reader.page.get_by_role("button", name="Stop").click()
    play.wait_for()
    stopped = at.text_content()
    reader.page.wait_for_timeout(1200)
    assert at.text_content() == stopped
    slider = reader.page.locator("#at")
    slider.focus()
    reader.page.keyboard.press("End")
    at.filter(has_text=f"Move {last} of {last}").wait_for()
    reader.page.keyboard.press("ArrowLeft")
    at.filter(has_text=f"Move {last - 1} of {last}").wait_for()
    assert slider.evaluate("slider => slider === document.activeElement")
    reader.page.select_option("#eyes", "1")
    reader.page.locator(".replay-form option[value='1'][selected]").wait_for(state="attached")
    assert reader.page.url.endswith(f"at={last - 1}&eyes=1")
