"""One device for several people: whoever has it sees their own cards and nobody else's, between two
hands everybody's alone, and no page that was left open acts for another."""

import asyncio
import json
import random
import re
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from samovar.web.store.entries import Undo
from samovar.web.store.queries.hands import NOBODY, Hand
from support.players import look, own_link, post
from support.visitors import RandomBotPool, Visitor, running

SECRETIVE = ["matryoshka", "memoarrrr", "varvitikud"]
CURTAIN = 'class="curtain"'
SEEN = "I have seen it"
HERE = {"chair-1": "here", "chair-1-name": "Lea"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


class Device(Visitor):
    """A browser without scripts that Max and Lea share."""

    def open(self, game="memoarrrr", seats=2, **facts):
        """Max and Lea, and free chairs for the others; Max begins."""
        self.go(f"/new/{game}?seats={seats}")
        self.send(f"/new/{game}", **{"name": "Max", "first": "0", **HERE, **facts})
        self.table = self.address
        return self

    @property
    def is_curtain(self):
        return CURTAIN in self.page.html

    @property
    def hand(self):
        """Whose page it is; None: nobody's."""
        seat = re.search(r'data-seat="(\d)"', self.page.html)
        return int(seat[1]) if seat else None

    @property
    def asked(self):
        """Whom the curtain asks for first."""
        return int(self.page.form("/hand")["fields"]["seat"])

    def take(self, seat):
        """Somebody says who they are."""
        self.go(self.table)
        self.send("/hand", seat=seat)
        assert self.hand == seat, self.page.words
        return self

    def play(self, seat, choose=None):
        """One move of theirs."""
        self.take(seat)
        assert self.move(choose or random.Random(1)) is not None
        return self.see()

    def see(self):
        """Whoever was shown something says that they have seen it."""
        self.go(self.table)
        if SEEN in self.page.words:
            self.send("/hand")
            assert self.is_curtain
        return self


@pytest.fixture
def device(site):
    return Device(site).open()


def with_friend(site, game="memoarrrr", seats=3, **facts):
    """Max and Lea on one device, Nina on her own."""
    device, nina = Device(site).open(game, seats, **facts), Visitor(site)
    nina.go(device.table)
    nina.send("/sit", name="Nina")
    device.go(device.table)
    return device, nina


def table_of(site, device):
    return site.blocking_portal.call(site.app.state.tables.look, device.table.split("/")[-1])


def session_of(site, visitor):
    return site.app.state.sessions.load_data([visitor.client.cookies["samovar"].encode()])


@contextmanager
def listening(site, visitor, table):
    """What the stream of a browser tells since the last `hear()`; it is the browser's of this moment,
    whatever its cookies become."""
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())
    headers = [(b"host", b"samovar.test"), (b"cookie", cookies.encode())]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/live",
        "raw_path": b"/live",
        "query_string": b"table=" + table.split("/")[-1].encode(),
        "root_path": "",
        "headers": headers,
        "client": ("test", 1),
        "server": ("test", 1),
        "state": {},
    }
    heard, is_gone = [], asyncio.Event()

    async def receive():
        await is_gone.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        for line in message.get("body", b"").split(b"\r\n\r\n"):
            if line.startswith(b"data: "):
                heard.append(json.loads(line[6:]))

    async def settle(wanted):
        """Until as many have come as are wanted, and nothing more for a while."""
        async with asyncio.timeout(10):  # a stream looks again by itself after 15
            while len(heard) < wanted:
                await asyncio.sleep(0.01)
        count = -1
        while count != len(heard):
            count = len(heard)
            await asyncio.sleep(0.05)

    def hear(wanted=1):
        site.blocking_portal.call(settle, wanted)
        fresh, heard[:] = list(heard), []
        return fresh

    stream = site.blocking_portal.start_task_soon(site.app, scope, receive, send)
    try:
        yield hear
    finally:
        site.blocking_portal.call(is_gone.set)
        stream.result(10)


# Nothing hidden is seen


