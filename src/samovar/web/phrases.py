"""Sentences of the site that are not in a template: ready phrases for the table, levels, switches.
All are translated where they are said."""

from __future__ import annotations

from samovar.engine.contract import Option, Value
from samovar.web.problems import N_

USUAL_NAME = N_("Guest")
USUAL_LEVEL = "medium"  # of a bot

# What one says at a table: stored by its English words, read by everybody in their own language.
PHRASES = (
    N_("Hello!"),
    N_("Good luck!"),
    N_("Hmm, let me think."),
    N_("Your turn, I believe."),
    N_("Take mine, you will not regret it."),
    N_("Not that one, please!"),
    N_("I knew it!"),
    N_("What a move!"),
    N_("Oh no."),
    N_("Well played!"),
    N_("Thank you, that was fun."),
    N_("One more?"),
)

# What people did to chairs, told to everybody: `by` did it, to `name`.
DEEDS = {
    "handed over": N_("%(by)s let a bot play for %(name)s, who is away."),
    "came back": N_("%(name)s is back."),
    "left": N_("%(name)s has left the table."),
    "made free": N_("%(by)s freed the chair of %(name)s, who is away."),
}

LEVELS = {"easy": N_("easy"), "medium": N_("medium"), "hard": N_("hard"), "expert": N_("expert")}

# The switches of the games: what is asked, and what each choice means. A game from elsewhere shows
# its own help.
OPTIONS: dict[tuple[str, str], str] = {
    ("matryoshka", "long_columns"): N_("Columns of more than seven dolls"),
    ("matryoshka", "long_columns=extend"): N_("score on: 19, 22, 25 points"),
    ("matryoshka", "long_columns=cap"): N_("score like seven: 16 points"),
    ("memoarrrr", "expert"): N_("Expert game: the animals have abilities"),
    ("memoarrrr", "ordered_stack"): N_("Treasures lie in order, from one ruby to four, so everybody can count along"),
    ("memoarrrr", "first_reveal_ability"): N_("In the expert game the first location of a round uses its ability, too"),
    ("varvitikud", "half_turn"): N_("A card may be given a half turn when it is placed"),
    ("babuschka", "patience"): N_(
        "Patience: how many moves without progress, for each seat, until the match is counted out"
    ),
    ("", "first"): N_("Who begins"),
    ("", "first=None"): N_("chance decides"),
}


def option_text(game_id: str, option: Option, value: Value | str = "") -> str:
    """What a switch (or one of its choices) is called; to be translated."""
    name = option.name if value == "" else f"{option.name}={value}"
    usual = option.help if value == "" else str(value)
    return OPTIONS.get((game_id, name)) or OPTIONS.get(("", name)) or usual
