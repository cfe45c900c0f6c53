"""What can be done at a table is written once (`tables/actions.py`): the page, programs, the client and the hostile
visitor know every action, and what has a way of its own is counted here."""

import re
from pathlib import Path

import pytest
from litestar.datastructures import FormMultiDict

from samovar.client import Seat
from samovar.web import problems
from samovar.web.api import api
from samovar.web.pages import hand, handlers_in, table
from samovar.web.tables import actions
from samovar.web.tables.actions import ACTIONS
from support.hostile.deeds import DEEDS, routes_of
from support.players import post, two_people
from support.visitors import Visitor, running

TEMPLATES = Path(table.__file__).parent.parent / "templates"
# Each with its reason at the top of `actions.py`; `hand` and `sit-here` are about a device, not about the table.
OWN_PAGES = {"sit", "sit-here", "move", "hint", "hand", "cut-off", "mute-here", "come/{key:str}"}
OWN_IN_API = {"seats", "moves"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as client:
        yield client


def addresses(handlers, before):
    """The last parts of all that is posted to."""
    paths = {path for handler in handlers if "POST" in handler.http_methods for path in handler.paths}
    return {path.removeprefix(before) for path in paths if path.startswith(before)}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.method)
def test_every_action_says_where_it_is_done_and_why_not_elsewhere(action):
    assert {"method", "page", "api"} <= vars(action).keys()
    assert [one.method for one in ACTIONS].count(action.method) == 1
    assert (action.page and action.api) or action.__doc__
    assert action.api is None or bool(action.api.example) == bool(action.__struct_fields__)


def test_pages_have_a_route_for_every_action_and_few_others():
    posted = addresses([*handlers_in(table), *handlers_in(hand)], "/table/{table_id:str}/")
    assert posted == {action.page for action in ACTIONS if action.page} | OWN_PAGES


def test_programs_have_a_route_for_every_action_and_few_others():
    posted = addresses(api.HANDLERS, "/tables/{table_id:str}/")
    assert posted == {action.api.address for action in ACTIONS if action.api} | OWN_IN_API


@pytest.mark.parametrize("action", [action for action in ACTIONS if action.api], ids=lambda action: action.method)
def test_the_client_has_a_method_for_every_action_of_programs(action):
    assert callable(getattr(Seat, action.method, None))


@pytest.mark.parametrize("action", [action for action in ACTIONS if action.page], ids=lambda action: action.method)
def test_every_action_of_pages_has_a_button(action):
    button = re.compile(rf"action\(table, \"{action.page}\"|action=\"/table/{{{{ table.id }}}}/{action.page}\"")
    assert any(button.search(path.read_text(encoding="utf-8")) for path in TEMPLATES.rglob("*.html"))


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.method)
def test_the_hostile_visitor_knows_every_action(action):
    assert {*filter(None, routes_of(action))} <= {route for row in DEEDS for route in row.routes}


# Forms


@pytest.mark.parametrize(
    ("form", "sent", "read"),
    [
        (actions.Answer, {"agrees": "yes"}, actions.Answer(agrees=True)),
        (actions.Answer, {"agrees": "True"}, actions.Answer(agrees=False)),
        (actions.Answer, {}, actions.Answer(agrees=False)),
        (actions.HandedChair, {"seat": "2", "level": "easy"}, actions.HandedChair(seat=2)),
        (actions.HandedChair, {}, actions.HandedChair(seat=-1)),
        (actions.Beginning, {}, actions.Beginning(level="medium")),
        (actions.Beginning, {"level": "", "hand": "0"}, actions.Beginning(level="")),
        (actions.BringingNonce, {}, actions.BringingNonce(nonce="")),
        (actions.PageRemark, {"phrase": "Hello!", "text": "Hm"}, actions.PageRemark(text="Hm", phrase="Hello!")),
    ],
)
def test_a_form_is_read_by_the_fields_of_its_action(form, sent, read):
    assert table.read_form(form, FormMultiDict(sent)) == read


@pytest.mark.parametrize(
    ("form", "sent"), [(actions.HandedChair, {"seat": "²"}), (actions.PageRemark, {"phrase": "Hello", "text": "Hm"})]
)
def test_a_form_that_cannot_be_read_is_refused(form, sent):
    with pytest.raises(problems.BadChoice):
        table.read_form(form, FormMultiDict(sent))


def test_a_form_is_refused_before_anybody_is_asked_who_they_are(site):
    """Whoever has no chair is told what is wrong with the form first, as ever."""
    _, _, address = two_people(site)
    stranger = Visitor(site)
    stranger.go(address)
    assert post(stranger, f"{address}/say", phrase="Hello").status_code == problems.BadChoice.status
    assert post(stranger, f"{address}/name", name=" ").status_code == problems.BadName.status
    assert post(stranger, f"{address}/say", text="Hello").status_code == problems.NotSeated.status
