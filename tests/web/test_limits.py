"""How much one address may ask for: at once in each process, and together in all of them."""

import asyncio
import itertools
import time

import pytest
from litestar.testing import TestClient

from samovar.web import problems
from samovar.web.app import make_app
from samovar.web.networks import network_of
from samovar.web.server import limits
from samovar.web.server.limits import Limit, Limits, makes_something, sits_down
from samovar.web.site import Site
from support.databases import Server
from support.stores import opened
from support.visitors import SECRET, RandomBotPool, Visitor, running


def limit(most: int = 3, seconds: float = 60.0) -> Limit:
    return Limit("any", most, seconds, lambda method, path: True)


def asked(checked: Limits, address: str = "1.2.3.4", path: str = "/") -> bool:
    """Whether the request goes through."""
    try:
        checked.check({"method": "GET", "path": path, "client": (address, 1)})
    except problems.TooMany:
        return False
    return True


def test_an_address_may_ask_so_often_and_the_next_has_its_own_count() -> None:
    checked = Limits([limit()], ["^/free$"])
    assert [asked(checked) for _ in range(5)] == [True] * 3 + [False] * 2
    assert asked(checked, "1.2.3.5")
    assert asked(checked, path="/free")


def test_after_the_window_it_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(limits.time, "monotonic", lambda: now)
    checked = Limits([limit()], ["^$"])
    assert [asked(checked) for _ in range(4)] == [True] * 3 + [False]
    now += 59
    assert not asked(checked)
    now += 2
    assert [asked(checked) for _ in range(4)] == [True] * 3 + [False]


def test_memory_is_bounded_by_time_and_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(limits.time, "monotonic", lambda: now)
    monkeypatch.setattr(limits, "MOST_KEPT", 10)
    one = limit()
    checked = Limits([one], ["^$"])
    for number in range(100):
        assert asked(checked, f"1.2.3.{number}")
    assert len(one.counts) == 10
    now += 61
    assert asked(checked, "4.3.2.1")
    assert list(one.counts) == ["4.3.2.1"]


def test_a_network_of_the_new_kind_counts_as_one() -> None:
    checked = Limits([limit()], ["^$"])
    assert [asked(checked, f"2001:db8::{number}") for number in range(4)] == [True] * 3 + [False]
    assert asked(checked, "2001:db8:0:1::1")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("1.2.3.4", "1.2.3.4"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("testclient", "testclient"),
        ("a:b", "a:b"),
        ("", ""),
    ],
)
def test_the_network_of_an_address(address: str, network: str) -> None:
    assert network_of(address) == network


def test_what_makes_something_and_what_sits_down() -> None:
    making = ["/new/babuschka", "/play/babuschka", "/record", "/api/tables", "/table/x/again"]
    sitting = ["/table/x/sit", "/api/tables/x/seats"]
    paths = ["/", "/table/x", "/table/x/move", *making, *sitting]
    assert [path for path in paths if makes_something("POST", path)] == making
    assert [path for path in paths if sits_down("POST", path)] == sitting
    assert not [path for path in paths if makes_something("GET", path) or sits_down("GET", path)]


# Through HTTP


def test_a_refused_request_is_told_how_long_to_wait(tmp_path):
    with running(tmp_path, requests_per_minute=2) as client:
        page, api = {"accept": "text/html"}, {"accept": "application/json"}
        for _ in range(2):
            answer = client.get("/", headers=page)
            assert answer.status_code == 200
            assert "retry-after" not in answer.headers
        refused = [client.get("/", headers=page), client.get("/api/games", headers=api)]
        assert [answer.status_code for answer in refused] == [429, 429]
        assert [0 < int(answer.headers["retry-after"]) <= 60 for answer in refused] == [True, True]
        assert "<html" in refused[0].text
        assert refused[1].json()["error"] == "TooMany"


@pytest.mark.parametrize("way", ["page", "api"])
def test_no_stranger_sits_down_at_all_open_tables(tmp_path, way):
    with running(tmp_path, requests_per_minute=1000, tables_per_minute=1000) as client:
        made = {"game": "babuschka", "seats": 2, "chairs": ["free", "free"]}
        tables = [client.post("/api/tables", json=made).json()["table"] for _ in range(22)]
        sit = sit_by_page if way == "page" else sit_by_api
        assert [sit(client, table) for table in tables] == [True] * 20 + [False] * 2


