# Two commands do everything: `make demo` and `make test`. Both work on a machine that has Python, pip, git and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Python compiles a module when it is first imported; most modules of the dependencies never are.
PIP    := $(BIN)/python -m pip install --quiet --no-compile

# Tests of the language, the analysis and the planning, without those marked slow.
QUICK := tests/analysis tests/cli tests/config tests/data tests/errors tests/explainer tests/ir tests/language tests/planning \
         tests/test_*.py
# Workers take consecutive tests, so that a spec is compiled once for all of its tests.
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test long quick lint format bench fuzz edits vscode kills oldest playground docs docs/build pages clean

demo: $(VENV)/.installed
	$(BIN)/python examples/tour.py
	$(BIN)/python examples/moons.py
	$(BIN)/python examples/burgers.py

# Lint runs in parallel with the tests. MARKED='not notebook' includes the long tests.
MARKED ?= not long and not notebook
test: $(VENV)/.developed
	$(MAKE) lint > $(VENV)/lint.log 2>&1 & lint=$$!; $(PYTEST) -m "$(MARKED)"; tests=$$?; \
	wait $$lint; lint=$$?; cat $(VENV)/lint.log; rm $(VENV)/lint.log; exit $$((tests + lint))

# Long tests: fuzzing campaigns, comparisons with other libraries, examples, killed processes.
long: $(VENV)/.developed
	$(PYTEST) -m long

quick: $(VENV)/.developed
	$(PYTEST) -m "not slow and not long" $(QUICK)

lint: $(VENV)/.developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.developed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.developed
	$(BIN)/python benchmarks/start_up.py
	$(BIN)/python benchmarks/testing.py
	$(BIN)/python benchmarks/editor.py
	$(BIN)/python benchmarks/data_space.py
	$(BIN)/python benchmarks/image_plane.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/losses.py
	$(BIN)/python benchmarks/attacks.py
	$(BIN)/python -m pip install --quiet 'deepxde>=1.15'  # a peer that nothing else needs
	$(BIN)/python benchmarks/physics.py
	$(BIN)/python benchmarks/families.py

# Attacks on a test set inside its certified radii; AutoAttack compared with the reference implementation.
certified: $(VENV)/.developed
	$(BIN)/python benchmarks/certified.py
	$(BIN)/python benchmarks/agreement.py

# Random specs, the same for the same seed: see tests/fuzzing.
CASES ?= 10000
SEED  ?= 0
fuzz: $(VENV)/.developed
	PYTHONPATH=tests $(BIN)/python -m fuzzing --cases $(CASES) --seed $(SEED)

# Random edits of the shipped specs, with every editor request after each: see tests/fuzzing/edits.py.
EDITS ?= 10000
edits: $(VENV)/.developed
	PYTHONPATH=tests $(BIN)/python -m fuzzing.edits --edits $(EDITS) --seed $(SEED)

# The extension for Visual Studio Code, with npm alone: editors/vscode/pdedsl.vsix.
vscode:
	cd editors/vscode && npm ci && npm run package

# Runs that are killed and resumed: see tests/killing.
KILLS ?= 200
kills: $(VENV)/.developed
	PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m killing --kills $(KILLS) --seed $(SEED)

# Every run-time dependency in the oldest version that pyproject.toml allows; test dependencies are recent, and so are
# indirect dependencies, of which old versions warn.
OLDEST := .oldest
TRIED  := tests/attacks tests/certificates tests/data tests/codegen tests/evaluation/test_compare.py tests/evaluation/test_run.py tests/language tests/ir \
          tests/planning tests/problem tests/runtime/test_step_doubling.py tests/solvers/test_grid.py tests/solvers/test_run.py tests/solvers/test_serialize.py \
          tests/runs/test_checkpoint.py tests/training/test_resume.py tests/test_escaping.py
oldest:
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python .ci/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt --editable . \
	  build foolbox hatchling markdown-it-py 'pytest-lsp>=1.0' pytest-xdist scikit-fem \
	  fenics-basix fenics-ffcx fenics-ufl
	$(OLDEST)/bin/python -m pytest -n 2 --dist worksteal -W ignore::DeprecationWarning -W ignore::UserWarning \
	  -m "not slow and not long" $(TRIED)

# The playground: static pages in playground/dist, built by npm, with wheels from pip.
playground: $(VENV)/bin/python
	cd playground && npm ci --no-audit --no-fund --loglevel=error && PYTHON=$(CURDIR)/$(BIN)/python npm run --silent build

# The documentation with the playground inside: docs/build/index.html. A warning or a broken link is an error.
docs: $(VENV)/.documented
	$(MAKE) --jobs=2 playground docs/build
	rm -rf docs/build/playground && cp -r playground/dist docs/build/playground
	$(BIN)/python docs/check_links.py docs/build

docs/build: $(VENV)/.documented
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/build

# Documentation and playground, and tests of the playground in a headless Chromium.
pages: docs
	$(BIN)/python -m pytest playground/tests docs/tests

$(VENV)/.documented: $(VENV)/.developed
	$(PIP) --editable '.[docs]'
	touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(PIP) --editable .
	$(BIN)/python -m compileall -q -j 0 pdedsl
	touch $@

$(VENV)/.developed: $(VENV)/bin/python pyproject.toml
	$(PIP) --editable '.[dev]'
	$(PIP) --no-deps 'adv-lib==0.2.8'  # visdom, for its plots, does not build
	$(BIN)/python -m compileall -q -j 0 pdedsl
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) $(OLDEST) demo dist docs/build docs/generated docs/jupyter_execute playground/build playground/dist playground/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis
