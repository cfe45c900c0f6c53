"""The pages of the site, one module for each family."""

from __future__ import annotations

from types import ModuleType

from litestar.handlers import HTTPRouteHandler


def handlers_in(module: ModuleType) -> list[HTTPRouteHandler]:
    """What a module answers: its functions with `@get` or `@post`, and its `HANDLERS`, which are made in a loop."""
    own = [
        handler
        for handler in vars(module).values()
        if isinstance(handler, HTTPRouteHandler) and handler.fn.__module__ == module.__name__
    ]
    return [*own, *getattr(module, "HANDLERS", ())]
