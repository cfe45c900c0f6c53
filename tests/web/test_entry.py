"""Who comes in: to those who are not invited every address is the same, whatever is behind it."""

import re
from contextlib import contextmanager

import pytest
from sqlalchemy import event, text
from typer.testing import CliRunner

from samovar import cli
from samovar.errors import BadAddress, StoreError
from samovar.web.people.members import Members
from samovar.web.serve import behind_proxies, check_entry, entry_for
from samovar.web.store.queries.members import MEMBER, OWNER
from support.tables import call
from support.visitors import SECRET, Visitor, running


@pytest.fixture
def site(tmp_path):
    with running(tmp_path, entry="invited") as client:
        yield client


@pytest.fixture
def members(site) -> Members:
    return site.app.state.members


TABLE_OF_MEMBERS = text("SELECT person FROM members ORDER BY since")


def come_in(site, token, name="Anna"):
    visitor = Visitor(site)
    visitor.go(f"/invitation/{token}")
    visitor.send(token, name=name)
    return visitor


@pytest.fixture
def owner(site, members):
    return come_in(site, call(site, members.begin))


def open_table(visitor):
    """The address of a table where two more may sit down."""
    visitor.go("/new/memoarrrr?seats=2")
    visitor.send("/new/memoarrrr", name="Anna")
    assert visitor.address.startswith("/table/")
    return visitor.address


WHATEVER = {
    "the first page": "/",
    "a game": "/new/memoarrrr",
    "no page": "/nothing/here",
    "no table": "/table/AAAAAAAAAAAA",
    "people": "/players",
    "the day": "/today",
    "a code": "/join?code=ABCD",
    "a screen": "/screen",
    "a screen by its code": "/screen/ABCD",
    "a screen of a table": "/table/AAAAAAAAAAAA/screen",
    "a phone before it": "/table/AAAAAAAAAAAA/phone",
    "a club": "/club/AAAAAAAAAAAA",
    "a stream": "/live?table=AAAAAAAAAAAA",
    "the page of the closed": "/closed",
}


def plain(answer):
    """Without what is different with every answer of any kind."""
    text = re.sub(r'name="_csrf_token" value="[^"]*"', "", answer.text)
    headers = {name: value for name, value in answer.headers.items() if name not in ("set-cookie", "content-length")}
    return (
        answer.status_code,
        headers,
        text,
        sorted(cookie.partition("=")[0] for cookie in answer.headers.get_list("set-cookie")),
    )


def test_to_strangers_every_address_is_the_same(site, owner):
    table = open_table(owner)
    assert owner.status == 200
    stranger = Visitor(site)
    first = plain(stranger.client.get("/"))
    assert first[0] == 403
    assert "Ask one of them for a link" in first[2]
    for path in (*WHATEVER.values(), table, f"{table}/move", owner.address, "/record/AAAA", "/family", "/me"):
        for method in ("GET", "POST", "HEAD", "DELETE"):
            fresh = Visitor(site)
            answer = fresh.client.request(method, path)
            seen = plain(answer)
            assert seen[:2] == first[:2], (method, path)
            assert seen[2] in (first[2], ""), (method, path)
            assert seen[3] == first[3], (method, path)


def test_to_programs_every_address_is_the_same(site, owner):
    table = open_table(owner).rpartition("/")[2]
    answers = {
        site.request(method, path, headers={"authorization": "Bearer 0nothing"}).text
        for method in ("GET", "POST")
        for path in ("/api/tables", f"/api/tables/{table}", "/api/tables/AAAAAAAAAAAA", "/api/nothing", "/api/games")
    }
    assert len(answers) == 1
    assert "NotInvited" in answers.pop()


@contextmanager
def looked_up(site):
    """All that the database is asked meanwhile by those who come."""
    told, base = [], site.app.state.tables.store._database

    def note(connection, cursor, statement, *more):
        told.append(statement)

    engines = (base.reading, base.writing)
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        yield told
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)


