"""The documentation site: it builds without a complaint, nothing in it leads nowhere, its code
runs, and what it tells of the games is so."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import samovar
import samovar.bots
from support.documents import ROOT, Block, commands, python_blocks, wrong_commands
from support.once import made_once

DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in (*DOCS.glob("*.md"), *DOCS.glob("host/*.md")))
GAMES = samovar.game_ids()
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Pages whose code is run by a test of its own, as it needs more than Python: a site, or the files
# it is taken from.
ELSEWHERE = {"api.md": "tests/web/test_api.py", "add-a-game.md": "tests/examples/test_connect_four.py"}
# Pages whose code the quick tier leaves out: it needs the extra, or has a game compiled for its estimates alone.
LATER = {"researchers.md": pytest.mark.research, "insight.md": pytest.mark.slow}
# Runs the blocks of a page in one namespace and answers what each has printed.
RUN = """
import contextlib, io, json, sys
names, printed = {"__name__": "__main__"}, []
for line, text in json.load(open(sys.argv[2])):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile("\\n" * line + text, sys.argv[1], "exec"), names)
    printed.append(out.getvalue())
print(json.dumps(printed))
"""


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "docs", build) / "site"


def build(sources: Path) -> None:
    """A warning is an error."""
    generate = [sys.executable, str(DOCS / "generate.py"), str(sources), "--without-play"]  # tests/wasm has that
    subprocess.run(generate, timeout=120, check=True)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(sources / "mkdocs.yml")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr


# What is built


class Refs(HTMLParser):
    """What a page asks for by itself, where its links lead, and the anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attributes}
        self.asked += [facts[name] for name in ("src", "srcset", "data", "poster") if name in facts]
        if "href" in facts:
            (self.links if tag == "a" else self.asked).append(facts["href"])
        self.anchors |= {facts[name] for name in ("id", "name") if name in facts}


@cache
def refs(page: Path) -> Refs:
    return Refs(page.read_text(encoding="utf-8"))


def leads_somewhere(page: Path, address: str) -> bool:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return parts.scheme in ("https", "mailto", "data")
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return False
    return not parts.fragment or target.suffix != ".html" or parts.fragment in refs(target).anchors | {"__skip"}


@pytest.mark.slow
@pytest.mark.slow
def test_no_link_and_no_picture_of_the_site_is_broken(site: Path) -> None:
    # that one has absolute addresses, as it is shown for any
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    broken = [
        (str(page.relative_to(site)), address)
        for page in pages
        for address in (*refs(page).links, *refs(page).asked)
        if not leads_somewhere(page, address)
    ]
    assert broken == []
    assert len(pages) >= len(PAGES) + 2 * len(GAMES)


@pytest.mark.slow
def test_the_list_for_programs_has_every_page_and_leads_there(site: Path) -> None:
    listed = site / "llms.txt"
    addresses = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", listed.read_text(encoding="utf-8"), re.MULTILINE)
    assert [address for address in addresses if not leads_somewhere(listed, address)] == []
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html")} - {"404.html"}
    assert set(addresses) == pages
    assert len(addresses) == len(pages)


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.slow
def test_rules_are_there_in_every_language_that_they_are_written_in(site: Path, game_id: str) -> None:
    written = {path.suffixes[0][1:] for path in Path(samovar.find_game(game_id).folder).glob("RULES.*.md")}
    built = {path.name.split(".")[1]: path for path in site.glob(f"games/{game_id}/rules.*.html")}
    facts = refs(site / "games" / game_id / "index.html").links
    assert built.keys() == written
    for language, page in built.items():
        assert f'<div lang="{language}">' in page.read_text(encoding="utf-8")
        assert page.name in facts


@pytest.mark.slow
def test_pages_ask_nothing_of_other_hosts(site: Path) -> None:
    """Links may lead outside; what a browser loads by itself may not."""
    asked = [address for page in site.rglob("*.html") for address in refs(page).asked]
    sheets = [sheet.read_text(encoding="utf-8") for sheet in site.rglob("*.css")]
    asked += [found for sheet in sheets for found in re.findall(r"(?:url\(|@import )[\"']?([^\"')]+)", sheet)]
    assert [
        address for address in asked if urlsplit(address).netloc or urlsplit(address).scheme not in ("", "data")
    ] == []
    assert any(address.endswith("samovar.css") for address in asked)


