"""Tables in a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def terminal_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], words: Collection[int], least_width: int = 0
) -> Table:
    """Columns of numbers stand to the right and do not break. `words`: the other columns, which have room for their
    words, or for so many letters of them."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column, head in enumerate(heads):
        if column in words:
            widest = max((len(row[column]) for row in rows), default=0)
            table.add_column(head, overflow="fold", min_width=min(least_width, widest))
        else:
            table.add_column(head, justify="right", overflow="fold", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
