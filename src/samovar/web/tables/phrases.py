"""Sentences of the site that are not in a template: ready phrases for the table, actions, levels. All
are translated where they are said."""

from __future__ import annotations

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

CHANGED = N_("I have changed the table: look at its chairs and rules.")  # said for whoever did

# What people did, told to everybody: `by` did it, to `name`.
ACTION_TEXTS = {
    "handed over": N_("%(by)s let a bot play for %(name)s, who is away."),
    "lets a bot play": N_("%(name)s lets a bot play for now."),
    "ran out of time": N_("%(name)s has run out of time. A bot plays until they are back."),
    "ran out of time, one move": N_("%(name)s has run out of time. A bot makes this move."),
    "came back": N_("%(name)s is back."),
    "left": N_("%(name)s has left the table."),
    "renamed": N_("%(by)s is called %(name)s now."),
    "resigned": N_("%(name)s resigns."),
    "resigned, bot plays": N_("%(name)s resigns. A bot plays on for the others."),
    "took back": N_("%(name)s took moves back; the record will say so."),
    "wants a pause": N_("%(name)s would like a pause."),
    "no pause": N_("%(name)s would rather have no pause."),
    "paused": N_("All have agreed: the game is paused."),
    "goes on": N_("%(name)s goes on: the pause is over."),
    "pause over": N_("The pause was as long as it can be. It is over."),
    "made free": N_("%(by)s freed the chair of %(name)s, who is away."),
}

LEVELS = {
    "easy": N_("easy"),
    "medium": N_("medium"),
    "hard": N_("hard"),
    "expert": N_("expert"),
    "master": N_("master"),
}
