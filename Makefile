# The commands of the project. Each makes what it needs in .venv; nothing is installed outside this folder.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test check unit coverage golden words pictures docs soak bench bench-search bench-web bench-pages levels gpu clean

play: .venv/.play        ## sit down at the table: starts the site and opens it in a browser
	@$(BIN)/samovar serve

test: check unit         ## all that must hold

check: .venv/.dev        ## formatting, lint, types
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

unit: .venv/.dev         ## the tests, on all cores
	$(BIN)/pytest -n auto --dist worksteal

coverage: .venv/.dev     ## which lines of the rules the games' tests run, in plain Python
	SAMOVAR_PLAIN=1 $(BIN)/coverage run --source src/samovar/games -m pytest -p no:xdist tests/games
	$(BIN)/coverage report --skip-covered --show-missing

golden: .venv/.dev       ## write the golden playthroughs anew; read the difference before you commit it
	$(BIN)/python -m samovar.testing.golden --write

words: .venv/.dev        ## collect the sentences of the site for translation, and compile what is translated
	cd src/samovar/web && ../../../$(BIN)/python locale/collect.py

pictures: .venv/.dev     ## take the pictures of docs/ anew (needs Chromium)
	$(BIN)/python docs/take_pictures.py

docs: .venv/.dev         ## the documentation site, into site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

soak: .venv/.dev         ## kill -9 under load, two hundred times
	SAMOVAR_KILLS=200 $(BIN)/pytest -p no:xdist tests/web/test_durability.py -k kill_9

bench: .venv/.dev        ## moves per second on this machine, and beside the peers, each in an environment of its own
	$(BIN)/samovar bench
	$(BIN)/samovar bench --peers

bench-search: .venv/.dev ## simulations per second, beside OpenSpiel's search
	$(BIN)/python benchmarks/search.py

bench-web: .venv/.dev    ## moves per second over HTTP, beside boardgame.io (needs Node)
	$(BIN)/python benchmarks/web.py

bench-pages: .venv/.dev  ## people at pages with streams, spectators, bots for a crowd: how late, and how much CPU (needs Node)
	$(BIN)/python benchmarks/web.py --pages
	$(BIN)/python benchmarks/web.py --spectators
	$(BIN)/python benchmarks/crowd.py

levels: .venv/.play      ## how strong the bots are: an hour or two on two cores
	$(BIN)/python benchmarks/levels.py

gpu: .venv/.play         ## GPU against CPU: same bytes, and how fast (needs an NVIDIA GPU and samovar[cuda])
	$(BIN)/python benchmarks/gpu.py

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Samovar needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.play: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/.dev: .venv/bin/python pyproject.toml constraints.txt examples/connect_four/pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]' -e examples/connect_four
	@touch $@ .venv/.play

clean:
	rm -rf .venv
