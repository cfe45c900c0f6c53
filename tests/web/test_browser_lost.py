"""A connection that is lost and comes back: nothing is made twice, nothing is lost in silence, and
no message stays."""

import pytest

from support.browsers import sit_down
from support.servers import serving

pytestmark = pytest.mark.browser

LOST = "The connection is lost"


def forget_the_network(*guests):
    """That nobody answered is what a browser may complain about here."""
    for guest in guests:
        guest.complaints = [complaint for complaint in guest.complaints if "net::ERR_" not in complaint]


def first_move(guest):
    guest.pick()
    return guest.spot(guest.look()["moves"][0])


def test_a_move_made_without_a_connection_is_made_when_it_is_back(visit):
    anna, boris = sit_down(visit, "babuschka", first=0)
    before = boris.look()["number"]
    move = first_move(anna)
    anna.context.set_offline(True)
    anna.press(move)
    anna.until(lambda seen: LOST in seen["problem"], "it is said that nobody answers")
    assert boris.look()["number"] == before
    anna.context.set_offline(False)
    boris.until(lambda seen: seen["turn"], "the move is made by itself")
    seen = anna.until(lambda seen: not seen["problem"] and not seen["turn"], "Anna sees it, and no message")
    assert seen["number"] == before + 1
    forget_the_network(anna)


def test_a_move_whose_answer_was_lost_is_made_once_and_nothing_is_said(visit):
    anna, boris = sit_down(visit, "babuschka", first=0)
    before = boris.look()["number"]
    sent = []

    def lose_the_first_answer(route):
        answer = route.fetch()
        sent.append(answer.status)
        if len(sent) == 1:
            route.abort()
        else:
            route.fulfill(response=answer)

    anna.page.evaluate("hear = () => {}")  # the stream does not tell of it either
    anna.page.route("**/move", lose_the_first_answer)
    anna.press(first_move(anna))
    boris.until(lambda seen: seen["turn"], "the move is in")
    seen = anna.until(lambda seen: not seen["turn"] and not seen["problem"], "Anna sees that it is in")
    assert sent == [200, 200]
    assert seen["number"] == boris.look()["number"] == before + 1
    forget_the_network(anna)


def test_a_move_that_comes_too_late_is_said_to_have_come_too_late(visit):
    """Anna's other tab has chosen another move in the meantime."""
    anna, boris = sit_down(visit, "babuschka", first=0)
    other = anna.new_page(anna.page.url)
    names = [spot.get_attribute("data-name") for spot in other.locator("a.spot.choice").all()]
    anna.page.evaluate("hear = () => {}")
    anna.page.route("**/move", lambda route: route.abort())
    anna.press(anna.spot(names[0]))
    anna.press(anna.page.locator("button.spot.choice").first)
    anna.until(lambda seen: LOST in seen["problem"], "it is said that nobody answers")
    other.locator(f'.spot.choice[data-name="{names[-1]}"]').click()
    other.locator("button.spot.choice").last.click()
    boris.until(lambda seen: seen["turn"], "the other tab's move is in")
    anna.page.unroute("**/move")
    anna.until(lambda seen: "The table has moved on" in seen["problem"], "Anna is told")
    assert anna.look()["state"] == boris.look()["state"]
    anna.complaints.clear()  # Chromium tells in its console that an answer was 409


def test_words_are_not_said_twice_and_stay_in_the_field(visit):
    anna, boris = sit_down(visit, "babuschka", first=0)
    anna.context.set_offline(True)
    anna.say("Is anybody there?")
    anna.until(lambda seen: LOST in seen["problem"], "it is said that nobody answers")
    anna.context.set_offline(False)
    seen = anna.until(lambda seen: LOST not in seen["problem"], "the connection is back")
    assert "still in the field" in seen["problem"]
    assert anna.page.locator("#say").input_value() == "Is anybody there?"
    boris.say("I am.")
    anna.until(lambda seen: seen["talk"], "Anna reads it")
    assert len(anna.look()["talk"]) == 1, "her own words were not sent by themselves"
    anna.press(anna.page.locator(".page-say button"))
    anna.until(lambda seen: len(seen["talk"]) == 2 and not seen["problem"], "now they are said")
    assert anna.page.locator("#say").input_value() == ""
    forget_the_network(anna)


def test_a_choice_made_while_the_server_is_away_is_made_when_it_is_back(visit, tmp_path):
    with serving(tmp_path) as server:
        anna, boris = visit(address=server.address), visit(address=server.address)
        boris.sit(anna.open_table("babuschka", 2, first=0))
        anna.until(lambda seen: seen["turn"], "the match begins")
        move = first_move(anna)
        server.kill()
        anna.press(move)
        for guest in (anna, boris):
            guest.until(lambda seen: LOST in seen["problem"], "it is said that nobody answers")
        server.start()
        boris.until(lambda seen: seen["turn"] and not seen["problem"], "Boris sees the move that Anna chose")
        anna.until(lambda seen: not seen["turn"] and not seen["problem"], "so does Anna")
        forget_the_network(anna, boris)
