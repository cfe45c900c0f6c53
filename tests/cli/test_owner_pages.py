"""The commands of the pages for those who host a site are run as they stand there."""

import re
import shlex

import pytest
from typer.testing import CliRunner

from samovar import cli
from support.documents import ROOT
from support.players import two_people
from support.visitors import running

PAGES = [ROOT / "docs" / "host" / name for name in ("who-comes-in.md", "school.md")]
FENCED = [
    line
    for page in PAGES
    for block in re.findall(r"```\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines()
]
INLINE = [
    command for page in PAGES for command in re.findall(r"`(samovar admin [^`]+)`", page.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A database with a table, and what stands for words in capitals."""
    folder = tmp_path_factory.mktemp("site")
    with running(folder) as client:
        *_, address = two_people(client)
        table = address.rpartition("/")[2].partition("?")[0]
        client.blocking_portal.call(client.app.state.members.enrol, "somebody", "")
    return f"sqlite:///{folder}/samovar.db", {"TABLE": table, "NUMBER": "3", "PLAYER": "1", "MEMBER": "0" * 20}


def run(*words):
    done = CliRunner().invoke(cli.app, words, env={"SAMOVAR_PUBLIC_URL": "https://games.example.org"})
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


def test_there_are_commands():
    assert len(FENCED) >= 6
    assert len(INLINE) >= 9


@pytest.mark.parametrize("command", [line for line in FENCED if line.startswith("samovar serve")])
def test_a_site_would_start_so(command, tmp_path, monkeypatch):
    """With all settings read and checked; nothing is started."""
    monkeypatch.setenv("SAMOVAR_DATA", str(tmp_path))
    told = run(*shlex.split(command)[1:], "--print-config")
    for option, value in re.findall(r"--(entry|identity-header|public-url) (\S+)", command):
        assert f'{option.replace("-", "_")} = "{value}"' in told, option


@pytest.mark.parametrize("command", [*(line for line in FENCED if not line.startswith("samovar serve")), *INLINE])
def test_the_machine_does_so(command, site):
    database, facts = site
    words = [facts.get(word, word) for word in shlex.split(command)[1:]]
    told = run(*words, "--database", database)
    if words[1] == "invite":
        assert told.startswith("https://games.example.org/invitation/")


def test_the_page_names_every_task():
    tasks = {command.name or command.callback.__name__ for command in cli.admin.registered_commands}
    told = {re.match(r"samovar admin (\w+)", command)[1] for command in [*INLINE, *FENCED] if " admin " in command}
    assert tasks == told
