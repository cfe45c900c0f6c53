"""What deploy/ promises: not root, nothing written but the volume, settings that exist, a health check of our own."""

import configparser
import json
import re
import shutil
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
import yaml
from typer.main import get_command

from image import DOCKERFILE, instructions
from samovar.cli import app
from samovar.cli.settings import CONFIG, variable
from support.documents import ROOT

DEPLOY = ROOT / "deploy"
STEPS = instructions(DOCKERFILE.read_text(encoding="utf-8"))
LAST = dict(STEPS[max(number for number, (word, _) in enumerate(STEPS) if word == "FROM") :])
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVE = get_command(app).commands["serve"]


def test_the_image_is_not_roots_and_keeps_all_in_its_volume():
    assert LAST["USER"] not in ("root", "0")
    assert LAST["VOLUME"] == "/data"
    assert json.loads(LAST["ENTRYPOINT"]) + json.loads(LAST["CMD"]) == ["samovar", "serve"]


def test_the_volume_is_of_the_user_that_the_image_has():
    (user,) = re.findall(rf'"{LAST["USER"]}:x:(\d+:\d+)::{LAST["VOLUME"]}:', " ".join(rest for _, rest in STEPS))
    assert [rest for word, rest in STEPS if word == "COPY" and f"--chown={user} " in rest and rest.endswith("/data")]


def test_what_is_compiled_for_the_image_is_found_in_it():
    """The same folder and the same kind of processor, when it is built and when it runs."""
    said = [rest for word, rest in STEPS if word == "ENV" and "NUMBA" in rest]
    assert len(said) == 2
    assert said[0] == said[1]


def test_what_the_image_is_made_of_is_there():
    copied = [rest.split()[:-1] for word, rest in STEPS if word == "COPY" and "--from" not in rest]
    assert all((ROOT / name).exists() for names in copied for name in names)
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    assert {name for names in copied for name in names} == {line[1:] for line in ignored if line.startswith("!")}


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "samovar.service"])
def test_every_setting_exists(name):
    known = {variable(option) for option in SERVE.settings.values()} | {f"SAMOVAR_{CONFIG.upper()}"}
    named = set(re.findall(r"\bSAMOVAR_[A-Z_]+", (DEPLOY / name).read_text(encoding="utf-8")))
    assert named
    assert named <= known


@pytest.mark.parametrize("name", ["site", "postgres-site"])
def test_containers_can_write_nothing_else(name):
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["volumes"] == [f"data:{LAST['VOLUME']}"]


def test_the_service_is_shut_in():
    service = configparser.RawConfigParser(strict=False)
    service.optionxform = str
    service.read(DEPLOY / "samovar.service")
    own = service["Service"]
    assert own["DynamicUser"] == own["NoNewPrivileges"] == own["ProtectHome"] == "yes"
    assert own["ProtectSystem"] == "strict"
    words = own["ExecStart"].split()[2:]
    assert {word for word in words if word.startswith("--")} <= {
        flag for option in SERVE.params for flag in (*option.opts, *option.secondary_opts)
    }


@pytest.mark.processes
def test_systemd_has_nothing_to_say_against_the_service(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd here: install the Debian package 'systemd'")
    text = (DEPLOY / "samovar.service").read_text(encoding="utf-8")
    (tmp_path / "samovar.service").write_text(text.replace("/opt/samovar/bin/samovar", sys.executable))
    service = str(tmp_path / "samovar.service")
    done = subprocess.run([analyze, "verify", service], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    command = [analyze, "security", "--offline=true", "--threshold=20", service]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout  # 2.0 of 10 at most


@pytest.mark.parametrize(("status", "said", "code"), [(200, b"ok", 0), (503, b"busy", 1), (None, b"", 1)])
def test_the_health_check_needs_nothing_but_python(status, said, code):
    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status if self.path == "/health" else 404)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_): ...

    with HTTPServer(("127.0.0.1", 0), Site) as server:
        port = server.server_port
        if status:
            Thread(target=server.serve_forever, daemon=True).start()
        else:
            server.server_close()
        module = json.loads(LAST["HEALTHCHECK"].partition("CMD ")[2])[2]
        done = subprocess.run([sys.executable, "-m", module], env={"SAMOVAR_PORT": str(port)}, timeout=30, check=False)
        if status:
            server.shutdown()
    assert done.returncode == code
