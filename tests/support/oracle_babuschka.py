"""Babuschka the slow way, written from the rulings alone: coordinates, stacks as lists, every
series of jumps walked. For tests to compare with.

Nothing here comes from the game's own folder, and nothing is shared with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SIZES = "SML"
COLUMNS = "abcdefgh"
ROWS_FROM_SOUTH = [4, 6, 8, 8, 8, 8, 6, 4]  # B1
Place = tuple[int, int]  # column and row, from 0


def name_of(place: Place) -> str:
    return f"{COLUMNS[place[0]]}{place[1] + 1}"


def place_of(name: str) -> Place:
    return COLUMNS.index(name[0]), int(name[1]) - 1


ALL_PLACES = [((8 - length) // 2 + i, row) for row, length in enumerate(ROWS_FROM_SOUTH) for i in range(length)]

# B1: by number of seats and seat: the starting fields, the goal fields, and the step forward.
TABLES = {
    2: [("c1 d1 e1 f1", "c8 d8 e8 f8", (0, 1)), ("c8 d8 e8 f8", "c1 d1 e1 f1", (0, -1))],
    4: [
        ("d1 e1", "d8 e8", (0, 1)),
        ("a4 a5", "h4 h5", (1, 0)),
        ("d8 e8", "d1 e1", (0, -1)),
        ("h4 h5", "a4 a5", (-1, 0)),
    ],
}


@dataclass
class Doll:
    seat: int
    size: str

    def text(self) -> str:
        return f"{self.seat}{self.size}"


@dataclass
class Table:
    """A match: `stacks` has the dolls of every field from the bottom up."""

    seats: int
    stacks: dict[Place, list[Doll]]
    turn: int | None
    patience: int = 40
    quiet: int = 0
    finished: list[int] = field(default_factory=list)
    passed: list[int] = field(default_factory=list)
    reason: str | None = None

    @staticmethod
    def start(seats: int, first: int, patience: int = 40) -> Table:
        table = Table(seats, {place: [] for place in ALL_PLACES}, first, patience)
        for seat in range(seats):
            for name in TABLES[seats][seat][0].split():
                table.stacks[place_of(name)] = [Doll(seat, size) for size in SIZES]
        return table

    @staticmethod
    def from_texts(seats: int, stacks: dict[str, list[str]], turn: int | None) -> Table:
        table = Table(seats, {place: [] for place in ALL_PLACES}, turn)
        for name, dolls in stacks.items():
            table.stacks[place_of(name)] = [Doll(int(text[0]), text[1]) for text in dolls]
        return table

    def texts(self) -> dict[str, list[str]]:
        return {name_of(place): [doll.text() for doll in stack] for place, stack in self.stacks.items() if stack}

    def goals(self, seat: int) -> list[Place]:
        return [place_of(name) for name in TABLES[self.seats][seat][1].split()]

    def directions(self, seat: int) -> list[Place]:
        """B2: all neighbouring directions that do not lead back."""
        ahead = TABLES[self.seats][seat][2]
        around = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
        return [(x, y) for x, y in around if x * ahead[0] + y * ahead[1] >= 0]

    def may_land(self, doll: Doll, place: Place) -> bool:
        """`doll` is in the hand, not on the board."""
        if place not in self.stacks:
            return False
        stack = self.stacks[place]
        if stack and SIZES.index(stack[-1].size) >= SIZES.index(doll.size):  # B3
            return False
        if self.seats == 4:  # B7
            for neighbour in ((doll.seat + 1) % 4, (doll.seat + 3) % 4):
                if place in self.goals(neighbour):
                    return False
        if place in self.goals(doll.seat):  # B5
            wanted = {"S": [], "M": ["S"], "L": ["S", "M"]}[doll.size]
            return [d.size for d in stack] == wanted and all(d.seat == doll.seat for d in stack)
        return True

    def ends_of_series(self, doll: Doll, landed: list[Place]) -> set[Place]:
        """B4: where a doll that has landed on these fields in turn (the first is where it began)
        may jump on to."""
        ends: set[Place] = set()
        x, y = landed[-1]
        for dx, dy in self.directions(doll.seat):
            over, land = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if self.stacks.get(over) and land not in landed and self.may_land(doll, land):
                ends.add(land)
                if land not in self.goals(doll.seat):  # B6
                    ends |= self.ends_of_series(doll, [*landed, land])
        return ends

    def moves(self, seat: int) -> list[str]:
        texts = []
        for place in ALL_PLACES:
            stack = self.stacks[place]
            if not stack or stack[-1].seat != seat or place in self.goals(seat):  # B3, B6
                continue
            doll = stack.pop()
            ends = {(place[0] + dx, place[1] + dy) for dx, dy in self.directions(seat)}
            ends = {end for end in ends if self.may_land(doll, end)}
            ends |= self.ends_of_series(doll, [place])
            stack.append(doll)
            texts += [f"{name_of(place)}-{name_of(end)}" for end in sorted(ends, key=lambda p: (p[1], p[0]))]
        return texts

    def rows_to_go(self, seat: int, place: Place) -> int:
        ahead = TABLES[self.seats][seat][2]
        goal = self.goals(seat)[0]
        return abs(ahead[0]) * abs(goal[0] - place[0]) + abs(ahead[1]) * abs(goal[1] - place[1])

    def all_home(self, seat: int) -> bool:
        return all(
            place in self.goals(seat) for place, stack in self.stacks.items() for doll in stack if doll.seat == seat
        )

    def remaining(self) -> list[int]:
        return [seat for seat in range(self.seats) if seat not in self.finished]

    def play(self, text: str) -> None:
        assert self.turn is not None
        seat, self.passed = self.turn, []
        start, end = (place_of(name) for name in text.split("-"))
        self.stacks[end].append(self.stacks[start].pop())
        if self.rows_to_go(seat, end) != self.rows_to_go(seat, start) or end in self.goals(seat):
            self.quiet = 0
        else:
            self.quiet += 1
        if self.all_home(seat):
            self.finished.append(seat)
        self.turn = None
        if len(self.remaining()) == 1:
            self.reason = "decided"
        elif self.quiet >= self.patience * len(self.remaining()):
            self.reason = "patience"
        else:
            self.next_turn(seat)

    def next_turn(self, seat: int) -> None:
        for step in range(1, self.seats + 1):
            other = (seat + step) % self.seats
            if other in self.finished:
                continue
            if self.moves(other):
                self.turn = other
                return
            self.passed.append(other)
        self.reason = "blocked"

    def home(self, seat: int) -> int:
        return sum(doll.seat == seat for place in self.goals(seat) for doll in self.stacks[place])

    def places(self) -> list[int]:
        """B9, B10, C6."""
        places = {seat: place for place, seat in enumerate(self.finished, 1)}
        ranked = {}
        for seat in self.remaining():
            rows = sum(
                self.rows_to_go(seat, place)
                for place, stack in self.stacks.items()
                for doll in stack
                if doll.seat == seat
            )
            ranked[seat] = (-self.home(seat), rows)
        for seat, rank in ranked.items():
            places[seat] = len(self.finished) + 1 + sum(other < rank for other in ranked.values())
        return [places[seat] for seat in range(self.seats)]


def count_positions(table: Table, depth: int) -> int:
    """Move sequences of a length from here."""
    if depth == 0 or table.turn is None:
        return int(depth == 0)
    texts = table.moves(table.turn)
    if depth == 1:
        return len(texts)
    total = 0
    for text in texts:
        after = Table(
            table.seats,
            {p: list(s) for p, s in table.stacks.items()},
            table.turn,
            table.patience,
            table.quiet,
            list(table.finished),
            [],
            None,
        )
        after.play(text)
        total += count_positions(after, depth - 1)
    return total
