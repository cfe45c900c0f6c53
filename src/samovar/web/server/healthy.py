"""`python -m samovar.web.server.healthy`: whether the site on this machine is well, for a container without other
tools. It asks the port that `SAMOVAR_PORT` names, by HTTPS with `SAMOVAR_HTTPS`."""

from __future__ import annotations

import os
import ssl
import sys
from urllib.request import urlopen

SECONDS = 4


def is_healthy(port: str, https: bool = False) -> bool:
    # The machine asks itself, so the certificate proves nothing.
    context = ssl._create_unverified_context() if https else None
    try:
        with urlopen(f"http{'s' * https}://127.0.0.1:{port}/health", timeout=SECONDS, context=context) as answer:
            return bool(answer.read() == b"ok")
    except OSError:  # also what is not 2xx
        return False


if __name__ == "__main__":
    https = os.environ.get("SAMOVAR_HTTPS", "").lower() in ("true", "1", "yes", "on")
    sys.exit(not is_healthy(os.environ.get("SAMOVAR_PORT") or "8080", https))
