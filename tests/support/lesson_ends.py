"""How a lesson is walked to its end."""

from samovar.engine.registry import find_game
from samovar.teach.lessons import find_lesson, stand_at
from samovar.web.pages.lesson import address_of


def end_of(game):
    lesson = find_lesson(find_game(game))
    stand = stand_at(lesson, ())
    while not stand.is_end:
        stand = stand_at(lesson, (*stand.way, next(stand.ways_on())))
    return address_of(lesson, stand.way)
