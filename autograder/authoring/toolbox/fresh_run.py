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
# It writes a line for each cell that has ended, so that something is known when time is up.
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
    """How a notebook's cells ended in a new process: for each cell that was run, in order, its
    exception in words ("" if none); the results of the visible checks, by exercise; and why not all
    cells were run ("" if all were).
    """

    errors: list[str]  # the empty string: it ran through
    results: dict[str, Result]  # of the checks
    trouble: str = ""  # why not all of them ran


def run_fresh(
    sources: Sequence[str],
    folder: Path = Path(),
    checks: Path | None = None,
    seconds: float = SECONDS,
) -> FreshRun:
    """Run these code cells (source texts) in a new process, in `folder`; return how they ended. A
    cell that raises does not stop the others.

    `checks`: the file of visible checks, beside which the toolbox is, None for none; `seconds`: the
    time limit of all cells together. If the time is over, or the process ends too early or cannot
    be started, the result has only the cells that ended, no results of checks, and the reason in
    `trouble`.
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
        written = answers.read_text(encoding="utf-8") if answers.is_file() else ""
    lines = [json.loads(line) for line in written.splitlines(keepends=True) if line.endswith("\n")]
    if len(lines) <= len(sources):
        return FreshRun(lines, {}, trouble or "the process ended before the last cell")
    results = {str(name): _result(result) for name, result in lines[-1].items()}
    return FreshRun(lines[:-1], results)


def _result(parts: list) -> Result:
    """Return the `Result` with these fields, which came as JSON."""
    state, passed, *rest = parts
    return Result(state, tuple(passed), *rest)
