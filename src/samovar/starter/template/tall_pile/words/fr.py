WORDS = {
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
}
