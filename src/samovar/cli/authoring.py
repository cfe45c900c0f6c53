"""Commands for authors of games."""

from __future__ import annotations

import os
import threading
import webbrowser
from typing import Annotated

import typer

from .shared import LanguageOption, language_of_terminal


def dev(
    game: Annotated[str, typer.Argument(help="The id of your game; its package must be installed, once.")],
    port: Annotated[int, typer.Option(help="The port to listen at; 0 for any free one.", min=0, max=65535)] = 8090,
    browser: Annotated[bool, typer.Option(help="Open the table in a browser.")] = True,
    language: LanguageOption = "",
) -> None:
    """Work on a game: its table in a browser, read anew whenever you save a file.

    Every seat is in one window. The match goes on, and mistakes stand on the page with their line.

    Example: `samovar dev my_game`"""
    os.environ["SAMOVAR_PLAIN"] = "1"  # nothing is compiled: that would take longer than to read it
    import uvicorn

    from samovar.dev.app import make_dev_app
    from samovar.language.languages import check_language
    from samovar.web.serve import GRACE_SECONDS, listen

    app = make_dev_app(game, check_language(language or language_of_terminal()))
    listening = listen("127.0.0.1", port)
    address = f"http://localhost:{listening.getsockname()[1]}/"
    print(f"\n  {game} is on the table:  {address}\n\n  Ctrl+C ends it.\n", flush=True)
    if browser:
        threading.Timer(0.8, webbrowser.open, [address]).start()
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=GRACE_SECONDS, ws="none")
    )
    server.run([listening])