@pytest.mark.slow  # not with those in the site's browser: Playwright is started once in a process
def test_the_site_in_a_browser(site: Path) -> None:
    """Search finds, the switch darkens, a phone need not scroll sideways, and nothing is asked of
    other hosts."""
    chromium = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if chromium is None:
        pytest.skip("no Chromium here: install the Debian package 'chromium-headless-shell' or 'chromium'")
    from playwright.sync_api import sync_playwright

    base, complaints = "http://docs.invalid/", []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": 360, "height": 740}, color_scheme="light", reduced_motion="reduce"
        )

        def answer(route, request) -> None:  # type: ignore[no-untyped-def]
            path = site / unquote(urlsplit(request.url).path.lstrip("/"))
            if request.url.startswith(base) and path.is_file():
                route.fulfill(path=path)
            else:
                complaints.append(request.url)
                route.abort()

        context.route("**/*", answer)
        page = context.new_page()
        page.on(
            "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        for name in ("index", "researchers", "performance", "games/varvitikud/index", "games/matryoshka/rules"):
            page.goto(f"{base}{name}.html")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than a phone"
        scheme = page.locator("body")
        assert scheme.get_attribute("data-md-color-scheme") == "default"
        for _ in range(2):  # from the system's to light to dark
            page.locator("form.md-header__option label:not([hidden])").click()
        assert scheme.get_attribute("data-md-color-scheme") == "slate"
        page.locator("label.md-header__button[for=__search]").click()
        page.locator("input.md-search__input").press_sequentially("volcano")
        page.locator(".md-search-result__item a[href*='memoarrrr/rules']").first.wait_for()
        browser.close()
    assert complaints == []


# The pages of the games


def cells(page: Path) -> list[list[str]]:
    """The rows of all tables of a page, as plain text."""
    rows = re.findall(r"<tr>(.*?)</tr>", page.read_text(encoding="utf-8"), re.DOTALL)
    return [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)]
        for row in rows
    ]


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.slow
def test_the_page_of_a_game_tells_what_its_code_says(site: Path, game_id: str) -> None:
    game = samovar.find_game(game_id)
    rows = cells(site / "games" / game_id / "index.html")
    starts = accumulate((part.size for part in game.observation), initial=0)
    for part, start in zip(game.observation, starts, strict=False):
        assert [str(start), str(start + part.size - 1), part.name] in [row[:3] for row in rows]
    for layout in (game.encoding, game.factor_encoding):
        for planes in layout.planes:
            shape = " x ".join(map(str, planes.shape))
            assert [str(planes.start), planes.name, str(planes.count), shape] in [row[:2] + row[3:] for row in rows]
    for option in game.options:
        assert option.name in [row[0] for row in rows]
    for seats, options in game.variants():
        longest = f"{game.max_length(seats, game.check_options(seats, options)):,}"
        assert longest in [row[1 + game.seats.index(seats)] for row in rows if len(row) == 1 + len(game.seats)]
    told = {row[0]: row[1] for row in rows if len(row) == 2}
    assert told["move numbers"].startswith(f"{game.moves:,}, at most {game.max_legal:,} ")
    assert told["state"].startswith(f"{game.state.itemsize:,} bytes")


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.slow
def test_the_page_of_a_game_shows_examples_of_moves(site: Path, game_id: str) -> None:
    game = samovar.find_game(game_id)
    rows = [row for row in cells(site / "games" / game_id / "index.html") if len(row) == 2 and row[0].isdigit()]
    assert len({row[0] for row in rows}) == len(rows) >= min(game.moves, 7)
    assert all(int(move) < game.moves and text for move, text in rows)


@pytest.mark.slow
def test_what_is_found_out_by_playing_is_so(site: Path) -> None:
    told = {row[0]: row[2:4] for row in cells(site / "games" / "index.html")}
    assert told["Babuschka"] == ["in turn", "none"]
    assert told["Matryoshka"] == ["some at the same time", "yes"]
    assert told["Memoarrrr!"] == ["in turn", "yes"]
    assert told["Värvitikud"] == ["in turn", "yes"]


