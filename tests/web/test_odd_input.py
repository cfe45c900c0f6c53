"""Whatever is sent, the answer says what is wrong with it: it is never a fault of the site's
own."""

import json
from base64 import b64encode

import pytest
from sqlalchemy import create_engine, text

from support.wire import Guest, ask, listening

ODD_NUMBERS = ["²", "--5", "-", "٣", "5\0", "9" * 30, "1e3", "0x1", ""]
NOT_UTF8 = [b"\xff", b"\xed\xa0\x80", b"Anna\xc3"]  # the second is a lone surrogate
JSON = b"Content-Type: application/json"


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with listening(f"sqlite:///{tmp_path_factory.mktemp('odd')}/samovar.db") as port:
        yield port


@pytest.fixture(scope="module")
def guest(port):
    return Guest(port)


@pytest.fixture(scope="module")
def table(guest):
    return guest.sits("memoarrrr", **{"chair-1": "easy"})


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_a_number_in_a_form_is_written_in_plain_digits(guest, table, number):
    value = number.encode()
    assert guest.send("/new/memoarrrr", [("name", b"Anna"), ("seats", value)]).status == 422
    assert guest.send("/new/babuschka", [("name", b"Anna"), ("patience", value)]).status == 422
    assert guest.send(f"{table}/move", [("move", b"1"), ("ply", value)]).status == 422
    answer = guest.send("/new/memoarrrr", [("name", b"Anna"), ("first", value)])
    assert answer.status == 422
    assert "cannot be chosen for" in answer.words


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_a_number_in_an_address_is_written_in_plain_digits(guest, table, number):
    value = "".join(f"%{byte:02X}" for byte in number.encode())
    assert guest.see(f"/new/memoarrrr?seats={value}").status in (200, 400)
    assert guest.see(f"{table}?pick={value}&list={value}").status == 200


@pytest.mark.parametrize("letters", NOT_UTF8)
@pytest.mark.parametrize("field", ["name", "seats", "first", "chair-1", "open", "nothing"])
def test_letters_that_are_none_are_refused_in_any_field(guest, letters, field):
    answer = guest.send("/new/memoarrrr", [("name", b"Anna"), (field, letters)])
    assert answer.status == 400
    assert "This request was not understood." in answer.words


@pytest.mark.parametrize("letters", NOT_UTF8)
def test_letters_that_are_none_are_refused_at_a_table(guest, table, letters):
    for action, field in [
        ("move", "move"),
        ("say", "text"),
        ("say", "phrase"),
        ("hand-over", "level"),
        ("begin", "level"),
    ]:
        assert guest.send(f"{table}/{action}", [(field, letters)]).status == 400


def test_percent_signs_that_encode_nothing_are_letters(guest, table):
    assert guest.send(f"{table}/say", body=b"_csrf_token=%s&text=100%%25 or 50%% or %%zz" % guest.token).status == 303
    assert "100% or 50% or %zz" in guest.see(table).words


@pytest.mark.parametrize(
    "fields", [b"&".join(b"%x=" % number for number in range(10_000)), b"&name=A" * 9_000, b"&" * 60_000]
)
def test_a_form_has_as_many_fields_as_ours_have(guest, fields):
    assert guest.send("/new/memoarrrr", body=b"_csrf_token=%s&%s" % (guest.token, fields)).status == 400


def test_an_address_and_cookies_are_as_long_as_ours_are(port):
    assert ask(port, b"GET", b"/new/babuschka?" + b"a&" * 20_000).status == 400
    assert ask(port, b"GET", b"/", b"Cookie: " + b"a=;" * 20_000).status == 413
    assert ask(port, b"GET", b"/", b"Cookie: a=" + b"x" * 20_000).status == 413
    assert (
        ask(
            port,
            b"GET",
            b"/",
            b"Cookie: " + b"; ".join(b"another-%d=%s" % (number, b"x" * 100) for number in range(50)),
        ).status
        == 200
    )


