"""Every error a caller can cause: what was wrong, what would be right, and nothing has changed."""

from __future__ import annotations

from collections.abc import Iterable


class SamovarError(ValueError):
    """The base of all errors of this package that a caller can cause and mend."""


class UnknownGame(SamovarError):
    """No registered game has this id."""


class BrokenGame(SamovarError):
    """An installed package names a game that cannot be loaded."""


class UnknownOption(SamovarError):
    """The game has no option of this name."""


class BadOption(SamovarError):
    """The option exists, the value is none of its choices."""


class UnknownLanguage(SamovarError):
    """Samovar does not speak this language."""


class WrongSeats(SamovarError):
    """The game is not played with this number of seats."""


class UnknownSeat(SamovarError):
    """There is no such seat at this table."""


class NotAnActor(SamovarError):
    """The seat exists, but may not act now."""


class BadSeat(SamovarError):
    """These bytes are no seat, or one by other rules than those installed."""


class IllegalMove(SamovarError):
    """The seat may act, but not like this."""


class MatchOver(NotAnActor):
    """The match has ended; nobody may act."""


class NothingToUndo(SamovarError):
    """The match stands where it began."""


class BadPosition(SamovarError):
    """A position laid out by hand that cannot be."""


class BadRecord(SamovarError):
    """The file is no record, or does not replay as it says."""


class RecordVersion(BadRecord):
    """The record was made with other rules of the game than those installed."""


class NotCommitted(BadRecord):
    """The record was not played at a table that committed to its deal."""


class BadNonce(SamovarError):
    """A player's part of a deal must be random enough, and hex digits."""


class BadBatch(SamovarError):
    """A batch cannot be made or moved like this."""


class TooLarge(SamovarError):
    """A game has too many deals or positions to be worked out to the end."""


class NoDevice(SamovarError):
    """There is no GPU here, or the parts to use it are not installed."""


class MissingExtra(SamovarError):
    """Something is asked for that needs a package which is not installed."""


class UnknownBot(SamovarError):
    """No registered bot has this name."""


class BrokenBot(SamovarError):
    """An installed package names a bot that cannot be loaded."""


class BadBot(SamovarError):
    """The bot exists, but not with this argument."""


class BadNetwork(SamovarError):
    """A file or weights that are no network, or one of another game or of other rules; or there is none."""


class BadEstimate(SamovarError):
    """Chances cannot be estimated like this."""


class NotAtTable(SamovarError):
    """A language model asks for a table at which it does not sit, or for what its table cannot do."""


class ModelFailed(SamovarError):
    """A language model that is to be judged cannot be asked, or not like this."""


class BadReview(SamovarError):
    """A match cannot be reviewed like this, or not yet."""


class BadLesson(SamovarError):
    """The guided first match of a game cannot be read or played as it is written."""


class BadPuzzle(SamovarError):
    """There is no such puzzle, its file is damaged, or puzzles cannot be looked for like this."""


class BotFailed(SamovarError):
    """A bot did not answer with a legal move in time: it threw, hung, died or broke the rules."""


class NoLinker(SamovarError):
    """WebAssembly cannot be made on this machine."""


class NoNode(SamovarError):
    """What runs in Node cannot be run on this machine."""


class BadTournament(SamovarError):
    """A tournament cannot be held like this, or its file is of another one."""


class NotWritten(SamovarError):
    """A new game, a data set or a match cannot be written there, or not by this name."""


class BadLab(SamovarError):
    """Something that the lab cannot measure."""


class BadLearning(SamovarError):
    """A network cannot learn like this, or the folder holds what another has learned."""


class StoreError(SamovarError):
    """The database of the site cannot be used; what was to be written is not acknowledged."""


class BadAddress(SamovarError):
    """An address of the site, or of a proxy in front of it, that cannot be."""


class BadSettings(SamovarError):
    """A file of settings that cannot be read, or sets what is no option, or to what it cannot be."""


class DamagedLog(StoreError):
    """An entry of a table's log cannot be read."""

    def __init__(self, table: str, number: int, reason: str) -> None:
        super().__init__(
            f"Entry {number} of table {table!r} cannot be read. {reason} If a newer Samovar wrote it, start that one; "
            "else put the database back as it was last saved. All other tables can be used."
        )


class Taken(StoreError):
    """Another entry has this number in the table's log, or the numbers would leave a gap: nothing
    was written."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error text: the nearest known word, and all of them."""
    known = list(known)
    return f"{nearest(word, known)} Known: {', '.join(known) or 'none'}."


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that may have been meant, if one is near."""
    import difflib  # only errors need it

    near = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