def test_no_answer_to_a_stranger_takes_longer_because_something_is_there(site, owner):
    """The door answers before anything is looked up: a stranger cannot tell by a clock, either."""
    table = open_table(owner)
    owner.go("/club?game=memoarrrr")
    owner.send("/club", name="Friday", seats="2", deals="2")
    club = owner.address
    assert club.startswith("/club/")
    owner.go("/me")
    owner.send("/me", name="Zinaida")
    table_id = table.rpartition("/")[2]
    there = [table, f"{table}/join", f"/record/{table_id}", club, f"/live?table={table_id}", f"/api/tables/{table_id}"]
    there += ["/players/memoarrrr", "/family?of=Zinaida", "/tables"]
    come_before = Visitor(site)
    come_before.go("/")
    with looked_up(site) as told:
        owner.go(club)
        assert told, "a member is told what is there"
    for path in (*there, *WHATEVER.values()):
        for method in ("GET", "POST"):
            for stranger in (Visitor(site).client, come_before.client):
                asked = []
                for _ in range(2):  # meanwhile the site asks for itself, too, but not the same each time
                    with looked_up(site) as told:
                        assert stranger.request(method, path).status_code == 403, (method, path)
                    asked.append(told)
                each_time = [one for one in asked[0] if one in asked[1]]
                assert [one for one in each_time if "FROM members" not in one] == [], (method, path)
                assert len(each_time) <= 1, (method, path)


def test_an_invitation_lets_one_person_in(site, owner):
    assert owner.go("/").form("/language")
    assert owner.status == 200
    link = re.search(r"/invitation/[\w-]+", owner.go("/me").html or "")
    assert link is None, "a link is made when it is asked for"
    page = owner.send("/invite")
    token = re.search(r"/invitation/([\w-]{22})", page.html)[1]
    boris = come_in(site, token, "Boris")
    assert boris.status == 200
    assert boris.go("/me").html
    assert boris.status == 200
    late = Visitor(site)
    late.go(f"/invitation/{token}")
    assert late.status == 410
    late.go("/")
    assert late.status == 403


def test_to_look_at_an_invitation_does_not_use_it_up(site, owner, members):
    token = call(site, members.invite, "", MEMBER)
    for _ in range(3):
        Visitor(site).go(f"/invitation/{token}")
    assert come_in(site, token).status == 200


def test_of_two_who_take_the_last_use_one_comes_in(site, owner, members):
    token = call(site, members.invite, "", MEMBER)
    anna, boris = Visitor(site), Visitor(site)
    for visitor in (anna, boris):
        visitor.go(f"/invitation/{token}")
    statuses = []
    for visitor in (anna, boris):
        visitor.send(token, name="Somebody")
        statuses.append(visitor.status)
    assert statuses == [200, 410]


@pytest.mark.parametrize("token", ["x", "A" * 22, "A" * 5000, "%00", "..%2f"])
def test_what_is_no_invitation(site, owner, token):
    stranger = Visitor(site)
    stranger.go(f"/invitation/{token}")
    assert stranger.status == (410 if len(token) == 22 else 403)
    assert stranger.go("/").form("/language")
    assert stranger.status == 403


def test_the_first_link_makes_an_owner_and_there_is_no_second(site, members, owner):
    assert call(site, members.begin) == ""
    person = call(site, lambda: members._store.all(TABLE_OF_MEMBERS))[0].person
    assert call(site, members.role, person) == OWNER


def test_who_is_blocked_is_a_stranger_at_once_and_so_are_their_invitations(site, members, owner):
    page = owner.send("/invite") if owner.go("/me") else None
    token = re.search(r"/invitation/([\w-]{22})", page.html)[1]
    person = call(site, lambda: members._store.all(TABLE_OF_MEMBERS))[0].person
    call(site, members.block, person, True)
    owner.go("/")
    assert owner.status == 403
    Visitor(site).go(f"/invitation/{token}")
    call(site, members.block, person, False)
    owner.go("/")
    assert owner.status == 200


def test_a_personal_link_moves_to_another_device(site, owner):
    owner.go("/me")
    owner.send("/me", name="Anna")
    link = re.search(r"/me/come/[0-9a-f]+", owner.page.html)[0]
    phone = Visitor(site)
    phone.go(link)
    phone.send(link)
    assert phone.status == 200
    phone.go("/")
    assert phone.status == 200


