"""Guided first matches: what is read, what is refused, and where a way leads."""

from pathlib import Path

import pytest

from samovar.engine.registry import find_game
from samovar.errors import BadLesson, IllegalMove
from samovar.teach.lessons import ON, find_lesson, has_lesson, read_lesson, stand_at, tour
from samovar.testing.teach import check_lesson, check_secrets
from support import tiny_game
from support.documents import ROOT, blocks

GAME = find_game("memoarrrr")
OURS = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
SCRIPT = """
[[step]]
name = "look"
position = { seats = 2, first = 1, sides = [], cards = { d4 = "penguin-jungle", c1 = "penguin-lava" } }
others = [[1, "north"]]
go_on = ["south", "w*"]
answers = { sunrise = ["east"] }

[[step]]
name = "open"
others = [[1, "d4"]]
go_on = ["c1"]

[[step]]
name = "pause"
pause = true

[[step]]
name = "end"
"""
TEXTS = """
[look]
say = "Choose a side."
sunrise = "Not the east."

[open]
say = "Turn one up."
other = "Not there."

[pause]
say = "Look."

[end]
say = "Well done."
"""


def written(folder: Path, script: str = SCRIPT, **texts: str) -> Path:
    file = folder / "first.toml"
    file.write_text(script, encoding="utf-8")
    for language, text in ({"en": TEXTS} | texts).items():
        file.with_suffix(f".{language}.toml").write_text(text, encoding="utf-8")
    return file


def lesson_in(folder: Path, **texts: str):
    return read_lesson(GAME, written(folder, **texts))


@pytest.mark.parametrize("game_id", OURS)
def test_each_of_our_games_has_one_in_all_four_languages_that_is_soon_over(game_id):
    lesson = find_lesson(find_game(game_id))
    assert {*lesson.texts} == {"en", "fr", "de", "et"}
    assert 6 <= len(lesson.steps) <= 10
    for texts in lesson.texts.values():
        for said in texts.values():
            assert max(map(len, said.values())) <= 260, "what is said is short"


MOST_WORDS = 30  # a step is read at a glance


@pytest.mark.parametrize("game_id", OURS)
def test_no_sentence_of_a_lesson_is_long(game_id):
    texts = find_lesson(find_game(game_id)).texts
    counted = {
        (language, step, key): sum(any(map(str.isalnum, word)) for word in text.split())
        for language, steps in texts.items()
        for step, said in steps.items()
        for key, text in said.items()
    }
    assert {place: words for place, words in counted.items() if words > MOST_WORDS} == {}


def test_a_lesson_goes_on_with_the_moves_it_wants_and_keeps_the_position_for_others(tmp_path):
    lesson = lesson_in(tmp_path)
    start = stand_at(lesson, ())
    assert start.match.actors == (0,), "the others have played first"
    before = start.match.state_bytes
    east, south = start.read_move("east"), start.read_move("SOUTH")
    assert not start.step.goes_on(start.check(east))
    assert start.step.answer_to(start.check(east)) == "sunrise"
    assert start.match.state_bytes == before
    second = stand_at(lesson, (south,))
    assert [second.step.name, second.match.view(0).last] == ["open", second.match.view(None).last]
    assert second.step.answer_to("a1") == "other"
    third = stand_at(lesson, (south, second.read_move("c1")))
    assert [third.is_asked, list(third.ways_on()), list(third.moves())] == [False, [ON], []]
    assert stand_at(lesson, (*third.way, ON)).is_end


@pytest.mark.parametrize("way", [(26,), (27, 0), (27, 10**9), (27, ON), (ON,), (27, 2, 2), (27, 2, ON, ON), (27, -7)])
def test_a_way_that_the_lesson_does_not_go_is_refused(tmp_path, way):
    with pytest.raises(IllegalMove):
        stand_at(lesson_in(tmp_path), way)


def test_a_pause_and_the_end_ask_for_nothing(tmp_path):
    lesson = lesson_in(tmp_path)
    for way in ((27, 2), (27, 2, ON)):
        with pytest.raises(IllegalMove):
            stand_at(lesson, way).read_move("a1")


def test_a_tour_plays_every_way(tmp_path):
    names = [stand.step.name for stand in tour(lesson_in(tmp_path))]
    assert names == ["look", "open", "open", "pause", "pause", "end", "end"], (
        "two sides go on, and lead to two positions"
    )


def test_a_language_that_is_missing_is_told_in_english(tmp_path):
    french = TEXTS.replace("Choose a side.", "Choisissez un côté !")
    lesson = lesson_in(tmp_path, fr=french)
    step = lesson.steps[0]
    assert lesson.text(step, "say", "fr") == "Choisissez un côté\u00a0!", "with the space that French wants"
    assert (lesson.text(step, "say", "et"), lesson.language("et")) == ("Choose a side.", "en")


def test_a_game_without_a_lesson_has_none_and_passes_the_kit():
    assert not has_lesson(tiny_game.GAME)
    assert find_lesson(tiny_game.GAME) is None
    assert check_lesson(tiny_game.GAME) == 0


