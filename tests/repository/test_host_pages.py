"""Nothing on the pages for hosts is there to be typed that nobody has tried: a command of ours is parsed by the command
line itself, with its values; a block of settings is read as a file; what cannot be run here is listed with its reason;
and the days of a site are lived through with the commands of the page."""

import re
import shlex
import subprocess
from pathlib import Path
from urllib.error import HTTPError

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from samovar.cli import app
from samovar.cli.settings import read_settings
from support.documents import ROOT, blocks
from support.servers import Server, call, serving

PAGES = sorted([*(ROOT / "docs").glob("host.md"), *(ROOT / "docs" / "host").glob("*.md")])
SHELL = ("", "sh", "console", "powershell")
ROOT_COMMAND = get_command(app)
# What other programs do, and why no test here does it.
NOT_HERE = {
    "apt": "it would change this machine",
    "sudo apt": "it would change this machine",
    "uvx --from ./samovar_games-": "it needs a net; tried by hand, with the wheel and with the source package",
    "pipx install ./samovar_games-": "it needs a net; tried by hand",
    "pipx install --force ./samovar_games-": "it needs a net",
    "pipx ensurepath": "it would change the files of a user",
    "python3 -m venv /opt/samovar": "tools/wheel_test.py does it elsewhere",
    "/opt/samovar/bin/pip install ./samovar_games-": "tools/wheel_test.py does it elsewhere",
    'pip install "./samovar_games-': "tests with PostgreSQL have it installed",
    "py -m p": "it needs Windows",
    "/opt/samovar/bin/samovar admin show": "it asks for a service; tests/cli/test_owner_pages.py does",
    "docker compose -f deploy/compose.yaml": "it needs Docker; tests/repository/test_deploy.py reads the file",
    "systemctl": "it would change this machine; tests/repository/test_deploy.py has systemd look at the service",
    "journalctl": "it shows the log of that service",
    "chmod 600 /etc/samovar.toml": "it would change this machine",
    "tailscale": "it needs an account",
    "curl": "it asks a site that runs, and tests/web/test_watch_page.py does",
    "rm -f samovar.db-wal samovar.db-shm": "the test below does it",
    "cp samovar.db.before-": "the test below does it",
}
PRINTED = "text"  # what a command says
# Blocks in other languages, and the test that tries those of a page.
ELSEWHERE = {"proxy.md": "tests/repository/test_proxies.py", "watch.md": "tests/web/test_watch_page.py"}


def typed() -> list[tuple[str, str]]:
    """Every line of a shell, by its page."""
    return [
        (page.name, line.strip())
        for page in PAGES
        for block in blocks(page.read_text(encoding="utf-8"))
        if block.language in SHELL
        for line in block.text.replace("\\\n", " ").splitlines()
        if line.strip() and not line.startswith("#")
    ]


@pytest.mark.parametrize(("page", "line"), [one for one in typed() if one[1].split()[0] == "samovar"])
def test_a_command_is_understood_with_all_its_values(page: str, line: str) -> None:
    words = shlex.split(line)[1:]
    if words[:1] in ([], ["serve"]):  # that tells what it has understood, and starts nothing
        done = CliRunner().invoke(app, ["serve", *words[1:], "--print-config"])
        assert done.exit_code == 0, done.output
        return
    command = ROOT_COMMAND
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    assert command is not ROOT_COMMAND or words == ["--version"], line
    if command is not ROOT_COMMAND:
        command.make_context(line, words)


@pytest.mark.parametrize(("page", "line"), [one for one in typed() if one[1].split()[0] != "samovar"])
def test_what_no_test_runs_says_why(page: str, line: str) -> None:
    assert any(line.startswith(start) for start in NOT_HERE), f"{page}: {line}"


def test_no_reason_is_for_nothing() -> None:
    lines = [line for _, line in typed()]
    assert [start for start in NOT_HERE if not any(line.startswith(start) for line in lines)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_other_block_is_tried(page: Path, tmp_path: Path) -> None:
    serve = ROOT_COMMAND.commands["serve"]
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "toml":
            file = tmp_path / "samovar.toml"
            file.write_text(block.text, encoding="utf-8")
            assert read_settings(file, serve.settings, serve.make_context("serve", ["--print-config"]))
        elif block.language not in (*SHELL, PRINTED):
            assert page.name in ELSEWHERE, f"{page.name}, line {block.line}"
            assert block.title in (ROOT / ELSEWHERE[page.name]).read_text(encoding="utf-8")


def test_files_of_this_repository_that_a_page_names_exist() -> None:
    named = {name for page in PAGES for name in re.findall(r"`((?:deploy|tools|tests)/[\w./-]+)`", page.read_text())}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


# The days of a site, by the commands of docs/host/backup.md


def run(folder: Path, line: str) -> str:
    """A command of the page, for a site in this folder."""
    words = shlex.split(line.replace("/backups/", f"{folder}/"))[1:]
    done = CliRunner().invoke(app, [*words, "--data", str(folder / "data")])
    assert done.exit_code == 0, done.output
    return done.output


def line_that(start: str) -> str:
    return next(line for page, line in typed() if page == "backup.md" and line.startswith(start))


def made(server: Server) -> str:
    """A table, by its path in the API."""
    table = call(server, "/api/tables", {"game": "memoarrrr", "seats": 2, "chairs": ["token", "token"]})
    return f"/api/tables/{table['table']}"


def has(server: Server, path: str) -> bool:
    try:
        return bool(call(server, path))
    except HTTPError as error:
        error.close()
        return False


@pytest.mark.processes
def test_a_site_goes_back_to_a_backup_and_to_the_copy_before(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, SAMOVAR_PLAIN="1") as server:
        early = made(server)
        run(tmp_path, line_that("samovar backup"))
        late = made(server)
    run(tmp_path, line_that("samovar restore"))
    run(tmp_path, "samovar check")
    with serving(data, SAMOVAR_PLAIN="1") as server:
        assert (has(server, early), has(server, late)) == (True, False)
    (copy,) = data.glob("samovar.db.before-*")  # as one that an upgrade leaves
    for start in ("rm ", "cp "):
        line = re.sub(r"samovar\.db\.before-\S+", copy.name, line_that(start))
        subprocess.run(line, shell=True, cwd=data, check=True)
    with serving(data, SAMOVAR_PLAIN="1") as server:
        assert (has(server, early), has(server, late)) == (True, True)