def received(site, device):
    """All that the device can ask for now."""
    site.app.state.looks.forget()
    address = device.table
    asked = {
        "page": device.client.get(address),
        "parts": device.client.get(address, headers={"x-samovar-parts": "1"}),
        "list": device.client.get(f"{address}?list"),
        "before": device.client.get(f"{address}?at={max(0, len(table_of(site, device).playing.history) - 1)}"),
        "record": device.client.get(address.replace("table", "record")),
        "refusal": post(device, f"{address}/move", move="nonsense", ply="0", hand="1"),
    }
    with listening(site, device, address) as hear:
        return {name: text_of(answer) for name, answer in asked.items()} | {"stream": str(hear())}


def text_of(answer):
    """Without the time of day, for which nobody can be blamed."""
    return re.sub('data-now="[0-9]+"', "", answer.text)


def check_worlds(site, device, eyes, seed):
    """What is received is the same in worlds that those eyes cannot tell apart. Says whether anybody
    else could."""
    match = table_of(site, device).playing
    truth, before = match.states.copy(), received(site, device)
    views = [match.view(seat) for seat in range(match.seats)]
    try:
        match.states[:] = match.imagine(eyes, seed).states
        other = received(site, device)
        assert {name for name in before if before[name] != other[name]} == set()
        return views != [match.view(seat) for seat in range(match.seats)]
    finally:
        match.states[:] = truth


@pytest.mark.slow
@pytest.mark.parametrize("game", SECRETIVE)
def test_a_whole_match_shows_each_hand_its_own_cards_and_the_curtain_none(site, game):
    device, nina = with_friend(site, game)
    choose, differed, curtains = random.Random(4), 0, 0
    while table_of(site, device).status != "over":
        now = table_of(site, device)
        if 2 in now.actors:
            nina.go(device.table)
            nina.move(choose)
            continue
        device.go(device.table)
        if choose.random() < 0.1:
            eyes = list(range(3)) if device.is_curtain else [device.hand]
            differed += sum(check_worlds(site, device, seat, choose.randrange(10**6)) for seat in eyes)
        if device.is_curtain:
            curtains += 1
            assert device.asked == now.actors[0], "those who choose at the same time do it one after the other"
            device.send("/hand")
            assert device.hand == now.actors[0]
        elif SEEN in device.page.words:
            assert device.hand not in now.actors
            device.see()
        else:
            assert device.hand in now.actors
            device.move(choose)
    assert curtains > 5
    assert differed, "no world was another one"
    device.go(device.table)
    assert not device.is_curtain, "everybody sees the end"


def test_the_curtain_shows_what_a_spectator_sees(site, device):
    spectator = Visitor(site)
    for action in (lambda: None, lambda: device.play(0), lambda: device.play(1)):
        action()
        device.go(device.table)
        assert device.is_curtain
        parts = device.client.get(device.table, headers={"x-samovar-parts": "1"}).json()["parts"]
        public = spectator.client.get(device.table, headers={"x-samovar-parts": "1"}).json()["parts"]
        assert {name for name in parts if parts[name] != public[name]} <= {"status", "board", "chairs"}
        assert re.sub('<input type="hidden" name="hand" value="None">\n?', "", parts["board"]).split() == (
            public["board"].split()
        )
        assert device.client.get(device.table).headers["cache-control"] == "private, no-store"


def test_a_game_without_secrets_needs_no_curtain(site):
    device, choose = Device(site).open("babuschka"), random.Random(2)
    for _ in range(12):
        device.go(device.table)
        [actor] = table_of(site, device).actors
        assert not device.is_curtain
        assert device.hand == actor
        device.move(choose)


def test_without_secrets_the_other_one_can_still_take_a_move_back(site):
    device = Device(site).open("babuschka")
    device.move(random.Random(1))
    device.go(device.table)
    assert device.hand == 1
    device.send("/hand", seat=0)
    assert device.hand == 0
    device.send("/back")
    assert look(site, device.table)["moment"] == 0


# Hands


def test_the_curtain_falls_when_the_other_is_to_act_and_stays_with_whoever_has_the_device_else(site):
    device, nina = with_friend(site)
    assert device.is_curtain, "nobody has said who they are"
    assert device.asked == 0
    device.play(0)
    assert device.is_curtain
    assert device.asked == 1
    device.play(1)
    assert not device.is_curtain, "it is Nina's turn"
    assert device.hand == 1
    nina.go(device.table)
    nina.move(random.Random(1))
    device.see()
    assert device.is_curtain
    assert device.asked == 0