# The words of the pages


def outputs(name: str, blocks: list[Block], folder: Path) -> Iterator[str]:
    """What each block prints, one after the other in a process and a folder of their own."""
    given = folder / "blocks.json"
    given.write_text(json.dumps([(block.line, block.text) for block in blocks]), encoding="utf-8")
    command = [sys.executable, "-c", RUN, f"docs/{name}", str(given)]
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    yield from json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[LATER[name]] if name in LATER else [])
        for name in PAGES
        if python_blocks(read(name)) and name not in ELSEWHERE
    ],
)
def test_python_of_a_page_runs_and_prints_what_it_says(name: str, tmp_path: Path) -> None:
    blocks = [block for block in python_blocks(read(name)) if block.runs]
    for block, printed in zip(blocks, outputs(name, blocks, tmp_path), strict=True):
        assert block.prints is None or printed == block.prints, f"docs/{name}, line {block.line}"


@pytest.mark.parametrize("name", PAGES)
def test_python_of_a_page_can_be_read(name: str) -> None:
    """Also that which needs a GPU."""
    for block in python_blocks(read(name)):
        compile(block.text, f"docs/{name}, line {block.line}", "exec")


def test_code_that_is_run_elsewhere_is_run_there() -> None:
    for name, test in ELSEWHERE.items():
        assert name in (ROOT / test).read_text(encoding="utf-8"), test


@pytest.mark.parametrize("name", PAGES)
def test_commands_of_a_page_exist(name: str) -> None:
    assert wrong_commands(read(name)) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_no_machine(name: str) -> None:
    assert (
        re.findall(
            r"/(?:home|work|root|tmp|Users)/\S*|\b[\w.-]*(?:pypi|artifactory|registry|mirror)[\w-]*\.\w+", read(name)
        )
        == []
    )


def test_every_table_of_figures_has_the_command_behind_it() -> None:
    """It stands between the heading and the table."""
    sections = [
        part
        for name in ("performance.md", "bots.md", "insight.md")
        for part in re.split(r"^## ", read(name), flags=re.MULTILINE)[1:]
    ]
    measured = [part for part in sections if "\n|" in part and not part.startswith("What they do")]
    assert len(measured) >= 5
    for part in measured:
        assert re.search(r"`(samovar|python|make) ", part.partition("\n|")[0]), part.splitlines()[0]


# The command line


@pytest.mark.slow
def test_the_page_of_the_command_line_has_every_command_and_option(site: Path) -> None:
    page = (site / "cli.html").read_text(encoding="utf-8")
    of_games = {flag for flag in commands()["play"] if flag in commands()["arena"]} - {"--seats", "--seed"}
    for name, options in commands().items():
        assert f"<code>samovar {name}" in page
        own = {option for option in options - of_games if option.startswith("-")}
        assert [option for option in own if f"<code>{option}</code>" not in page] == []


# The Python reference


def is_error(member: object) -> bool:
    return inspect.isclass(member) and issubclass(member, samovar.SamovarError)


def public_members() -> Iterator[tuple[str, object]]:
    """What the package offers: the names, the methods and properties of the classes, the errors."""
    for module, names in ((samovar, samovar.__all__), (samovar.bots, set(samovar.bots.__all__) - set(samovar.__all__))):
        for name in sorted(names):
            member = getattr(module, name)
            if inspect.ismodule(member) or is_error(member):
                continue
            yield f"{module.__name__}.{name}", member
            parts = vars(member).items() if inspect.isclass(member) else ()
            for part, value in parts:
                if not part.startswith("_") and (callable(value) or hasattr(value, "__get__")):
                    yield f"{module.__name__}.{name}.{part}", value
    yield from ((f"samovar.errors.{name}", it) for name, it in vars(samovar.errors).items() if is_error(it))


def test_every_public_name_is_explained() -> None:
    assert [name for name, member in public_members() if not inspect.getdoc(member)] == []


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(site: Path) -> None:
    anchors = refs(site / "reference.html").anchors
    assert [name for name, _ in public_members() if name not in anchors] == []
