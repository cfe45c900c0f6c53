"""Checks of one game that need no second world: facts, moves, texts, history. Each raises
AssertionError and says what is wrong."""

from __future__ import annotations

import dataclasses
import json
import re
import string
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np

from samovar.engine.arrays import AnyView
from samovar.engine.assembly.defaults import TOLD_ANYWAY, draw_fields
from samovar.engine.assembly.options import Option
from samovar.engine.contract import PLAIN, Event, Game, Options, SeatView, Words
from samovar.engine.heuristics import CERTAIN
from samovar.engine.match import Match
from samovar.engine.records.arranged import look_at, position_of
from samovar.engine.records.record import replay
from samovar.engine.ways.backend import backend
from samovar.engine.ways.plain import plain
from samovar.errors import IllegalMove, NotAnActor, SamovarError
from samovar.language.languages import ENGLISH
from samovar.teach.rules_pages import EXAMPLE, PHASES

WIDE_SEED = "5a" * 32  # hex digits
THINK_EVERY = 12  # moves
DEALS_OF_OPTIONS = 5  # with each number of seats
GAME_ID = re.compile(r"[a-z][a-z0-9_]*")
NONSENSE = ("?", "samovar 0")  # no move of any game
LAY_OUT_EVERY = 7  # moves: an odd number, so that every seat has its turn among them
MOST_REASONED = 6  # moves whose reasons are looked at in every moment
FADING_EVENTS = 40  # of the past that are looked at in every moment
WORD = re.compile(r"[^\W\d_]{3}")  # three letters in a row
RULE_ID = re.compile(r"^- \*\*(\d+\.\d+)\*\* ", re.MULTILINE)


def check_facts(game: Game) -> None:
    """The state has no generator; options, observation and words are complete."""
    assert GAME_ID.fullmatch(game.id), (
        f"the id {game.id!r} is part of addresses and commands: write small letters, digits and _, a letter first"
    )
    for name in game.state.names or ():
        assert not re.search("seed|rng|random", name), (
            f"field {name!r} looks like a generator; chance belongs to the deal"
        )
    for option in game.options:
        option.code(option.default)
    check_idle_options(game)
    part_names = [part.name for part in game.observation]
    assert len(set(part_names)) == len(part_names), "two parts of the observation have the same name"
    assert all(part.size > 0 and part.help for part in game.observation)
    check_words(game)


def check_option(game: Game, option: Option) -> None:
    """Options reach the rules through `deal` alone, so a state must keep what they ask for. `first` seats those who
    begin: where one seat is to move first, that one."""
    for seats in game.seats:
        for value in option.choices:
            if option.name == "first" and isinstance(value, int) and value < seats:
                match = Match(game, seats, 7, plain=True, first=value)
                assert len(match.actors) != 1 or match.actors == (value,), (
                    f"with first={value}, seat {match.actors[0]} is the first to move. Write state.turn = "
                    "starting_seat(rng, seats, options.first) in `deal`."
                )
    if option.name == "first":
        return
    with_it = {other.name: other.choices[-1] for other in game.own_options if other.name == option.only_with}
    setups = [(seats, seed) for seats in game.seats for seed in range(DEALS_OF_OPTIONS)]
    dealt = {
        value: [
            Match(game, seats, seed, plain=True, **with_it, **{option.name: value}).state_bytes
            for seats, seed in setups
        ]
        for value in (option.choices[0], option.choices[-1])
    }
    assert dealt[option.choices[0]] != dealt[option.choices[-1]], (
        f"the option {option.name!r} changes nothing: `deal` makes the same states with {option.choices[0]!r} and "
        f"{option.choices[-1]!r}. Let it read options.{option.name}, and keep in the state what other rules need of it."
    )


def check_idle_options(game: Game, seed: int = 7, limit: int = 200) -> None:
    """An option that is of use only with another one changes nothing without it: the same moves, and the
    same end."""
    for option in game.own_options:
        for value in option.choices if option.only_with else ():
            usual, other = (
                Match(game, max(game.seats), seed, plain=True, **{option.name: one}) for one in (option.default, value)
            )
            usual.play_random(seed, limit)
            for seat, move in usual.history:
                assert move in other.legal(seat), f"{option.name!r} alone makes a difference: {move} is not legal"
                other.play(seat, move)
            assert (other.scores, other.actors) == (usual.scores, usual.actors), (
                f"{option.name!r} makes a difference without {option.only_with!r}: the match ends in another way"
            )


