# Everything a contributor needs; `make` alone lists it.
#
#   PYTHON=python3.12   the Python that makes the virtual environment (3.11 or newer)
#   WORKERS=4           how many test processes run side by side
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
NODE := tests/interop/node
NODE_STAMP := $(NODE)/node_modules/.ready
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help setup demo test unit conformance interop chaos fmt lint style types layers lua sizes \
	bench docs wheel ci clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[cli,server,testing]" --group dev
	touch $(STAMP)

# npm trusts the machine's certificate authorities too, as pip does, not only Node's own list.
export NODE_EXTRA_CA_CERTS ?= $(wildcard /etc/ssl/certs/ca-certificates.crt)

# Node's side of the interop tests. Without npm they are skipped (in CI: they fail).
$(NODE_STAMP): $(NODE)/package-lock.json
	@if ! command -v npm >/dev/null; then \
		echo "npm is not installed: the tests with Node are left out"; \
	elif npm ci --prefix $(NODE) --ignore-scripts --no-audit --no-fund --loglevel error; then \
		touch $(NODE_STAMP); \
	else \
		echo "npm could not install BullMQ: the tests with Node are left out"; [ -z "$$CI" ]; \
	fi

setup: $(STAMP) $(NODE_STAMP) ## make the virtual environment, and install Node's side if npm is there

demo: $(STAMP) ## see it work: e-mails, retries, a job tree, on an embedded server
	@$(BIN)/bullpy demo

test: setup ## all tests
	$(PYTEST) -n $(WORKERS) --dist worksteal

unit: $(STAMP) ## pure rooms and wiring; no servers
	$(PYTEST) tests/unit -q

conformance: $(STAMP) ## replay the recorded traces of BullMQ
	$(PYTEST) tests/conformance -q -n $(WORKERS)

chaos: setup ## kill, freeze and cut what bullpy depends on
	$(PYTEST) tests/chaos -q

interop: setup ## work one queue together with BullMQ for Node
	$(PYTEST) tests/interop -q

fmt: $(STAMP) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --quiet .

lint: style types layers lua sizes ## all checks of style, types, layers, Lua and sizes

style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports --no-cache  # a stale cache once hid two rooms

# luacheck comes from the distribution: on a laptop it may be missing, in CI it must not.
lua: $(STAMP)
	@if command -v luacheck >/dev/null || [ -n "$$CI" ]; then \
		$(BIN)/python -m bullpy.scripts check; \
	else echo "luacheck is not installed: the Lua is not checked"; fi

sizes: $(STAMP)
	$(PYTEST) tests/packaging/test_sizes.py -q

bench: setup ## bullpy beside BullMQ for Node, quickly
	$(BIN)/python -m benchmarks --quick

docs: $(STAMP) ## build the documentation
	$(BIN)/mkdocs build --strict --quiet

wheel: $(STAMP) ## build the wheel and the source distribution
	$(BIN)/python -m build --outdir dist

ci: lint docs wheel test ## what CI runs

clean: ## remove what was built
	rm -rf $(VENV) $(NODE)/node_modules dist site