@pytest.mark.parametrize(
    "back",
    ["//[", "http://[", "//[::1", "/\t/example.org", "/\\example.org", "//example.org", "javascript:alert(1)", "x", ""],
)
def test_the_way_back_is_a_page_of_ours_or_home(guest, back):
    answer = guest.send("/language", [("language", b"en"), ("back", back.encode())])
    assert (answer.status, answer.header("location")) == (303, ["/"])


# Forms in parts


def parts(*told):
    """The body of a form in parts: each has lines above its content."""
    return b"".join(b"--x\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" % part for part in told) + b"--x--\r\n"


@pytest.mark.parametrize("charset", [b"bogus", b"hex", b"undefined", b"\xff", b"utf-8\0", b"raw_unicode_escape"])
def test_a_character_set_that_nobody_uses_is_refused(guest, charset):
    name = (b'name="name"\r\nContent-Type: text/plain; charset="%s"' % charset, b"\\ud800")
    body = parts((b'name="_csrf_token"', guest.token), name)
    assert guest.send("/new/memoarrrr", body=body, kind=b"multipart/form-data; boundary=x").status == 400


@pytest.mark.parametrize(
    "kind",
    [
        b"multipart/form-data",
        b"multipart/form-data; boundary=",
        b'multipart/form-data; boundary="',
        b"multipart/form-data; boundary=\xff",
        b"multipart/form-data; boundary=y",
        b"multipart/form-data; boundary=" + b"x" * 5000,
        b"multipart/mixed; boundary=x",
        b"application/json",
        b"application/x-www-form-urlencoded; charset=bogus",
        b"\xff/\xfe",
        b";;;=",
        b"",
    ],
)
@pytest.mark.parametrize("page", ["/new/memoarrrr", "/record", "/language", "/play/babuschka", "/api/tables"])
def test_a_body_that_is_no_form_is_refused(guest, kind, page):
    answer = guest.send(
        page, body=parts((b'name="_csrf_token"', guest.token), (b'name="name"', b"Anna\xff")), kind=kind
    )
    assert answer.status in (400, 403, 422)


def test_a_file_where_a_text_belongs_is_refused(guest, table):
    kind = b"multipart/form-data; boundary=x"
    for field in (b"text", b"_csrf_token", b"phrase"):
        told = {b"_csrf_token": guest.token, b"text": b"Hello"} | {field: b"anything"}
        body = parts(
            *(
                (b'name="%s"%s' % (name, b'; filename="a"' if name == field else b""), value)
                for name, value in told.items()
            )
        )
        assert guest.send(f"{table}/say", body=body, kind=kind).status == 400
    assert "UploadFile" not in guest.see(table).text


@pytest.mark.parametrize("token", [b"", b"x", b"\xc3\xa9" * 64, b"0" * 64 + b"\xc3\xa9" * 32, b"\xff" * 128])
def test_a_token_of_a_form_that_is_not_ours_is_refused(guest, port, token):
    assert guest.send("/play/babuschka", body=b"_csrf_token=" + token).status in (400, 403)
    assert guest.send("/play/babuschka", [], b"X-CSRFToken: " + token, body=b"a=b").status == 403
    form = b"Content-Type: application/x-www-form-urlencoded"
    assert (
        ask(
            port,
            b"POST",
            b"/play/babuschka",
            form,
            b"Cookie: samovar-form=" + token,
            body=b"_csrf_token=" + guest.token,
        ).status
        == 403
    )


# Addresses and headers