def check_words(game: Game) -> None:
    """There is English, which readers of other languages get where the game does not speak theirs;
    each other language that it speaks says the same."""
    assert ENGLISH in game.words, "words in English are missing"
    english = game.words[ENGLISH]
    for words in game.words.values():
        for key in english.keys() | words.keys():
            blanks = [_placeholders(english.get(key)), _placeholders(words.get(key))]
            assert blanks[0] == blanks[1], f"words of {key!r} differ between languages: {blanks}"
    options = {option.name for option in game.options}
    named = {key.split(".")[1] for key in english if key.startswith("option.")}
    assert named <= options, f"there are words of options that the game does not have: {named - options}"


def _placeholders(sentence: str | None) -> set[str] | None:
    if sentence is None:
        return None
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def rule_ids(page: Path) -> list[str]:
    """The numbered rules of a rules page, in order."""
    return RULE_ID.findall(page.read_text(encoding="utf-8"))


def page_marks(page: Path) -> Counter[str]:
    """The marks of a rules page: where examples are drawn, and which headings belong to phases."""
    text = page.read_text(encoding="utf-8")
    return Counter(
        [f"example {name}" for name in EXAMPLE.findall(text)] + [f"phase {names}" for names in PHASES.findall(text)]
    )


def check_pages(game: Game) -> None:
    """There is a rules page, and those in other languages number the same rules, draw the same examples
    and open at the same phases. Where there is none in a language, its readers get the English one."""
    page = Path(game.folder) / "RULES.md"
    assert page.exists(), f"{game.name} has no RULES.md"
    english, marks = rule_ids(page), page_marks(page)
    assert english, "RULES.md has no numbered rules (list items that start with '- **1.1** ')"
    assert len(set(english)) == len(english), "RULES.md numbers a rule twice"
    known = {f"example {name}" for name in (game.face.examples if game.face else ())}
    unknown = {mark for mark in marks if mark.startswith("example ")} - known
    assert not unknown, f"RULES.md names examples that the game's face does not have: {unknown}"
    for other in sorted(Path(game.folder).glob("RULES.*.md")):
        numbers = rule_ids(other)
        assert english == numbers, f"RULES.md and {other.name} number different rules: {set(english) ^ set(numbers)}"
        others = page_marks(other)
        differ = set((marks - others) | (others - marks))
        assert not differ, f"RULES.md and {other.name} mark different things: {differ}"


def check_walk(game: Game, seats: int, options: Options, seed: int, limit: int = 400) -> None:
    """A random match in plain Python; after every move all that must hold of one state, and at the
    end the length."""
    with named(game):
        walk(game, seats, options, seed, limit)


@contextmanager
def named(game: Game) -> Iterator[None]:
    """What fails in a function that is for people is told by its name and line, as what fails in a rule is."""
    try:
        yield
    except (AssertionError, SamovarError):
        raise
    except Exception as error:
        codes = [getattr(getattr(game, name), "__code__", None) for name in PLAIN]
        files = {code.co_filename for code in codes if code}
        own = [step for step in traceback.extract_tb(error.__traceback__) if step.filename in files]
        if not own:
            raise
        raise AssertionError(
            f"{own[-1].name} of {game.name} fails at {Path(own[-1].filename).name}, line {own[-1].lineno}: "
            f"{own[-1].line!r} ({type(error).__name__}: {error})"
        ) from error


def walk(game: Game, seats: int, options: Options, seed: int, limit: int) -> None:
    match = Match(game, seats, seed, plain=True, **options)
    choose = np.random.default_rng(seed)
    bound = game.max_length(seats, match.options)
    assert isinstance(bound, int), f"max_length gives {bound!r}; write a whole number of moves"
    assert match.states["seats"][0] == seats, (
        f"after a deal for {seats} seats state.seats is {match.states['seats'][0]}: write state.seats = seats in `deal`"
    )
    while not match.over and len(match.history) < limit:
        check_state(match)
        seat = match.actors[choose.integers(len(match.actors))]
        if len(match.history) % THINK_EVERY == 0:
            check_thinking(match, seat, seed)
            check_answers(match, seat)
        if len(match.history) % LAY_OUT_EVERY == 0:
            check_position(match)
        legal = match.legal(seat)
        check_moves(match, seat, legal, choose)
        match.play(seat, legal[choose.integers(len(legal))])
        assert len(match.history) <= bound, f"{len(match.history)} moves and not over; max_length says {bound}"
    check_state(match)


