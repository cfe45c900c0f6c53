"""What reports that are one page have in common: a file that needs nothing else, no script, no font, no
picture from anywhere. `page.css` is its style, `plots.html` has its tables and plots."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

HERE = Path(__file__).parent
NONE_SIGN = "–"


def environment(folder: Path) -> Environment:
    """For the templates in a folder, beside those that all reports have."""
    made = Environment(
        loader=FileSystemLoader([folder, HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "style": Markup((HERE / "page.css").read_text(encoding="utf-8")),
        "none_sign": NONE_SIGN,
    }
    return made
