"""`python -m samovar` is `samovar`."""

from samovar.cli import main

main()