NOWHERE = [
    "/static/%00",
    "/static/%00/../samovar.css",
    "/static/" + "x" * 256,  # longer than a name on a disk can be
    "/static/" + "%C3%A9" * 128,
    "/static/" + "x/" * 2500,
    "/static/samovar.css/x",
    "/games/babuschka/" + "x" * 256,
    "/games/babuschka/table.css/x",
    "/games/" + "x" * 256 + "/cover.svg",
    "/games/x/%00",
    "/games/babuschka/%00",
    "/table/%00",
    "/table/x%00",
    "/table/x/come/%00",
    "/record/%00",
    "/record/%00/download",
    "/rules/%00",
    "/new/%00",
    "/%00",
    "/api/tables/%00",
    "/api/tables/%00/record",
    "/table/%ED%A0%80",
    "/table/%FF",
    "/table/" + "x" * 5000,
]


def test_an_address_of_nothing_is_not_found_in_either_database(database_url):
    with listening(database_url) as port:
        found = {path[:40]: ask(port, b"GET", path.encode()).status for path in NOWHERE}
    assert set(found.values()) == {404}, found


@pytest.mark.parametrize(
    "host",
    [b"[::1]:x", b"[", b"[::1", b"[::::]", b"a:99999", b"a:-1", b"a b", b"a/b", b"a@b", b"<i>", b"\xff", b"x" * 4000],
)
@pytest.mark.parametrize("page", [b"/", b"/static/samovar.css", b"/nowhere", b"/api/games", b"/api/nowhere"])
def test_a_host_that_is_none_is_refused(port, host, page):
    answer = ask(port, b"GET", page, host=host)
    assert answer.status in ((400, 404) if b"nowhere" in page else (400,))


def test_a_host_that_is_none_is_refused_at_a_table(guest, table):
    for host in (b"[::1]:x", b"x" * 4000):
        assert ask(guest.port, b"GET", table.encode(), host=host).status == 400
    assert ask(guest.port, b"GET", table.encode(), host=b"[::1]:8080").status == 200


@pytest.mark.parametrize("method", [b"OPTIONS", b"GET", b"HEAD", b"PUT", b"DELETE", b"TRACE", b"BREW"])
@pytest.mark.parametrize("path", [b"*", b"x", b"//", b"http://x/nowhere", b"/nowhere", b"?"])
def test_an_address_that_is_none_is_refused_for_any_method(port, method, path):
    assert ask(port, method, path).status in (200, 204, 400, 404, 405)


@pytest.mark.parametrize(
    "accept",
    [b"text/html;q=1e999", b"text/html;q=nan", b"*/", b";", b",", b"\xff/\xff", b'a/b;q="', b"text/html;q=-inf"],
)
def test_a_page_that_is_not_there_is_told_whatever_is_accepted(port, accept):
    assert ask(port, b"GET", b"/nowhere", b"Accept: " + accept).status == 404
    assert ask(port, b"GET", b"/api/games", b"Accept: " + accept).status == 200


@pytest.mark.parametrize(
    "language",
    [b"fr;q=1e999", b"fr;q=nan,en;q=nan", b"\xff", b";q=", b"q=q=q=", b"fr;q=\xc2\xb2", b"," * 5000, b"-", b"fr-"],
)
def test_a_language_that_is_none_is_passed_over(port, language):
    assert ask(port, b"GET", b"/", b"Accept-Language: " + language).status == 200


def forged(told):
    """A cookie that looks like one of ours from outside."""
    return b64encode(bytes(40) + b"additional_authenticated_data=" + told)


@pytest.mark.parametrize(
    "cookie",
    [
        b"x",
        b"A" * 200,
        b"\xff\xfe",
        b'"\\377"',
        b"%FF%00",
        forged(b"x"),
        forged(b"{}"),
        forged(b"null"),
        forged(b"[]"),
        forged(b'{"expires_at": "soon"}'),
        forged(b'{"expires_at": 9999999999}'),
        forged(b"\xff"),
    ],
)
def test_a_cookie_that_is_not_ours_is_passed_over(port, cookie):
    for name in (b"samovar", b"samovar-0", b"samovar-form", b"\xff", b""):
        assert ask(port, b"GET", b"/", b"Cookie: %s=%s" % (name, cookie)).status == 200
        assert ask(port, b"POST", b"/play/babuschka", b"Cookie: %s=%s" % (name, cookie)).status == 403


