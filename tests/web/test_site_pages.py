"""The pages of the site, seen as a browser without scripts sees them."""

import json
import random
import re
from pathlib import Path

import pytest

from samovar.engine.records.fair import verify
from samovar.engine.registry import find_game
from samovar.language.languages import LANGUAGES, own_name, translations
from samovar.language.locale import collect
from samovar.web.tables.phrases import PHRASES
from support.visitors import RandomBotPool, Visitor, running


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def open_table(host, game, **facts):
    host.go(f"/new/{game}" + (f"?seats={facts['seats']}" if "seats" in facts else ""))
    assert host.status == 200
    host.send(f"/new/{game}", name="Anna", **facts)
    assert host.status == 200, host.page.words
    return host.address


GAMES = ["babuschka", "matryoshka", "memoarrrr", "varvitikud"]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Sit down. The samovar is hot."),
        ("fr-FR,fr;q=0.9,en;q=0.5", "Prenez place."),
        ("de-AT, en;q=0.7", "Setz dich. Der Samowar ist heiß."),
        ("sv, et;q=0.8, en;q=0.5", "Istu lauda. Samovar on kuum."),
    ],
)
def test_home_shows_all_games_in_the_language_of_the_browser(site, language, words):
    page = Visitor(site, language).go("/")
    assert words in page.words
    for game in GAMES:
        assert find_game(game).name in page.words
        assert page.form(f"/play/{game}")


def test_the_switch_overrides_the_language_of_the_browser_and_stays(site):
    guest = Visitor(site, "en")
    guest.go("/rules/babuschka")
    guest.send("/language", language="fr")
    assert guest.address == "/rules/babuschka"
    assert "Règles" in guest.page.words
    assert "Prenez place." in guest.go("/").words


@pytest.mark.parametrize("back", ["https://example.org/", "//example.org/", "/\\example.org", "javascript:alert(1)"])
def test_the_language_switch_leads_to_our_own_pages_only(site, back):
    guest = Visitor(site)
    guest.go("/")
    guest.send("/language", language="fr", back=back)
    assert guest.address == "/"


def test_the_switch_names_every_language_in_its_own_words(site):
    page = Visitor(site, "de").go("/")
    assert '<html lang="de">' in page.html
    for language in LANGUAGES:
        assert re.search(rf'value="{language}" lang="{language}"[^>]*>{own_name(language)}<', page.html)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_page_draws_its_examples_and_says_what_it_is_written_in(site, game, language):
    guest = Visitor(site, language)
    page = guest.go(f"/rules/{game}")
    assert f'<html lang="{language}">' in page.html
    is_there = language == "en" or Path(find_game(game).folder, f"RULES.{language}.md").exists()
    assert ('<article class="rules-text" lang="en">' in page.html) is not is_there
    assert guest.status == 200
    assert page.html.count('<figure class="example') == len(find_game(game).face.examples) > 0
    assert page.html.count("<figcaption>") == page.html.count("<figure"), "each with its caption"
    assert "EXAMPLE" not in page.html
    assert "PHASES" not in page.html
    assert "&lt;!--" not in page.html
    assert re.search(r'<h\d><span id="phase-over"></span>', page.html), "headings can be gone to by phase"


def test_without_scripts_the_rules_open_in_a_tab_at_the_phase_that_is_on(site):
    guest, choose = Visitor(site), random.Random(1)
    guest.go("/")
    guest.send("/play/memoarrrr")
    table, seen = guest.address, set()
    rules = guest.go("/rules/memoarrrr").html
    guest.go(table)
    while len(seen) < 2:
        link = re.search(r'<a class="rules-link" href="/rules/memoarrrr#([\w-]+)" target="_blank">', guest.page.html)
        assert f'id="{link[1]}"' in rules
        seen.add(link[1])
        if guest.move(choose) is None:
            guest.go(table)
    assert seen == {"phase-look", "phase-reveal"}


