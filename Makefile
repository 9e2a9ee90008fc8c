# Two commands do everything: `make demo` and `make test`. Both work on a machine that has Python, pip, git and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# The inner loop: the language, its analysis and its plans, without what is marked slow.
QUICK := tests/analyse tests/cli tests/data tests/explanation tests/frontend tests/ir tests/mistakes tests/plan tests/words \
         tests/test_*.py
# A worker takes tests that stand together, and so compiles a spec once for all of them.
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test quick lint format bench fuzz kills oldest clean

demo: $(VENV)/.installed
	$(BIN)/python examples/tour.py
	$(BIN)/python examples/moons.py
	$(BIN)/python examples/burgers.py

test: $(VENV)/.developed lint
	$(PYTEST)

quick: $(VENV)/.developed
	$(PYTEST) -m "not slow" $(QUICK)

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
	$(BIN)/python benchmarks/data_space.py
	$(BIN)/python benchmarks/image_plane.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/losses.py
	$(BIN)/python benchmarks/attacks.py
	$(BIN)/python -m pip install --quiet 'deepxde>=1.15'  # a peer that nothing else needs
	$(BIN)/python benchmarks/physics.py

# A whole test set, attacked inside its certified radii; AutoAttack beside the reference.
certified: $(VENV)/.developed
	$(BIN)/python benchmarks/certified.py
	$(BIN)/python benchmarks/agreement.py

# Specs that nobody would write, the same for the same seed: see tests/fuzzing.
CASES ?= 10000
SEED  ?= 0
fuzz: $(VENV)/.developed
	PYTHONPATH=tests $(BIN)/python -m fuzzing --cases $(CASES) --seed $(SEED)

# Runs that are killed and go on: see tests/killing.
KILLS ?= 200
kills: $(VENV)/.developed
	PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m killing --kills $(KILLS) --seed $(SEED)

# Every dependency of the product in the oldest version that pyproject.toml allows; what only the tests need is new, and so
# is what the dependencies need, of which old ones warn.
OLDEST := .oldest
TRIED  := tests/data tests/emit tests/evaluation/test_compare.py tests/evaluation/test_run.py tests/frontend tests/ir \
          tests/plan tests/solving/test_grid.py tests/solving/test_run.py tests/solving/test_saved.py \
          tests/training/test_checkpoint.py tests/training/test_resume.py tests/test_quoting.py
oldest:
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python .ci/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt --editable . \
	  build foolbox hatchling markdown-it-py pytest-xdist scikit-fem
	$(OLDEST)/bin/python -m pytest -n 2 --dist worksteal -W ignore::DeprecationWarning -m "not slow" $(TRIED)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	$(BIN)/python -m compileall -q pdedsl
	touch $@

$(VENV)/.developed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps 'adv-lib==0.2.8'  # visdom, for its plots, does not build
	$(BIN)/python -m compileall -q pdedsl
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) $(OLDEST) demo dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
