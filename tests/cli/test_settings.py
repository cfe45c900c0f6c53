"""Every option of `samovar serve` by command line, environment and file; what a wrong file is told."""

import os
import subprocess
import sys
import tomllib
from importlib.metadata import version
from unittest.mock import patch

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from samovar.cli import app
from samovar.cli.settings import CONFIG, PRINT, kind_of, without_passwords
from samovar.errors import BadSettings, SamovarError
from samovar.web import serve as server

SETTINGS = get_command(app).commands["serve"].settings
SAMPLES = {
    "public_url": ("https://games.example.org", "http://example.org"),
    "proxy": (["10.0.0.1", "10.1.0.0/16"], ["192.0.2.1"]),
}


def sample(option, which=0):
    """A value that is not the default; the second is another."""
    if option.name in SAMPLES:
        return SAMPLES[option.name][which]
    kind = kind_of(option)
    if kind is bool:
        return (not option.default) ^ bool(which)
    return option.default + 1 + which if kind is int else getattr(option.type, "choices", ["b", "a"])[1 - which]


def words(option, value):
    """As it is typed."""
    if kind_of(option) is bool:
        return [option.opts[0] if value else option.secondary_opts[0]] if value or option.secondary_opts else []
    values = value if isinstance(value, list) else [value]
    return [word for one in values for word in (option.opts[0], str(one))]


def variables(option, value):
    text = " ".join(value) if isinstance(value, list) else str(value).lower() if value in (True, False) else str(value)
    return {f"SAMOVAR_{option.name.upper()}": text}


def line(option, value):
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return f"{option.opts[0][2:]} = {text}\n"  # with dashes; `test_what_is_printed_can_be_read_again` has the others


