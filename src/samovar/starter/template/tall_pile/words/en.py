WORDS = {
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
}
