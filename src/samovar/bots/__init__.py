"""Players that are programs. `bot.py` says what a bot is; bots are found through entry points, ours
and those of other packages alike."""

from samovar.bots.bot import Answer, Bot, Order, Reason
from samovar.bots.registry import bot_names, make_bot

__all__ = ["Answer", "Bot", "Order", "Reason", "bot_names", "make_bot"]