@pytest.fixture
def printed(tmp_path):
    """What `--print-config` prints for these words, variables and lines of a file."""

    def ask(words=(), variables=None, lines=""):
        file = tmp_path / "samovar.toml"
        file.write_text(lines, encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SAMOVAR_")}
        with patch.dict(os.environ, {**kept, "SAMOVAR_CONFIG": str(file), **(variables or {})}, clear=True):
            done = CliRunner().invoke(app, ["serve", "--print-config", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    return ask


@pytest.mark.parametrize("option", SETTINGS.values(), ids=lambda option: option.name)
def test_every_option_can_be_given_in_three_ways(printed, tmp_path, option):
    value = sample(option)
    ways = {
        "command line": {"words": words(option, value)},
        f"SAMOVAR_{option.name.upper()}": {"variables": variables(option, value)},
        str(tmp_path / "samovar.toml"): {"lines": line(option, value)},
    }
    for source, given in ways.items():
        text = printed(**given)
        assert tomllib.loads(text)[option.name] == value
        (own,) = [each for each in text.splitlines() if each.startswith(f"{option.name} =")]
        assert own.endswith(f"# {source}")
        assert "samovar.toml" not in text.replace(own, "")


@pytest.mark.parametrize("option", SETTINGS.values(), ids=lambda option: option.name)
def test_the_command_line_goes_before_the_environment_and_that_before_the_file(printed, option):
    first, second = sample(option), sample(option, 1)
    got = tomllib.loads(printed(variables=variables(option, first), lines=line(option, second)))
    assert got[option.name] == first
    typed = words(option, first)
    got = tomllib.loads(printed(typed, variables(option, second), line(option, second)))
    assert got[option.name] == first


@pytest.mark.parametrize("command", [["serve"], []], ids=["serve", "no command"])
def test_a_site_is_started_by_its_settings_and_what_it_starts_inherits_none(tmp_path, command):
    file = tmp_path / "samovar.toml"
    file.write_text("port = 8100\nrequests-per-minute = 7\nworkers = 2\n")
    given = {"SAMOVAR_CONFIG": str(file), "SAMOVAR_DATABASE": "sqlite:///x", "SAMOVAR_PORT": "8200"}
    with patch.dict(os.environ, given), patch.object(server, "serve") as start:
        CliRunner().invoke(app, command, catch_exceptions=False)
        assert "SAMOVAR_DATABASE" not in os.environ
    assert start.call_args.args == ("sqlite:///x", "0.0.0.0", 8200)
    assert start.call_args.kwargs["workers"] == 2
    assert start.call_args.kwargs["requests_per_minute"] == 7


def test_what_is_printed_can_be_read_again(printed):
    values = {name: sample(option) for name, option in SETTINGS.items()}
    first = printed(lines="".join(line(SETTINGS[name], value) for name, value in values.items()))
    assert tomllib.loads(first) == values
    assert printed(lines=first) == first


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql+psycopg://ann:s3cret@db/samovar", "postgresql+psycopg://ann:***@db/samovar"),
        ("postgresql+psycopg://ann:s3cret/with@signs@db/samovar", "postgresql+psycopg://ann:***@db/samovar"),
        (
            "postgresql+psycopg://db/samovar?user=ann&password=s3cret",
            "postgresql+psycopg://db/samovar?user=ann&password=***",
        ),
        ("smtps://:s3cret@mail.example.org", "smtps://:***@mail.example.org"),
        ("https://games.example.org:8443", "https://games.example.org:8443"),
    ],
)
def test_passwords_are_not_printed(printed, address, shown):
    assert without_passwords(address) == shown
    text = printed(variables={"SAMOVAR_DATABASE": address, "SAMOVAR_MAIL_SERVER": address})
    assert "s3cret" not in text
    assert tomllib.loads(text)["mail_server"] == shown


@pytest.mark.parametrize(
    ("lines", "key", "remedy"),
    [
        ("prot = 9000", "'prot'", "Did you mean 'port'?"),
        ("config = 'other.toml'", "'config'", "Known: port"),
        ('port = "many"', "'port'", "a whole number"),
        ("port = true", "'port'", "a whole number"),
        ("port = 99999", "'port'", "0<=x<=65535"),
        ("browser = 1", "'browser'", "true or false"),
        ("metrics_for = 'nobody'", "'metrics_for'", "'here', 'everybody'"),
        ("proxy = [127]", "'proxy'", "a list of texts"),
        ("proxy = 'localhost'", "'proxy'", "give one such as 127.0.0.1"),
        ("public-url = 'games'", "'public-url'", "give one such as https://games.example.org"),
        ("port 9000", "no TOML", "port = 9000"),
        ("[serve]\nport = 9000", "'serve'", "no option"),
    ],
)
def test_a_wrong_file_is_named_with_the_key_and_a_remedy(printed, lines, key, remedy):
    with pytest.raises(BadSettings) as wrong:
        printed(lines=lines)
    for said in ("samovar.toml'", key, remedy):
        assert said in str(wrong.value)


def test_a_file_that_is_not_there_is_told():
    with pytest.raises(SamovarError, match="Give another --config"):
        CliRunner().invoke(app, ["serve", "--config", "nowhere.toml"], catch_exceptions=False)


def test_a_wrong_variable_is_named():
    with patch.dict(os.environ, {"SAMOVAR_WORKERS": "0"}):
        done = CliRunner().invoke(app, ["serve"])
    assert done.exit_code == 2
    assert "SAMOVAR_WORKERS" in done.output


def test_all_but_the_file_itself_are_settings():
    names = {option.name for option in get_command(app).commands["serve"].params}
    assert names - {*SETTINGS} == {CONFIG, PRINT}


# What every command line has


def test_the_version_is_that_of_the_distribution():
    assert CliRunner().invoke(app, ["--version"]).output == f"samovar {version('samovar-games')}\n"


def test_a_shell_is_told_the_commands_and_their_options():
    asked = {"_SAMOVAR_COMPLETE": "complete_bash", "COMP_WORDS": "samovar serve --mail", "COMP_CWORD": "2"}
    code = "import sys; sys.argv = ['samovar']; from samovar.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["--mail-server", "--mail-sender"]
