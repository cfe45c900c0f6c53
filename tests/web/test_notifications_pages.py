"""The page on which people say how they want to be called, and who comes there with other
intentions."""

import json
import re
from urllib.parse import urljoin

import pytest

from samovar.errors import SamovarError
from samovar.web.notifications import channels as channel_store
from samovar.web.notifications.channels import MOST_CHANNELS
from samovar.web.serve import check_calls
from samovar.web.store.queries.outbox import DAY_MS
from support.calls import call_at
from support.receivers import PushService, mailbox, receiving
from support.stores import rows
from support.visitors import Visitor, running

LETTERS = {"mail_sender": "samovar@example.org", "public_url": "http://samovar.test"}


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


@pytest.fixture
def site(tmp_path):
    with running(tmp_path, call_private=True) as client:
        yield client


@pytest.fixture
def anna(site):
    visitor = Visitor(site)
    visitor.go("/me/calls")
    return visitor


def post(visitor, path, **facts):
    """A form of ours that was tampered with."""
    token = visitor.page.form("/language")["fields"]["_csrf_token"]
    return visitor._see(visitor.client.post(path, data={**facts, "_csrf_token": token}, follow_redirects=True))


def channels(visitor):
    return [
        form["action"].split("/")[3] for form in visitor.go("/me/calls").forms if form["action"].endswith("/remove")
    ]


def test_a_way_is_tried_kept_and_removed(anna, receiver):
    call_at(anna, receiver)
    assert receiver.address in anna.page.words
    assert "No message was sent there yet." in anna.page.words
    anna.send("/try")
    assert "A message is on its way." in anna.page.words
    assert receiver.texts == ["This is how you will be called when it is your turn."]
    receiver.status = 500
    anna.send("/try")
    assert "The last try failed just now: the answer was 500." in anna.page.words
    anna.send("/remove")
    assert "Nowhere yet." in anna.page.words


def test_who_only_looks_at_the_page_leaves_nothing_behind(site, anna):
    assert anna.status == 200
    assert rows(site, "SELECT * FROM people") == rows(site, "SELECT * FROM ways") == []


def test_a_message_is_in_the_language_of_the_reader(site, receiver):
    yann = Visitor(site, "fr")
    call_at(yann, receiver)
    yann.send("/try")
    assert receiver.texts == ["C’est ainsi que vous serez prévenu quand ce sera à vous de jouer."]


def test_the_same_address_twice_is_one_way(anna, receiver):
    for _ in range(2):
        call_at(anna, receiver)
    assert len(channels(anna)) == 1


def test_a_browser_is_called_for_whoever_it_belongs_to_now(site, anna, receiver):
    service, boris = PushService(receiver), Visitor(site)
    anna.send("/calls/push", **service.fields)
    boris.go("/me/calls")
    boris.send("/calls/push", **service.fields)
    assert (channels(anna), len(channels(boris))) == ([], 1)


def test_who_comes_by_a_personal_link_brings_the_ways_along(site, anna, receiver):
    """Once each: also those that the other had already."""
    boris = Visitor(site)
    call_at(anna, receiver)
    for target in (receiver.address, receiver.address + "/2"):
        boris.go("/me/calls")
        boris.send("/calls/web", target=target)
    boris.go(next(link["href"] for link in anna.go("/me").links if "/me/come/" in link.get("href", "")))
    post(boris, boris.address, along="yes")
    assert len(channels(boris)) == 2
    assert channels(boris) == channels(anna)


def test_wishes_are_kept(anna):
    facts = {"quiet_from": "23", "quiet_until": "6", "zone": "Asia/Tokyo", "minutes": "60"}
    anna.send("/wishes", **facts)
    kept = anna.page.form("/wishes")["fields"]
    assert {name: kept[name] for name in facts} == facts


def test_the_zone_of_the_browser_is_taken_until_another_is_chosen(anna, receiver):
    anna.send("/calls/web", target=receiver.address, zone="Europe/Tallinn")
    assert anna.page.form("/wishes")["fields"]["zone"] == "Europe/Tallinn"
    anna.send("/calls/web", target=receiver.address + "/2", zone="Asia/Tokyo")
    assert anna.page.form("/wishes")["fields"]["zone"] == "Europe/Tallinn"


# Other intentions


@pytest.mark.parametrize(
    "facts",
    [
        {"quiet_from": "24"},
        {"quiet_until": "-1"},
        {"minutes": "721"},
        {"minutes": "ten"},
        {"zone": "../../etc/passwd"},
        {"zone": ""},
        {"zone": "\x00"},
    ],
)
def test_wishes_that_cannot_be_are_refused(anna, facts):
    anna.send("/wishes", **facts)
    assert 400 <= anna.status < 500


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:9000/",
        "http://localhost/",
        "http://[::1]/",
        "http://10.0.0.7/",
        "http://169.254.169.254/latest",
        "https://nobody.invalid/",
        "https://name:word@example.org/",
        "ftp://example.org/",
        "",
        "\x00",
        "https://" + "a" * 2000,
        "https://exa mple.org/",
        "https://é.invalid/",
    ],
)
def test_addresses_inside_the_network_of_the_site_are_refused(tmp_path, target):
    with running(tmp_path) as site:
        anna = Visitor(site)
        anna.go("/me/calls")
        anna.send("/calls/web", target=target)
        assert anna.status == 422
        assert "This address cannot be called." in anna.page.words
        assert rows(site, "SELECT * FROM ways") == []