# What an author may get wrong: the error names file and step.


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('go_on = ["c1"]\n', "", "'open'.*nobody can leave it"),
        ("pause = true", 'pause = true\ngo_on = ["c2"]', "'pause'.*nobody can leave it, or in two ways"),
        ('name = "end"', 'name = "end"\npause = true', "'end'.*last one"),
        ('name = "pause"', 'name = "look"', "'look'.*another step has this name"),
        ('name = "open"\n', "", "step 2.*no name"),
        ('go_on = ["c1"]', 'goes_on = ["c1"]', r"'open'.*'goes_on'.*Did you mean 'go_on'"),
        ('go_on = ["c1"]', 'go_on = "c1"', "'open'.*`go_on` cannot be 'c1'"),
        ('others = [[1, "d4"]]', 'others = ["d4"]', "'open'.*`others` cannot be"),
        ("[[step]]", "seat = true\n[[step]]", "learner's number"),
        ("[[step]]", "[step]", "cannot be read|needs 2 to"),
        ("[[step]]", "colour = 3\n[[step]]", "'colour'"),
        ("position = {", "#", "first step needs a position"),
        ("= [[", "= [[[", "cannot be read"),
    ],
)
def test_a_lesson_that_is_not_written_as_it_should_be(tmp_path, old, new, told):
    file = written(tmp_path, SCRIPT.replace(old, new, 1))
    with pytest.raises(BadLesson, match=told) as refused:
        read_lesson(GAME, file)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('say = "Look."', "", "'pause'.*'say' is missing"),
        ('sunrise = "Not the east."', "", "'look'.*'sunrise' is missing"),
        ('say = "Look."', 'say = ""', "'pause'.*none of them empty"),
        ('say = "Look."', 'say = "Look."\nother = "No."', "'pause'.*'other'"),
        ("[open]", "[opne]", "'opne'.*Did you mean 'open'"),
    ],
)
def test_sentences_that_are_missing_or_belong_to_nothing(tmp_path, old, new, told):
    with pytest.raises(BadLesson, match=told):
        lesson_in(tmp_path, en=TEXTS.replace(old, new))


def test_each_language_says_what_english_says(tmp_path):
    with pytest.raises(BadLesson, match=r"first\.de\.toml.*'open'.*other"):
        lesson_in(tmp_path, de=TEXTS.replace('other = "Not there."', ""))
    file = written(tmp_path)
    file.with_suffix(".en.toml").unlink()
    with pytest.raises(BadLesson, match=r"nothing in English.*first\.en\.toml"):
        read_lesson(GAME, file)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('[[1, "d4"]]', '[[1, "c3"]]', "'open'.*cannot be played.*c3"),
        ('[[1, "d4"]]', '[[0, "d4"]]', "'open'.*the learner's"),
        ('[[1, "d4"]]', "[]", "'open'.*not the learner's turn"),
        ('go_on = ["c1"]', 'go_on = ["c3"]', "'open'.*no legal move goes on.*a1"),
        ('"penguin-jungle"', '"penguin-moon"', "'look'.*penguin-moon"),
        ('go_on = ["south", "w*"]', 'go_on = ["west"]', "'look'.*nothing is said to the move 'south'.*'other'"),
        ("[[step]]", "seat = 7\n[[step]]", "'look'.*seat 7"),
    ],
)
def test_a_lesson_that_cannot_be_played(tmp_path, old, new, told):
    file = written(tmp_path, SCRIPT.replace(old, new, 1))
    with pytest.raises(BadLesson, match=told) as refused:
        tour(read_lesson(GAME, file))
    assert str(file) in str(refused.value)


def test_an_answer_that_nobody_gets(tmp_path):
    script = SCRIPT.replace('go_on = ["c1"]', 'go_on = ["c1"]\nanswers = { moon = ["the moon"] }')
    text = TEXTS.replace('other = "Not there."', 'other = "Not there."\nmoon = "Too far."')
    with pytest.raises(BadLesson, match=r"'open'.*no legal move gets the answer 'moon'.*the moon"):
        tour(read_lesson(GAME, written(tmp_path, script, en=text)))


def test_the_lesson_of_the_guide_can_be_played(tmp_path):
    page = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
    files = {Path(block.title).name: block.text for block in blocks(page) if block.language == "toml"}
    file = written(tmp_path, files["first.toml"], en=files["first.en.toml"])
    lesson = read_lesson(find_game("connect_four"), file)
    assert [stand.step.name for stand in tour(lesson)] == ["drop", "three", "end"]
    assert stand_at(lesson, (0, 3)).match.places == (1, 2), "whoever learns wins"


def test_what_lies_hidden_is_not_spoken_of(tmp_path):
    told = TEXTS.replace("Choose a side.", "At d4 lies a penguin in the jungle.")
    lesson = lesson_in(tmp_path, en=told)
    with pytest.raises(AssertionError, match="gives away"):
        check_secrets(stand_at(lesson, ()))
    known = lesson_in(tmp_path, en=TEXTS.replace("Look.", "At c1 lies a penguin in the lava, at d4 one in the jungle."))
    check_secrets(stand_at(known, (27, 2)))  # both lie open by then
