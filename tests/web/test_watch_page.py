"""Every command of docs/host/watch.md is run, in its order, against the site that it is for."""

import re
import shlex
import subprocess
import sys
import urllib.request
from contextlib import ExitStack

import pytest
import yaml

from support.documents import ROOT, blocks, wrong_commands
from support.processes import with_helpers
from support.servers import free_port
from support.waiting import wait_until

PAGE = (ROOT / "docs" / "host" / "watch.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in blocks(PAGE)
    if not block.language
    for line in block.text.replace("\\\n", " ").splitlines()
    if line
]
DATABASE = "postgresql+psycopg://samovar@localhost/samovar"


def test_commands_exist_and_names_of_files_are_right():
    assert wrong_commands(PAGE) == []
    for name in re.findall(r"`((?:deploy|benchmarks)/[\w.]+)`", PAGE):
        assert (ROOT / name).exists()
    for link in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (ROOT / "docs" / "host" / link).exists()


def test_alerts_of_the_page_are_those_that_there_are():
    alerts = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text(encoding="utf-8"))
    names = [rule["alert"] for group in alerts["groups"] for rule in group["rules"]]
    assert re.findall(r"^\| `(Samovar\w+)` \|", PAGE, re.MULTILINE) == names
    (config,) = [yaml.safe_load(block.text) for block in blocks(PAGE) if block.language == "yaml"]
    assert config["rule_files"] == ["alerts.yaml"]


@pytest.mark.processes
def test_every_command_does_what_the_page_says(tmp_path, postgresql_server):
    """A site that a command starts is there for the commands after it; one without a port has the usual one."""
    ports = {port: str(free_port()) for port in ("8080", "8081", "8082")}
    database = postgresql_server.new_database()
    environment = {**with_helpers(), "SAMOVAR_PORT": ports["8080"], "SAMOVAR_DATA": str(tmp_path), "SAMOVAR_PLAIN": "1"}
    samovar = [sys.executable, "-m", "samovar"]
    told = {}
    with ExitStack() as running:

        def start(words):
            site = running.enter_context(
                subprocess.Popen(
                    [*samovar, *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )
            running.callback(site.terminate)
            port = words[words.index("--port") + 1] if "--port" in words else ports["8080"]
            wait_until(lambda: site.poll() is not None or is_well(port), 60)
            assert site.poll() is None, words

        # the page asks the site that there is already, before it starts any
        serving_usual = [line for line in COMMANDS if line.startswith("samovar") and "--port" not in line]
        assert len(serving_usual) == 1
        for line in sorted(COMMANDS, key=lambda line: not line.startswith("samovar")):
            for port, own in ports.items():
                line = line.replace(port, own)
            words = shlex.split(line.replace(DATABASE, database))
            if words[0] == "samovar":
                start(words[1:])
            else:
                assert words[0] == "curl"
                done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
                assert done.returncode == 0, done.stderr
                told[line] = done.stdout
    assert [answer for line, answer in told.items() if "/health" in line] == ["ok", "ok"]
    (figures,) = [answer for line, answer in told.items() if "/metrics" in line]
    assert figures.endswith("# EOF\n")


def is_well(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return answer.read() == b"ok"
    except OSError:
        return False
