"""What can go wrong on the way in and at a table, in sentences for readers of every language, with
the right status."""

from __future__ import annotations

from samovar.errors import SamovarError
from samovar.language.languages import N_ as N_


class Problem(SamovarError):
    """Something a visitor can cause and mend. `heading` and `says` are looked up in the reader's
    language."""

    status = 400
    heading = N_("Oh, that did not work")
    says = N_("This request was not understood. Go back and try again.")

    def __init_subclass__(cls, status: int = 0) -> None:
        cls.status = status or cls.status

    def __init__(self, **facts: object) -> None:
        super().__init__(self.says % facts)
        self.facts = facts


class NoSuchTable(Problem, status=404):
    says = N_("There is no table at this address. Check the link, or open a table of your own.")


class NoSuchCode(Problem, status=404):
    heading = N_("Nobody waits under this code")
    says = N_("A code is good until the game begins. Check its letters, or ask for the link.")


class Cancelled(NoSuchTable, status=410):
    heading = N_("This table was cancelled")
    says = N_("%(name)s has called it off before anything was played. Open a table of your own, or join another.")


class CancelledInCircle(Cancelled):
    """To who is not in the circle it was never there."""

    kind, status, heading, says = "NoSuchTable", NoSuchTable.status, NoSuchTable.heading, NoSuchTable.says


def cancelled(name: str, again: str | None, circle: str) -> Cancelled:
    kind = CancelledInCircle if circle else Cancelled
    return kind(name=name, again=again, circle=circle)


class Closed(NoSuchTable, status=410):
    heading = N_("This table was closed")
    says = N_("An owner of this site has closed it. Open a table of your own, or join another.")


class ClosedInCircle(Closed):
    """The same of one that was closed."""

    kind, status, heading, says = "NoSuchTable", NoSuchTable.status, NoSuchTable.heading, NoSuchTable.says


class NoSuchPage(Problem, status=404):
    says = N_("There is nothing at this address. Perhaps a letter of the link went missing.")


class NoSuchGame(Problem, status=404):
    says = N_(
        "The game %(game)s is not installed here. Choose one on the first page, or ask whoever runs this site to "
        "install it."
    )


class NoLesson(Problem, status=404):
    says = N_("Nobody has written a guided first game of %(game)s yet. Read its rules, or play against easy bots.")


class BrokenLesson(Problem, status=500):
    heading = N_("This lesson is broken")
    says = N_(
        "The guided first game of %(game)s cannot be played as it is written, and whoever runs this site can read "
        "why. Read the rules, or play against easy bots."
    )


class LostLesson(Problem, status=404):
    heading = N_("The lesson does not go this way")
    says = N_("Perhaps a part of the link went missing, or the lesson has changed since. Begin it again.")


class NoSuchPuzzle(Problem, status=404):
    says = N_("There is no such puzzle of %(game)s. Take the puzzle of the day, or go on from there.")


class NoDealOfDay(Problem, status=404):
    says = N_("There is no deal of the day of %(game)s: nothing in it is dealt. Play it from the first page.")


class NoChoice(Problem, status=404):
    says = N_("Nobody had a choice at this point of the game, so there is nothing to solve. Choose another move.")


class BrokenPuzzles(Problem, status=500):
    says = N_("The puzzles of %(game)s cannot be read. Whoever runs this site finds more in its log.")


class OneAnswerAtATime(Problem, status=429):
    says = N_("Your last answer is still being looked at. Wait for that before you give another.")


class TableFull(Problem, status=409):
    says = N_("All chairs at this table are taken. You can watch, or open a table of your own.")


class AlreadySeated(Problem, status=409):
    says = N_("You sit at this table already.")


class NotSeated(Problem, status=403):
    says = N_("Only those who sit at this table can do that. If it is your chair, use your personal link.")


def not_seated(circle: str) -> Problem:
    """To those who do not sit there the table of a circle is not there."""
    return NoSuchTable() if circle else NotSeated()


class OtherHand(Problem, status=409):
    says = N_("This device is in other hands now. Say who you are, then go on.")


class SitsElsewhere(Problem, status=409):
    says = N_(
        "You sit at this table as %(name)s already, and one person has one chair. Leave it first if you want to play "
        "as %(other)s."
    )


class TooManyChairs(Problem, status=429):
    says = N_("You sit at %(most)s tables that have not begun. Wait for one of them to begin, or stand up from one.")


