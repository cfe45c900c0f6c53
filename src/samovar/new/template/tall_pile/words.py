"""All that the game says, by language: news and moves (see `Event` in samovar/engine/contract.py),
then the names of the fields of a view. English is needed; other languages say the same or are left
out."""

WORDS = {
    "en": {
        "plays": "{seat} plays the {card}.",
        "takes": "{seat} takes {count:card|cards}.",
        "play": "Play the {card}",
        "play_low": "Play the {card} and take {count:card|cards}",
        "top": "On top",
        "pile": "Cards on the pile",
        "stock": "Cards in the stock",
        "hand": "Your hand",
        "hands": "Cards in each hand",
        "taken": "Cards taken",
    },
    "fr": {
        "plays": "{seat} pose le {card}.",
        "takes": "{seat} ramasse {count:carte|cartes}.",
        "play": "Poser le {card}",
        "play_low": "Poser le {card} et ramasser {count:carte|cartes}",
        "top": "Sur la pile",
        "pile": "Cartes de la pile",
        "stock": "Cartes de la pioche",
        "hand": "Votre main",
        "hands": "Cartes de chaque main",
        "taken": "Cartes ramassées",
    },
}
