"""What owners of a site see and do; to everybody else their pages are not there."""

import re

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from samovar import cli
from support.tables import call
from support.visitors import SECRET, Visitor, running


@pytest.fixture
def site(tmp_path):
    with running(tmp_path) as client:
        yield client


def come_in(site, token, name="Olga"):
    visitor = Visitor(site)
    visitor.go(f"/invitation/{token}")
    visitor.send(token, name=name)
    return visitor


@pytest.fixture
def owner(site):
    visitor = come_in(site, call(site, site.app.state.members.begin))
    visitor.go("/owner")
    assert visitor.status == 200
    return visitor


@pytest.fixture
def anna(site):
    """Somebody who plays, and says something."""
    visitor = Visitor(site)
    visitor.go("/new/memoarrrr?seats=2")
    visitor.send("/new/memoarrrr", name="Rude Anna", **{"chair-1": "easy"})
    visitor.send("/say", text="something nasty")
    assert "something nasty" in visitor.page.text
    return visitor


def table_of(visitor):
    return visitor.address.rpartition("/")[2].partition("?")[0].partition("#")[0]


def post(visitor, path, **facts):
    token = visitor.page.form("/language")["fields"]["_csrf_token"]
    return visitor._see(visitor.client.post(path, data={"_csrf_token": token, **facts}, follow_redirects=True))


ADDRESSES = ("/owner", "/owner/table/AAAAAAAAAAAA")
DEEDS = ("/owner/announce", "/owner/invite", "/owner/withdraw/x", "/owner/member/x", "/owner/table/AAAAAAAAAAAA")


def test_to_others_there_is_no_such_page(site, owner, anna):
    for visitor in (anna, Visitor(site)):
        for address in ADDRESSES:
            visitor.go(address)
            assert visitor.status == 404, address
        for address in DEEDS:
            post(visitor, address, text="x", do="close")
            assert visitor.status == 404, address


def test_an_owner_sees_tables_people_and_versions(owner, anna):
    page = owner.go("/owner")
    assert "Tables in play" in page.text
    assert "Rude Anna" in page.text


def test_people_are_listed_by_the_names_that_they_came_with(site, owner):
    post(owner, "/owner/invite", days="1", uses="1")
    key = re.search(r"/invitation/([\w-]{22})", owner.page.html)[1]
    come_in(site, key, "Boris the new")
    page = owner.go("/owner")
    assert "Boris the new" in page.text
    assert owner.go("/me").form("/me")["fields"]["name"] == "Olga"


def test_what_is_said_to_everybody_is_on_every_page_until_it_is_taken_away(site, owner, anna):
    post(owner, "/owner/announce", text="  We move  tonight <b> ")
    for visitor in (anna, Visitor(site)):
        assert "We move tonight <b>" in visitor.go("/").text
    owner.go("/owner")
    post(owner, "/owner/announce", text="")
    assert "We move" not in anna.go("/").text


def test_a_closed_table_is_gone_for_everybody_and_its_log_is_whole(site, owner, anna):
    table = table_of(anna)
    owner.go(f"/owner/table/{table}")
    post(owner, f"/owner/table/{table}", do="close")
    assert owner.status == 200
    for address in (f"/table/{table}", f"/record/{table}", f"/api/tables/{table}"):
        anna.go(address)
        assert anna.status == 410, address
    kinds = [line.kind for line in call(site, site.app.state.tables.store.load, table)]
    assert kinds[-1] == "close"
    assert "say" in kinds
    assert table not in anna.go("/tables").html


def test_a_hidden_remark_is_read_by_nobody_and_stays_in_the_log(site, owner, anna):
    table = table_of(anna)
    page = owner.go(f"/owner/table/{table}")
    number = next(
        form["fields"]["number"] for form in page.forms if any(b.get("value") == "hide" for b in form["buttons"])
    )
    post(owner, f"/owner/table/{table}", do="hide", number=number)
    assert "something nasty" not in anna.go(f"/table/{table}").text
    assert "something nasty" not in site.get(f"/api/tables/{table}").text
    lines = call(site, site.app.state.tables.store.load, table)
    assert any(line.data.get("text") == "something nasty" for line in lines)
    post(owner, f"/owner/table/{table}", do="hide", number=number)
    assert owner.status >= 400, "there is nothing more to hide"


def test_a_name_is_taken_away(site, owner, anna):
    table = table_of(anna)
    owner.go(f"/owner/table/{table}")
    post(owner, f"/owner/table/{table}", do="name", number=0)
    page = anna.go(f"/table/{table}")
    assert "Rude Anna" not in page.words.replace("My page", "")
    assert "Player 1" in page.text