def check_thinking(match: Match, seat: int, seed: int) -> None:
    """The rules that imagine and evaluate, in plain Python too: there a mistake, or a loop that does
    not end, is told by rule and line."""
    world = match.imagine(seat, seed)
    assert not world.faults, f"seat {seat} after {len(match.history)} moves imagines a broken world: {world.faults}"
    ready = backend(match.game, True)
    facts, moves, shares = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros((1, match.seats), np.int64)
    ready.sights(match.states, seat, facts)
    ready.evaluate(world.states, shares)
    ready.rollout_move(world.states, seat, seed, moves)
    assert int(moves[0]) in world.legal(seat), f"seat {seat}: a rollout move is not legal: {moves[0]}"
    ready.forget(world.states, seat, 0, seed)


def check_position(match: Match) -> None:
    """Laid out again, the position of a state is sound, and the same seats have the same moves and points."""
    told = position_of(match) if match.game.arrange else None
    if told is None:
        return
    where = f"the position of the state after {len(match.history)} moves"
    laid = look_at(match.game, told)
    assert laid.match is not None, f"{where} cannot be laid out: {' '.join(laid.faults)}"
    assert not laid.faults, f"{where} cannot be: {' '.join(laid.faults)}"
    for what, one, other in (
        ("other seats may act", laid.match.actors, match.actors),
        ("points differ", laid.match.scores, match.scores),
        ("moves differ", *([there.moves(seat) for seat in match.actors] for there in (laid.match, match))),
    ):
        assert one == other, f"in {where} {what}: {one}, not {other}"


def check_length(game: Game, seats: int, options: Options, matches: int = 200) -> None:
    """Random matches end within the stated maximum, sound in every bit."""
    from samovar.engine.batch import Batch

    batch = Batch(game, matches, seats, 1000, threads=1, **options)
    bound = game.max_length(seats, batch.options)
    lengths = batch.play_random(bound)
    assert not batch.actors().any(), f"a match is not over after {lengths.max()} moves; max_length says {bound}"
    broken = next((faults for faults in batch.faults() if faults), ())
    assert not broken, f"after a random match: {', '.join(broken)}"
    for row in batch.results()[1].tolist():
        check_places(game, row)


def check_places(game: Game, places: list[int]) -> None:
    """C6: ties share the better place and the next is skipped. Teammates share theirs, so where all
    are one team everybody is first."""
    assert places == [1 + sum(other < place for other in places) for place in places], f"places {places}"
    teams = game.teams(len(places))
    by_team = dict(zip(teams, places, strict=True))
    assert places == [by_team[team] for team in teams], f"teammates do not share their places: {places} of {teams}"


def check_success(match: Match) -> None:
    """Where all seats are one team, how well they do is from 0 to 1000."""
    assert match.success is None or 0 <= match.success <= CERTAIN, f"success is {match.success}, not 0 to {CERTAIN}"


def check_state(match: Match) -> None:
    """Sound, readable, drawable, and no question changes it."""
    game = match.game
    before = match.state_bytes
    assert not match.actors or max(match.actors) < match.seats, (
        f"actors says that seat {max(match.actors)} may act, and the seats are 0 to {match.seats - 1}: bit k is seat k"
    )
    given = game.faults(match.state)
    assert not isinstance(given, str | None), (
        f"faults gives {given!r}: write `yield` before each sentence, or return a tuple of them"
    )
    check_points(match)
    assert not match.faults, f"after {match.history[-3:]}: {match.faults}"
    check_places(game, list(match.places))
    check_success(match)
    assert len(match.scores) == match.seats
    for seat in (None, *range(match.seats)):
        check_view(match, seat)
    for seat in range(match.seats):
        check_observation(match, seat)
        match.legal(seat)
    assert match.state_bytes == before, "a question (view, observe, legal, scores, faults ...) has changed the state"
    assert game.actors(match.state) == sum(1 << seat for seat in match.actors)


