"""Numbers, places and names as each language writes them."""

import pytest

from samovar.language.grammar import Facts, all_rules, grammar_of
from samovar.language.languages import LANGUAGES, translations
from samovar.language.numbers import as_written, number_text


@pytest.mark.parametrize(
    ("value", "digits", "signed", "english"),
    [
        (1.25, 1, False, "1.2"),
        (-3, 0, True, "−3"),
        (3.4, 0, True, "+3"),
        (-0.04, 1, True, "+0.0"),
        (-12.5, 1, False, "−12.5"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_has_a_real_minus_and_the_decimal_mark_of_its_language(language, value, digits, signed, english):
    told = number_text(value, language, digits, signed=signed)
    assert told == (english if language == "en" else english.replace(".", ","))


@pytest.mark.parametrize(
    ("language", "told"), [("en", "−1,234.5"), ("de", "−1.234,5"), ("fr", "−1\u00a0234,5"), ("et", "−1\u00a0234,5")]
)
def test_a_great_number_has_its_thousands_apart(language, told):
    assert as_written("-1,234.5", language) == told


def test_the_guest_has_a_genitive_of_its_own_and_caroline_keeps_hers():
    rules = grammar_of("et").rules
    assert [rules["om"](name) for name in ("Külaline", "külaline", "Külaline 2", "Caroline", "Boris")] == [
        "Külalise", "külalise", "Külalise 2", "Caroline", "Borisi",
    ]  # fmt: skip
    assert rules["ga"]("Külaline") == "Külalisega"


def test_french_counts_places_as_it_speaks():
    text = translations("fr").gettext("place %(place)s of %(seats)s")
    assert [text % Facts(place=place, seats=4) for place in (1, 2)] == ["1re place sur 4", "2e place sur 4"]
    assert all_rules()["rang"]("3") == "3e place"