def test_who_is_erased_is_nobody_and_the_owner_cannot_erase_themselves(site, owner):
    boris = come_in(site, call(site, lambda: site.app.state.members.invite("")), "Boris")
    boris.go("/me")
    boris.send("/me", name="Boris")
    page = owner.go("/owner")
    (ref,) = re.findall(r"/owner/member/([0-9a-f]{20})", page.html)
    post(owner, f"/owner/member/{ref}", do="erase")
    assert "Boris" not in owner.go("/owner").text
    own = site.app.state.owning.ref(call(site, lambda: site.app.state.tables.store.all(OWNERS))[0].person)
    post(owner, f"/owner/member/{own}", do="block")
    assert owner.status >= 400
    owner.go("/owner")
    assert owner.status == 200


def test_who_was_blocked_stays_so_when_they_are_erased_and_no_more_is_kept_of_them(site, owner):
    boris = come_in(site, call(site, lambda: site.app.state.members.invite("")), "Boris")
    (ref,) = re.findall(r"/owner/member/([0-9a-f]{20})", owner.go("/owner").html)
    post(owner, f"/owner/member/{ref}", do="block")
    (person,) = (row.person for row in members(site) if row.is_blocked)
    owner.go("/owner")
    post(owner, f"/owner/member/{ref}", do="erase")
    assert boris.go("/").words
    assert boris.status == 403
    again = call(site, lambda: site.app.state.members.invite(""))
    boris.go(f"/invitation/{again}")
    boris.send(again, name="Boris")
    boris.go("/")
    assert boris.status == 403, "an invitation does not help"
    (row,) = (row for row in members(site) if row.is_blocked)
    assert person not in row.person
    assert (row.role, row.invited_by, row.since) == ("member", "", 0)
    ref = site.app.state.owning.ref(row.person)
    owner.go("/owner")
    post(owner, f"/owner/member/{ref}", do="erase")
    assert row in members(site), "there is nothing more to erase"
    post(owner, f"/owner/member/{ref}", do="admit")
    assert row.person not in {one.person for one in members(site)}
    boris.go("/")
    assert boris.status == 200


def members(site):
    return call(site, lambda: site.app.state.tables.store.all(text("SELECT * FROM members")))


OWNERS = text("SELECT person FROM members WHERE role = 'owner'")


def test_a_blocked_owner_is_none(site, owner):
    other = come_in(site, call(site, lambda: site.app.state.members.invite("", "owner")), "Otto")
    other.go("/owner")
    assert other.status == 200
    (ref,) = re.findall(r"/owner/member/([0-9a-f]{20})", owner.go("/owner").html)
    post(owner, f"/owner/member/{ref}", do="block")
    for address in ("/owner", "/", "/players"):  # on an open site, too
        other.go(address)
        assert other.status == 403, address
    assert Visitor(site).go("/").words, "nobody else is kept out"
    post(owner, f"/owner/member/{ref}", do="admit")
    other.go("/owner")
    assert other.status == 200


def test_a_withdrawn_link_lets_nobody_in(site, owner):
    page = post(owner, "/owner/invite", uses="24", days="1", role="member")
    token = re.search(r"/invitation/([\w-]{22})", page.html)[1]
    page = owner.go("/owner")
    assert "for 24 people" in page.text
    owner.send(re.search(r"/owner/withdraw/\w+", page.html)[0])
    late = Visitor(site)
    late.go(f"/invitation/{token}")
    assert late.status == 410


def test_owners_read_what_owners_did(site, owner, anna):
    table = table_of(anna)
    owner.go(f"/owner/table/{table}")
    post(owner, f"/owner/table/{table}", do="close")
    assert f"Olga: closed a table · {table}" in owner.go("/owner").words


@pytest.mark.parametrize("facts", [{}, {"do": "dance"}, {"do": "hide", "number": "x"}, {"do": "name", "number": "99"}])
def test_what_is_no_deed(owner, anna, facts):
    owner.go("/owner")
    post(owner, f"/owner/table/{table_of(anna)}", **facts)
    assert 400 <= owner.status < 500


def test_an_owner_sees_what_waits_and_all_versions(owner):
    page = owner.go("/owner").words
    for told in ("What waits", "Reviews", "Messages to players", "Versions", "Python", "Memoarrrr!"):
        assert told in page, told


def test_finished_games_go_after_as_many_days_as_owners_want(site, owner):
    tables = site.app.state.tables

    def finished(table):
        return call(site, lambda: tables.store.all(text(f"SELECT id FROM tables WHERE id = '{table}'")))

    def age(table):
        long_ago = text(f"UPDATE tables SET status = 'over', changed = changed - 40 * 86400000 WHERE id = '{table}'")
        call(site, lambda: tables.store.do(lambda connection: connection.execute(long_ago)))

    old = Visitor(site)
    old.go("/new/memoarrrr?seats=2")
    old.send("/new/memoarrrr", name="Anna", **{"chair-1": "easy"})
    table = table_of(old)
    age(table)
    call(site, tables.sweeper.sweep)
    assert finished(table), "they stay unless an owner says something else"
    owner.go("/owner")
    owner.send("/owner/keep", number=41)
    call(site, tables.sweeper.sweep)
    assert finished(table)
    owner.send("/owner/keep", number=39)
    call(site, tables.sweeper.sweep)
    assert not finished(table)
    owner.go("/owner")
    assert "keeps finished games for so many days · 39" in owner.page.words
    owner.send("/owner/keep", number=999999)
    assert 400 <= owner.status < 500