def test_before_a_match_has_begun_the_rules_open_at_their_beginning(site):
    anna = Visitor(site)
    open_table(anna, "memoarrrr", seats="2")
    assert '<a class="rules-link" href="/rules/memoarrrr" target="_blank">' in anna.page.html


def english_in(language, game):
    """Sentences of the site and of a game that are said otherwise in that language."""
    translate, words = translations(language).gettext, find_game(game).words
    site = [message.id for message in collect.kept(language) if isinstance(message.id, str) and message.id]
    said = [(text, translate(text)) for text in site] + [
        (text, words[language][key]) for key, text in words["en"].items()
    ]
    return {text for text, other in said if text != other and len(text) > 8 and not re.search("[%{]", text)}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_nothing_is_left_in_english(site, language):
    guest, game = Visitor(site, language), GAMES[LANGUAGES.index(language)]
    left = {}
    for address in (
        "/",
        f"/new/{game}",
        "/me",
        "/me/calls",
        "/tables",
        "/today",
        "/puzzles",
        f"/puzzles/{game}",
        "/club",
        f"/players/{game}",
        "/record",
        "",
    ):
        if address:
            guest.go(address)
        else:
            guest.go("/")
            guest.send(f"/play/{game}")
        assert guest.status == 200, (address, guest.page.words)
        found = {text for text in english_in(language, game) if f" {text} " in f" {guest.page.words} "}
        if found:
            left[address or "the table"] = found
    assert not left
    assert len(english_in(language, game)) > 400


@pytest.mark.parametrize("game", [*GAMES, "connect_four"])
def test_play_now_is_one_click_and_a_whole_match_by_forms_alone(site, game):
    guest, choose = Visitor(site), random.Random(1)
    guest.go("/")
    guest.send(f"/play/{game}")
    table = guest.address
    for _ in range(3000):
        if "Look at the game again" in guest.page.words:
            break
        if guest.move(choose) is None:
            guest.go(table)
        assert guest.status == 200, guest.page.words
    else:
        pytest.fail("the match does not end")
    assert "Play again with the same people" in guest.page.words


def test_two_guests_sit_down_by_the_link_and_the_match_begins_when_all_chairs_are_taken(site):
    anna, boris, chloe = Visitor(site), Visitor(site, "fr"), Visitor(site)
    table = open_table(anna, "memoarrrr", seats="2")
    assert "One chair is still free." in anna.page.words
    assert f"http://samovar.test{table}" in anna.page.text
    assert "<svg" in anna.page.html
    boris.go(table)
    boris.send("/sit", name="Boris")
    assert "Boris" in boris.page.words
    assert "What happened" in anna.go(table).words
    chloe.go(table)
    assert not any(form["action"].endswith("/sit") for form in chloe.page.forms), (
        "the table is full, one can only watch"
    )
    assert not any(button.get("name") == "move" for form in chloe.page.forms for button in form["buttons"])


def test_a_full_table_cannot_be_sat_at(site):
    anna, boris, chloe = Visitor(site), Visitor(site), Visitor(site)
    table = open_table(anna, "memoarrrr", seats="2")
    for guest in (boris, chloe):
        guest.go(table)
    boris.send("/sit", name="Boris")
    chloe.send("/sit", name="Chloé")
    assert chloe.status == 409
    assert "All chairs at this table are taken." in chloe.page.words


def test_names_and_talk_are_escaped(site):
    anna = Visitor(site)
    anna.go("/new/memoarrrr")
    anna.send("/new/memoarrrr", name="<b>Anna</b>&", **{"chair-1": "easy"})
    assert "<b>Anna" not in anna.page.html
    assert "&lt;b&gt;Anna&lt;/b&gt;&amp;" in anna.page.html
    anna.send("/say", text="<script>alert(1)</script><img src=x onerror=alert(1)>")
    assert "<script>alert" not in anna.page.html
    assert "onerror=alert(1)&gt;" in anna.page.html


