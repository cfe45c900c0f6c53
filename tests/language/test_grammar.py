"""Sentences read well whatever is filled in: the forms of words, and every sentence of every game
in every language with all that can stand in its blanks."""

import re
import string
from itertools import product

import pytest

from samovar import Match
from samovar.engine.contract import event
from samovar.engine.registry import find_game
from samovar.language.grammar import Facts, Sentence, Word, by_language, grammar_of, sentences
from samovar.language.grammar.en import with_a
from samovar.language.grammar.et import with_ending
from samovar.language.grammar.fr import with_a_grave, with_de, with_que
from samovar.language.languages import LANGUAGES

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
NAMES = ("Emelya", "Olga", "Hélène", "Yann", "Yves", "Invité", "Guest", "Анна", "42")


@pytest.mark.parametrize(
    ("name", "de"),
    [
        ("Emelya", "d’Emelya"),
        ("Vasilisa", "de Vasilisa"),
        ("Élise", "d’Élise"),
        ("Œdipe", "d’Œdipe"),
        ("Hélène", "d’Hélène"),
        ("hibou", "de hibou"),
        ("héros", "de héros"),
        ("héroïne", "d’héroïne"),
        ("Yann", "de Yann"),
        ("Yves", "d’Yves"),
        ("onze", "de onze"),
        ("11", "de 11"),
        ("Анна", "de Анна"),
        ("le siège 1", "du siège 1"),
        ("les autres", "des autres"),
        ("la reine", "de la reine"),
        ("Le Corbusier", "de Le Corbusier"),
        ("", "de "),
    ],
)
def test_de_is_elided_before_a_vowel_that_is_heard_and_joins_an_article(name, de):
    assert with_de(name) == de


def test_que_is_elided_and_a_grave_joins_an_article():
    assert [with_que(name) for name in ("Anna", "Boris", "le siège 1")] == ["qu’Anna", "que Boris", "que le siège 1"]
    assert [with_a_grave(name) for name in ("Anna", "le siège 1", "les autres")] == [
        "à Anna",
        "au siège 1",
        "aux autres",
    ]


@pytest.mark.parametrize(
    ("name", "whose", "with_whom"),
    [
        ("Olga", "Olga", "Olgaga"),
        ("Boris", "Borisi", "Borisiga"),
        ("Chloé", "Chloé", "Chloéga"),
        ("Анна", "Анна", "Аннаga"),
        ("Борис", "Борисi", "Борисiga"),
        ("Anna 2", "Anna 2", "Annaga 2"),
        ("mängija 1 (sina)", "mängija 1 (sina)", "mängijaga 1 (sina)"),
        ("R2D2", "R2D2", "R2D2-ga"),
        ("42", "42", "42-ga"),
        ("☕", "☕", "☕-ga"),
        ("", "", "-ga"),
    ],
)
def test_estonian_names_have_cases(name, whose, with_whom):
    assert (with_ending("", name), with_ending("ga", name)) == (whose, with_whom)


def test_an_stands_before_a_vowel_that_is_heard():
    some = ("orange", "umbrella", "hour", "8", "11", "emerald", "Élise")
    others = ("red", "unicorn", "uniform", "one", "ewe", "hotel", "10", "1")
    assert [with_a(word) for word in some] == [f"an {word}" for word in some]
    assert [with_a(word) for word in others] == [f"a {word}" for word in others]


def test_a_word_gives_the_form_that_is_asked_for_and_others_stay_as_they_are():
    words = sentences(
        {
            "blue": Word("bleu", f="bleue"),
            "jade": "jade",
            "doll": "une poupée {colour:f}",
            "stick": "un bâtonnet {colour}",
        },
        "fr",
    )
    assert [words["doll"].format(colour=words[colour]) for colour in ("blue", "jade")] == [
        "une poupée bleue",
        "une poupée jade",
    ]
    assert words["stick"].format(colour=words["blue"]) == "un bâtonnet bleu"
    assert type(words["stick"]) is str, "a sentence that asks for no form costs nothing"


def test_a_form_of_its_own_comes_before_the_rule():
    words = sentences({"him": Word("l’autre", de="de l’autre côté"), "of": "{who:de}"}, "fr")
    assert words["of"].format(who=words["him"]) == "de l’autre côté"


