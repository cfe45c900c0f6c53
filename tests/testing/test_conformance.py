"""The shipped kit on every registered game, Connect Four of another package among them."""

from samovar.testing.conformance import *  # noqa: F403