@pytest.mark.parametrize("name", ["", "   ", "x" * 25, "a\x00b", "a\u202eb"])
def test_a_name_that_is_none_is_refused_in_the_language_of_the_reader(site, name):
    for language, words in (("en", "A name has 1 to 24 letters."), ("fr", "Un nom compte de 1 à 24 caractères.")):
        anna = Visitor(site, language)
        anna.go("/new/memoarrrr")
        anna.send("/new/memoarrrr", name=name)
        assert anna.status == 422
        assert words in anna.page.words


def test_ready_phrases_are_read_in_each_readers_own_language(site):
    anna, boris = Visitor(site), Visitor(site, "fr")
    table = open_table(anna, "memoarrrr", seats="2")
    boris.go(table)
    boris.send("/sit", name="Boris")
    boris.send("/say", phrase=PHRASES[9])
    assert "Bien joué !" in boris.page.words
    assert "Well played!" in anna.go(table).words
    boris.send("/say", phrase="Not one of them")
    assert boris.status == 422


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/nowhere", 404),
        ("/table/nothing", 404),
        ("/table/nothing/come/0abc", 404),
        ("/rules/chess", 404),
        ("/new/chess", 404),
        ("/record/nothing", 404),
        ("/games/babuschka/state.py", 404),
        ("/games/babuschka/..%2fstate.py", 404),
        ("/static/../app.py", 404),
        ("/table/%00", 404),
        ("/live", 400),
    ],
)
def test_what_is_not_there_is_a_friendly_page_with_the_right_status(site, address, status):
    for language, words in (("en", "Oh, that did not work"), ("fr", "Oh, cela n’a pas marché")):
        guest = Visitor(site, language)
        page = guest.go(address)
        assert guest.status == status
        assert words in page.words
        assert "Traceback" not in page.html


def test_malformed_forms_are_refused_kindly(site):
    anna = Visitor(site)
    table = open_table(anna, "babuschka", **{"chair-1": "easy"})
    wrong = (
        {"move": "x" * 300},
        {"move": ""},
        {"move": "c1-c9"},
        {"move": "1"},
        {"move": "c1-c2", "ply": "many"},
        {"move": "c1-c2", "ply": "-5"},
    )
    for facts in wrong:
        anna.go(table)
        anna.send("/move", **facts)
        assert anna.status in (409, 422), facts
        assert re.search(r'<p id="problem"[^>]*>[^<]+</p>', anna.page.html), "it is said why"
        assert 'data-part="board"' in anna.page.html, "and one can choose again"
    for facts in (
        {"seats": "3"},
        {"seats": "x"},
        {"patience": "1000000"},
        {"patience": "a"},
        {"first": "7"},
        {"chair-1": "genius"},
    ):
        anna.go("/new/babuschka")
        anna.send("/new/babuschka", name="Anna", **facts)
        assert anna.status in (400, 422), facts


def test_a_form_without_its_token_changes_nothing(site):
    anna = Visitor(site)
    anna.go("/")
    answer = anna.client.post("/play/babuschka", data={})
    assert answer.status_code == 403
    assert "Allow cookies for this site" in answer.text
    answer = anna.client.post("/play/babuschka", data={"_csrf_token": "0" * 128})
    assert answer.status_code == 403


def test_a_body_too_large_is_refused(site):
    anna = Visitor(site)
    table = open_table(anna, "babuschka", **{"chair-1": "easy"})
    token = anna.page.form("/say")["fields"]["_csrf_token"]
    answer = anna.client.post(f"{table}/say", data={"_csrf_token": token, "text": "x" * 100_000})
    assert answer.status_code == 413


def test_every_answer_forbids_scripts_of_others(site):
    for address in ("/", "/rules/babuschka", "/nowhere", "/static/samovar.css", "/api/games"):
        headers = site.get(address).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe-inline" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_cookies_are_for_the_server_alone(site):
    anna = Visitor(site)
    anna.go("/")
    answer = anna.client.post(
        "/play/babuschka", data=anna.page.form("/play/babuschka")["fields"], follow_redirects=False
    )
    set_cookies = answer.headers.get_list("set-cookie") + anna.client.get("/").headers.get_list("set-cookie")
    assert any(cookie.startswith("samovar=") for cookie in set_cookies)
    for cookie in set_cookies:
        assert "httponly" in cookie.lower()
        assert "samesite=lax" in cookie.lower()


