"""`python -m samovar` is `samovar`."""

import sys

from samovar.processes import AFTER_PEOPLE, be_nice

BESIDE_A_SITE = ("backup", "check")  # commands that run while people play: they come behind them


def main() -> None:
    """To load the commands takes longer than a backup, so who comes behind others does so before that."""
    if any(word in BESIDE_A_SITE for word in sys.argv[1:2]):
        be_nice(AFTER_PEOPLE)
    from samovar.cli import main as run

    run()


if __name__ == "__main__":
    main()