def key_of(visitor):
    return re.search(r"SAMOVAR_MEMBER=([\w.]+)", visitor.go("/me").html)[1]


def come_by_key(site, key):
    return site.get("/api/games", headers={"x-samovar-member": key.encode()}).status_code


def test_a_program_of_a_member_comes_in_by_their_key(site, owner):
    key = key_of(owner)
    assert come_by_key(site, key) == 200
    for wrong in (key[:-1], key.partition(".")[0], "é", "." * 50, f"{'0' * 32}.{key.partition('.')[2]}", ""):
        assert come_by_key(site, wrong) == 403, wrong


def test_who_cuts_off_other_devices_cuts_off_programs(site, owner):
    owner.go("/me")
    owner.send("/me", name="Anna")
    key = key_of(owner)
    owner.send("/me/cut-off")
    assert come_by_key(site, key) == 403
    assert come_by_key(site, key_of(owner)) == 200


def test_those_who_played_before_the_site_was_closed_stay(tmp_path):
    with running(tmp_path) as client:
        anna = Visitor(client)
        open_table(anna)
        cookies = dict(anna.client.cookies)
    with running(tmp_path, entry="invited") as client:
        call(client, client.app.state.members.begin)
        anna, stranger = Visitor(client), Visitor(client)
        anna.client.cookies.update(cookies)
        for visitor, status in ((anna, 200), (stranger, 403)):
            visitor.go("/")
            assert visitor.status == status


def test_a_guest_sits_at_one_table_and_sees_nothing_else(tmp_path):
    with running(tmp_path, entry="invited", guests=True) as client:
        owner = come_in(client, call(client, client.app.state.members.begin))
        table = open_table(owner)
        guest = Visitor(client)
        guest.go(table)
        guest.send("/sit", name="Boris")
        assert guest.status == 200
        for path in ("/", "/me", "/players", "/today", "/api/games"):
            guest.go(path)
            assert guest.status == 403, path


def by_header(tmp_path, header="Remote-User"):
    return running(tmp_path, entry="header", identity_header=header, proxies=("10.0.0.0/8",))


def asked(client, peer, **headers):
    """What a request from this machine is answered."""
    import httpx

    app = behind_proxies(client.app, ("10.0.0.0/8",))

    async def get():
        transport = httpx.ASGITransport(app, client=(peer, 50000))
        async with httpx.AsyncClient(transport=transport, base_url="http://samovar.test") as one:
            return await one.get("/me", headers={"accept": "text/html", **headers})

    return client.blocking_portal.call(get)


# The header that each names somebody by, all that it sends, and what people read.
PROXIES = {
    "Authelia": (
        "Remote-User",
        {
            "Remote-User": "anna",
            "Remote-Name": "Anna A",
            "Remote-Email": "anna@example.org",
            "Remote-Groups": "players",
            "X-Forwarded-For": "192.0.2.7",
        },
        "anna",
    ),
    "oauth2-proxy": (
        "X-Forwarded-Preferred-Username",
        {
            "X-Forwarded-User": "0f3c",
            "X-Forwarded-Preferred-Username": "anna",
            "X-Forwarded-Email": "anna@example.org",
            "X-Forwarded-For": "192.0.2.7, 10.0.0.3",
        },
        "anna",
    ),
    "oauth2-proxy behind auth_request": (
        "X-Auth-Request-Email",
        {"X-Auth-Request-User": "0f3c", "X-Auth-Request-Email": "anna@example.org"},
        "anna",
    ),
    "Tailscale": (
        "Tailscale-User-Login",
        {
            "Tailscale-User-Login": "anna@example.org",
            "Tailscale-User-Name": "Anna A",
            "Tailscale-User-Profile-Pic": "https://example.org/anna.png",
        },
        "anna",
    ),
    "Tailscale with other letters": ("Tailscale-User-Name", {"Tailscale-User-Name": "=?utf-8?q?Zo=C3=AB?="}, "Zoë"),
}


