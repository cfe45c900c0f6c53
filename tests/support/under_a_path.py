"""A site that lies under a path of its host."""

from contextlib import contextmanager

from support.servers import Server, free_port

BASE = "/games"


@contextmanager
def site_under_a_path(folder):
    """Its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}{BASE}"
    server = Server(folder, port, "--public-url", address, "--entry", "open", "--lab", SAMOVAR_PLAIN="1").start()
    try:
        yield address
    finally:
        server.stop()
