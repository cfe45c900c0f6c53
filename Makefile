# The commands of the project. Each makes what it needs in .venv; nothing is installed outside this folder.
PYTHON ?= python3
BIN := .venv/bin

PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
PYTEST := $(BIN)/pytest -n auto --dist worksteal
unexport PYTHONDONTWRITEBYTECODE # the tests start hundreds of processes: each would compile all that it imports

.PHONY: play test test-all check unit rest wheel-test stored release coverage golden words pictures docs soak fuzz bench bench-limit bench-search bench-web bench-pages figures levels gpu gpu-both clean

play: .venv/.play        ## sit down at the table: starts the site and opens it in a browser
	@$(BIN)/samovar serve

test: .venv/.test        ## what a change usually breaks; says at its end what it left out
	@$(MAKE) --no-print-directory -j2 check unit

test-all: test rest wheel-test ## all that must hold: browser, PostgreSQL, processes, research, every variant, the wheel

check: .venv/.test       ## formatting, lint, types
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

unit: .venv/.test        ## the tests of the quick tier, on all cores
	$(PYTEST) --tier quick

rest: .venv/.dev         ## the tests that the quick tier leaves out; many of them wait
	$(BIN)/pytest -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal --tier rest
	$(PYTEST) --tier browser

wheel-test: .venv/.test  ## builds the source package, and the wheel from it; installs that alone in an environment of its own, and plays
	$(BIN)/python tools/wheel_test.py

stored: .venv/.dev       ## make stored REVISION=v1.2.3 NAME=1.2.3: what that version writes, for the tests of later ones
	PYTHONPATH=tools $(BIN)/python -m stored "$(REVISION)" "$(NAME)"
	$(BIN)/pytest -p no:xdist tests/web/test_stored.py

release: .venv/.dev      ## make release VERSION=1.2.3: checks everything, then tags it and builds its packages
	$(BIN)/python tools/release.py $(VERSION)

coverage: .venv/.dev     ## which lines of the rules the games' tests run, in plain Python
	SAMOVAR_PLAIN=1 $(BIN)/coverage run --source src/samovar/games -m pytest -p no:xdist tests/games
	$(BIN)/coverage report --skip-covered --show-missing

golden: .venv/.dev       ## write the golden playthroughs anew; read the difference before you commit it
	$(BIN)/python -m samovar.testing.golden --write

words: .venv/.dev        ## collect the sentences of the site for translation, and compile what is translated
	$(BIN)/python -m samovar.language.locale.collect

pictures: .venv/.dev     ## take the pictures of docs/ anew (needs Chromium)
	$(BIN)/python docs/take_pictures.py

docs: .venv/.test        ## the documentation site, into site/; a broken link fails
	$(BIN)/python docs/generate.py build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file build/docs/mkdocs.yml --site-dir ../../site

soak: .venv/.dev         ## kill -9 under load, two hundred times
	SAMOVAR_KILLS=200 $(BIN)/pytest -p no:xdist tests/web/test_durability.py -k kill_9

SECONDS ?= 120
SEED ?= 1
fuzz: .venv/.test        ## make fuzz SECONDS=60 SEED=7: our own hostile visitor does everything there is to do, and all must hold
	SAMOVAR_PLAIN=1 PYTHONPATH=tests $(BIN)/python -m support.hostile --seconds $(SECONDS) --seed $(SEED)

bench: .venv/.dev        ## moves per second on this machine, and beside the peers, each in an environment of its own
	$(BIN)/samovar bench
	$(BIN)/python benchmarks/peers.py

bench-search: .venv/.dev ## simulations per second, beside OpenSpiel's search
	$(BIN)/python benchmarks/search.py

bench-limit: .venv/.play  ## the rules written in Python beside C written by hand (needs gcc); on a GPU, too, where there is nvcc
	$(BIN)/python benchmarks/limit/measure.py
	@if command -v nvcc && command -v nvidia-smi; then $(BIN)/python benchmarks/limit/measure.py --gpu; fi

bench-web: .venv/.dev    ## moves per second over HTTP, beside boardgame.io (needs Node)
	$(BIN)/python benchmarks/web.py

bench-pages: .venv/.dev  ## people at pages with streams, spectators, bots for a crowd: how late, and how much CPU (needs Node)
	$(BIN)/python benchmarks/web.py --pages
	$(BIN)/python benchmarks/web.py --spectators
	$(BIN)/python benchmarks/crowd.py

figures: .venv/.dev      ## every figure that the pages promise, and what falls short; make figures WRITE=1 on a quiet machine writes them down
	$(BIN)/python benchmarks/figures.py $(if $(WRITE),--write) $(if $(ONLY),--only $(ONLY))

levels: .venv/.play      ## how strong the bots are: an hour or two on two cores
	$(BIN)/python benchmarks/levels.py

gpu: .venv/.play         ## GPU against CPU: same bytes, and how fast (needs an NVIDIA GPU and samovar-games[cuda])
	$(BIN)/python benchmarks/gpu.py

gpu-both: .venv/.play    ## the same with numba-cuda and numba-cuda-mlir, side by side (needs samovar-games[cuda,cuda-next])
	$(BIN)/python benchmarks/gpu.py --both

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Samovar needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.play: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e .
	@touch $@

.venv/.test: .venv/bin/python pyproject.toml constraints.txt examples/connect_four/pyproject.toml
	$(PIP) pip hatchling editables wheel # pip: that of older Pythons takes twice as long; the others here, not once more for each package; wheel builds http_ece, which comes as source
	$(PIP) --no-build-isolation -e '.[test]' -e examples/connect_four
	@touch $@ .venv/.play

.venv/.dev: .venv/.test
	$(PIP) -e '.[dev]'
	@touch $@

clean:
	rm -rf .venv build dist site