def test_somebody_who_plays_is_blocked_from_their_table_and_sees_nothing_any_more(site, owner, anna):
    table = table_of(anna)
    owner.go(f"/owner/table/{table}")
    post(owner, f"/owner/table/{table}", do="block", number=0)
    assert owner.status == 200
    for address in ("/", f"/table/{table}", "/players"):
        anna.go(address)
        assert anna.status == 403, address
    assert Visitor(site).go("/").words
    page = owner.go("/owner")
    (ref,) = re.findall(r"/owner/member/([0-9a-f]{20})", page.html)
    post(owner, f"/owner/member/{ref}", do="admit")
    anna.go(f"/table/{table}")
    assert anna.status == 200


def test_somebody_who_plays_is_erased_from_their_table(site, owner, anna):
    table = table_of(anna)
    owner.go(f"/owner/table/{table}")
    post(owner, f"/owner/table/{table}", do="erase", number=0)
    assert "Rude Anna" not in owner.go(f"/owner/table/{table}").text
    assert "something nasty" not in owner.page.text


def admin(tmp_path, *words):
    done = CliRunner().invoke(cli.app, ["admin", *words, "--database", f"sqlite:///{tmp_path}/samovar.db"])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def own_secret(site):
    """A site has the secret of its database; that of tests is told another."""
    changed = text("UPDATE facts SET value = :secret WHERE name = 'secret'")
    store = site.app.state.tables.store
    call(site, lambda: store.do(lambda connection: connection.execute(changed, {"secret": SECRET.hex()})))


def test_the_machine_does_what_owners_do_while_the_site_runs(site, owner, anna, tmp_path):
    table, owning = table_of(anna), site.app.state.owning
    told = admin(tmp_path, "show")
    assert table in told
    assert "Rude Anna" in told.replace("Rude, Anna", "Rude Anna")
    admin(tmp_path, "announce", "We move  tonight")
    admin(tmp_path, "keep", "365")
    admin(tmp_path, "name", table, "1")
    call(site, owning.obey)
    assert "We move tonight" in anna.go("/").text
    assert "Rude Anna" not in anna.go(f"/table/{table}").words
    assert call(site, owning.retention) == 365
    admin(tmp_path, "close", table)
    call(site, owning.obey)
    anna.go(f"/table/{table}")
    assert anna.status == 410
    assert "samovar admin: closed a table" in owner.go("/owner").words
    assert "closed a table" in admin(tmp_path, "show")


def test_a_member_is_blocked_admitted_and_erased_from_the_machine(site, owner, own_secret, tmp_path):
    boris = come_in(site, call(site, lambda: site.app.state.members.invite("")), "Boris")
    (ref,) = re.findall(r"([0-9a-f]{20})  member", admin(tmp_path, "show"))
    for what, status in (("block", 403), ("admit", 200)):
        admin(tmp_path, what, ref)
        call(site, site.app.state.owning.obey)
        boris.go("/players")
        assert boris.status == status, what
    admin(tmp_path, "erase", ref)
    call(site, site.app.state.owning.obey)
    assert ref not in admin(tmp_path, "show")


def test_an_order_that_cannot_be_carried_out_is_told_to_owners(site, owner, tmp_path):
    admin(tmp_path, "close", "AAAAAAAAAAAA")
    call(site, site.app.state.owning.obey)
    assert "cannot be done" in owner.go("/owner").words


def test_a_table_whose_id_begins_with_a_hyphen_is_found_from_the_machine(site, owner, tmp_path):
    """New ids do not, but older ones may, and those that follow from an evening."""
    assert "cannot be done" not in owner.go("/owner").words
    admin(tmp_path, "close", "-BAAAAAAAAAA")
    call(site, site.app.state.owning.obey)
    assert "cannot be done" in owner.go("/owner").words


def test_a_remark_that_is_hidden_leaves_pages_that_were_drawn_before(site, owner, anna):
    """Not only when it was the last."""
    table = table_of(anna)
    anna.go(f"/table/{table}")
    anna.send("/say", text="something kind")
    page = owner.go(f"/owner/table/{table}")
    number = next(
        form["fields"]["number"] for form in page.forms if any(b.get("value") == "hide" for b in form["buttons"])
    )
    post(owner, f"/owner/table/{table}", do="hide", number=number)
    words = anna.go(f"/table/{table}").text
    assert "something nasty" not in words
    assert "something kind" in words
