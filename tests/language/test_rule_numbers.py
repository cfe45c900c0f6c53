"""Rules pages say the same numbers in all languages, and those of the game."""

import re
from collections import Counter

import pytest

from samovar.engine.registry import find_game, game_ids, is_ours
from samovar.games.babuschka import sizes as babuschka
from samovar.games.matryoshka import sizes as matryoshka
from samovar.games.memoarrrr import sizes as memoarrrr
from samovar.games.varvitikud import sizes as varvitikud
from samovar.language.languages import ENGLISH, LANGUAGES
from samovar.teach.rules_pages import rules_page

OURS = [game for game in game_ids() if is_ours(game)]
# Number words from three on, by how they begin: the longest beginning counts. One is an article in some languages, and
# for two there is "both", which others say in other ways. 0: another word that begins so.
WORDS = {
    "en": (
        "0 tend tent, 3 three thir, 4 four, 5 five, 6 six, 7 seven, 8 eight, 9 nine, 10 ten, 11 eleven, "
        "12 twelve, 13 thirteen, 14 fourteen, 15 fifteen"
    ),
    "de": (
        "0 achte, 3 drei dritt, 4 vier, 5 fünf, 6 sechs, 7 sieb, 8 acht, 9 neun, 10 zehn, 11 elf, 12 "
        "zwölf, 13 dreizehn, 14 vierzehn, 15 fünfzehn"
    ),
    "fr": (
        "3 trois, 4 quatr, 5 cinq, 6 six, 7 sept, 8 huit, 9 neuf, 10 dix, 11 onze, 12 douze, 13 treize, "
        "14 quatorz, 15 quinze"
    ),
    "et": (
        "0 viisi kaheksajal, 3 kolm, 4 neli nelja, 5 viis viie viit, 6 kuus kuue kuut, 7 seits, 8 "
        "kaheks, 9 üheks, 10 kümme kümne, 11 üksteist, 12 kaksteist, 13 kolmteist kolmeteist, 14 "
        "neliteist neljateist, 15 viisteist viieteist"
    ),
}
BEGINNINGS = {
    language: {word: int(number) for number, *words in map(str.split, told.split(",")) for word in words}
    for language, told in WORDS.items()
}


def number(word, beginnings):
    if word.isdigit():
        return int(word)
    found = [beginning for beginning in beginnings if word.startswith(beginning)]
    return beginnings[max(found, key=len)] if found else 0


def numbers(text, language):
    words = re.findall(r"\d+|[^\W\d_]+", re.sub(r"\b[a-jA-J]\d\b", "", text.lower()))  # a3 is a place
    return Counter(found for word in words if (found := number(word, BEGINNINGS[language])) > 1)


def paragraphs(game, language):
    page = re.sub("<!--.*?-->", "", rules_page(find_game(game), language, drawn=False))
    return [text for text in re.split(r"\n\n|\n(?=- |\| |#)", page) if text.strip()]


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != ENGLISH])
@pytest.mark.parametrize("game", OURS)
def test_a_rules_page_says_the_numbers_of_the_english_one(game, language):
    pairs = list(zip(paragraphs(game, ENGLISH), paragraphs(game, language), strict=True))
    differ = [
        (english[:100], dict(said - told), other[:100], dict(told - said))
        for english, other in pairs
        if (said := numbers(english, ENGLISH)) != (told := numbers(other, language))
    ]
    assert not differ, f"RULES.{language}.md of {game}"


def points(sticks):
    """V9: one for the first stick of a set, two for the second ..."""
    return sticks * (sticks + 1) // 2


CARDS = memoarrrr.ANIMALS * memoarrrr.LANDSCAPES
FIELDS = babuschka.WIDTH**2 - len(babuschka.MISSING)
DOLLS = [babuschka.FIGURE * babuschka.STARTING[seats] for seats in babuschka.SEATS]
SET_UP, *DISPLAYS = matryoshka.DISPLAY_SIZES
STICKS = varvitikud.COLOURS * varvitikud.STICKS_OF_A_COLOUR
USUAL = {option.name: option.default for game in OURS for option in find_game(game).options}
# By rule what it has to say, as the game has it.
SAID = {
    ("matryoshka", "1.1"): [matryoshka.SETS_PER_SEAT * matryoshka.SEATS[-1], matryoshka.VALUES],
    ("matryoshka", "1.2"): [matryoshka.SETS_PER_SEAT * matryoshka.VALUES * seats for seats in matryoshka.SEATS],
    ("matryoshka", "2.1"): [matryoshka.FIRST_DRAW],
    ("matryoshka", "3.1"): [matryoshka.ROUNDS],
    ("matryoshka", "5.2"): DISPLAYS,
    ("matryoshka", "6.9"): [USUAL["growth"]],
    ("memoarrrr", "1.1"): [CARDS],
    ("memoarrrr", "1.2"): [memoarrrr.ROUNDS, *set(memoarrrr.RUBIES)],
    ("memoarrrr", "2.1"): [memoarrrr.WIDTH, memoarrrr.WIDTH],
    ("memoarrrr", "2.3"): list(memoarrrr.RUBIES),
    ("memoarrrr", "4.8"): [CARDS - 1],
    ("memoarrrr", "6.1"): [memoarrrr.ROUNDS],
    ("varvitikud", "1.1"): [varvitikud.COLOURS],
    ("varvitikud", "1.2"): [STICKS, varvitikud.STICKS_OF_A_COLOUR],
    ("varvitikud", "2.1"): [varvitikud.HAND, varvitikud.HAND_OF_TWO],
    ("varvitikud", "7.1"): [varvitikud.HAND, varvitikud.HAND_OF_TWO],
    ("varvitikud", "8.4"): [STICKS, STICKS + 1],
    ("varvitikud", "9.2"): [points(sticks) for sticks in range(1, varvitikud.COLOURS + 1)],
    ("babuschka", "1.1"): [FIELDS, babuschka.WIDTH, babuschka.WIDTH],
    ("babuschka", "1.3"): DOLLS,
    ("babuschka", "6.4"): [USUAL["patience"], USUAL["patience"]],
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("game", "rule"), SAID)
def test_a_rule_says_the_numbers_of_the_game(game, rule, language):
    [text] = [text for text in paragraphs(game, language) if text.startswith(f"- **{rule}** ")]
    wanted = Counter(said for said in SAID[game, rule] if said > 1)
    assert not wanted - numbers(text, language), f"rule {rule} of RULES.{language}.md of {game}"