class StillHere(Problem, status=409):
    says = N_("%(name)s was here a moment ago. A bot can take over after two minutes without a sign of life.")


class HasTime(Problem, status=409):
    says = N_("%(name)s plays by post and still has time. When it has run out, a bot plays, or the chair can be freed.")


class NobodyToAsk(Problem, status=409):
    says = N_("Somebody who has left the table would have to agree, so this move cannot be taken back.")


class NotYourTurn(Problem, status=409):
    says = N_("It is not your turn now.")


class YourTurn(Problem, status=409):
    says = N_("It is your turn. Make your move first, then say what you want to play next.")


class NotByPost(Problem, status=403):
    says = N_("That is for games by post, where everybody has days for a move.")


class BadDays(Problem):
    says = N_("Write days like 2026-12-24, with spaces between them, and at most %(most)s.")


class TooManyAhead(Problem, status=409):
    says = N_("You can name at most %(most)s moves for one turn. Remove one first.")


class MovedOn(Problem, status=409):
    says = N_("The table has moved on in the meantime. Look at it again, then choose.")


class NotPossible(Problem, status=422):
    says = N_("This move is not possible now. Choose one of those that are marked.")


class WrongNumber(NotPossible):
    says = N_("Tick %(wanted)s of them: you have ticked %(ticked)s.")


class NotStarted(Problem, status=409):
    says = N_("The game has not begun: some chairs are still free.")


class HasBegun(Problem, status=409):
    says = N_(
        "The game has begun, so the table cannot be cancelled any more. You can resign, or let a bot play for you."
    )


class NotTheOpener(Problem, status=403):
    says = N_("Only whoever opened this table can do that. You can stand up: then your chair is free again.")


class IsOver(Problem, status=409):
    says = N_("The game is over. Nothing can be changed any more, but you can play again.")


class NotOver(Problem, status=403):
    says = N_("This game is still being played. Its record can be seen when it is over.")


class NothingToTakeBack(Problem, status=409):
    says = N_("You have made no move that could be taken back.")


class NotSwitchedOn(Problem, status=403):
    says = N_("That is switched off at this table.")


class IsRated(Problem, status=403):
    says = N_(
        "This game is rated: there are no hints, and nothing is taken back. For these, open a table that is not rated."
    )


class StillPlayed(Problem, status=403):
    heading = N_("This deal is still being played")
    says = N_(
        "Others play the same deal, so nobody can watch this table or look at its record yet. Come back when all "
        "have finished it."
    )


class SeenAlready(Problem, status=409):
    says = N_(
        "Others play the same deal: a move that showed you something new cannot be taken back here. Play on from it."
    )


class PlaysAlone(Problem, status=409):
    says = N_("Everybody plays the deal of the day themselves, so no bot can take your chair. You can resign.")


class OfSeries(Problem, status=409):
    says = N_("This table belongs to a series with the same deal for all. Go on from the page of the series.")


class NoSuchClub(Problem, status=404):
    says = N_("There is no club evening at this address. Check the link, or make one of your own.")


class NotTheHost(Problem, status=403):
    says = N_("Only whoever made this club evening can do that. Ask them.")


class ClubBegun(Problem, status=409):
    says = N_("The first deal has been dealt, so nobody can join or leave any more. You can follow the standings.")


class ClubFull(Problem, status=409):
    says = N_("%(most)s people have joined, and more do not fit. Make a club evening of your own.")


class TooFewPeople(Problem, status=409):
    says = N_("Two people are needed at least. Send the link to somebody.")


class NotInClub(Problem, status=403):
    says = N_("Only those who have joined this club evening can do that. Say your name first.")


class TooManyClubs(Problem, status=429):
    says = N_("You have made %(most)s club evenings today. Use one of them, or come back tomorrow.")


class NoMoreClubs(Problem, status=503):
    says = N_("Too many club evenings wait to begin on this site. Try again later.")


class HelpedAndRated(Problem, status=422):
    says = N_("A rated table has no hints and no memory aid. Switch them off, or open a table that is not rated.")


class TogetherAndRated(Problem, status=422):
    says = N_("Here nobody plays against another, so there is nothing to rate. Open a table that is not rated.")


class NoSuchMember(Problem, status=409):
    says = N_("They are not in this circle any more. Look at it again, then choose.")


class CircleFull(Problem, status=409):
    says = N_("A circle has room for %(most)s people. Found another one, or ask its owner to make room.")