def check_points(match: Match) -> None:
    """Both are written for every seat: what lay in the array before makes no difference."""
    for name in ("scores", "places"):
        function = getattr(match.game, name)
        if function is None:
            continue
        rows = np.full((2, match.seats), 99, np.int64)
        rows[1] = -99
        for row in rows:
            function(match.state, plain(row))
        assert (rows[0] == rows[1]).all(), f"{name} leaves seat {int(np.argmax(rows[0] != rows[1]))} unwritten in `out`"


def check_view(match: Match, seat: int | None) -> None:
    view = match.view(seat)
    check_frozen(view)
    json.dumps(dataclasses.asdict(view))
    assert match.news(seat) == view.news, f"`news` tells {seat} another move than its view does"
    for event in (view.prompt, *view.news):
        check_seats_told(match, event)
    for words in match.game.words.values():
        assert match.game.draw(view, words).strip(), "draw gives an empty text"
        for event in (view.prompt, *view.news):
            check_told(event, words)
    check_translated_view(match.game, view)


def check_frozen(view: AnyView) -> None:
    """A view is a frozen dataclass of numbers, texts and tuples."""
    kind = type(view).__name__
    assert dataclasses.is_dataclass(view), (
        f"view gives a {kind}: write @dataclass(frozen=True) above a class of its own"
    )
    for name in TOLD_ANYWAY:
        assert hasattr(view, name), (
            f"{kind}, which view gives, has no field {name!r}: see View in samovar.engine.contract"
        )
    for name, value in vars(view).items():
        assert is_fixed(value), f"view.{name} is or holds a {type(value).__name__}, which can change: write a tuple"
    hash(view)


def is_fixed(value: object) -> bool:
    with suppress(TypeError):
        return bool(hash(value) or True)
    return False


def check_seats_told(match: Match, event: Event) -> None:
    for name, fact in event.facts:
        if name == "seat" or name.endswith("_seat"):
            assert fact in range(match.seats), (
                f"the event {event.kind!r} names seat {fact!r} as {name!r}, and the seats are 0 to {match.seats - 1}"
            )


def check_told(event: Event, words: Words) -> None:
    """There are words for the event, and for each fact of it that is a word."""
    assert event.kind in words, f"no words for {event.kind!r}"
    assert "{" not in event.tell(words, lambda number: f"seat {number}")
    for name, fact in event.facts:
        assert not is_word(fact) or fact in words, f"no words for {fact!r}, the {name} of {event.kind!r}"


def is_word(value: object) -> bool:
    """Whether a text means something in one language alone; the names of places and pieces do not."""
    return isinstance(value, str) and WORD.search(value) is not None


def check_translated_view(game: Game, view: SeatView) -> None:
    """What is shown by its fields, as there is neither a face nor a drawing, is shown in the words of every language
    that the game speaks."""
    if len(game.words) == 1 or game.face is not None or game.draw is not draw_fields:
        return
    for entry in dataclasses.fields(view):  # type: ignore[arg-type]
        if entry.name not in TOLD_ANYWAY:
            for shown in (entry.name, *texts_in(getattr(view, entry.name))):
                for language, words in game.words.items():
                    assert not is_word(shown) or shown in words, (
                        f"people would read {shown!r}, of view.{entry.name}, in every language: add words for it in "
                        f"{language!r}"
                    )


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from texts_in(item)


def check_observation(match: Match, seat: int) -> None:
    """Every entry is written: what lay in the array before makes no difference."""
    rows = np.full((2, match.game.observation_size), 99, np.int8)
    rows[1] = -99
    for row in rows:
        match.game.observe(match.state, seat, plain(row))
    assert (rows[0] == rows[1]).all(), f"observe leaves entry {int(np.argmax(rows[0] != rows[1]))} unwritten"