def test_who_was_shown_something_keeps_the_device_until_they_have_seen_it(site):
    device, _ = with_friend(site)
    device.take(0)
    device.move(random.Random(1))  # looks at three locations
    device.go(device.table)
    assert not device.is_curtain
    assert device.hand == 0
    assert device.page.html.count("how-look") == 3
    assert "Lea is next." in device.page.words
    assert not device.move(random.Random(1)), "it is Lea's turn"
    device.send("/hand")
    assert device.is_curtain
    assert "how-look" not in device.page.html
    device.go(device.table)
    assert device.is_curtain, "what was seen is seen"


def test_who_was_shown_nothing_hands_the_device_on_at_once(site):
    device, choose = Device(site).open("varvitikud"), random.Random(1)
    first = device.asked
    device.take(first)
    while first in table_of(site, device).actors:  # whoever cannot move is passed over
        device.move(choose)
        device.go(device.table)
    assert device.is_curtain


def test_who_takes_the_device_out_of_turn_sees_their_own_cards_until_the_match_goes_on(site):
    device, nina = with_friend(site)
    device.play(0)
    device.take(0)
    assert not device.is_curtain
    assert not device.move(random.Random(1)), "it is not Max's turn"
    device.send("/back")
    assert look(site, device.table)["asking"] == {"seat": 0, "agreed": []}
    for asked in (device.take(1), nina):
        asked.go(device.table)
        asked.send("/answer", agrees="yes")
    assert look(site, device.table)["moment"] == 0
    device.go(device.table)
    assert device.is_curtain, "Max is to act, and Lea has the device"


def test_a_curtain_that_fell_stays_down_when_the_turn_is_taken_away_again(site):
    device, nina = with_friend(site, first="2")
    nina.go(device.table)
    device.take(1)
    nina.move(random.Random(1))
    device.go(device.table)
    assert device.is_curtain, "Max is asked for"
    site.blocking_portal.call(site.app.state.tables._do, device.table.split("/")[-1], lambda table: [Undo(2, 0)])
    assert look(site, device.table)["actors"] == [2]
    device.go(device.table)
    assert device.is_curtain, "Max may have the device in his hand by now"
    assert "Who has the device now?" in device.page.words


def test_the_device_can_be_handed_on_at_any_time(site):
    device, _ = with_friend(site, first="2")
    device.take(0)
    device.send("/hand")
    assert device.is_curtain
    device.take(1)
    device.go(device.table)
    assert device.hand == 1


def test_who_had_the_device_before_the_match_began_is_asked_again(site):
    device, nina = Device(site).open(seats=3), Visitor(site)
    device.send("/hand", seat=1)
    assert device.hand == 1
    nina.go(device.table)
    nina.send("/sit", name="Nina")
    device.go(device.table)
    assert device.is_curtain
    assert device.asked == 0


def test_two_tabs_are_in_the_same_hand(site, device):
    device.take(0)
    other = Device(site)
    other.client.cookies, other.table = device.client.cookies, device.table
    other.go(device.table)
    assert other.hand == 0
    device.move(random.Random(1))
    device.see()
    other.go(device.table)
    assert other.is_curtain
    other.take(1)
    device.go(device.table)
    assert device.hand == 1


ACTION_BODIES = {
    "move": {"move": "north", "ply": "1"},
    "say": {"text": "Hello"},
    "back": {},
    "resign": {},
    "leave": {},
    "name": {"name": "Mallory"},
    "hand-over": {"seat": "1"},
    "cut-off": {},
    "answer": {"agrees": "yes"},
    "hint": {},
    "come-back": {},
    "luck": {"luck": "00" * 32},
    "free": {"seat": "0"},
    "cancel": {},
    "begin": {},
}


@pytest.mark.parametrize("action", ACTION_BODIES)
def test_nobody_acts_through_the_curtain_whatever_hand_a_form_names(site, action):
    device = Device(site).open(hints="on")
    device.play(0)
    before = look(site, device.table)
    for named in ({}, {"hand": "0"}, {"hand": "1"}, {"hand": "None"}, {"hand": "-1"}, {"hand": "nonsense"}):
        answer = post(device, f"{device.table}/{action}", **ACTION_BODIES[action], **named)
        assert answer.status_code == 409
        assert "in other hands" in answer.json()["problem"]
    assert look(site, device.table) == before


