"""The lab on the site: for those who may use it, one order after the other in a process of its own, stopped by whoever
started it, and kept for a while."""

import asyncio
import os
import re
import signal
import threading
import time

import msgspec
import pytest

from samovar.errors import StoreError
from samovar.lab.lab_worker import Begin, GoOn, Report, Worker
from samovar.language.languages import LANGUAGES
from samovar.processes import AFTER_PEOPLE, AsyncChild, Lost
from samovar.web.jobs import lab
from samovar.web.pages import lab as pages
from samovar.web.serve import lab_for
from support.visitors import Visitor, asked_from, running
from support.waiting import wait_until


class Here:
    """Instead of the process: a quarter of the work for each time that `gate` lets one through."""

    def __init__(self, *arguments, **options):
        self.gate = threading.Semaphore(0)
        self.began, self.done, self.is_interrupted, self.is_lost = [], 0.0, False, False

    async def ask(self, line, seconds):
        order = msgspec.json.decode(line, type=Begin | GoOn)
        if isinstance(order, Begin):
            self.began.append(order)
            self.done = 0.0
        while not (self.gate.acquire(blocking=False) or self.is_interrupted or self.is_lost):
            await asyncio.sleep(0.01)
        if self.is_lost:
            self.is_lost = False
            raise Lost("was killed")
        self.done += 0.25
        is_last, self.is_interrupted = self.done == 1 or self.is_interrupted, False
        stage = "done" if self.done == 1 else "playing"
        pages = {language: f"<style></style>{language} {self.done}" for language in LANGUAGES}
        return msgspec.json.encode(Report(stage, self.done, pages, is_last))

    def interrupt(self):
        self.is_interrupted = True

    def kill(self):
        self.is_lost = True

    async def end(self): ...

    async def close(self): ...


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "AsyncChild", Here)
    with running(tmp_path, lab_for="everybody") as client:
        yield client


def child(site):
    return site.app.state.lab._queue.child


def order(visitor, game="connect_four", **facts):
    visitor.go(f"/lab?game={game}")
    visitor.send("/lab", **{"players": ["random"], **facts})
    return visitor.address


def status(visitor, address):
    page = visitor.go(address)
    return " ".join(re.search(r'role="status">(.*?)</p>', page.html, re.DOTALL)[1].split())


# Who may use it


def test_it_is_closed_to_those_who_do_not_sit_at_the_machine(tmp_path):
    with running(tmp_path) as site:
        stranger = Visitor(site)
        assert "/lab" not in {link["href"] for link in stranger.go("/").links}
        for address in ("/lab", "/lab/0123", "/lab/0123/report"):
            page = stranger.go(address)
            assert (stranger.status, "The lab is closed here" in page.words) == (404, True)
        stranger.go("/")
        token = stranger.page.form("/language")["fields"]["_csrf_token"]
        for address in ("/lab", "/lab/0123/stop"):
            answer = stranger.client.post(address, data={"_csrf_token": token, "game": "connect_four"})
            assert answer.status_code == 404
        assert not site.app.state.lab._queue.jobs
        assert asked_from(site, "192.0.2.7", "/lab").status_code == 404
        assert asked_from(site, "127.0.0.1", "/lab", x_forwarded_for="192.0.2.7").status_code == 404
        here = asked_from(site, "127.0.0.1", "/lab")
        assert here.status_code == 200
        assert 'href="/lab"' in here.text


@pytest.mark.parametrize(
    ("asked", "is_open", "workers", "whom"),
    [
        (None, False, 1, "here"),
        (None, True, 1, "nobody"),
        (None, False, 2, "nobody"),
        (True, True, 1, "everybody"),
        (False, False, 1, "nobody"),
    ],
)
def test_who_runs_the_site_decides_whom_it_is_for(asked, is_open, workers, whom):
    assert lab_for(asked, is_open=is_open, workers=workers) == whom


def test_it_needs_one_process():
    with pytest.raises(StoreError, match="leave --workers or --lab away"):
        lab_for(True, is_open=True, workers=2)


def test_nobody_may_use_it_if_so_wished(tmp_path):
    with running(tmp_path, lab_for="nobody") as site:
        assert asked_from(site, "127.0.0.1", "/lab").status_code == 404


# An order, by forms alone


