"""Looking at a record together with real browsers: what who leads shows comes to all by itself, marks are drawn by
hand, and answers stay secret until they are shown."""

import json

import pytest

from samovar.engine.match import Match
from support.browsers import barriers

pytestmark = pytest.mark.browser


def begin(guest, tmp_path):
    """Through a record that they bring along; the address for others."""
    match = Match("memoarrrr", seed=5, plain=True)
    match.play_random(1)
    file = tmp_path / "match.json"
    file.write_text(json.dumps(match.record()))
    guest.go("/record")
    guest.page.set_input_files('input[type="file"]', file)
    guest.page.locator('form[enctype] button:not([value="review"])').first.click()
    guest.page.wait_for_url("**/record/*")
    guest.go(f"{guest.page.url}/together?at=4&eyes=nobody")
    guest.page.fill("#name", "Lea")
    guest.page.click("main form button.primary")
    guest.page.wait_for_url("**/tour/*")
    return guest.page.url


def come(guest, address, name):
    guest.go(address)
    guest.page.fill("#name", name)
    guest.page.click("main form button.primary")
    guest.page.locator("[data-tour]").wait_for()


def drawn_from(page, first, second):
    boxes = [page.locator(f'#move [data-mark="{name}"]').bounding_box() for name in (first, second)]
    (x, y), (to_x, to_y) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y)
    page.mouse.up()


def test_one_leads_others_follow_draw_and_answer(visit, tmp_path):
    lea, max_, ida = visit(), visit("phone"), visit("scriptless")
    address = begin(lea, tmp_path)
    come(max_, address, "Max")
    come(ida, address, "Ida")
    loads = max_.loads
    lea.page.click('[data-name="next"]')
    max_.wait_for("document.querySelector('.tour-at').textContent.includes('Move 5')")
    max_.page.click('[data-name="before"]')
    max_.page.locator('[data-name="follow"]').wait_for()
    lea.page.click('[data-name="next"]')
    lea.wait_for("document.querySelector('.tour-at').textContent.includes('Move 6')")
    assert "Move 4" in max_.page.locator(".tour-at").inner_text(), "who looks around stays there"
    max_.page.click('[data-name="follow"]')
    max_.wait_for("document.querySelector('.tour-at').textContent.includes('Move 6')")

    lea.page.click("[data-draw]")
    drawn_from(lea.page, "b3", "d2")
    arrow = '.hand-marks [data-start="b3"][data-end="d2"] .arrow-line[d]'
    for guest in (lea, max_):
        guest.page.locator(arrow).wait_for(state="attached")
        assert guest.runs_over() <= 0
    lea.page.click("[data-draw]")

    lea.page.click('[data-name="ask"]')
    max_.page.locator("#move button.choice").first.wait_for()
    max_.page.locator("#move button.choice").first.click()
    max_.page.locator(".tour-own").wait_for()
    lea.wait_for("document.querySelector('.tour-question').textContent.includes('1 of 2 have answered')")
    ida.reload()
    ida.page.locator("#move button.choice").last.click()
    ida.page.locator(".tour-own").wait_for()
    lea.wait_for("document.querySelector('.tour-question').textContent.includes('2 of 2 have answered')")
    assert barriers(max_.page) == []
    lea.page.click('[data-name="show"]')
    for guest in (lea, max_):
        guest.page.locator(".tour-answers li").first.wait_for()
        assert guest.page.locator("#move .hint-mark").count() > 0
        assert barriers(guest.page) == []
    ida.reload()
    assert ida.page.locator(".tour-answers li").count() >= 1
    assert max_.loads <= loads + 1, "an answer is sent as a form; all else came by itself"
