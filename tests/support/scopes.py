"""How long what is dear is kept by fixtures."""

from typing import Literal

import pytest


def scope_of_browsers(fixture_name: str, config: pytest.Config) -> Literal["session", "module"]:
    """One browser and one site for all tests of a process, which is half a minute's work less. Not
    where tests with an event loop run in the same process: Playwright has one of its own."""
    return "session" if config.getoption("--tier") == "browser" else "module"