@pytest.mark.parametrize("address", ["/", "/rules/varvitikud", "/new/matryoshka", "/record"])
def test_no_page_has_inline_scripts_or_styles(site, address):
    html = Visitor(site).go(address).html
    assert not re.search(r"<script(?![^>]*\bsrc=)", html)
    assert not re.search(r"\son\w+=", html)
    assert not re.search(r"\sstyle=", html)
    assert "<style" not in html


def test_record_of_a_finished_match(site, tmp_path):
    """Scrubber, eyes, download, verification, upload, and 'again' with the same people."""
    anna, choose = Visitor(site), random.Random(3)
    table = open_table(anna, "memoarrrr", seats="2", **{"chair-1": "hard"})
    commitment = re.search(r'class="commitment">(\w{64})<', anna.page.html)[1]
    anna.go(f"/record/{table.split('/')[-1]}")
    assert anna.status == 403, "a match that is played has no record yet"
    assert "still being played" in anna.page.words
    anna.go(table)
    while "Look at the game again" not in anna.page.words:
        if anna.move(choose) is None:
            anna.go(table)
    record = f"/record/{table.split('/')[-1]}"
    page = anna.go(f"{record}?at=3&eyes=0")
    last = int(re.search(r"Move 3 of (\d+)", page.words)[1])
    for at, eyes in ((0, "open"), (last, "open"), (2, "nobody"), (5, "1"), (99999, "x"), ("no", "0")):
        anna.go(f"{record}?at={at}&eyes={eyes}")
        assert anna.status == 200
    assert commitment in anna.page.html
    content = anna.client.get(f"{record}/download").text
    assert verify(json.loads(content), commitment).over
    guest = Visitor(site)
    guest.go("/record")
    token = guest.page.form("/record")["fields"]["_csrf_token"]
    answer = guest.client.post(
        "/record", data={"_csrf_token": token}, files={"record": ("match.json", content)}, follow_redirects=True
    )
    assert answer.status_code == 200
    assert f"of {last}" in answer.text
    for broken in ("", "{", "[]", '{"samovar": 1}', content.replace('"seats": 2', '"seats": 3'), "[" * 5000):
        answer = guest.client.post("/record", data={"_csrf_token": token}, files={"record": ("match.json", broken)})
        assert answer.status_code == 422, broken[:40]
    anna.go(table)
    anna.send("/again")
    assert anna.address != table
    assert "Anna" in anna.page.words
    assert "hard" in anna.page.words


def test_personal_link_brings_a_person_back_on_another_device(site):
    anna, phone, thief = Visitor(site), Visitor(site), Visitor(site)
    table = open_table(anna, "memoarrrr", seats="2")
    link = re.search(rf"{table}/come/\w+", anna.page.html)[0]
    phone.go(link)
    assert "Welcome back, Anna" in phone.page.words
    assert not phone.client.cookies.get("samovar"), "looking at a link is not sitting down"
    phone.send(link)
    assert phone.address == table
    assert re.search(rf"{table}/come/\w+", phone.page.html)[0] != link, "the next device gets a link of its own"
    thief.go(link[:-1] + ("0" if link[-1] != "0" else "1"))
    assert thief.status == 403