def check_moves(match: Match, seat: int, legal: list[int], choose: np.random.Generator) -> None:
    """Legal moves ascend, have one text each, and nothing else is taken."""
    game = match.game
    assert legal, f"seat {seat} is an actor without a move"
    assert len(legal) <= game.max_legal, f"{len(legal)} legal moves, max_legal says {game.max_legal}"
    assert all(low < high for low, high in pairwise(legal)), "legal moves must ascend"
    assert legal[0] >= 0
    assert legal[-1] < game.moves, f"move {legal[-1]}, the game has numbers below {game.moves}"
    texts = [match.move_text(seat, move) for move in legal]
    assert len(set(texts)) == len(texts), "two legal moves have the same text"
    for move, text in zip(legal, texts, strict=True):
        assert match.parse_move(seat, text) == move, (
            f"{text!r} is written for {move} and read as {match.parse_move(seat, text)}"
        )
        assert match.parse_move(seat, f"  {text.upper()} ") == move, f"{text!r} is not read in capitals"
    check_told_moves(match, seat)
    for event in reasons_told(match, seat):
        for words in game.words.values():
            check_told(event, words)
    before = match.state_bytes
    wrong = [-1, game.moves, *(int(move) for move in choose.integers(game.moves, size=3) if move not in set(legal))]
    for move in wrong:
        expect_refusal(match, seat, move, IllegalMove)
    for other in set(range(match.seats)) - set(match.actors):
        expect_refusal(match, other, legal[0], NotAnActor)
    assert match.state_bytes == before, "a refused move has changed the state"


def told_moves(match: Match, seat: int) -> list[Event]:
    """The legal moves as the game tells them to people; none where their texts have to do."""
    tell_move = match.game.tell_move
    return [tell_move(match.state, seat, move) for move in match.legal(seat)] if tell_move else []


