"""What there is to say, in English and French: events, prompts, and the texts of the drawing."""

from __future__ import annotations

_COLOURS = {
    "en": ("amber", "blue", "cherry", "daffodil", "emerald", "fuchsia", "grey", "hazel", "indigo", "jade"),
    "fr": ("ambre", "bleu", "cerise", "doré", "émeraude", "fuchsia", "gris", "havane", "indigo", "jade"),
}


def _colours(language: str) -> dict[str, str]:
    return {f"colour.{letter}": name for letter, name in zip("ABCDEFGHIJ", _COLOURS[language], strict=True)}


WORDS: dict[str, dict[str, str]] = {
    "en": {
        # Events
        "chooses": "{seat} has chosen a display.",
        "shows": "{seat} shows {cards}.",
        "round_begins": "Round {round} begins with {seat}; everybody draws two cards.",
        "draws": "You draw {cards}.",
        "puts_up": "{seat} puts up {card}.",
        "offers": "{seat} has made an offer.",
        "all_offered": "All offers are made; {seat} looks at them.",
        "trades": "{seat} trades with {other_seat}, who gets {card}.",
        "gets": "{seat} gets {card} from {other_seat}.",
        "displays_next": "Now everybody chooses a display of {count} cards.",
        "over": "The match is over.",
        "wins": "{seat} wins with {points} points.",
        "shares": "{seat} shares the first place with {points} points.",
        # What is asked
        "prompt.display": "Choose the cards of your display: {count} of all your cards. Type: show A1 B2 (or keep C3: all but these).",
        "prompt.put": "You are active: put up a card of your hand, for all to see. Type: put A1",
        "prompt.offer": "Offer a card of your hand, face down. Type: offer A1",
        "prompt.take": "Look at the offers and take one. Type: take and the seat, such as take 2",
        "prompt.wait": "Waiting for seat {seats}.",
        "prompt.over": "The match is over.",
        # Phases
        "phase.display": "displays",
        "phase.put": "exchange: a card is put up",
        "phase.offer": "exchange: offers",
        "phase.take": "exchange: choosing an offer",
        "phase.over": "over",
        # The drawing
        "draw.round": "Round {round} of 4",
        "draw.setup": "Set-up",
        "draw.seat": "Seat {seat}",
        "draw.points": "{points} points",
        "draw.place": "{points} pts, {place}.",
        "draw.hand": "Your hand",
        "draw.in_hand": "{count} in hand",
        "draw.put_up": "{seat} puts up {card}.",
        "draw.offer": "{seat} offers {card}.",
        "draw.offered": "{seat} has made an offer, face down.",
        "draw.chosen": "{seat} has chosen a display, face down.",
        "draw.own_choice": "You have chosen to show {cards}.",
        "draw.starting": "Starting seat: {seat}. Active seat: {active}.",
        "draw.starting_only": "Starting seat: {seat}.",
        "draw.capped": "Columns of more than seven cards score as seven.",
        **_colours("en"),
    },
    "fr": {
        "chooses": "{seat} a choisi son tableau.",
        "shows": "{seat} montre {cards}.",
        "round_begins": "La manche {round} s’ouvre avec {seat} ; chacun pioche deux cartes.",
        "draws": "Vous piochez {cards}.",
        "puts_up": "{seat} met {card} en jeu.",
        "offers": "{seat} a fait une offre.",
        "all_offered": "Toutes les offres sont faites ; {seat} les regarde.",
        "trades": "{seat} échange avec {other_seat}, qui reçoit {card}.",
        "gets": "{seat} reçoit {card} de {other_seat}.",
        "displays_next": "Chacun choisit maintenant un tableau de {count} cartes.",
        "over": "La partie est terminée.",
        "wins": "{seat} gagne avec {points} points.",
        "shares": "{seat} partage la première place avec {points} points.",
        "prompt.display": "Choisissez votre tableau : {count} de toutes vos cartes. Tapez : show A1 B2 (ou keep C3 : toutes sauf celles-ci).",
        "prompt.put": "C’est à vous : mettez une carte de votre main en jeu, à la vue de tous. Tapez : put A1",
        "prompt.offer": "Proposez une carte de votre main, face cachée. Tapez : offer A1",
        "prompt.take": "Regardez les offres et prenez-en une. Tapez : take et le siège, par exemple take 2",
        "prompt.wait": "On attend le siège {seats}.",
        "prompt.over": "La partie est terminée.",
        "phase.display": "tableaux",
        "phase.put": "échange : une carte est mise en jeu",
        "phase.offer": "échange : les offres",
        "phase.take": "échange : le choix d’une offre",
        "phase.over": "terminée",
        "draw.round": "Manche {round} sur 4",
        "draw.setup": "Mise en place",
        "draw.seat": "Siège {seat}",
        "draw.points": "{points} points",
        "draw.place": "{points} pts, {place}e",
        "draw.hand": "Votre main",
        "draw.in_hand": "{count} en main",
        "draw.put_up": "{seat} met {card} en jeu.",
        "draw.offer": "{seat} propose {card}.",
        "draw.offered": "{seat} a fait une offre, face cachée.",
        "draw.chosen": "{seat} a choisi son tableau, face cachée.",
        "draw.own_choice": "Vous avez choisi de montrer {cards}.",
        "draw.starting": "Premier siège : {seat}. Siège actif : {active}.",
        "draw.starting_only": "Premier siège : {seat}.",
        "draw.capped": "Les colonnes de plus de sept cartes comptent comme sept.",
        **_colours("fr"),
    },
}
