"""Names at a table can be seen, and nobody can take the name of another."""

from itertools import combinations

import pytest

from samovar.web import problems
from samovar.web.names import LONGEST_NAME, can_be_seen, check_name, same_name
from support.visitors import Visitor, running

BLANKS = [
    *"\u3164\ufe0f\u115f\u1160\u2800\uffa0\u034f\u17b4\u180b\U0001d159\U000e0100\u200b\u200d\u200e\u202e\u2060\ufeff\u00ad"
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running(tmp_path_factory.mktemp("names")) as client:
        yield client


NAMES = [
    "A",
    "Anna",
    "Zoë",
    "Ёлка",
    "Анна-Мария",
    "Νίκος",
    "Јован",
    "Õnne Ülo",
    "田中",
    "Nguyễn Thị",
    "محمد",
    "שָׁלוֹם",
    "สมชาย",
    "O'Neill-7",
    "❤️",
    "☀️ Anna",
    "👍🏽",
    "🇪🇪",
    "x" * LONGEST_NAME,
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_can_be_seen_is_kept_as_it_is(name):
    assert check_name(name) == name


def test_a_name_is_kept_in_one_spelling_with_single_spaces():
    assert check_name("  Zoe\u0308 \t\u3000 von\u00a0Au ") == "Zoë von Au"


@pytest.mark.parametrize("blank", [*BLANKS, "", " ", "\u0301", "\n", "\0", "\ud800", "\ue000"])
@pytest.mark.parametrize("made", ["{}", " {} {}"])
def test_a_name_that_cannot_be_seen_is_refused(blank, made):
    with pytest.raises(problems.BadName):
        check_name(made.format(blank, blank))


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("made", ["Anna{}", "{}Anna", "An{}na", "Anna 2{}"])
def test_a_twin_that_differs_in_what_is_not_seen_is_refused(blank, made):
    with pytest.raises(problems.BadName):
        check_name(made.format(blank))


@pytest.mark.parametrize("name", ["x" * (LONGEST_NAME + 1), "Z\u0351\u0352\u0353oe", "❤️\ufe0f", "a\ufe0f", "\ufe0f❤"])
def test_a_name_that_is_too_long_or_piled_up_is_refused(name):
    with pytest.raises(problems.BadName):
        check_name(name)


@pytest.mark.parametrize("other", ["ANNA", "anna", "Ａｎｎａ", "𝐀nna", "Ⓐnna"])
def test_names_are_the_same_when_they_look_it(other):
    assert same_name("Anna", other)


@pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("❤️", "❤"), ("ﬁn", "fin"), ("Zoe\u0308", "ZOË")])
def test_spellings_of_one_name_are_the_same(one, other):
    assert same_name(one, other)
    assert same_name(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "Аnna"),  # the first letter of each of these is Russian
        ("Boba", "ВОВА"),
        ("Eva", "Еva"),
        ("Zoë", "Zоё"),
        ("Rex", "Rех"),
        ("Анна", "Aнна"),
        ("ΑΝΝΑ", "Anna"),  # Greek
        ("Νίκος", "Nίκoς"),
        ("Ivi", "lvi"),
        ("Ian", "1an"),
        ("Ian", "Іan"),
        ("Olga", "0lga"),
        ("Otto", "Οtt0"),
        ("O'Neill", "O’Neill"),
        ("Ann-Marie", "Ann‑Marie"),
        ("Mia", "Mi\u0307a"),
        ("Mia", "Mıa"),
        ("Anna 2", "Аnna 2"),
    ],
)
def test_letters_that_look_alike_are_the_same_whatever_their_alphabet(one, other):
    assert same_name(one, other)
    assert same_name(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "Hanna"),
        ("Anna", "Anna 2"),
        ("Zoe", "Zoë"),
        ("", "A"),
        ("Анна", "Anna"),
        ("Вова", "Boba"),
        ("Miia", "Mila"),
        ("MIIA", "MILA"),
        ("Õie", "Oie"),
        ("Ирина", "Марина"),
        ("Νίκος", "Νικος"),
        ("Йосиф", "Иосиф"),
    ],
)
def test_names_that_differ_are_told_apart(one, other):
    assert not same_name(one, other)


@pytest.mark.parametrize(
    "alphabet",
    [
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґјљњћџў",
        "αβγδεζηθικλμνξοπρστυφχψω",
        "abcdefghijklmnopqrsšzžtuvwõäöüxyåæøßéèêñç",
    ],
)
def test_letters_of_one_alphabet_are_told_apart(alphabet):
    """In small print, where every letter has a look of its own, and as names are written."""
    for names in (alphabet, [f"Я{letter}" for letter in alphabet]):
        assert [(one, other) for one, other in combinations(names, 2) if same_name(one, other)] == []


@pytest.mark.parametrize(
    ("text", "seen"),
    [("?", True), ("❤️", True), ("\u3164\u3164", False), ("\u2800 \ufe0f", False), ("\u0301", False), ("", False)],
)
def test_a_remark_has_something_to_read(text, seen):
    assert can_be_seen(text) is seen


@pytest.mark.parametrize("name", ["ANNA", "Ａｎｎａ", " anna ", "Аnna"])
def test_the_second_anna_is_anna_2_however_she_writes_it(site, name):
    anna, other = Visitor(site), Visitor(site)
    anna.go("/new/memoarrrr")
    anna.send("/new/memoarrrr", name="Anna")
    other.go(anna.address)
    other.send("/sit", name=name)
    assert other.status == 200
    assert f"{name.strip()} 2" in other.page.words


@pytest.mark.parametrize("name", ["\u3164", "Anna\ufe0f", "\u2800\u2800"])
def test_visitors_and_programs_are_told_what_is_wrong_with_a_name(site, name):
    anna = Visitor(site)
    anna.go("/new/memoarrrr")
    anna.send("/new/memoarrrr", name=name)
    assert anna.status == 422
    assert "Each of them must be visible" in anna.page.words
    answer = site.post("/api/tables", json={"game": "memoarrrr", "name": name})
    assert (answer.status_code, answer.json()["error"]) == (422, "BadName")


@pytest.mark.parametrize("remark", ["\u3164", "\u2800 \u2800", "\ufe0f", " "])
def test_a_remark_that_cannot_be_seen_is_refused(site, remark):
    anna = Visitor(site)
    anna.go("/new/memoarrrr")
    anna.send("/new/memoarrrr", name="Anna", **{"chair-1": "easy"})
    anna.send("/say", text=remark)
    assert anna.status == 422
    assert "some of them visible" in anna.page.words