@pytest.mark.parametrize("action", ACTION_BODIES)
def test_a_page_that_one_left_open_does_not_act_for_the_other(site, action):
    device = Device(site).open(hints="on")
    device.play(0)
    device.take(1)
    before = look(site, device.table)
    for named in ({}, {"hand": "0"}):
        answer = post(device, f"{device.table}/{action}", **ACTION_BODIES[action], **named)
        assert (answer.status_code, "in other hands" in answer.json()["problem"]) == (409, True)
    assert look(site, device.table) == before


def test_the_personal_link_under_the_curtain_is_nobodys(site, device):
    assert device.client.get(f"{device.table}/link.svg").status_code == 403
    assert "/come/" not in device.page.html
    device.take(0)
    one, code = own_link(device), device.client.get(f"{device.table}/link.svg").content
    device.take(1)
    assert own_link(device) != one
    assert device.client.get(f"{device.table}/link.svg").content != code


@pytest.mark.parametrize("seat", ["2", "5", "-2", "99999"])
def test_a_hand_that_is_not_of_this_device_cannot_be_taken(site, seat):
    device, _ = with_friend(site)
    device.take(0)
    assert post(device, f"{device.table}/hand", seat=seat).status_code == 403
    device.go(device.table)
    assert device.hand == 0


def test_others_have_no_hand_here(site):
    device, nina = with_friend(site)
    stranger, other_device = Visitor(site), Device(site).open()
    stranger.go(device.table)
    for visitor in (nina, stranger, other_device):
        for seat in ("0", "1", "-1"):
            assert post(visitor, f"{device.table}/hand", seat=seat).status_code == 403
        visitor.go(device.table)
        assert CURTAIN not in visitor.page.html
    assert device.client.post(f"{device.table}/hand", data={"seat": "0"}).status_code == 403, "without a token"
    device.go(device.table)
    assert device.is_curtain


def test_a_hint_is_for_the_hand_that_asked_for_it(tmp_path):
    class Slow(RandomBotPool):
        async def advise(self, question):
            await asyncio.to_thread(lambda: device.client.post(f"{device.table}/hand", data=take_lea))
            return await super().advise(question)

    with running(tmp_path, Slow()) as site:
        device = Device(site).open(hints="on")
        device.take(0)
        take_lea = {"seat": "1", "_csrf_token": device.client.cookies["samovar-form"]}
        device.send("/hint")
        assert device.status == 409
        assert "page-hint" not in device.page.html


# Streams


def test_the_stream_of_one_hand_shows_the_curtain_and_never_the_other_hand(site):
    device, _ = with_friend(site)
    device.take(0)
    with listening(site, device, device.table) as hear:
        assert hear()[0]["turn"]
        device.move(random.Random(1))
        [shown] = hear()
        assert SEEN in shown["parts"]["status"]
        device.see()
        [fallen] = hear()
        assert CURTAIN in fallen["parts"]["status"]
        assert {"board", "actions", "chairs"} <= set(fallen["parts"]), "all that was Max's is replaced"
        device.take(1)
        assert all(CURTAIN in told["parts"].get("status", CURTAIN) for told in hear(0))
        device.move(random.Random(1))  # now Lea has the device, and Nina is to move
        told = hear()
        assert told
        assert CURTAIN in told[-1]["parts"]["status"]
        assert "Who has the device now?" in told[-1]["parts"]["status"]
        public = Visitor(site).client.get(device.table, headers={"x-samovar-parts": "1"}).json()["parts"]["board"]
        board = told[-1]["parts"]["board"].replace('<input type="hidden" name="hand" value="None">', "")
        assert board.split() == public.split()


def test_a_stream_goes_blank_at_once_when_the_device_is_handed_on(site):
    device, _ = with_friend(site, first="2")
    device.take(0)
    with listening(site, device, device.table) as hear:
        hear()
        device.send("/hand")
        [fallen] = hear()
        assert CURTAIN in fallen["parts"]["status"]
        assert "board" in fallen["parts"]
        assert "Your turn" not in fallen["title"]