def test_an_order_from_the_form_to_the_report(site):
    anna = Visitor(site)
    anna.go("/lab?game=matryoshka")
    anna.send("/lab", seats="4", vary=["long_columns"], players=["easy", "random"], seconds="60")
    address = anna.address
    wait_until(lambda: child(site).began)
    assert child(site).began == [
        Begin("matryoshka", 4, {"long_columns": ["extend", "cap"]}, ["random", "easy"], 600_000, 60)
    ]
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in anna.page.html
    assert "All is made ready" in status(anna, address)
    anna.go(f"{address}/report")
    assert anna.status == 409
    child(site).gate.release(2)
    wait_until(lambda: 'value="50"' in anna.go(address).html)
    assert "Bots play games" in status(anna, address)
    report = anna.client.get(f"{address}/report")
    assert report.text == "<style></style>en 0.5"
    assert report.headers.get_list("content-security-policy") == [pages.REPORT_POLICY]
    assert "script" not in pages.REPORT_POLICY
    child(site).gate.release(2)
    wait_until(lambda: status(anna, address) == "It is measured.")
    assert "http-equiv" not in anna.page.html
    assert "unfinished.js" not in anna.page.html
    assert anna.client.get(f"{address}/report").text.endswith("1.0")
    assert address in {link["href"] for link in anna.go("/lab").links}


def test_a_variant_opens_a_table_that_is_played_like_it(site):
    anna = Visitor(site)
    page = anna.go(order(anna, "memoarrrr", vary=["expert", "ordered_stack"], seats="3"))
    links = [link["href"] for link in page.links if link["href"].startswith("/new/")]
    assert links[-1] == "/new/memoarrrr?seats=3&expert=true&ordered_stack=true"
    assert len(links) == 4
    form = anna.go(links[1]).form("/new/memoarrrr")
    assert form["fields"]["seats"] == "3"
    ticked = {box["name"]: "checked" in box for box in form["boxes"]}
    assert (ticked["expert"], ticked["ordered_stack"]) == (False, True)


def test_what_is_compared_fits_the_number_of_players(site):
    anna = Visitor(site)
    order(anna, "memoarrrr", vary=["first"], seats="2")
    wait_until(lambda: child(site).began)
    assert child(site).began[0].vary == {"first": [None, 0, 1]}
    assert "Chair 3" not in anna.page.words


def test_of_many_values_the_usual_one_is_compared_with_half_and_double(site):
    order(Visitor(site), "babuschka", vary=["patience"])
    wait_until(lambda: child(site).began)
    assert child(site).began[0].vary == {"patience": [40, 20, 80]}