def test_a_number_brings_its_noun_in_the_singular_or_plural_of_the_language():
    english = sentences({"cards": "{count:card|cards}", "left": "{count:no cards|card|cards} left"}, "en")
    french = sentences({"cards": "{count:carte|cartes}"}, "fr")
    assert [english["cards"].format(count=count) for count in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]
    assert [english["left"].format(count=count) for count in (0, 1, 2)] == [
        "no cards left",
        "1 card left",
        "2 cards left",
    ]
    assert [french["cards"].format(count=count) for count in (0, 1, 2)] == ["0 carte", "1 carte", "2 cartes"]
    assert english["cards"].format(count="2 + 4") == "2 + 4 cards"


def test_an_event_is_told_with_the_forms_that_its_sentence_asks_for():
    words = sentences({"gives": "{seat} donne {other_seat:à} la carte {other_seat:de}."}, "fr")
    assert event("gives", seat=0, other_seat=1).tell(words, lambda seat: ("Boris", "Anna")[seat]) == (
        "Boris donne à Anna la carte d’Anna."
    )


def test_a_form_that_nobody_knows_is_complained_of():
    words = sentences({"of": "{seat:dee}"}, "fr")
    with pytest.raises(ValueError, match="dee"):
        words["of"].format(seat="Anna")


def test_braces_and_formats_of_other_kinds_are_left_alone():
    words = sentences({"set": "{{seat:de}} {number:>3}"}, "fr")
    assert words["set"].format(number=7) == "{seat:de}   7"


def test_sentences_can_be_made_of_sentences_again():
    once = sentences({"of": "une poupée {seat:de} !"}, "fr")
    assert sentences(once, "fr")["of"].format(seat="Anna") == "une poupée d’Anna\u00a0!"


def test_a_sentence_of_a_catalogue_asks_for_a_form_by_the_name_of_a_fact():
    told = "La chaise %(de_name)s, dit %(name)s"
    assert told % Facts(name="Anna") == "La chaise d’Anna, dit Anna"
    with pytest.raises(KeyError):
        assert told % Facts(other="Anna")


def test_spaces_before_signs_do_not_break_where_the_language_has_them():
    assert grammar_of("fr").set_spaces("%(percent)s %% de %(name)s") == "%(percent)s\u00a0%% de %(name)s"
    assert grammar_of("de").set_spaces("%(percent)s %% von %(name)s") == "%(percent)s\u00a0%% von %(name)s"


def test_a_language_without_a_file_has_words_all_the_same():
    words = sentences({"cards": "{count:kort|kort}", "of": "{seat}s"}, "sv")
    assert words["cards"].format(count=1) == "1 kort"
    assert words["of"].format(seat="Anna") == "Annas"


