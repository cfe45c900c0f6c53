"""Carries out deploy/Dockerfile without a registry or a daemon, and looks at what it makes:

    mmdebstrap --variant=minbase bookworm base.tar      # for the stages that build
    python tools/image.py base.tar FOLDER

The stages are built in folders (chroot); then the site is started as the image would: by its user, on a read-only
root, with an empty volume. It says how large the tree is, on a disk and as a registry sends it, and how long the first
page took. Needs root on Linux.
`--bind HERE:THERE` lends the build a file or folder of this machine to read, such as a mirror of packages; variables
that begin with PIP_ are handed on."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
PORT = 8399
PATIENCE = 60.0  # seconds for a first page


class Stage:
    """One FROM of the Dockerfile, in a folder."""

    def __init__(self, folder: Path, base: Path | None) -> None:
        self.folder = folder
        self.environment: dict[str, str] = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        self.workdir = "/"
        self.facts: dict[str, str] = {}  # USER, VOLUME, CMD and the like
        folder.mkdir(parents=True)
        if base:
            subprocess.run(["tar", "--extract", "--file", base, "--directory", folder], check=True)

    def carry_out(self, word: str, rest: str, stages: dict[str, Stage], lent: list[str]) -> None:
        match word:
            case "RUN":
                self.run(rest, lent)
            case "ENV":
                self.environment |= dict(part.split("=", 1) for part in shlex.split(rest))
            case "WORKDIR":
                self.workdir = rest
                self.inside(rest).mkdir(parents=True, exist_ok=True)
            case "COPY":
                self.copy(rest.split(), stages)
            case _:
                self.facts[word] = rest

    def run(self, command: str, lent: list[str]) -> None:
        """As root, with the network and /proc of this machine, and what is lent."""
        lines = [f"mount --rbind /{name} {self.folder}/{name}" for name in ("proc", "dev")]
        lines += [self.lend("/etc/resolv.conf"), *map(self.lend, lent)]
        inner = f"cd {self.workdir} && {command}"
        lines.append(f"exec /usr/sbin/chroot {self.folder} /bin/sh -ec {shlex.quote(inner)}")
        outer = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        subprocess.run(
            ["unshare", "--mount", "/bin/sh", "-ec", "\n".join(lines)],
            env={**outer, **self.environment, "DEBIAN_FRONTEND": "noninteractive"},
            check=True,
        )

    def lend(self, bind: str) -> str:
        """The line of a shell that does. Nobody can write through it: a build may change any file it finds."""
        path, _, wanted = bind.partition(":")
        place = self.folder / (wanted or path).lstrip("/")
        there = f"mkdir -p {place}" if Path(path).is_dir() else f"mkdir -p {place.parent} && touch {place}"
        return f"{there} && mount --bind {path} {place} && mount -o remount,ro,bind {place}"

    def copy(self, words: list[str], stages: dict[str, Stage]) -> None:
        said = dict(word.removeprefix("--").split("=", 1) for word in words if word.startswith("--"))
        origin = stages[said["from"]].folder if "from" in said else ROOT
        *sources, target = (word for word in words if not word.startswith("--"))
        place = self.inside(target)
        for source in sources:
            path = origin / source.lstrip("/")
            if path.is_dir():
                shutil.copytree(
                    path,
                    place,
                    symlinks=True,
                    dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__") if origin == ROOT else None,
                )
            else:
                shutil.copy2(path, place)
        if "chown" in said:
            os.chown(place, *map(int, said["chown"].split(":")))
        if "chmod" in said:
            place.chmod(int(said["chmod"], 8))

    def inside(self, path: str | Path) -> Path:
        return self.folder / os.path.join(self.workdir, path).lstrip("/")


def instructions(text: str) -> list[tuple[str, str]]:
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return [
        (word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines.splitlines() if line.strip())
    ]


def build(folder: Path, base: Path, lent: list[str]) -> Stage:
    """The last stage."""
    stages: dict[str, Stage] = {}
    for word, rest in instructions(DOCKERFILE.read_text(encoding="utf-8")):
        print(word, rest[:100], flush=True)
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            name = name or "last"
            stages[name] = stage = Stage(folder / name, None if image == "scratch" else base)
        else:
            stage.carry_out(word, rest, stages, lent)
    return stage


def start(stage: Stage, volume: Path) -> subprocess.Popen[bytes]:
    """As the image would be: read-only but for its volume and /tmp, by its own user."""
    root, data = stage.folder, stage.facts["VOLUME"]
    users = (root / "etc" / "passwd").read_text()
    number = re.search(rf"^{stage.facts['USER']}:x:(\d+):(\d+)", users, re.MULTILINE)
    assert number, "the image has no such user"
    os.chown(volume, int(number[1]), int(number[2]))
    volume.chmod(0o700)
    command = [*json.loads(stage.facts["ENTRYPOINT"]), *json.loads(stage.facts["CMD"])]
    lines = [
        f"mount --bind {root} {root}",
        f"mount --bind {volume} {root}{data}",
        f"mount -t tmpfs none {root}/tmp",
        f"chmod 1777 {root}/tmp",
        f"mount -t proc none {root}/proc",
        f"mount --bind /dev {root}/dev",
        f"mount -o remount,ro,bind {root}",
        f"exec /usr/sbin/chroot --userspec={number[1]}:{number[2]} {root} {shlex.join(command)}",
    ]
    environment = {**stage.environment, "SAMOVAR_PORT": str(PORT), "SAMOVAR_HOST": "127.0.0.1", "HOME": data}
    return subprocess.Popen(["unshare", "--mount", "/bin/sh", "-ec", "\n".join(lines)], env=environment)


def first_page(process: subprocess.Popen[bytes]) -> float:
    """Seconds until it was there."""
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=5) as answer:
                assert b"Samovar" in answer.read()
                return time.monotonic() - began
        except OSError:
            time.sleep(0.05)
    raise SystemExit("The site does not answer.")


def compiled_games() -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/metrics", timeout=5) as answer:
        found = re.search(r"^samovar_\w*games_compiled (\S+)", answer.read().decode(), re.MULTILINE)
    return float(found[1]) if found else 0.0


def size(folder: Path) -> int:
    return int(subprocess.run(["du", "-sb", folder], capture_output=True, check=True, text=True).stdout.split()[0])


def compressed(folder: Path) -> int:
    """Bytes of it as a layer travels."""
    command = f"tar --create --directory {shlex.quote(str(folder))} . | gzip | wc --bytes"
    return int(subprocess.run(command, shell=True, capture_output=True, check=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bind", metavar="PATH[:PATH]", action="append", default=[])
    asked = parser.parse_args()
    stage = build(asked.folder, asked.base, asked.bind)
    print(f"on a disk: {size(stage.folder) / 1e6:.0f} MB; to fetch: {compressed(stage.folder) / 1e6:.0f} MB")
    volume = asked.folder / "volume"
    volume.mkdir()
    process = start(stage, volume)
    try:
        print(f"first page: {first_page(process):.1f} s after the start")
        began = time.monotonic()
        while compiled_games() < 4 and time.monotonic() - began < PATIENCE:
            time.sleep(0.2)
        print(f"games ready: {compiled_games():.0f}, {time.monotonic() - began:.1f} s later")
    finally:
        process.send_signal(signal.SIGTERM)
        print(f"ended with {process.wait(20)}")


if __name__ == "__main__":
    sys.exit(main())