@pytest.mark.parametrize(
    ("facts", "refusal"),
    [
        ({"game": "checkers"}, 404),
        ({"game": ""}, 404),
        ({"vary": "gravity"}, 422),
        ({"seats": "17"}, 422),
        ({"seats": "two"}, 422),
        ({"seats": "-1"}, 422),
        ({"players": []}, 422),
        ({"players": "../../bin/sh"}, 422),
        ({"seconds": "long"}, 422),
        ({"seconds": "11"}, 422),
        ({"seconds": "9" * 30}, 422),
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_sentence(site, facts, refusal):
    anna = Visitor(site)
    anna.go("/lab?game=connect_four")
    anna.send("/lab", **{"players": ["random"], **facts})
    assert anna.status == refusal
    assert "<h1>" in anna.page.html
    assert not child(site).began


def test_too_many_variants_are_refused(site):
    anna = Visitor(site)
    order(anna, "memoarrrr", vary=["expert", "ordered_stack", "first_reveal_ability", "first"], seats="4")
    assert anna.status == 422
    assert "40 variants, and 12 can be compared" in anna.page.words


def test_odd_addresses_are_answered(site):
    anna = Visitor(site)
    for address, answer in (("/lab?game=checkers", 404), ("/lab?game=&x=1", 200), ("/lab/nothing", 404)):
        anna.go(address)
        assert anna.status == answer
    assert "There is no report of the lab" in anna.page.words


def test_a_form_from_elsewhere_is_refused(site):
    anna = Visitor(site)
    anna.go("/lab")
    assert anna.client.post("/lab", data={"game": "connect_four", "players": "random"}).status_code == 403
    assert not child(site).began


def test_orders_are_limited_by_address(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "AsyncChild", Here)
    monkeypatch.setattr("samovar.web.app.MOST_LABS", 2)
    with running(tmp_path, lab_for="everybody", requests_per_minute=1000) as site:
        anna = Visitor(site)
        statuses = [order(anna) and anna.status for _ in range(3)]
        assert statuses == [200, 429, 429]
        assert "in a short time" in anna.page.words


# One after the other


def test_everybody_has_one_order_in_the_line_and_one_is_measured_at_a_time(site):
    anna, boris = Visitor(site), Visitor(site)
    first = order(anna)
    order(anna)
    assert anna.status == 429
    assert "still being measured" in anna.page.words
    second = order(boris)
    assert status(boris, second) == "1 order is measured before this one."
    assert len(child(site).began) == 1
    child(site).gate.release(4)
    wait_until(lambda: status(anna, first) == "It is measured.")
    wait_until(lambda: len(child(site).began) == 2)
    assert "before this one" not in status(boris, second)


def test_the_line_is_not_endless(site, monkeypatch):
    monkeypatch.setattr(lab, "MOST_WAITING", 2)
    visitors = [Visitor(site) for _ in range(3)]
    for visitor in visitors:
        order(visitor)
    assert [visitor.status for visitor in visitors] == [200, 200, 503]


def test_only_who_started_it_can_stop_it_and_sees_it_in_the_list(site):
    anna, boris = Visitor(site), Visitor(site)
    address = order(anna)
    stop = anna.page.form("/stop")["action"]
    boris.go(address)
    assert boris.status == 200, "a link can be passed on"
    assert not any(form["action"].endswith("/stop") for form in boris.page.forms)
    assert address not in {link["href"] for link in boris.go("/lab").links}
    token = boris.page.form("/lab")["fields"]["_csrf_token"]
    assert boris.client.post(stop, data={"_csrf_token": token}).status_code == 403
    assert not child(site).is_interrupted
    assert "measured" not in status(anna, address)


def test_stopped_it_keeps_what_was_measured(site):
    anna = Visitor(site)
    address = order(anna)
    child(site).gate.release()
    wait_until(lambda: anna.go(address) and 'value="25"' in anna.page.html)
    anna.send("/stop")
    wait_until(lambda: status(anna, address) == "It was stopped. What was measured until then is kept.")
    assert anna.client.get(f"{address}/report").text.endswith("0.5")
    assert not any(form["action"].endswith("/stop") for form in anna.page.forms)
    assert order(anna) != address, "the next one can be asked for"


def test_what_does_not_stop_is_ended_and_what_it_said_last_is_kept(site, monkeypatch):
    monkeypatch.setattr(lab, "STOP_SECONDS", 0.1)
    monkeypatch.setattr(Here, "interrupt", lambda self: None)
    anna = Visitor(site)
    address = order(anna)
    child(site).gate.release()
    wait_until(lambda: anna.go(address) and 'value="25"' in anna.page.html)
    anna.send("/stop")
    wait_until(lambda: status(anna, address).startswith("It was stopped."))
    assert anna.client.get(f"{address}/report").text.endswith("0.25")


def test_one_that_waits_can_be_stopped(site):
    anna, boris = Visitor(site), Visitor(site)
    order(anna)
    address = order(boris)
    boris.send("/stop")
    assert status(boris, address) == "It was stopped before anything was measured."
    child(site).gate.release(4)
    time.sleep(0.1)
    assert len(child(site).began) == 1


def test_a_process_that_dies_is_told_of_and_the_next_order_is_measured(site):
    anna = Visitor(site)
    address = order(anna)
    child(site).is_lost = True
    wait_until(lambda: "ended before anything was measured" in status(anna, address))
    address = order(anna)
    child(site).gate.release(1)
    wait_until(lambda: 'value="25"' in anna.go(address).html)
    child(site).is_lost = True
    wait_until(lambda: "What there was by then is kept" in status(anna, address))
    assert anna.client.get(f"{address}/report").status_code == 200


def test_one_that_takes_too_long_is_ended(site, monkeypatch):
    monkeypatch.setattr(lab, "MOST_SECONDS", 0.2)
    anna = Visitor(site)
    address = order(anna)
    wait_until(lambda: "ended before anything was measured" in status(anna, address))


def test_reports_are_kept_for_a_while_and_not_too_many(site, monkeypatch):
    monkeypatch.setattr(lab, "MOST_KEPT", 2)
    anna = Visitor(site)
    child(site).gate.release(100)
    addresses = []
    for _ in range(3):
        addresses.append(order(anna))
        wait_until(lambda: status(anna, addresses[-1]) == "It is measured.")
    assert [anna.client.get(address).status_code for address in addresses] == [404, 200, 200]
    monkeypatch.setattr(lab, "KEPT_SECONDS", 0.0)
    assert anna.client.get(addresses[-1]).status_code == 404
    assert not site.app.state.lab._queue.jobs


def test_our_script_gets_the_parts_that_change(site):
    anna = Visitor(site)
    told = anna.client.get(order(anna), headers={"x-samovar-parts": "1"}).json()
    assert [*told["parts"]] == ["progress", "stop", "report"]
    assert "data-unfinished" in told["parts"]["progress"]
    token = re.search('name="_csrf_token" value="([^"]*)"', told["parts"]["stop"])[1]
    assert token == anna.page.form("/stop")["fields"]["_csrf_token"]


@pytest.mark.parametrize(("language", "words"), [("fr", "Ce qu’on compare"), ("de", "Wer spielt"), ("et", "Kui kaua")])
def test_it_is_spoken_in_every_language(site, language, words):
    anna = Visitor(site, language)
    assert words in anna.go("/lab").words
    assert words in anna.go(order(anna)).words


def test_everybody_reads_a_report_in_their_own_language(site):
    address = order(Visitor(site))
    child(site).gate.release(4)
    wait_until(lambda: Visitor(site).client.get(f"{address}/report").status_code == 200)
    for language in LANGUAGES:
        told = Visitor(site, language).client.get(f"{address}/report").text
        assert told.startswith(f"<style></style>{language} ")


# The process


def test_an_interrupt_makes_the_next_report_the_last():
    worker = Worker(lambda findings: {"en": findings.stage})

    def found():
        for part in range(3):
            yield Findings("counting", part / 10)

    worker._going = found()
    worker.interrupt()
    assert worker.carry_out(GoOn()) == Report("counting", 0.0, {}, True)
    worker._going = found()
    next(worker._going)
    assert worker.carry_out(GoOn()) == Report("counting", 0.1, {"en": "counting"}, True)


class Findings:
    def __init__(self, stage, done):
        self.stage, self.done = stage, done


def test_pages_are_not_made_all_the_time(monkeypatch):
    monkeypatch.setattr("samovar.lab.lab_worker.STEP_SECONDS", 0.0)
    worker = Worker(lambda findings: {"en": "page"})
    worker._going = iter([*(Findings("counting", 0.1) for _ in range(3)), Findings("done", 1.0)])
    assert [bool(worker.carry_out(GoOn()).pages) for _ in range(4)] == [True, False, False, True]


def test_what_cannot_be_ordered_is_answered():
    worker = Worker(lambda findings: {})
    told = msgspec.json.decode(worker.answer(msgspec.json.encode(GoOn())), type=Report)
    assert told.error == "There is no order to go on with."
    wrong = Begin("connect_four", 9, {}, ["random"], 10, 1.0)
    assert msgspec.json.decode(worker.answer(msgspec.json.encode(wrong)), type=Report).error


@pytest.mark.slow
def test_the_process_measures_is_stopped_is_killed_and_measures_again(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "AsyncChild", AsyncChild)
    with running(tmp_path, lab_for="everybody") as site:
        anna = Visitor(site)
        address = order(anna, seconds="10")
        wait_until(lambda: status(anna, address) == "It is measured.", 120)
        assert "Connect Four" in anna.client.get(f"{address}/report").text

        process = child(site)._child._process
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) - own >= min(AFTER_PEOPLE, 19 - own)

        address = order(anna, players=["random", "easy"], seconds="300")
        wait_until(lambda: anna.go(address) and "Look at what there is so far" in anna.page.words, 120)
        anna.send("/stop")
        wait_until(lambda: status(anna, address).startswith("It was stopped."), 20)
        assert anna.client.get(f"{address}/report").status_code == 200

        address = order(anna, players=["random", "easy"], seconds="300")
        wait_until(lambda: anna.go(address) and "Look at what there is so far" in anna.page.words, 120)
        os.kill(child(site)._child._process.pid, signal.SIGKILL)
        wait_until(lambda: "process ended before all was measured" in status(anna, address), 20)
        address = order(anna, seconds="10")
        wait_until(lambda: status(anna, address) == "It is measured.", 120)
        pid = child(site)._child._process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
