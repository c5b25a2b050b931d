# Every verb of the project. `make` alone lists them; each makes .venv first if it is missing or old.
PYTHON ?= python3
ASSIGNMENT ?= encoder-layer
BIN := .venv/bin
VENV := .venv/.made

.DEFAULT_GOAL := help
.PHONY: help demo test bench bench-peers matrix kills new release solution grade feedback lab check clean

help:  ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)  ## grade an invented class of 12 in demo/ and show where to look
	@$(BIN)/python -m autograder.cli.demo

test: $(VENV)  ## run the test suite
	@$(BIN)/python -m pytest

bench: $(VENV)  ## measure what a verdict costs, against the bare limit (about 8 minutes)
	@$(BIN)/python -m benchmarks.verdict

bench-peers: $(VENV)  ## measure a class with nbgrader, otter-grader and ours (about 30 minutes)
	@$(BIN)/python -m benchmarks.peers

matrix: $(VENV)  ## try the graders on every known mistake and every correct variant (2 minutes)
	@$(BIN)/python -m autograder.authoring.kill_matrix

kills: $(VENV)  ## kill runs, workers and schedulers at 20 random moments, and compare (12 minutes)
	@$(BIN)/python -m tests.kills.kills

new: $(VENV)  ## begin an assignment, or add an exercise: ASSIGNMENT=a [EXERCISE=e [KIND=function]]
	@$(BIN)/python -m autograder new $(ASSIGNMENT) $(EXERCISE) $(if $(KIND),--kind $(KIND))

release: $(VENV)  ## make release/ from source/, the version for students
	@$(BIN)/python -m autograder.authoring.publish release $(ASSIGNMENT)

solution: $(VENV)  ## make solution/ from source/, executed
	@$(BIN)/python -m autograder.authoring.publish solution $(ASSIGNMENT)

grade: $(VENV)  ## grade submitted/, into results/ and the gradebook
	@$(BIN)/python -m autograder grade submitted --assignment $(ASSIGNMENT)

feedback: $(VENV)  ## make feedback/, a page for each student
	@$(BIN)/nbgrader generate_feedback $(ASSIGNMENT) --force

lab: $(VENV)  ## open JupyterLab, with nbgrader's formgrader
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/jupyter lab

check: $(VENV)  ## lint, types, what assignments lack, and whether release/ is what source/ makes
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/python -m autograder lint
	@$(BIN)/python -m autograder.authoring.publish check $(ASSIGNMENT)

clean:  ## remove what make made; submissions, results and gradebook stay
	@rm -rf .venv .peers demo matrix solution *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "make: Python 3.11 or newer is needed; say which: make PYTHON=python3.12 ..."; exit 1; }
	@echo "make: installing into .venv (a minute or two, once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
