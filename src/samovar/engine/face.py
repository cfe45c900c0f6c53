"""How a game looks in a browser: optional, a game without it is drawn as text and played by buttons
all the same.

A browser face is four files in the game's folder, and this record of what only the game can say
about them:

    table.html     a Jinja template with two macros: `table(scene)`, the table as one viewer sees
                   it, and `sheet(scene)`, the score sheet at the end, a `<tr>` for each row that
                   is counted and `sheet_name` of the kit for who it is. A game that counts something
                   else than points says so in its words: `"counted": "{count:ruby|rubies}"`
    table.css      its style
    art.svg        the drawings, as `<symbol>`s, put once into each page of a table
    cover.svg      the picture of the game on the home page

`scene` (see `web/drawing/scene.py`) holds a view, the choices of the viewer and words; never the state. So
what a page shows is built up from what is visible, as the view is. Beside it every macro knows
`words`, the game's own in the reader's language, `say("key", fact=...)`, which fills one in, and
`face`: a game whose template needs more than a view and words may subclass `BrowserFace` and ask
it, `face.rows(scene.view)`.

Most of a table stays as it is from one move to the next. A macro that depends on nothing but its
arguments is marked, `{% set card = kept(card) %}`, and draws each piece once: see
`web/templates/kit.html`. Arguments that are tuples (`NamedTuple`) are looked up faster than other
records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from samovar.engine.arrays import AnyState, AnyView

OwnView = TypeVar("OwnView", covariant=True)


class Choice(Protocol):
    """Something that can be clicked."""

    @property
    def move(self) -> str | None: ...  # the move it makes; None: more steps follow


class Choices(Protocol):
    """What can be clicked now, by name; None: it cannot."""

    def __getitem__(self, name: str, /) -> Choice | None: ...


class Scene(Protocol[OwnView]):
    """What a face may ask of the scene of a template."""

    @property
    def view(self) -> OwnView: ...
    @property
    def viewer(self) -> int | None: ...
    @property
    def choices(self) -> Choices: ...
    @property
    def memory(self) -> AnyView: ...  # what the face's `memory` said, None where that is not shown
    @property
    def truth(self) -> AnyView: ...  # what its `truth` said, None where that is not shown
    @property
    def ticked(self) -> tuple[str, ...] | None: ...  # boxes that somebody has sent ticked; None: nobody has
    @property
    def before(self) -> OwnView | None: ...  # what the viewer saw before the last move, where `holds` asks for it
    def settled(self) -> Scene[OwnView]: ...  # the same as if the last move had been seen long ago
    def name(self, seat: int, /) -> str: ...


def one_step(view: AnyView, text: str) -> tuple[str, ...]:
    return (text,)


def as_text(view: AnyView, text: str, words: Mapping[str, str]) -> str:
    return text


def is_single(view: AnyView, text: str) -> bool:
    return False


def usual_phase(view: AnyView) -> str:
    """What the view itself calls its phase, else what is asked of the viewer: `move` for
    `prompt.move`."""
    return str(getattr(view, "phase", None) or view.prompt.kind.removeprefix("prompt."))


def no_memory(state: AnyState, seat: int) -> None:
    return None


def no_truth(state: AnyState) -> None:
    return None


def one_sum(view: AnyView, words: Mapping[str, str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return ()


def nowhere(state: AnyState) -> frozenset[tuple[int | str, tuple[str, ...]]]:
    return frozenset()


def never(view: AnyView) -> bool:
    return False


@dataclass(frozen=True)
class Example:
    """A position for the rules page, drawn where the page says `<!-- example NAME -->`."""

    position: Mapping[str, object]  # for the game's `arrange`
    seat: int | None = None  # whose eyes it is seen with


@dataclass(frozen=True)
class BrowserFace:
    """A move is chosen in steps, each a click on something that is named: `("c1", "e3")`. The names
    stand in the template, too."""

    # (view, move as text) -> the names to click, in order; in a review an arrow leads from each to the next
    steps: Callable[[AnyView, str], tuple[str, ...]] = one_step
    # (view, move as text, words) -> the move in words, for a button; words["name.0"] is the name of
    # who sits on seat 0
    say: Callable[[AnyView, str, Mapping[str, str]], str] = as_text
    # a part of the steps in words, for what is not a move yet
    say_step: Callable[[AnyView, tuple[str, ...], Mapping[str, str]], str] | None = None
    # whether a move is made of several cards, chosen in a form of its own
    several: Callable[[AnyView, str], bool] = is_single
    # (state, seat) -> what the seat has seen and has to remember (C5), None: nothing to show
    memory: Callable[[AnyState, int], AnyView] = no_memory
    # (state) -> all that is hidden, for records looked at with all cards open
    truth: Callable[[AnyState], AnyView] = no_truth
    # (state) -> where each hidden card is, with a seat or at a place, and what it is in words: a review
    # says how likely it was for somebody that it was there
    hidden: Callable[[AnyState], frozenset[tuple[int | str, tuple[str, ...]]]] = nowhere
    # whether the last move took away what people want to look at first: then the scene has the view
    # `before` it, too, and pages show both for some seconds before they go on
    holds: Callable[[AnyView], bool] = never
    # what is on now: the rules open at the heading marked `<!-- phase NAME -->`, or at their beginning
    phase: Callable[[AnyView], str] = usual_phase
    # (view at the end, words) -> what the scores are made of: each part in words, and what each seat has of
    # it. The end tells by it what decided the match, and where whoever lost was best
    counts: Callable[[AnyView, Mapping[str, str]], tuple[tuple[str, tuple[int, ...]], ...]] = one_sum
    sound: str = "piece"  # of a move, for those who switch sounds on: "piece" or "card"
    examples: Mapping[str, Example] = field(default_factory=dict)