@pytest.mark.parametrize("proxy", PROXIES)
def test_whom_the_proxy_names_comes_in(tmp_path, proxy):
    header, headers, name = PROXIES[proxy]
    with by_header(tmp_path, header) as client:
        answer = asked(client, "10.1.2.3", **headers)
        assert answer.status_code == 200
        assert f'value="{name}"' in answer.text
        assert "example.org" not in answer.text


def test_an_owner_comes_by_a_link_where_a_proxy_says_who_they_are(tmp_path):
    """They are an owner under the name that the proxy gives them, and who is blocked does not come in by it."""
    with by_header(tmp_path) as client:
        entry, members = client.app.state.entry, client.app.state.members
        entry._is_proxy = lambda peer: True  # the client of tests has no address
        token = call(client, members.begin)
        olga, boris = Visitor(client), Visitor(client)
        olga.client.headers["Remote-User"] = "olga"
        boris.client.headers["Remote-User"] = "boris"
        olga.go(f"/invitation/{token}")
        olga.send(token, name="Olga")
        for visitor, status in ((olga, 200), (boris, 404)):
            visitor.go("/owner")
            assert visitor.status == status
        scope = {"headers": [(b"remote-user", b"boris")], "path": "/"}
        assert entry._sees_user(scope)
        call(client, members.block, scope["samovar_user"][0], True)
        boris.go("/")
        assert boris.status == 403


def test_a_header_is_believed_from_the_proxy_alone(tmp_path):
    with by_header(tmp_path) as client:
        assert asked(client, "192.0.2.7", **{"Remote-User": "anna"}).status_code == 403
        assert asked(client, "192.0.2.7", **{"Remote-User": "anna", "X-Forwarded-For": "10.1.2.3"}).status_code == 403
        assert asked(client, "10.1.2.3").status_code == 403
        assert asked(client, "10.1.2.3", **{"Remote-User": " "}).status_code == 403
        assert asked(client, "10.1.2.3", **{"Remote-User": "x" * 101}).status_code == 403


def test_a_header_without_a_proxy_is_refused_at_the_start():
    check_entry({"entry": "header", "identity_header": "Remote-User", "proxies": ("10.0.0.1",)})
    with pytest.raises(BadAddress, match="from a proxy alone"):
        check_entry({"entry": "header", "identity_header": "Remote-User", "proxies": ()})
    with pytest.raises(BadAddress, match="belong together"):
        check_entry({"entry": "header", "proxies": ("10.0.0.1",)})


def test_a_site_that_everybody_finds_is_for_the_invited():
    assert entry_for("", "https://games.example.org", "") == "invited"
    assert entry_for("", "", "") == "open"
    assert entry_for("open", "https://games.example.org", "") == "open"
    assert entry_for("", "https://games.example.org", "Remote-User") == "header"


def test_an_open_site_has_no_invitations(tmp_path):
    with running(tmp_path) as client:
        visitor = Visitor(client)
        assert "SAMOVAR_MEMBER" not in visitor.go("/me").html
        visitor.go("/closed")
        assert visitor.status == 404


def test_the_one_at_the_machine_makes_links_while_the_site_runs(tmp_path):
    with running(tmp_path, entry="invited") as client:
        # a site has the secret of its database; this one is told another
        store = client.app.state.tables.store
        changed = text("UPDATE facts SET value = :secret WHERE name = 'secret'")
        call(client, lambda: store.do(lambda connection: connection.execute(changed, {"secret": SECRET.hex()})))
        done = CliRunner().invoke(
            cli.app, ["admin", "invite", "--owner", "--database", f"sqlite:///{tmp_path}/samovar.db"]
        )
        assert done.output.startswith("http://localhost:8080/invitation/"), done.output
        owner = come_in(client, done.output.strip().rpartition("/")[2])
        assert owner.status == 200


def test_there_are_no_links_to_a_site_that_is_not_there(tmp_path):
    with pytest.raises(StoreError, match="start the site once"):
        CliRunner().invoke(cli.app, ["admin", "invite", "--data", str(tmp_path)], catch_exceptions=False)
