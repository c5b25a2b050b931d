# Every verb of the project. `make` alone lists them; each makes .venv first if it is missing or old.
PYTHON ?= python3
ASSIGNMENTS := $(notdir $(patsubst %/,%,$(sort $(wildcard source/*/))))
ONE = $(or $(ASSIGNMENT),$(if $(word 2,$(ASSIGNMENTS)),$(error $@ is about one assignment: \
	add ASSIGNMENT= and one of $(ASSIGNMENTS)),$(ASSIGNMENTS)))
# PyTorch's index of wheels for the CPU, without CUDA: README.md says where to find its address
TORCH_INDEX ?=
BIN := .venv/bin
VENV := .venv/.made
SITE := .venv/.site
AUTOGRADER := $(BIN)/python -m autograder
# where root grades, candidates run as another user, who has to read the packages
INSTALL := umask 022; $(BIN)/python .make/install.py $(if $(TORCH_INDEX),--extra-index-url '$(TORCH_INDEX)')
# a fork of a process with torch copies its page tables: of large pages, a fraction
export PYTHONMALLOC := malloc
export GLIBC_TUNABLES := glibc.malloc.hugetlb=1
unexport PYTHONDONTWRITEBYTECODE  # images set it: each started process would compile all modules again
THESE = $(or $(ASSIGNMENT),$(ASSIGNMENTS))
STUDENTS := 12
# the demo's class is the project's own code: where no sandbox works, it is graded as practice, unasked
INVENTED := --sandbox auto --yes-run-untrusted-code-unprotected
FAST := -m "not walls and not browser and not database and not slow and not long"

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-long walls fuzz check format bench bench-peers matrix kills
.PHONY: new release solution grade report feedback lab docs pictures clean

help:  ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "Verbs about assignments take ASSIGNMENT=..., and without it all: $(or $(ASSIGNMENTS),there is none yet)."
	@echo "bench-peers and kills are about one."

demo: $(VENV)  ## grade an invented class of 12 in demo/ and show where to look
	@$(BIN)/python .make/demo.py $(THESE) --students $(STUDENTS) --grade='$(INVENTED)' $(if $(ASSIGNMENT),--release $(ASSIGNMENT))

test: $(VENV)  ## run the test suite
	@$(BIN)/python -m pytest

test-fast: $(VENV)  ## run the tests that are quick: without walls, browser and database
	@$(BIN)/python -m pytest $(FAST)

test-long: $(VENV)  ## run what takes long: margins, the rest of the kill matrix and of the attacks, JupyterLab, pages without walls, docs, hosts that fail, PyPI's torch, the demo without namespaces
	@$(BIN)/python -m pytest -m long

walls: $(VENV)  ## take each wall down, one by one, and see which test misses it: WALL="filter limit"
	@$(BIN)/python -m tests.walls.take_down $(WALL)

fuzz: $(VENV)  ## give the tests of "any input" 20,000 examples each instead of 50 (an hour)
	@$(BIN)/python -m pytest -m hypothesis --hypothesis-profile long --timeout 7200

check: $(VENV)  ## lint, types, plain language, what assignments lack, and whether release/ is what source/ makes
	@$(AUTOGRADER) release --check
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check || { echo "make: run make format"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo > .venv/.rooms || { cat .venv/.rooms; exit 1; }
	@$(BIN)/python .make/language.py

format: $(VENV)  ## put the code into its usual form
	@$(BIN)/ruff check --fix --quiet
	@$(BIN)/ruff format --quiet

bench: $(VENV)  ## measure what a verdict costs, against the bare limit (8 minutes each)
	@for one in $(THESE); do \
		$(BIN)/python -m tests.benchmarks.verdict --assignment $$one || exit; done

bench-peers: $(VENV)  ## measure a class with nbgrader, otter-grader and ours (about 30 minutes)
	@$(BIN)/python -m tests.benchmarks.peers --assignment $(ONE)

matrix: $(VENV)  ## try the graders on every mistake, every variant, and mixtures of them (5 minutes each)
	@$(AUTOGRADER) matrix $(ASSIGNMENT) $(if $(EXERCISE),--exercise $(EXERCISE)) $(if $(MISTAKE),--mistake $(MISTAKE))

kills: $(VENV)  ## kill runs, workers and schedulers at 20 random moments, and compare (12 minutes)
	@$(BIN)/python -m tests.kills.kills --assignment $(ONE)

new: $(VENV)  ## begin an assignment: ASSIGNMENT=my-sheet, or an exercise of it: EXERCISE=rms_norm
	@$(AUTOGRADER) new $(or $(ASSIGNMENT),$(error say how it is called: make new ASSIGNMENT=my-sheet)) $(EXERCISE) $(if $(KIND),--kind $(KIND)) $(if $(NAME),--name $(NAME))

release: $(VENV)  ## make release/ from source/, the version for students
	@$(AUTOGRADER) release $(ASSIGNMENT)

solution: $(VENV)  ## make solution/ from source/, executed
	@$(AUTOGRADER) release --solution $(ASSIGNMENT)

grade: $(VENV)  ## grade submitted/, into results/ and the gradebook
	@$(AUTOGRADER) grade submitted $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT))

report: $(VENV)  ## make report.html, a page about the class: ROSTER=roster.csv for sections, NAMES=1 to say who
	@$(AUTOGRADER) report results --out report.html $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT)) $(if $(ROSTER),--roster $(ROSTER)) $(if $(NAMES),--names)

feedback: $(VENV)  ## make feedback/, a page for each student, anew where a grade has changed
	@$(AUTOGRADER) feedback $(ASSIGNMENT)

lab: $(VENV)  ## open JupyterLab, with nbgrader's formgrader
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/jupyter lab

docs: $(SITE)  ## make site/ of the pages, with a search: links are checked
	@$(BIN)/zensical build --strict --config-file .zensical.toml
	@echo "open site/index.html, or for the search http://localhost:8000 after: python3 -m http.server --directory site --bind localhost"

pictures: $(VENV)  ## make the README's pictures from the demo, with Chromium: docs/pictures/
	@[ -f demo/report.html ] || $(MAKE) --no-print-directory demo
	@$(AUTOGRADER) release --solution encoder-layer
	@$(BIN)/python .make/pictures.py

clean:  ## remove what make made; submissions, results and gradebook stay
	@rm -rf .venv .peers .cache demo matrix site solution *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "make: Python 3.11 or newer is needed; say which: make PYTHON=python3.12 ..."; exit 1; }
	@echo "make: installing into .venv, once: 0.4 GB to download, or 3 where torch brings CUDA (README.md says how to do without)"
	@umask 022; $(PYTHON) -m venv .venv
	@$(INSTALL) --constraint requirements.lock --editable '.[dev]'
	@touch $@

$(SITE): $(VENV)
	@$(INSTALL) --constraint requirements.lock --editable '.[docs]'
	@touch $@