class TooManyCircles(Problem, status=409):
    says = N_("You are in %(most)s circles, and more are not possible. Leave one of them first.")


class OwnerStays(Problem, status=409):
    says = N_("The circle is yours. Hand it over to somebody else first, or delete it.")


class NobodyHere(Problem, status=409):
    says = N_("Somebody you chose is not on the page of the circle any more. Look at it again, then choose.")


class BadPhrases(Problem, status=422):
    says = N_(
        "A circle has %(most)s phrases at most, one on each line, with up to %(letters)s letters that can be read."
    )


class BadSeason(Problem, status=422):
    says = N_("A season ends on a later day than today, within two years.")


class NoDealOfCircle(Problem, status=409):
    says = N_("This circle plays no deal of the day now. Its owner can choose a game for it.")


class NoSuchPlayer(Problem, status=404):
    says = N_(
        "Nobody is listed at this address: perhaps they have left the table of players, or have no rated game yet."
    )


class SitFirst(Problem, status=403):
    says = N_("Play a game first, against bots or friends: then you can join the table of players.")


class LinkSpent(Problem, status=410):
    heading = N_("This link does not work any more")
    says = N_(
        "A personal link works once, and ends when a new one is made. Look on your other device for the one that is "
        "there now."
    )


class NobodyYet(Problem, status=409):
    says = N_("Nothing is kept of you yet. Say your name on your page first.")


class NotSure(Problem, status=422):
    says = N_("Nothing was deleted. Tick the box if you are sure, then press the button again.")


class BadName(Problem, status=422):
    says = N_(
        "A name has 1 to %(most)s letters. Each of them must be visible: leave out blank signs and piles of accents."
    )


class BadRemark(Problem, status=422):
    says = N_("A remark has 1 to %(most)s letters, some of them visible.")


class BadChoice(Problem, status=422):
    says = N_("%(value)s cannot be chosen for %(name)s.")


class NoPosition(Problem, status=422):
    heading = N_("This is no position")
    says = N_("What was sent is no position of this game. Go back, and arrange it once more. %(why)s")


class CannotArrange(Problem, status=422):
    says = N_("This moment of %(game)s cannot be told as a position that could be changed. Choose another moment.")


class BadFile(Problem, status=422):
    says = N_(
        "This file is no record of Samovar, or it was changed after it was saved. Choose it as it was downloaded."
    )


class TooLongToPlay(Problem, status=422):
    says = N_(
        "This record takes too long to be played again here. Look at it on a machine of your own: samovar replay FILE"
    )


class NoReview(Problem, status=409):
    heading = N_("There is nothing to review yet")
    says = N_("A review tells what was hidden, so only a game that was played to its end or given up has one.")


class TooLongToReview(Problem, status=422):
    says = N_(
        "This game takes too long to be reviewed here. Download its record and review it on a machine of your own: "
        "samovar review FILE"
    )


class OneReviewAtATime(Problem, status=429):
    says = N_("The review of another game that you asked for is still being made. Wait for it, then ask for this one.")


class TooManyReviews(Problem, status=503):
    says = N_("Many reviews are being asked for at the moment. Come back to this page in a minute.")


class NoLab(Problem, status=404):
    heading = N_("The lab is closed here")
    says = N_(
        "The lab takes much of a machine, so it is open to those who sit at it. Whoever runs this site can open it for "
        "everybody: samovar serve --lab. On a machine of your own: samovar lab GAME"
    )


class NoSuchReport(Problem, status=404):
    says = N_(
        "There is no report of the lab at this address. Reports are kept for an hour, and not when the site stops."
    )


class NoReportYet(Problem, status=409):
    says = N_("Nothing has been measured yet. Come back in a moment.")


class NobodyPlays(Problem, status=422):
    says = N_("Somebody must play. Tick at least one kind of player.")


class TooManyVariants(Problem, status=422):
    says = N_("These would be %(count)s variants, and %(most)s can be compared at once. Tick less.")


class OneLabAtATime(Problem, status=429):
    says = N_("What you asked the lab for before is still being measured. Wait for it, or stop it.")


class TooManyLabs(Problem, status=503):
    says = N_("Many others wait for the lab at the moment. Come back in some minutes.")


class NotYourLab(Problem, status=403):
    says = N_("Only who started this can stop it.")


