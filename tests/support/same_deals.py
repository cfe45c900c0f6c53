"""`python -m support.same_deals serve …`: the site as it is, except that the cards follow from the players' nonces
alone. Browsers draw theirs by the name of the test (`browsers.SAME_NONCES`), so what fails once fails again."""

import secrets

from samovar.cli import main
from samovar.engine.records.fair import SECRET_BYTES
from samovar.web.tables import chairs, tables

draw = secrets.token_hex


def token_hex(size=SECRET_BYTES):
    return "5a" * size if size == SECRET_BYTES else draw(size)


if __name__ == "__main__":
    secrets.token_hex = token_hex
    tables.server_nonce = chairs.server_nonce = lambda: chairs.Nonce("a5" * 16, "server")
    main()