def reasons_told(match: Match, seat: int) -> list[Event]:
    """What the game says for and against some of the legal moves, by the state as it is: it may be another than the
    one that the seat imagines, and must say the same."""
    legal = match.legal(seat)
    asked = legal[:: len(legal) // MOST_REASONED + 1]
    return (
        [event for move in asked for event in match.game.reasons(match.state, seat, move)] if match.game.reasons else []
    )


def check_told_moves(match: Match, seat: int) -> None:
    """There are words for them in every language, and no two read the same."""
    game = match.game
    if len(game.words) > 1 and game.face is None and game.tell_move is None:
        for text in match.moves(seat):
            assert not is_word(text), (
                f"people would read the move {text!r} in every language: write tell_move(state, seat, move), which "
                "gives an event, and words for it"
            )
    events = told_moves(match, seat)
    for language, words in game.words.items():
        for event in events:
            check_told(event, words)
        told = [event.tell(words, lambda number: f"seat {number}") for event in events]
        assert len(set(told)) == len(told), f"two legal moves are told in the same words in {language!r}: {told}"
        assert not any("{" in sentence for sentence in told), f"a blank is left open in {told}"


def check_answers(match: Match, seat: int) -> None:
    """The same state has the same view, and what is no move is not read as one."""
    for viewer in (None, *range(match.seats)):
        assert match.view(viewer) == match.view(viewer), (
            f"view gives {'a spectator' if viewer is None else f'seat {viewer}'} two answers to the same state: it may "
            "depend on the state and the seat alone"
        )
    for text in NONSENSE if match.game.parse_move else ():
        expect_no_move(match, seat, text)


def expect_no_move(match: Match, seat: int, text: str) -> None:
    try:
        move = match.parse_move(seat, text)
    except IllegalMove:
        return
    except Exception as error:
        raise AssertionError(
            f"parse_move answers {text!r} with {type(error).__name__}: {error}. Raise ValueError, with a sentence that "
            "says how moves are written."
        ) from error
    raise AssertionError(f"parse_move reads {text!r} as move {move}. Raise ValueError for what is no move.")


def expect_refusal(match: Match, seat: int, move: int, kind: type[Exception]) -> None:
    try:
        match.play(seat, move)
    except kind:
        return
    raise AssertionError(f"seat {seat} was allowed move {move}")


def check_history(game: Game, seats: int, options: Options, seed: int) -> None:
    """Replay and undo give identical bytes, and a copy is apart from its source."""
    match = Match(game, seats, seed, **options)
    start = match.state_bytes
    match.play_random(seed, limit=150)
    end = match.state_bytes
    record = json.loads(json.dumps(match.record()))
    assert replay(record).state_bytes == end, "a replayed record gives another state"
    other = match.copy()
    while other.history:
        other.undo()
    assert other.state_bytes == start, "undoing all moves does not lead back to the deal"
    other.play_random(seed + 1, limit=20)
    assert match.state_bytes == end, "playing on in a copy has changed its source"
    assert match.record() == record, "playing on in a copy has changed its source"
    assert len(match.log(0)) == len(match.history)


def check_fading(game: Game, seats: int, options: Options, seed: int, limit: int = 60) -> None:
    """What is told of earlier moves follows from the event and the present view alone, and says no
    more than the event did."""
    match = Match(game, seats, seed, plain=True, **options)
    viewers = (None, *range(seats))
    past: dict[int | None, list[Event]] = {viewer: [] for viewer in viewers}
    while not match.over and len(match.history) < limit:
        for viewer in viewers:
            past[viewer] += match.news(viewer)
        match.play_random(seed + len(match.history), limit=1)
        for viewer in viewers:
            view = match.view(viewer)
            for event in past[viewer][-FADING_EVENTS:]:
                check_faded(game, event, view)


def check_faded(game: Game, event: Event, view: SeatView) -> None:
    told = game.fade((event,), view)
    # another one with the same fields: what is kept beside them is no part of a view
    same_view = type(view)(**{entry.name: getattr(view, entry.name) for entry in dataclasses.fields(view)})  # type: ignore[arg-type]
    assert game.fade((Event(event.kind, event.facts),), same_view) == told, (
        f"{event} fades in two ways for one view: it may depend on the two alone"
    )
    assert game.fade(told, view) == told, f"{event} has faded to {told}, which fades further"
    for kept in told:
        assert set(kept.facts) <= set(event.facts), f"{event} has faded to {kept}, which says more"
        for words in game.words.values():
            assert kept.kind in words, f"no words for {kept.kind!r}"
            kept.tell(words, lambda number: f"seat {number}")


def check_wide_deal(game: Game, seats: int, options: Options) -> None:
    """A deal of a wide seed, as every table of the site has one: sound, and the same again."""
    match, again = (Match(game, seats, WIDE_SEED, plain=True, **options) for _ in range(2))
    assert again.state_bytes == match.state_bytes, "a wide seed deals two different states"
    check_state(match)


def check_simultaneous(game: Game, seats: int, options: Options, seed: int, limit: int = 120) -> None:
    """C4: the order of commits changes nothing, and nobody learns from a commit before the last
    one."""
    match = Match(game, seats, seed, **options)
    choose = np.random.default_rng(seed)
    while not match.over and len(match.history) < limit:
        actors = match.actors
        chosen = {seat: int(choose.choice(match.legal(seat))) for seat in actors}
        if len(actors) > 1:
            ends = set()
            for order in list(permutations(actors))[:24]:
                other = match.copy()
                for seat in order:
                    other.play(seat, chosen[seat])
                ends.add(other.state_bytes)
            assert len(ends) == 1, (
                f"the order of commits by {actors} changes the state after {len(match.history)} moves"
            )
            _check_commit_is_secret(match, actors, choose)
        for seat in actors:
            match.play(seat, chosen[seat])


def _check_commit_is_secret(match: Match, actors: tuple[int, ...], choose: np.random.Generator) -> None:
    first = actors[0]
    received = set()
    for move in choose.choice(match.legal(first), size=min(3, len(match.legal(first))), replace=False):
        other = match.copy()
        other.play(first, int(move))
        received.add(tuple(received_by(other, viewer) for viewer in (None, *range(match.seats)) if viewer != first))
    assert len(received) == 1, f"what seat {first} committed can be told by others before all have committed"


def received_by(match: Match, seat: int | None) -> str:
    """All that a viewer can receive of a match now, as one text: view, news, drawing, moves,
    observation, errors."""
    view = match.view(seat)
    parts: list[object] = [view, match.actors, match.over, match.game.draw(view, match.game.words["en"])]
    if seat is not None:
        parts += [match.observation(seat).tobytes(), match.legal(seat), match.moves(seat)]
        parts.append(told_moves(match, seat))
        parts.append(reasons_told(match, seat))
        parts.append(refusal_text(match, seat))
    return repr(parts)


def refusal_text(match: Match, seat: int) -> str:
    """The error text of a move that nobody may make."""
    try:
        match.play(seat, match.game.moves)
    except (IllegalMove, NotAnActor) as error:
        return str(error)
    raise AssertionError("a move number beyond the last one was allowed")