def test_the_others_cannot_tell_in_whose_hand_a_device_is(site):
    device, nina = with_friend(site)
    spectator = Visitor(site)
    spectator.go(device.table)
    with listening(site, nina, device.table) as hear, listening(site, spectator, device.table) as watch:
        assert (len(hear()), len(watch())) == (1, 1)
        seen = [text_of(one.client.get(device.table)) for one in (nina, spectator)], look(site, device.table)
        for seat in (0, 1):
            device.take(seat)
            device.send("/hand", seat=-1)
        assert (hear(0), watch(0)) == ([], [])
        now = [text_of(one.client.get(device.table)) for one in (nina, spectator)], look(site, device.table)
        assert now == seen


def test_everybody_on_the_device_is_there_while_it_is(site):
    device, nina = with_friend(site, first="2")
    silent, table_id = site.app.state.tables.presence._silent_seconds, device.table.split("/")[-1]
    for look_again in (lambda: device.go(device.table), lambda: listen(site, device)):
        nina.go(device.table)
        look_again()
        assert max(silent(table_id, 0), silent(table_id, 1)) < silent(table_id, 2)


def listen(site, device):
    with listening(site, device, device.table) as hear:
        assert hear()


# Sitting down, going away


def test_somebody_beside_sits_down_at_a_table_that_waits(site):
    device = Device(site).open(seats=3, **{"chair-1": ""})
    assert device.hand == 0
    device.send("/sit-here", name="Lea", luck="ab" * 32)
    assert device.hand == 0
    assert not device.is_curtain, "nothing is dealt yet"
    told = look(site, device.table)
    assert [one["name"] for one in told["people"]] == ["Max", "Lea", ""]
    assert told["nonces"][1] == "ab" * 32
    device.send("/hand", seat=1)
    device.send("/leave")
    assert [one["name"] for one in look(site, device.table)["people"]] == ["Max", "", ""]
    assert device.hand == 0
    device.send("/sit-here", name="Lea")
    device.send("/sit-here", name="Max")
    assert [one["name"] for one in look(site, device.table)["people"]] == ["Max", "Lea", "Max 2"]
    assert device.is_curtain, "the match has begun"


def test_only_whoever_sits_at_a_table_brings_somebody_along(site):
    device, stranger = Device(site).open(seats=3, **{"chair-1": ""}), Visitor(site)
    stranger.go(device.table)
    assert post(stranger, f"{device.table}/sit-here", name="Lea").status_code == 403
    assert post(device, f"{device.table}/sit-here", name="").status_code == 422
    assert post(device, f"{device.table}/sit-here", name="Lea").status_code == 200
    assert post(device, f"{device.table}/sit-here", name="Ida").status_code == 200
    assert post(device, f"{device.table}/sit-here", name="Tom").status_code == 409, "all chairs are taken"


def test_one_device_sits_at_so_many_waiting_tables_and_no_more(site):
    device = Device(site)
    for _ in range(6):
        device.open(seats=3)
    device.go("/new/memoarrrr?seats=3")
    device.send("/new/memoarrrr", name="Max", **HERE)
    assert device.status == 429
    for number in range(6):  # Max stands up, Lea stays
        post(device, f"{device.table}/leave", hand="0")
        assert number or device.go(device.table)
    device.go("/new/memoarrrr?seats=3")
    device.send("/new/memoarrrr", name="Max", **HERE)
    assert device.status == 429


def test_who_has_no_name_has_a_number(site):
    device = Device(site).open(seats=3, **{"chair-1-name": " ", "chair-2": "here"})
    assert [one["name"] for one in look(site, device.table)["people"]] == ["Max", "Player 2", "Player 3"]


def test_a_bad_name_opens_no_table(site):
    device = Device(site)
    device.go("/new/memoarrrr?seats=2")
    device.send("/new/memoarrrr", name="Max", **{**HERE, "chair-1-name": "x" * 100})
    assert device.status == 422
    assert "Memoarrrr" not in device.go("/tables").words