def test_taking_back_is_free_when_nobody_learned_anything_else_by_consent(site):
    anna, boris = Visitor(site), Visitor(site)
    table = open_table(anna, "babuschka", seats="2", first="0")
    boris.go(table)
    boris.send("/sit", name="Boris")
    anna.go(table)
    anna.move(random.Random(1))
    assert "Boris is thinking" in anna.page.words
    anna.send("/back")
    assert "Boris is thinking" not in anna.page.words, "nothing is hidden in Babuschka and Boris has not moved"
    anna.move(random.Random(2))
    boris.go(table)
    boris.move(random.Random(3))
    anna.go(table)
    anna.send("/back")
    assert "would like to take back" in anna.page.words
    boris.go(table)
    boris.send("/answer", agrees="no")
    assert "would like to take back" not in boris.page.words
    anna.go(table)
    anna.send("/back")
    boris.go(table)
    boris.send("/answer", agrees="yes")
    assert "Anna is thinking" in boris.page.words
    assert "Nothing has happened yet." in boris.page.words


def test_hints_are_a_switch_of_the_table(site):
    anna = Visitor(site)
    table = open_table(anna, "babuschka", first="0", **{"chair-1": "easy"})
    assert not any(form["action"].endswith("/hint") for form in anna.page.forms)
    answer = anna.client.post(f"{table}/hint", data=anna.page.form("/say")["fields"])
    assert answer.status_code == 403
    open_table(anna, "babuschka", first="0", hints="on", **{"chair-1": "easy"})
    anna.send("/hint")
    assert "Hint:" in anna.page.words


def test_memory_aid_is_a_switch_of_the_table(site):
    shown = {}
    for aid in ("off", "on"):
        anna = Visitor(site)
        open_table(anna, "memoarrrr", first="0", memory_aid=aid, **{"chair-1": "easy"})
        anna.move(random.Random(1))
        for _ in range(6):
            if anna.move(random.Random(1)) is None:
                anna.go(anna.address)
        shown[aid] = "Memory aid: on" in anna.page.words
    assert shown == {"off": False, "on": True}


def test_my_tables_mark_whose_turn_it_is(site):
    anna = Visitor(site)
    table = open_table(anna, "babuschka", first="0", **{"chair-1": "easy"})
    page = anna.go("/")
    assert "your turn" in page.words
    assert any(link.get("href") == table for link in page.links)
    assert "My tables" not in Visitor(site).go("/").words


def test_open_tables_are_listed_and_private_ones_are_not(site):
    anna = Visitor(site)
    private = open_table(anna, "varvitikud", seats="3")
    public = open_table(anna, "varvitikud", seats="3", open="on")
    listed = [link.get("href") for link in Visitor(site).go("/").links]
    assert public in listed
    assert private not in listed


def test_too_many_requests_are_refused_kindly(tmp_path):
    with running(tmp_path, requests_per_minute=5) as client:
        guest = Visitor(client, "fr")
        statuses = []
        for _ in range(8):
            guest.go("/")
            statuses.append(guest.status)
        assert statuses == [200] * 5 + [429] * 3
        assert "C’était un peu trop" in guest.page.words
        assert client.get("/health").status_code == 200


def test_too_many_tables_are_refused(tmp_path):
    with running(tmp_path, requests_per_minute=1000, tables_per_minute=2) as client:
        guest = Visitor(client)
        statuses = []
        for _ in range(3):
            guest.go("/")
            guest.send("/play/babuschka")
            statuses.append(guest.status)
        assert statuses == [200, 200, 429]


def test_health_and_metrics(site):
    assert site.get("/health").text == "ok"
    lines = dict(line.rsplit(" ", 1) for line in site.get("/metrics").text.splitlines())
    assert float(lines["samovar_uptime_seconds"]) > 0
    assert "samovar_tables_playing" in lines


def test_a_bots_turn_is_taken_up_after_a_restart(tmp_path):
    class Sleepy(RandomBotPool):
        async def think(self, question, *, people=True):
            import asyncio

            await asyncio.sleep(1000)

    with running(tmp_path, Sleepy()) as client:
        anna = Visitor(client)
        table = open_table(anna, "memoarrrr", first="1", **{"chair-1": "easy"})
        assert "is thinking" in anna.page.words
    with running(tmp_path) as client:
        guest = Visitor(client)
        for _ in range(100):
            if "Nothing has happened yet." not in guest.go(table).words:
                break
        else:
            pytest.fail("the bot's turn is forgotten")
