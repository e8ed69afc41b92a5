# envsync: every task a person needs. `make demo` and `make test` set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
TESTS ?= tests
WORKERS ?= auto

.PHONY: help setup demo test test-versions check format docs bench lock clean

help: ## List these tasks
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "envsync needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing envsync into $(VENV) ..."
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.development: requirements-dev.lock $(VENV)/.runtime
	@echo "Installing what tests and checks need into $(VENV) ..."
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.runtime ## Make .venv with envsync in it

demo: setup ## Plan, apply, edit and meet a conflict on the sample repository
	@$(BIN)/envsync demo

test: $(VENV)/.development ## Run the tests (installs PostgreSQL first, where it may)
	@sh tests/prepare.sh
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(TESTS)

test-versions: $(VENV)/.development ## Run the tests on every newer Python of this machine
	@sh tests/versions.sh

check: $(VENV)/.development ## Format, lint, types, layers, dead code, dependencies
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/vulture
	$(BIN)/deptry .

format: $(VENV)/.development ## Format the code and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.development ## Write the generated reference pages anew
	$(BIN)/python -m envsync.cli.reference docs

bench: $(VENV)/.development ## Measure, side by side with what a person would use instead
	$(BIN)/python -m benchmarks

lock: $(VENV)/.development ## Resolve the dependencies anew into the lock files
	@sh scripts/lock.sh $(BIN)

clean: ## Remove what these tasks made
	rm -rf $(VENV) .venv-3.* .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
