"""Visitors at a table: they sit down, move, and look, by its pages and by requests made by hand."""

import asyncio
import random
import re

from support.tables import call
from support.visitors import Visitor


def two_people(site, game="memoarrrr", **facts):
    """Anna and Boris at a table; Anna begins."""
    anna, boris = Visitor(site), Visitor(site)
    anna.go(f"/new/{game}?seats=2")
    anna.send(f"/new/{game}", name="Anna", first="0", **facts)
    boris.go(anna.address)
    boris.send("/sit", name="Boris")
    anna.go(anna.address)
    return anna, boris, anna.address


def three_people(site, game="memoarrrr", **facts):
    visitors = [Visitor(site) for _ in range(3)]
    visitors[0].go(f"/new/{game}?seats=3")
    visitors[0].send(f"/new/{game}", name="Anna", first="0", **facts)
    table = visitors[0].address
    for visitor, name in zip(visitors[1:], ("Boris", "Chloé"), strict=True):
        visitor.go(table)
        visitor.send("/sit", name=name)
    return *visitors, table


def play_now(site, game="babuschka", **facts):
    """The table that one click leads to."""
    visitor = Visitor(site)
    visitor.go("/")
    visitor.send(f"/play/{game}", **facts)
    return visitor, visitor.address


def own_tables(visitor, page="/"):
    visitor.go(page)
    return [link["href"] for link in visitor.page.links if "table-line" in link.get("class", "")]


def own_link(visitor):
    return re.search(r"/table/[\w-]+/come/\w+", visitor.page.html)[0]


def post(visitor, address, **facts):
    """What a page offers or not: a request that somebody makes by hand."""
    token = visitor.client.cookies["samovar-form"]
    return visitor.client.post(address, data={"_csrf_token": token, **facts}, headers={"x-samovar-parts": "1"})


def look(site, table):
    return site.get(f"/api/tables/{table.split('/')[-1]}").json()


def move(visitor, table, seed=1):
    visitor.go(table)
    assert visitor.move(random.Random(seed)) is not None
    return visitor


def play_on(*visitors):
    """Until the match is over."""
    choose = random.Random(3)
    while "Look at the game again" not in visitors[0].page.words:
        for visitor in visitors:
            visitor.go(visitor.address.split("?")[0])
            visitor.move(choose)
    for visitor in visitors:
        visitor.go(visitor.address.split("?")[0])


def prompt(visitor):
    return re.sub(r"\s+", " ", re.search(r'<p class="prompt[^>]*>(.*?)</p>', visitor.page.html, re.DOTALL)[1]).strip()


def everything_of(site, visitor, table_id):
    """How each way of looking at a table answers a visitor, and what a stream brings at once."""
    paths = (
        (f"/table/{table_id}", {}),
        (f"/table/{table_id}?at=0", {}),
        (f"/table/{table_id}?list", {"x-samovar-parts": "1"}),
        (f"/record/{table_id}", {}),
        (f"/record/{table_id}?at=0&eyes=open", {"x-samovar-parts": "1"}),
        (f"/record/{table_id}/download", {}),
        (f"/record/{table_id}/review", {}),
        (f"/record/{table_id}/review", {"x-samovar-parts": "1"}),
        (f"/api/tables/{table_id}", {}),
        (f"/api/tables/{table_id}/record", {}),
        (f"/api/tables/{table_id}/review", {}),
    )
    codes = {path: visitor.client.get(path, headers=headers).status_code for path, headers in paths}
    codes["events"], _ = call(site, begin_to_read, site, visitor, f"/api/tables/{table_id}/events")
    _, event = call(site, begin_to_read, site, visitor, "/live", f"table={table_id}")
    return codes, event


async def begin_to_read(site, visitor, path, query=""):
    """The status of an answer that may never end, and its beginning; then the visitor goes away."""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in visitor.client.cookies.jar)
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(b"host", b"samovar.test"), (b"cookie", cookies.encode())],
        "client": ("192.0.2.1", 1),
        "server": ("samovar.test", 80),
        "scheme": "http",
        "http_version": "1.1",
        "root_path": "",
        "state": {},
    }
    sent, gone, asked = asyncio.Queue(), asyncio.Event(), []

    async def receive():
        if not asked:
            asked.append(True)
            return {"type": "http.request", "body": b"", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    asking = asyncio.create_task(site.app(scope, receive, sent.put))
    async with asyncio.timeout(10):
        status = (await sent.get())["status"]
        while not (beginning := (await sent.get()).get("body")):
            pass
        gone.set()
        await asking
    return status, beginning
