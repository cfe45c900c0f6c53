"""What is said of Connect Four in languages other than English."""

OTHER_WORDS = {
    "fr": {
        "drops": "{seat} pose un pion dans la colonne {column}.",
        "wins": "{seat} aligne {line} pions.",
        "option.columns": "Colonnes",
        "option.rows": "Rangées",
        "option.connect": "Pions à aligner pour gagner",
    },
    "de": {
        "drops": "{seat} wirft einen Stein in Spalte {column}.",
        "wins": "{seat} hat {line} in einer Reihe.",
        "option.columns": "Spalten",
        "option.rows": "Zeilen",
        "option.connect": "Steine in einer Reihe, die gewinnen",
    },
    "et": {
        "drops": "{seat} laseb nupu veergu {column}.",
        "wins": "{seat} sai {line} järjest.",
        "option.columns": "Veerge",
        "option.rows": "Ridu",
        "option.connect": "Mitu nuppu järjest võidab",
    },
}