def test_a_chair_that_goes_to_its_own_phone_leaves_the_device(site, device):
    device.take(1)
    link, phone = own_link(device), Visitor(site)
    phone.go(link)
    phone.send(link)
    assert 'data-seat="1"' in phone.page.html
    device.go(device.table)
    assert device.is_curtain, "Lea had the device in her hand"
    assert "I am Lea" not in device.page.words
    assert post(device, f"{device.table}/hand", seat="1").status_code == 403
    device.play(0)
    assert device.hand == 0
    assert not device.is_curtain, "Lea plays elsewhere"
    phone.go(device.table)
    assert phone.move(random.Random(1))


def test_the_link_of_a_chair_on_this_device_leads_to_the_table(site, device):
    device.take(1)
    device.go(own_link(device))
    assert device.address == device.table
    assert [one["name"] for one in look(site, device.table)["people"]] == ["Max", "Lea"]


def test_who_cuts_off_all_other_devices_keeps_the_chair(site, device):
    device.take(1)
    link = own_link(device)
    device.send("/cut-off")
    assert device.hand == 1
    assert own_link(device) != link


def test_who_leaves_the_device_does_not_see_the_cards_of_whoever_stays(site):
    device, _ = with_friend(site)
    device.take(1)
    device.send("/leave")
    assert device.is_curtain
    device.take(0)
    assert device.hand == 0


def test_a_companion_is_called_otherwise_and_the_visitor_is_not(site):
    device, _ = with_friend(site)
    device.take(1)
    device.send("/name", name="Leandra")
    assert [one["name"] for one in look(site, device.table)["people"]] == ["Max", "Leandra", "Nina"]
    assert 'value="Max"' in device.go("/new/memoarrrr").html


def test_while_a_bot_plays_for_somebody_the_device_is_not_handed_to_them(site):
    device, _ = with_friend(site)
    device.take(1)
    device.send("/hand-over", seat=1)
    device.take(0)
    assert device.move(random.Random(1))
    device.go(device.table)
    assert device.hand == 0
    device.take(1)
    device.send("/come-back")
    assert look(site, device.table)["people"][1]["kind"] == "person"


# The end


def play_to_the_end(site, device):
    choose = random.Random(3)
    while table_of(site, device).status != "over":
        device.see()
        if device.is_curtain:
            device.send("/hand")
        device.move(choose)
    device.go(device.table)


def test_at_the_end_everybody_has_a_name_and_the_same_people_play_again(site, device):
    play_to_the_end(site, device)
    assert not device.is_curtain
    prompt = re.search('<p class="prompt.*?</p>', device.page.html, re.S)[0]
    assert "You" not in prompt
    assert "Max" in prompt or "Lea" in prompt
    assert 'class="tag you"' not in re.search('<ol class="page-places.*?</ol>', device.page.html, re.S)[0]
    device.send("/again")
    assert device.address != device.table
    device.table = device.address
    assert device.is_curtain
    device.take(1)
    assert [one["name"] for one in look(site, device.table)["people"]] == ["Max", "Lea"]


def test_a_match_on_the_device_of_another_is_nobodys_result(site, device):
    play_to_the_end(site, device)
    store = site.app.state.tables.store
    rows = site.blocking_portal.call(
        lambda: store.all(
            text("SELECT seat, person, name FROM results WHERE table_id = :table ORDER BY seat"),
            table=device.table.split("/")[-1],
        )
    )
    assert [tuple(row) for row in rows] == [(0, session_of(site, device)["person"], "Max"), (1, "", "Lea")]


def test_hands_are_swept_away_with_their_table(tmp_path):
    with running(tmp_path) as site:
        device = Device(site).open(seats=3)
        hands, table_id = site.app.state.tables.hands, device.table.split("/")[-1]
        name = session_of(site, device)["device"]
        assert site.blocking_portal.call(hands.of, name, table_id) == NOBODY
        site.blocking_portal.call(hands.take, name, table_id, Hand(1, 0))
        assert site.blocking_portal.call(hands.of, name, table_id) == Hand(1, 0)
        site.blocking_portal.call(hands.lower, name, table_id, Hand(0, 0))
        assert site.blocking_portal.call(hands.of, name, table_id) == Hand(1, 0), "another was faster"
        assert site.blocking_portal.call(site.app.state.tables.store.sweep, -1.0, 60.0) == [table_id]
        assert site.blocking_portal.call(hands.of, name, table_id) is None
