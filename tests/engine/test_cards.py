"""`cards.csv`: read with its types, and what is wrong is told by its line."""

from typing import Annotated, Literal

import pytest
from msgspec import Meta

from samovar.engine.assembly.cards import CardRow, read_cards
from samovar.errors import BrokenGame

GOOD = "name,rank,colour,count,en,fr\nfox,3,red,2,the fox,le renard\nowl,10,blue,1,the owl,le hibou\n"


class Card(CardRow):
    rank: Annotated[int, Meta(ge=1, le=10)]
    colour: Literal["red", "blue"]
    is_wild: bool = False


def read(folder, text, encoding="utf-8"):
    (folder / "cards.csv").write_text(text, encoding=encoding)
    return read_cards(str(folder / "cards.py"), Card)


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_cards_are_read_as_any_spreadsheet_writes_them(tmp_path, sign) -> None:
    cards = read(tmp_path, GOOD.replace(",", sign).replace("\n", "\r\n") + sign * 5 + "\r\n", "utf-8-sig")
    assert [card.name for card in cards] == ["fox", "owl"]
    assert cards[0] == Card(name="fox", rank=3, colour="red")
    assert cards.deck == (0, 0, 1)
    assert [*cards.column("rank")] == [3, 10]
    assert [*cards.column("colour")] == [0, 1]
    assert [*cards.column("is_wild")] == [0, 0]
    assert [*cards.column("count")] == [2, 1]
    assert cards.number("owl") == 1
    words = cards.with_words({"en": {"plays": "plays {card}"}, "fr": {"plays": "joue {card}"}, "de": {}})
    assert words["fr"] == {"fox": "le renard", "owl": "le hibou", "plays": "joue {card}"}
    assert words["de"]["owl"] == "the owl"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("fox,3", "fox,three", "line 2: the column 'rank' says 'three': Expected `int`, got `str`. Change"),
        ("owl,10", "owl,11", "line 3: the column 'rank' says '11': Expected `int` <= 10"),
        ("fox,3", "fox,", "line 2: Object missing required field `rank`"),
        ("blue", "green", "line 3: the column 'colour' says 'green': Invalid enum value 'green'"),
        ("rank", "rnak", "line 1: nobody knows the column 'rnak'. Did you mean 'rank'"),
        ("rank,colour", "colour,colour", "line 1: there are two columns 'colour'"),
        ("name,", "en,", "line 1: there are two columns 'en'"),
        (",en,", ",de,", "line 1: the column 'en' is missing"),
        ("owl", "fox", "line 3: there is a card 'fox' already"),
        (",2,", ",0,", "line 2: '0' is no number of cards"),
        ("le hibou", "", "line 3: the word of 'owl' is missing in the column 'fr'"),
        (",le hibou", "", "line 3: there are 5 cells under 6 columns"),
        ("the owl", '"the owl', "line 3: unexpected end of data"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_its_line(tmp_path, old, new, told) -> None:
    with pytest.raises(BrokenGame) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert f"cards.csv, {told}" in str(caught.value)


def test_files_that_are_none_are_told(tmp_path) -> None:
    with pytest.raises(BrokenGame, match=r"There is no cards\.csv in"):
        read_cards(str(tmp_path / "cards.py"), Card)
    with pytest.raises(BrokenGame, match="CSV UTF-8"):
        read(tmp_path, GOOD.replace("le hibou", "hibou zélé"), "latin-1")
    with pytest.raises(BrokenGame, match="has no cards"):
        read(tmp_path, GOOD.partition("\n")[0])
    cards = read(tmp_path, GOOD)
    with pytest.raises(BrokenGame, match="Did you mean 'rank'"):
        cards.column("rnak")
    with pytest.raises(BrokenGame, match="Literal"):
        cards.column("name")