@pytest.mark.parametrize(
    "change",
    [{"p256dh": ""}, {"auth": "AAAA"}, {"endpoint": ""}, {"endpoint": "http://[::1"}, {"endpoint": "https://x:99999/"}],
)
def test_what_is_no_subscription_is_refused(anna, receiver, change):
    post(anna, "/me/calls/push", **{**PushService(receiver).fields, **change})
    assert anna.status == 422


def test_a_push_service_without_encryption_is_refused(tmp_path, receiver):
    with running(tmp_path) as site:
        anna = Visitor(site)
        anna.go("/me/calls")
        post(anna, "/me/calls/push", **PushService(receiver).fields)
        assert anna.status == 422


def test_nobody_has_more_than_a_few_ways(anna, receiver):
    for number in range(MOST_CHANNELS + 1):
        anna.go("/me/calls")
        anna.send("/calls/web", target=f"{receiver.address}/{number}")
    assert anna.status == 409
    assert len(channels(anna)) == MOST_CHANNELS


def test_ways_are_not_tried_without_end(anna, receiver):
    call_at(anna, receiver)
    for _ in range(11):
        anna.go("/me/calls")
        anna.send("/try")
    assert anna.status == 429
    assert len(receiver.heard) == 10


def test_the_ways_of_others_are_out_of_reach(site, anna, receiver):
    call_at(anna, receiver)
    [channel] = channels(anna)
    boris = Visitor(site)
    boris.go("/me/calls")
    for action in ("try", "remove"):
        post(boris, f"/me/calls/{channel}/{action}")
        assert boris.status == 404
    assert receiver.heard == []
    assert channels(anna) == [channel]


def test_forms_without_the_token_of_our_pages_are_refused(anna, receiver):
    for path in ("web", "push", "mail", "wishes"):
        answer = anna.client.post(f"/me/calls/{path}", data={"target": receiver.address})
        assert answer.status_code == 403


# Letters


def test_a_site_without_a_mail_server_offers_no_letters(anna):
    assert not any(form["action"].endswith("/mail") for form in anna.page.forms)
    post(anna, "/me/calls/mail", target="anna@example.org")
    assert anna.status == 404


def enter(site, target):
    """A stranger, who wants letters sent there."""
    stranger = Visitor(site)
    stranger.go("/me/calls")
    stranger.send("/calls/mail", target=target)
    return stranger


def answer_letter(site, text, answer):
    """As whoever finds the letter in their box."""
    reader = Visitor(site)
    [link] = re.findall(r"http://samovar.test(/me/calls/letter/\S+)", text)
    reader.go(link)
    reader.send(link, answer=answer)
    assert reader.status == 200


def test_an_address_gets_one_question_whoever_asks(tmp_path):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        written = ["Victim@example.org", "victim@example.org", "victim+x@Example.org"]
        asked = [enter(site, target) for target in written]
        assert [one.status for one in asked] == [200, 409, 409]
        assert "no other follows" in asked[-1].page.words
        assert len(box.letters) == 1
        assert enter(site, "somebody@example.org").status == 200
        assert "victim" not in str(rows(site, "SELECT * FROM letters")).lower(), "nobody finds an address there"


def test_an_address_that_said_nothing_is_asked_again_after_half_a_year(tmp_path, monkeypatch):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        assert enter(site, "victim@example.org").status == 200
        pass_days(monkeypatch, 179)
        assert enter(site, "victim@example.org").status == 409
        pass_days(monkeypatch, 2)
        assert enter(site, "victim@example.org").status == 200
        assert len(box.letters) == 2


def pass_days(monkeypatch, days):
    now = channel_store.now_ms() + days * DAY_MS
    monkeypatch.setattr(channel_store, "now_ms", lambda: now)


def test_an_address_that_said_no_is_never_asked_again(tmp_path, monkeypatch):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        enter(site, "victim@example.org")
        answer_letter(site, box.texts[0], "no")
        for days in (1, 10_000):
            pass_days(monkeypatch, days)
            assert enter(site, "victim@example.org").status == 409
        assert len(box.letters) == 1


def test_a_no_holds_for_all_who_have_entered_the_address(tmp_path, monkeypatch):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        enter(site, "anna@example.org")
        answer_letter(site, box.texts[0], "yes")
        enter(site, "Anna@example.org")
        answer_letter(site, box.texts[1], "no")
        assert [row.target for row in rows(site, "SELECT target FROM ways")] == []


def test_whoever_is_not_asked_for_has_no_way_that_waits(tmp_path):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        anna = enter(site, "anna@example.org")
        boris = enter(site, "anna@example.org")
        assert (len(channels(anna)), len(channels(boris))) == (1, 0)