def test_words_of_a_folder_are_found_by_language_english_first(tmp_path, monkeypatch):
    folder = tmp_path / "folder_of_words"
    folder.mkdir()
    for language in ("__init__", "sv", "da", "en"):
        (folder / f"{language}.py").write_text(f"WORDS = {{'name': '{language}'}}\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = by_language("folder_of_words", [str(folder)])
    assert [*found.items()] == [(language, {"name": language}) for language in ("en", "da", "sv")]


def test_spaces_before_french_signs_do_not_break():
    assert grammar_of("fr").set_spaces("À vous : « jouez » !") == "À vous\u00a0: «\u00a0jouez\u00a0»\u00a0!"
    assert grammar_of("en").set_spaces("You : there") == "You : there"


# Every sentence of the games

# What the blanks of the games hold, where it is neither a number nor somebody's name.
TEXTS = {
    "babuschka": {"size": "small medium large", "other_size": "small medium large", "place": "place.1 place.2 place.4"},
    "matryoshka": {"colour": " ".join(f"colour.{letter}" for letter in "ABCDEFGHIJ")},
    "memoarrrr": {"side": "north east south west", "card": "crab-lava turtle-ocean octopus-flowers"},
    "varvitikud": dict.fromkeys(
        ("colour", "given", "taken", "north", "east", "south", "west", "colours"),
        "red orange yellow green blue purple",
    ),
}
PLAIN = {"card": "A1", "cards": "A1 B2", "place": "a3", "other": "b4", "start": "a1", "end": "e3", "field": "e3"}
NUMBERS = (0, 1, 2, 8, 11)

WRONG = {
    "en": [
        r"\ba (?:[aeio]|8|11)",
        r"\ban [^aeiouh8]",
        r"\b1 (?:cards|points|sticks|birds|rubies|treasures|matches|swaps|volcanoes)\b",
        r"\b(?:0|[2-9]|1\d) (?:card|point|stick|bird|ruby)\b",
    ],
    "de": [
        r"\b1 (?:Karten|Punkte|Punkten|Vögel|Vögeln|Rubine|Rubinen|Schätze|Vulkane|Streichhölzer|Tausche)\b",
        r"\b(?:0|[2-9]|1\d) (?:Karte|Punkt|Vogel|Rubin|Schatz|Vulkan|Streichholz|Tausch)\b",
        r"(?i)\bein (?:rot|orange|gelb|grün|blau)\b",
        r"(?i)\beine (?:klein|mittel|groß)\b",
        r"\b(?:blau|grau|chilirot|dottergelb) Puppe\b",
        r"\b(?:Sie|Ihre?n?)\b(?! (?:teilen|ist|kam))",  # people are addressed as "du"
    ],
    "et": [
        r"\b1 (?:kaarti|punkti|lindu|rubiini|aaret|vulkaani|pulka|tikku|vahetust|nukku)\b",
        r"\b(?:0|[2-9]|1\d) (?:kaart|kaardi|punkt|lind|rubiin|aare|vulkaan|pulk|pulga|tikk|tiku|vahetus|nukk|nuku)\b",
        r"\b(?:Yann|Yves|Guest|42)(?:ga|le|lt)\b",
        r"(?i)\b(?:annab|võtab|katab kinni|viib) \w* ?(?:punane|sinine|väike|suur)\b",
        r"(?i)\b(?:põhi|ida|lõuna|lääs)[.:]",  # "in the north" is one word
    ],
    "fr": [
        r"(?i)\b(?:de|que|le|la|ne|se) (?:[aeiouœéèêàâîôû]|h[eéo])(?![1-8]\b)",
        r"\b(?:de|à) les? (?:siège|autre)",
        r"\bd’[^aeiouhyœéèêàâîôûAEIOUHYÉŒ]",
        r"poupées? (?:bleu|doré|gris|petite|grande|vert)\b",
        r"\b(?:0|1) (?!sur)\w+s\b(?<!rubis)(?<!pas)",
        r"\b[2-9] (?:carte|point|bâtonnet|oiseau|trésor|volcan|poupée|allumette|échange)\b",
        r" [:;!?»]",
        r"comme rubis",
    ],
}
WRONG_ANYWHERE = [r"[{}]", r"  ", r" [.,]", r"\bNone\b", r"\bseat\b"]


def values(game, words, blank, spec):
    if blank in ("seat", "name") or blank.endswith("_seat"):
        return NAMES
    if blank in TEXTS[game]:
        return [words[key] for key in TEXTS[game][blank].split()]
    return NUMBERS if "|" in spec else [PLAIN.get(blank, 3)]


def filled_in(game, language):
    """Each sentence for people at a table with all that its blanks can hold."""
    words = find_game(game).words[language]
    for key, text in words.items():
        if key.startswith(("draw.", "prompt.", "option.")):  # of the terminal and of forms
            continue
        blanks = {}
        for _, blank, spec, _ in string.Formatter().parse(text):
            if blank and len(blanks.get(blank, ())) < 2:
                blanks[blank] = values(game, words, blank, spec)
        for facts in (
            product(*blanks.values()) if len(blanks) < 4 else zip(*map(endless, blanks.values()), strict=False)
        ):
            yield key, text.format(**dict(zip(blanks, facts, strict=True)))


def endless(some):
    """Long enough to meet all the others."""
    return [some[number % len(some)] for number in range(60)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_no_sentence_of_a_game_goes_wrong_with_what_is_filled_in(game, language):
    patterns = [re.compile(pattern) for pattern in (*WRONG[language], *WRONG_ANYWHERE)]
    said = list(filled_in(game, language))
    wrong = {(key, sentence) for key, sentence in said for pattern in patterns if pattern.search(sentence)}
    assert not wrong
    assert len(said) > 150


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_no_match_is_told_in_wrong_words(game, language):
    """The same with facts as they really come."""
    patterns = [re.compile(pattern) for pattern in (*WRONG[language], *WRONG_ANYWHERE)]
    words = find_game(game).words[language]
    match = Match(game, seed=5, plain=True)
    match.play_random(5)
    told = {told.tell(words, NAMES.__getitem__) for move in match.log(0) for told in move}
    assert not {sentence for sentence in told for pattern in patterns if pattern.search(sentence)}
    assert len(told) > 10


def test_forms_are_asked_for_in_each_game():
    """Otherwise the tests above would look at nothing."""
    for game in GAMES:
        for language in LANGUAGES[1:]:
            assert any(isinstance(text, Sentence) for text in find_game(game).words[language].values())