def sit_by_page(client, table):
    guest = Visitor(client)
    guest.go(f"/table/{table}")
    guest.send("/sit", name="Ann")
    assert guest.status in (200, 429)
    return guest.status == 200


def sit_by_api(client, table):
    status = client.post(f"/api/tables/{table}/seats", json={"name": "Ann"}).status_code
    assert status in (200, 201, 429)
    return status != 429


@pytest.mark.parametrize(
    ("method", "token", "content"),
    [
        ("GET", "own", b""),
        ("GET", "", b""),
        ("PUT", "own", b""),
        ("POST", "wrong", b'{"move": 1, "revision": 0}'),
        ("POST", "own", b'{"move": "no such move", "revision": 0}'),
        ("POST", "own", b"{"),
        ("POST", "", b""),
    ],
)
def test_only_a_move_that_is_made_is_free(tmp_path, method, token, content):
    with running(tmp_path, requests_per_minute=3) as client:
        table = client.post("/api/tables", json={"game": "babuschka", "chairs": ["token", "token"]}).json()
        headers = {"authorization": f"Bearer {table['tokens'][0] if token == 'own' else token}"}
        path = f"/api/tables/{table['table']}/moves"
        answers = [client.request(method, path, headers=headers, content=content) for _ in range(4)]
        assert [answer.status_code == 429 for answer in answers] == [False, False, True, True]
        assert answers[-1].json()["error"] == "TooMany"
        for scheme in ("Bearer", "bearer", "Bearer", "bearer"):  # the second kind goes the long way
            assert move(client, table, scheme).status_code == 200


def move(client, table, scheme):
    """Any legal one, of whoever is to act."""
    look = client.blocking_portal.call(client.app.state.tables.look, table["table"])
    [seat] = look.actors
    told = {"move": look.playing.legal(seat)[0], "revision": look.revision}
    headers = {"authorization": f"{scheme} {table['tokens'][seat]}"}
    return client.post(f"/api/tables/{table['table']}/moves", headers=headers, json=told)


def test_a_page_that_is_not_there_counts_like_any_other(tmp_path):
    with running(tmp_path, requests_per_minute=2) as client:
        answers = [client.get("/nowhere"), client.put("/"), client.get("/nowhere"), client.put("/"), client.get("/")]
        assert [answer.status_code for answer in answers] == [404, 405, 429, 429, 429]
        assert "retry-after" in answers[2].headers


# Several processes


def test_what_two_processes_count_is_added_up(postgresql_server: Server) -> None:
    url = postgresql_server.new_database()

    async def main() -> None:
        async with opened(url, url) as stores:
            processes = [Limits([limit(10)], ["^$"]), Limits([limit(10)], ["^$"])]

            async def add_up() -> None:
                for _ in range(2):
                    for process, store in zip(processes, stores, strict=True):
                        await process.add_up(store)

            for process in itertools.islice(itertools.cycle(processes), 8):
                assert asked(process)
            await add_up()
            # each knew of what was told before its own last word
            assert [asked(processes[0]) for _ in range(3)] == [True, True, True]
            await add_up()
            assert [asked(processes[0]), asked(processes[1])] == [False, True]
            await add_up()
            assert [asked(process) for process in processes] == [False, False]

    asyncio.run(main())


def test_what_could_not_be_told_is_told_next_time(postgresql_server: Server) -> None:
    url = postgresql_server.new_database()

    async def main() -> None:
        async with opened(url, url) as (one, other):
            first, second = Limits([limit(10)], ["^$"]), Limits([limit(10)], ["^$"])
            assert all(asked(first) for _ in range(6))
            await other.close()
            with pytest.raises(Exception, match="closed"):
                await first.add_up(other)
            await first.add_up(one)
            assert all(asked(second) for _ in range(4))
            await second.add_up(one)
            assert not asked(second)

    asyncio.run(main())


def test_limits_hold_for_all_processes_of_a_site(postgresql_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TOGETHER_SECONDS", 0.05)
    site = Site(postgresql_server.new_database(), SECRET, requests_per_minute=10)
    with TestClient(make_app(site, RandomBotPool())) as one, TestClient(make_app(site, RandomBotPool())) as other:  # type: ignore[arg-type]
        through = 0
        for _ in range(20):
            through += sum(client.get("/api/games").status_code == 200 for client in (one, other))
            time.sleep(0.15)
        assert 10 <= through <= 13
