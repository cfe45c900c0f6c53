"""The processes of a site: which of them are replaced, and when a site ends instead. In the place of the site itself
stands something that starts quickly."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest

from samovar.web.serve import listen
from support.waiting import until

pytestmark = pytest.mark.processes

# Beside it: "broken" (it cannot start), "slow" (it takes long before it can say a word), "lingers" (it ends slowly),
# "there-PID" (it has started).
APP = """
import asyncio, os, time
if "A_PROCESS" in os.environ and os.path.exists("slow"):
    time.sleep(2)
async def app(scope, receive, send):
    await receive()
    failed = os.path.exists("broken")
    open(f"{'failed' if failed else 'there'}-{os.getpid()}", "x").close()
    await send({"type": "lifespan.startup.failed" if failed else "lifespan.startup.complete"})
    await receive()
    if os.path.exists("lingers"):
        await asyncio.sleep(2)
    await send({"type": "lifespan.shutdown.complete"})
"""
MAIN = """
import os, socket, sys, uvicorn
import app  # by each process before it can say a word
from samovar.web.server import workers
workers.SILENT_SECONDS = 1
if __name__ == "__main__":
    os.environ["A_PROCESS"] = "yes"
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        listening.set_inheritable(True)
        workers.run_several(uvicorn.Config("app:app", workers=2, log_level="critical"), listening)
"""


@contextmanager
def begun(folder, listening, *about):
    for name, text in {"app.py": APP, "main.py": MAIN, **dict.fromkeys(about, "")}.items():
        (folder / name).write_text(text)
    number = listening.fileno()
    with subprocess.Popen(
        [sys.executable, "main.py", str(number)], cwd=folder, pass_fds=[number], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=20)
            process.kill()


@pytest.fixture
def port():
    with listen("127.0.0.1", 0, waits=False) as listening:
        yield listening


def those(folder, what):
    return {int(path.name.partition("-")[2]) for path in folder.glob(f"{what}-*")}


def test_one_that_starts_slowly_is_not_replaced(tmp_path, port):
    """Or a busy machine would never have a site: each start would be cut short, and make it busier."""
    with begun(tmp_path, port, "slow") as process:
        until(lambda: len(those(tmp_path, "there")) == 2 or process.poll() is not None, "both are there")
        assert process.poll() is None
    assert "another one takes its place" not in process.communicate()[1]


def test_a_port_that_another_site_has_is_told(tmp_path, port):
    """Both could take it as long as neither listened: so it is with two instances behind a proxy. Processes that are
    asked while they end again have never been there."""
    with listen("127.0.0.1", port.getsockname()[1], waits=False) as other:
        other.listen()
        with begun(tmp_path, port, "lingers") as process:
            said = process.communicate(timeout=20)[1]
    assert process.returncode == 1
    assert "Address already in use" in said.splitlines()[-1]


def test_a_site_that_never_comes_up_ends_with_an_error(tmp_path, port):
    with begun(tmp_path, port, "broken") as process:
        said = process.communicate(timeout=20)[1]
    assert process.returncode == 1
    assert "cannot start" in said.splitlines()[-1]


def test_one_that_was_there_goes_on_trying(tmp_path, port):
    """Its database may be away just when a process is replaced."""
    with begun(tmp_path, port) as process:
        first = until(lambda: len(those(tmp_path, "there")) == 2 and those(tmp_path, "there"), "both are there")
        (tmp_path / "broken").touch()
        os.kill(min(first), signal.SIGKILL)
        until(lambda: len(those(tmp_path, "failed")) > 1 or process.poll() is not None, "it tries again")
        assert process.poll() is None
        (tmp_path / "broken").unlink()
        until(lambda: those(tmp_path, "there") - first, "another one is there")


def test_one_that_hangs_is_replaced(tmp_path, port):
    with begun(tmp_path, port):
        first = until(lambda: len(those(tmp_path, "there")) == 2 and those(tmp_path, "there"), "both are there")
        os.kill(min(first), signal.SIGSTOP)
        until(lambda: those(tmp_path, "there") - first, "another one is there")