class Paused(Problem, status=409):
    heading = N_("The game is paused")
    says = N_("Your teacher has paused all games. They go on when your teacher says so, and no time is lost.")


class PausedByAll(Problem, status=409):
    heading = N_("The game is paused")
    says = N_("All players have agreed on a pause. Go on first: each of you can, and no time is lost.")


class NoPause(Problem, status=409):
    says = N_(
        "Where no time runs there is no need of a pause, and where others wait for the end of a game there is none."
    )


class OnlyPhrases(Problem, status=403):
    says = N_("In a class there are ready phrases only. Choose one of them.")


class TeacherDoesIt(Problem, status=403):
    says = N_("In a class your teacher does that. Ask them.")


class NoSuchClass(Problem, status=404):
    heading = N_("There is no class with this code")
    says = N_("Look at the code once more, and ask your teacher if it is still the right one.")


class NameTaken(Problem, status=409):
    heading = N_("Somebody has this name already")
    says = N_("If it is yours, ask your teacher to free it. Otherwise choose your own.")


class NoNames(Problem):
    says = N_("Write down the names of at least two pupils, one on each line, and at most %(most)s.")


class NobodyToSeat(Problem, status=409):
    says = N_("Nobody waits for a chair. Pupils choose their names first.")


class NotInvited(Problem, status=403):
    heading = N_("Only for those who are invited")
    says = N_("This site is for people who were invited. Ask one of them for a link.")


class Blocked(Problem, status=403):
    heading = N_("You cannot come in here")
    says = N_("The owners of this site have closed it to you.")


class SpentInvitation(Problem, status=410):
    heading = N_("This invitation has ended")
    says = N_("It was used, or its time is up. Ask for another link.")


class OldRules(Problem, status=410):
    says = N_(
        "This game was played by rules that have changed since. It cannot be opened with this version of Samovar."
    )


class Damaged(Problem, status=410):
    says = N_("What was written down of this table cannot be read. Whoever runs this site finds more in its log.")


class NoSuchTour(Problem, status=404):
    says = N_("Nobody looks at a game together at this address. Check the link, or begin at a record of your own.")


class NotInTour(Problem, status=403):
    says = N_("Only those who have come in can do that. Say your name first.")


class NotTheLeader(Problem, status=403):
    says = N_("Only who leads can do that. Ask them, or look around by yourself.")


class TourFull(Problem, status=409):
    says = N_("%(most)s people are here, and more do not fit. Begin one of your own from the record.")


class TooManyTours(Problem, status=429):
    says = N_("You have begun %(most)s of these today. Use one of them, or come back tomorrow.")


class AnswersAwaited(Problem, status=409):
    says = N_("A question is open. Wait until the answers are shown.")


class LeaderAsks(Problem, status=409):
    says = N_("Who asks does not answer. Hand the lead over if you want to.")


class NoMoreRoom(Problem, status=409):
    says = N_("There is no room for more here. Take something away first.")


class NoSuchPlace(Problem, status=422):
    says = N_("There is no such place on this board. Choose one of the list.")


class NothingSaid(Problem, status=422):
    says = N_("There was nothing to read in it. Write something first.")


class NotYourNote(Problem, status=403):
    says = N_("Only who wrote it, or who played this game, can take it away.")


class TooMany(Problem, status=429):
    says = N_("That was a bit much in a short time. Wait a moment, then try again.")


class OneHintAtATime(Problem, status=429):
    says = N_("The hint you asked for is still being thought about. Wait for it before you ask again.")


class NoHint(Problem, status=503):
    says = N_("No hint could be found just now. Try it once more in a moment.")


class TooManyStreams(Problem, status=429):
    says = N_("Too many pages of this site are open at once. Close some tabs, then load this one again.")


class TooLarge(Problem, status=413):
    says = N_("That is too large to be sent.")


class BadForm(Problem, status=403):
    says = N_(
        "Your browser did not send back the cookie of this page. Allow cookies for this site, load the page again, "
        "then try once more."
    )


class NotForVisitors(Problem, status=403):
    says = N_(
        "These figures are for whoever runs this site. Ask on the machine itself, or start the site with "
        "--metrics-for everybody."
    )


class Busy(Problem, status=503):
    says = N_("The table cannot be saved right now, so nothing was changed. Try again in a moment.")


class Broken(Problem, status=500):
    says = N_("Something went wrong on our side. Nothing that was acknowledged is lost. Load the page again.")