# Programs


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"null",
        b'{"game": NaN}',
        b'{"game": "memoarrrr", "seats": %s}' % (b"9" * 5000),
        b'{"game": "memoarrrr", "seats": 18446744073709551616}',
        b'{"game": "memoarrrr", "seats": 1e400}',
        b'{"game": "memoarrrr", "options": {"first": 99999999999999999999}}',
        b"[" * 30_000,
        b'{"options": ' * 5_000,
        b'{"nothing": ' + b"[" * 30_000,
        b'{"game": "memoarrrr", "game": "nothing"}',
        b'{"game": "\\ud800"}',
        b'{"game": "memoarrrr", "name": "\\ud800"}',
        b'{"game": "memoarrrr", "name": "\xed\xa0\x80"}',
        b'{"game": "memoarrrr", "options": {"\\udfff": 1}}',
        b'{"game": "memoarrrr", "options": {"first": "\\u0000"}}',
        b'{"game": "memoarrrr", "chairs": ["\\u0000", "\\ud800"]}',
        b'\xef\xbb\xbf{"game": "memoarrrr"}',
    ],
)
def test_a_program_is_told_what_is_wrong_with_its_json(port, body):
    answer = ask(port, b"POST", b"/api/tables", JSON, body=body)
    assert answer.status in (400, 422)
    assert json.loads(answer.text).keys() == {"error", "detail"}


@pytest.mark.parametrize("token", ["²", "٣", "x", "0" * 41, "9" + "0" * 40, "0\xff"])
def test_a_key_of_strange_letters_is_of_no_seat(port, table, token):
    bearer = b"Authorization: Bearer " + token.encode()
    for path in ("", "/moves"):
        answer = ask(port, b"GET", f"/api/tables/{table.split('/')[2]}{path}".encode(), bearer)
        assert (answer.status, json.loads(answer.text)["error"]) == (403, "WrongToken")


@pytest.mark.parametrize(
    "query", [b"language=fr&language=xx", b"language=", b"language=%FF", b"language=%ED%A0%80", b"language"]
)
def test_a_language_that_programs_cannot_have_is_refused(port, table, query):
    answer = ask(port, b"GET", f"/api/tables/{table.split('/')[2]}?".encode() + query)
    assert (answer.status, json.loads(answer.text)["error"]) == (422, "BadField")


# A game that is gone


@pytest.fixture
def site_without_a_game(database_url):
    """Anna has a table of a game, Boris has opened one for everybody; then the game is no longer
    installed."""
    with listening(database_url) as port:
        anna, boris = Guest(port), Guest(port)
        tables = [anna.sits("memoarrrr"), boris.sits("memoarrrr", open="on"), boris.sits("babuschka", open="on")]
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE tables SET game = 'chess_of_old' WHERE game = 'memoarrrr'"))
        connection.execute(
            text("UPDATE entries SET data = replace(data, '\"memoarrrr\"', '\"chess_of_old\"') WHERE kind = 'open'")
        )
    engine.dispose()
    with listening(database_url) as port:
        anna.port = port
        yield anna, tables


def test_a_game_that_is_gone_takes_nothing_else_with_it(site_without_a_game):
    anna, (own, gone, other) = site_without_a_game
    home = anna.see("/")
    assert home.status == 200
    assert "chess_of_old" in home.words, "her own table is still listed"
    assert other in home.text
    assert gone not in home.text, "nobody can sit down there"
    for address in (
        own,
        f"/api{own.replace('table', 'tables')}",
        f"/api{own.replace('table', 'tables')}/events",
        own.replace("table", "record"),
    ):
        answer = anna.see(address)
        assert answer.status == 404
        assert "The game chess_of_old is not installed here." in answer.text
    assert anna.send(f"{own}/say", [("text", b"Hello")]).status == 404
    assert ask(anna.port, b"GET", b"/api/tables").status == 200
