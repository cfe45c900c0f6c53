"""The peers' own virtual environments: made once, kept in a cache folder, with nothing of ours in
them and nothing of theirs in ours."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor

from samovar.errors import MissingExtra

# What a peer's speed depends on is pinned.
PINS = {
    "openspiel": ("open_spiel==2.0.2", "numpy==2.4.6"),
    "pettingzoo": (
        "pettingzoo==1.27.0",
        "gymnasium==1.4.0",
        "numpy==2.4.6",
        "pygame-ce==2.5.8",
        "shimmy==2.0.0",
        "open_spiel==2.0.2",
    ),
    "pgx": ("pgx==2.6.0", "jax==0.10.2", "jaxlib==0.10.2", "numpy==2.4.6"),
    "pgx-cuda": ("pgx==2.6.0", "jax[cuda13]==0.10.2", "numpy==2.4.6"),
}
MADE = "made-by-samovar"
NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeout",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "ProxyError",
)


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "samovar" / "peers"


def environment(peer: str, folder: Path) -> Path:
    """The Python of a peer's environment, which is made if there is none.

    It is made under another name, and its marker written last: one that was interrupted is never
    taken for a whole one. Of two who want the same at once one waits for the other; a lock ends
    with its process, however that ends.
    """
    home = folder / f"{peer}-{_digest(PINS[peer])}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / f"{home.name}.lock"):
            if not is_made(home, PINS[peer]):
                _make(peer, home)
    except OSError as error:
        raise MissingExtra(
            f"The environments of the peers cannot be kept in {str(folder)!r}: {error.strerror}. Give another "
            "--peers-dir."
        ) from error
    return home / "bin" / "python"


def is_made(home: Path, pins: tuple[str, ...]) -> bool:
    marker = home / MADE
    return marker.is_file() and marker.read_text(encoding="utf-8").split() == list(pins)


def _make(peer: str, home: Path) -> None:
    part = home.with_name(f"{home.name}.part")
    for left in (part, home):
        if left.exists():
            shutil.rmtree(left)
    try:
        for step in steps(part, PINS[peer]):
            _run(peer, step)
        (part / MADE).write_text("\n".join(PINS[peer]), encoding="utf-8")
        part.rename(home)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def steps(folder: Path, pins: tuple[str, ...]) -> list[list[str]]:
    """The commands that make an environment."""
    python = str(folder / "bin" / "python")
    install = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--retries",
        "2",
        *pins,
    ]
    return [[sys.executable, "-m", "venv", str(folder)], install]


def _run(peer: str, step: list[str]) -> None:
    done = subprocess.run(step, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return
    output = done.stdout + done.stderr
    if any(word in output for word in NO_NETWORK):
        reason = "The package registry cannot be reached. The same command goes on when there is a network"
    else:
        reason = f"{complaint(output) or f'exit code {done.returncode}'}. Mend that and give the same command again"
    raise MissingExtra(
        f"The environment of {peer} could not be made. {reason}; --here takes the packages of this Python instead."
    )


def complaint(text: str) -> str:
    """What a failed process said last, without the full stop; of a traceback, the error."""
    _, traceback, rest = text.rpartition("Traceback (most recent call last):\n")
    lines = [
        line for line in (rest if traceback else text).splitlines() if line.strip() and not line.startswith("[notice]")
    ]
    if traceback:
        lines = [line for line in lines if not line.startswith(" ")][:1]
    return lines[-1].strip().removesuffix(".") if lines else ""


def _digest(pins: tuple[str, ...]) -> str:
    """Another Python, another machine or other pins are another environment."""
    facts = "\n".join([*pins, platform.python_version(), platform.machine()])
    return hashlib.blake2b(facts.encode(), digest_size=6).hexdigest()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "w") as file:
        lock_descriptor(file.fileno())
        yield