def test_a_letter_can_be_answered_after_the_address_was_entered_in_another_language(tmp_path):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        anna = enter(site, "anna@example.org")
        post(anna, "/language", language="fr")
        anna.go("/me/calls")
        anna.send("/calls/mail", target="anna@example.org")
        assert anna.status == 409
        answer_letter(site, box.texts[0], "yes")
        assert [row.language for row in rows(site, "SELECT * FROM ways WHERE is_confirmed")] == ["fr"]


def test_who_said_yes_and_changed_the_device_can_enter_the_address_again(tmp_path):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        enter(site, "anna@example.org")
        answer_letter(site, box.texts[0], "yes")
        assert enter(site, "anna@example.org").status == 200
        assert len(box.letters) == 2


def test_a_person_cannot_have_many_addresses_asked(tmp_path):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        anna = Visitor(site)
        for number in range(7):
            anna.go("/me/calls")
            anna.send("/calls/mail", target=f"anna{number}@example.org")
        assert anna.status == 429
        assert len(box.letters) == 5


@pytest.mark.parametrize("target", ["anna", "a@b@c.de", "anna@example.org\r\nBcc: x@y.de", "", "\x00"])
def test_what_is_no_mail_address_is_refused(tmp_path, target):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        anna = Visitor(site)
        anna.go("/me/calls")
        anna.send("/calls/mail", target=target)
        assert anna.status == 422
        assert box.letters == []


def test_links_of_letters_lead_to_the_site_and_not_where_a_stranger_says(tmp_path):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        anna = Visitor(site)
        anna.client.headers["host"] = "elsewhere.example"
        anna.go("/me/calls")
        anna.send("/calls/mail", target="anna@example.org")
        assert re.findall(r"https?://[^/\s]+", box.texts[0]) == ["http://samovar.test"]


def test_a_letter_cannot_be_answered_without_its_key(tmp_path):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        anna = Visitor(site)
        anna.go("/me/calls")
        anna.send("/calls/mail", target="anna@example.org")
        [channel] = rows(site, "SELECT id FROM ways")
        for key in (channel.id, f"{channel.id}.", f"{channel.id}.{'0' * 40}", "x", "%00", "é"):
            anna.go(f"/me/calls/letter/{key}")
            assert anna.status == 404
            post(anna, f"/me/calls/letter/{key}", answer="yes")
            assert anna.status == 404
        post(anna, f"/me/calls/{channel.id}/try")
        assert anna.status == 400, "only who has confirmed gets anything"
        assert not rows(site, "SELECT * FROM ways WHERE is_confirmed")
        assert len(box.letters) == 1


def test_a_mail_server_that_is_not_there_is_told(tmp_path):
    with mailbox() as box:
        nobody = box.server
    with running(tmp_path, mail_server=nobody, **LETTERS) as site:
        anna = Visitor(site)
        anna.go("/me/calls")
        anna.send("/calls/mail", target="anna@example.org")
        assert anna.status == 503
        assert "The letter could not be sent." in anna.page.words
        assert "The last try failed" in anna.go("/me/calls").words
        anna.send("/calls/mail")
        assert anna.status == 503, "what was not sent is no letter"
        assert rows(site, "SELECT * FROM letters") == []


def test_the_letter_is_not_offered_again_once_it_was_sent(tmp_path):
    with mailbox() as box, running(tmp_path, mail_server=box.server, **LETTERS) as site:
        anna = enter(site, "anna@example.org")
        assert "It waits for your answer" in anna.page.words
        assert "Send the letter again" not in anna.page.words


# What the owner says


@pytest.mark.parametrize(
    ("facts", "remedy"),
    [
        ({"mail_server": "smtp://mail.example.org", "mail_sender": "samovar@example.org"}, "--public-url"),
        ({"mail_server": "mail.example.org", "mail_sender": "samovar@example.org"}, "smtp://"),
        ({"mail_server": "smtp://mail.example.org"}, "anna@example.org"),
        ({"mail_sender": "samovar@example.org"}, "smtp://"),
        ({"contact": "you@example.org"}, "mailto:"),
    ],
)
def test_settings_that_cannot_work_are_refused_with_a_remedy(facts, remedy):
    nothing = {"public_url": "", "mail_server": "", "mail_sender": "", "contact": ""}
    check_calls(**nothing)
    with pytest.raises(SamovarError, match=remedy):
        check_calls(**{**nothing, **facts})


# An app


def test_browsers_get_what_makes_an_app(site):
    client = Visitor(site).client
    worker = client.get("/service_worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert worker.headers["cache-control"] == "max-age=300, public", "browsers ask anew for a worker, whatever it says"
    assert "set-cookie" not in worker.headers
    manifest = client.get(at := "/static/manifest.webmanifest")
    assert manifest.headers["content-type"] == "application/manifest+json"
    for icon in json.loads(manifest.text)["icons"]:
        assert client.get(urljoin(at, icon["src"])).status_code == 200
    kept = re.search(r"const KEPT = (\[.*?\])", worker.text)[1]
    for address in json.loads(kept):
        assert client.get(address).status_code == 200
    assert "No connection" in client.get("/offline").text
