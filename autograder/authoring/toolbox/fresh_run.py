"""Run a notebook's cells from the top in a new process."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.authoring.toolbox.exercises import Result

FRESH = "NOTEBOOK_RUNS_FRESH"  # in the environment of that process
SECONDS = 120
# It writes a line after each cell, so that partial results are known when time is up.
RUNNER = """
import importlib, json, pathlib, sys
from traitlets.config import Config
from IPython.core.interactiveshell import InteractiveShell

settings = Config()
settings.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=settings)
for checks in map(pathlib.Path, sys.argv[2:]):  # as the notebook's first cell does, which is not run
    sys.path.insert(1, str(checks.parent))
    importlib.import_module("toolbox").begin(checks.stem.removesuffix("_checks"))
cells = json.load(sys.stdin)
with open(sys.argv[1], "w", encoding="utf-8") as answers:
    for source in cells:
        ran = shell.run_cell(source)
        error = ran.error_before_exec or ran.error_in_exec
        said = "" if error is None else f"{type(error).__name__}: {error}".strip(": ")
        print(json.dumps(said[:300]), file=answers, flush=True)
    results = getattr(sys.modules.get("toolbox"), "RESULTS", {})
    print(json.dumps({name: list(result) for name, result in results.items()}), file=answers)
"""


class FreshRun(NamedTuple):
    """How a notebook's cells ended in a new process."""

    errors: list[str]  # exception of each cell that was run, in order, "" if it ran through
    results: dict[str, Result]  # of the visible checks, by exercise
    trouble: str = ""  # the reason if not all cells were run


def run_fresh(
    sources: Sequence[str],
    folder: Path = Path(),
    checks: Path | None = None,
    seconds: float = SECONDS,
) -> FreshRun:
    """Run these code cells in a new process, in `folder`, and return how they ended.

    A cell that raises does not stop the others. `checks`: the file of visible checks, beside which
    the toolbox is. `seconds`: the time limit of all cells together. If the time is over, or the
    process ends too early or cannot be started, the result has only the cells that ended, no
    results of checks, and the reason in `trouble`.
    """
    imported = [str(checks.resolve())] if checks else []
    environment = os.environ | {FRESH: "1", "MPLBACKEND": "agg", "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory() as place:
        answers, trouble = Path(place, "answers"), ""
        try:
            subprocess.run(
                [sys.executable, "-c", RUNNER, str(answers), *imported],
                input=json.dumps(list(sources)).encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=environment,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            trouble = f"it takes longer than {seconds:.0f} seconds"
        except OSError as error:
            trouble = f"no process can be started here ({error.strerror})"
        output = answers.read_text(encoding="utf-8") if answers.is_file() else ""
    lines = [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith("\n")]
    if len(lines) <= len(sources):
        return FreshRun(lines, {}, trouble or "the process ended before the last cell")
    results = {str(name): _result(result) for name, result in lines[-1].items()}
    return FreshRun(lines[:-1], results)


def _result(parts: list) -> Result:
    state, passed, *question_and_message = parts
    return Result(state, tuple(passed), *question_and_message)
