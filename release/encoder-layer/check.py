"""Whether a saved notebook of `encoder-layer` is fit to be handed in: python check.py encoder-layer.ipynb

Nothing is hidden in this file: it looks at which cells are there, and runs the notebook with its own
visible checks in a process of its own. That is for your own notebook: its code is run as it is. Needs
what the notebook needs (requirements.txt). Made from the same modules as the notebook's toolbox.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Exercise(NamedTuple):
    """One exercise, as its heading says."""

    number: str
    title: str
    points: int
    minutes: int
    defines: tuple[str, ...] = ()  # classes and functions that its solution cell defines
    by_hand: bool = False  # a person reads the answer
    form_only: bool = (
        False  # its visible check sees whether it is filled in, and not whether it is right
    )


EXERCISES: dict[str, Exercise] = {}  # filled in the notebook, by solution cell


class Result(NamedTuple):
    """How a check ended."""

    state: str  # "done", "open" or "failing"
    passed: tuple[str, ...] = ()  # the steps before
    question: str = ""  # of the step that failed
    message: str = ""


RESULTS: dict[str, Result] = {}  # of the checks that ran, by solution cell


def title_of(exercise: str) -> str:
    """Return "Exercise 3a", or the cell's name where there is no such exercise."""
    known = EXERCISES.get(exercise)
    return f"Exercise {known.number}" if known else exercise


def exercise_that_defines(name: str) -> str:
    """Return the exercise whose cell defines a class or function; "" if there is none."""
    found = (id for id, exercise in EXERCISES.items() if name in exercise.defines)
    return next(found, "")


def worth(exercise: Exercise) -> str:
    """Return "4 points · 20 min"."""
    points = "1 point" if exercise.points == 1 else f"{exercise.points} points"
    return f"{points} · {exercise.minutes} min"


MAX_BYTES = 32 << 20
SKIPPED = "skip-grading"  # tag of provided cells that grading does not run
AS_RELEASED: dict[str, str] = {}  # filled in the released notebook: fingerprints of its cells
DOWNLOAD = "save it from Jupyter, or download it with File > Download as a notebook (.ipynb)"


class NoNotebook(Exception):
    """There is no notebook to look at; the message says why, and what to do."""


class SavedCell(NamedTuple):
    """One cell of the file."""

    kind: str  # "code", "markdown", "raw"
    source: str
    names: tuple[str, ...] = ()  # nbgrader's id, then the cell's own
    skipped: bool = False


def fingerprint(source: str) -> str:
    """Return a short hash of a cell's text, white space at the ends of lines aside."""
    lines = [line.rstrip() for line in source.strip().splitlines()]
    return hashlib.sha256("\n".join(lines).encode(errors="replace")).hexdigest()[:12]


def read_saved(path: Path) -> list[SavedCell]:
    """Return the cells of a notebook file. Raises `NoNotebook`."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise NoNotebook(f"`{path.name}` is too large: clear its outputs and save it.")
        data = path.read_bytes()
    except OSError as error:
        raise NoNotebook(f"`{path}` cannot be opened: {error.strerror}.") from error
    if data.lstrip().startswith(b"<"):
        raise NoNotebook(f"`{path.name}` is a web page, not a notebook: {DOWNLOAD}.")
    try:
        return cells_of(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise NoNotebook(
            f"`{path.name}` is no notebook (its JSON is damaged): {DOWNLOAD}."
        ) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise NoNotebook(f"`{path.name}` is no notebook with cells: {DOWNLOAD}.") from error


def cells_of(notebook: Any) -> list[SavedCell]:
    """Return the cells of a notebook's JSON. Raises `KeyError`, `TypeError`, `AttributeError`."""
    cells = []
    for cell in notebook["cells"]:
        about = cell.get("metadata", {})
        names = about.get("nbgrader", {}).get("grade_id"), cell.get("id"), about.get("id")
        cells.append(
            SavedCell(
                str(cell["cell_type"]),
                "".join(cell.get("source", "")),
                tuple(dict.fromkeys(str(name) for name in names if name)),
                SKIPPED in about.get("tags", ()),
            )
        )
    return cells


def find_saved(space: Mapping[str, Any], known: Collection[str]) -> Path:
    """Return the file of the notebook that is running. Raises `NoNotebook`.

    Jupyter and VS Code tell its name; elsewhere it is the one notebook in this folder with cells
    that are `known`.
    """
    told = str(space.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or "")
    if told.endswith(".ipynb"):
        for path in (Path(told), Path(Path(told).name)):
            if path.is_file():
                return path
    found = [path for path in sorted(Path().glob("*.ipynb")) if _has_one_of(path, known)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(path.name for path in found)
        raise NoNotebook(
            f"Several notebooks here could be meant: {names}. Name one in the brackets."
        )
    raise NoNotebook(
        'The saved file was not found. Name it, as in fit_to_hand_in("folder/name.ipynb"), or '
        "download the notebook and run `python check.py name.ipynb` on it."
    )


def when_saved(path: Path) -> str:
    """Say when the file was written."""
    changed = path.stat().st_mtime
    minutes = int((time.time() - changed) // 60)
    count, unit = (minutes, "minute") if minutes < 120 else (minutes // 60, "hour")
    ago = f"{count} {unit}{'s' * (count > 1)} ago"
    at = time.strftime("%d %B, %H:%M", time.localtime(changed))
    return f"Saved: {path.name}, {at}, {ago if minutes else 'just now'}."


def cells_in_colab() -> list[SavedCell]:
    """Return the cells that Colab has now; none elsewhere."""
    try:
        from google.colab import _message  # type: ignore[import-not-found, unused-ignore]

        return cells_of(_message.blocking_request("get_ipynb", timeout_sec=20)["ipynb"])
    except (ImportError, KeyError, TypeError, AttributeError):
        return []


def _has_one_of(path: Path, known: Collection[str]) -> bool:
    try:
        return any(name in known for cell in read_saved(path) for name in cell.names)
    except NoNotebook:
        return False


FRESH = "NOTEBOOK_RUNS_FRESH"  # in the environment of that process
SECONDS = 120
# It writes a line for each cell that has ended, so that something is known when time is up.
RUNNER = """
import json, sys
from traitlets.config import Config
from IPython.core.interactiveshell import InteractiveShell

settings = Config()
settings.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=settings)
cells = json.load(sys.stdin)
with open(sys.argv[1], "w", encoding="utf-8") as answers:
    for source in cells:
        ran = shell.run_cell(source)
        error = ran.error_before_exec or ran.error_in_exec
        said = "" if error is None else f"{type(error).__name__}: {error}".strip(": ")
        print(json.dumps(said[:300]), file=answers, flush=True)
    results = shell.user_ns.get("RESULTS", {})
    print(json.dumps({name: list(result) for name, result in results.items()}), file=answers)
"""


class FreshRun(NamedTuple):
    """How the cells ended, in their order, as far as they did."""

    errors: list[str]  # the empty string: it ran through
    results: dict[str, Result]  # of the checks
    trouble: str = ""  # why not all of them ran


def run_fresh(sources: Sequence[str], folder: Path = Path(), seconds: float = SECONDS) -> FreshRun:
    """Run code cells in `folder`; a cell that fails does not stop the others."""
    environment = os.environ | {FRESH: "1", "MPLBACKEND": "agg", "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory() as place:
        answers, trouble = Path(place, "answers"), ""
        try:
            subprocess.run(
                [sys.executable, "-c", RUNNER, str(answers)],
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
    state, passed, *rest = parts
    return Result(state, tuple(passed), *rest)


WORDS = {
    "done": "done",
    "filled": "filled in, and grading says whether it is right",
    "written": "written, not checked here",
    "by_hand": "written, and a person reads it",
    "open": "still open",
    "failing": "failing",
    "missing": "missing",
}
CHECKS = "check_"  # a check cell is named after its solution cell
MOST_TOLD = 3  # cells that stop: the later ones often stop because of the first


class Released(NamedTuple):
    """What the notebook of the assignment is: its exercises, and fingerprints of its cells."""

    exercises: Mapping[str, Exercise]
    cells: Mapping[str, str]


class Report(NamedTuple):
    """What was found in a file."""

    states: dict[str, str]  # by exercise: one of WORDS
    lines: list[str]  # one an exercise
    to_do: list[str]
    notes: list[str]

    @property
    def fit(self) -> bool:
        """Whether what is there can be graded as it is meant."""
        return not self.to_do

    @property
    def title(self) -> str:
        """The result in a sentence."""
        if not self.fit:
            count = len(self.to_do)
            return f"Not fit to be handed in yet: {count} thing{'s' * (count > 1)} to do."
        made = sum(state in ("done", "written", "by_hand") for state in self.states.values())
        if made == len(self.states):
            return f"Fit to be handed in: all {made} exercises are there."
        return f"Fit to be handed in as it is, with {made} of {len(self.states)} exercises."

    @property
    def text(self) -> str:
        """All that was found, line by line, first what is to do."""
        return "\n".join([*(f"To do: {one}" for one in self.to_do), *self.lines, *self.notes])


def refuse_another(cells: Sequence[SavedCell], released: Released, name: str) -> None:
    """Raise `NoNotebook` where no cell belongs to an exercise of the assignment."""
    if not any(_cell_of(one, cells, released) for one in released.exercises):
        raise NoNotebook(f"`{name}` has no cell of this assignment: is it the right file?")


def code_to_run(cells: Sequence[SavedCell]) -> list[SavedCell]:
    """Return the cells that grading would run, and the visible checks."""
    return [cell for cell in cells if cell.kind == "code" and not cell.skipped]


def report_on(
    cells: Sequence[SavedCell], released: Released, run: FreshRun | None = None
) -> Report:
    """Look through a notebook; `run` says how the cells of `code_to_run` ended, if they were run."""
    found = {name: _cell_of(name, cells, released) for name in released.cells}
    ended = {name: _ended(name, cells, released, run) for name in released.exercises}
    states = {
        name: _state(name, found.get(name), released, result) for name, result in ended.items()
    }
    lines = [
        _line(exercise, states[name], ended[name]) for name, exercise in released.exercises.items()
    ]
    to_do = [*_missing(states, released), *_doubled(cells, released)]
    if all(state in ("open", "missing") for state in states.values()):
        to_do.append("No exercise is answered yet.")
    if run:
        to_do += [*_failing_cells(code_to_run(cells), run, released), *_unknown_names(run, states)]
    return Report(states, lines, to_do, [*_renamed(found), *_provided_and_missing(found, states)])


def not_as_run(
    cells: Sequence[SavedCell], released: Released, history: Sequence[str]
) -> Iterator[str]:
    """Yield what to do where the cells that were run last are not those that are saved."""
    for name, exercise in released.exercises.items():
        cell = _cell_of(name, cells, released)
        ran = [text for text in history if _defines(text, exercise)]
        if cell and ran and fingerprint(ran[-1]) != fingerprint(cell.source):
            yield (
                f"{_title(name, released)}: what ran last is not what is saved. Run the cell once "
                "more, and save the notebook."
            )


def _cell_of(name: str, cells: Sequence[SavedCell], released: Released) -> SavedCell | None:
    """The cell with this name, the last of several; else the one that says or defines the same."""
    named = [cell for cell in cells if name in cell.names]
    if named:
        return named[-1]
    free = [cell for cell in cells if not set(cell.names) & released.cells.keys()]
    same = [cell for cell in free if fingerprint(cell.source) == released.cells.get(name)]
    exercise = released.exercises.get(name)
    if exercise and not same:
        same = [cell for cell in free if cell.kind == "code" and _defines(cell.source, exercise)]
    return same[-1] if same else None


def _defines(source: str, exercise: Exercise) -> bool:
    """Whether code defines what the exercise asks for."""
    names = "|".join(map(re.escape, exercise.defines))
    pattern = rf"^(?:(?:class|def)[ \t]+(?:{names})\b|(?:{names})[ \t]*=)"
    return bool(names) and re.search(pattern, source, re.MULTILINE) is not None


def _ended(
    name: str, cells: Sequence[SavedCell], released: Released, run: FreshRun | None
) -> Result | None:
    """How the check of an exercise ended, by its steps or by what its cell raised.

    None where it was not run, or is not the one that the notebook came with.
    """
    check = CHECKS + name
    for cell, error in zip(code_to_run(cells), run.errors if run else (), strict=False):
        if check in cell.names and fingerprint(cell.source) == released.cells.get(check):
            if run and name in run.results:
                return run.results[name]
            stub = error == "NotImplementedError"  # without a message
            state = "open" if stub else "failing" if error else "done"
            return Result(state, (), error)
    return None


def _state(name: str, cell: SavedCell | None, released: Released, ended: Result | None) -> str:
    if cell is None:
        return "missing"
    if not cell.source.strip() or fingerprint(cell.source) == released.cells.get(name):
        return "open"
    if released.exercises[name].by_hand:
        return "by_hand"
    filled = ended and ended.state == "done" and released.exercises[name].form_only
    return "filled" if filled else ended.state if ended else "written"


def _line(exercise: Exercise, state: str, result: Result | None) -> str:
    asked = result.question if result and state == "failing" else ""
    said = result.message.partition("\n")[0] if result and state == "failing" else ""
    words = ": ".join(part for part in (WORDS[state], f"{asked} {said}".strip()) if part)
    return f"Exercise {exercise.number}, {exercise.title}: {words}"


def _missing(states: Mapping[str, str], released: Released) -> Iterator[str]:
    for name, state in states.items():
        if state == "missing":
            yield (
                f"{_title(name, released)} (`{name}`) is missing. Copy it from the notebook as you got "
                "it, and put your answer in."
            )


def _provided_and_missing(
    found: Mapping[str, SavedCell | None], states: Mapping[str, str]
) -> Iterator[str]:
    names = [f"`{name}`" for name, cell in found.items() if cell is None and name not in states]
    if names:
        yield f"Missing cells, which grading puts back: {', '.join(names)}."


def _doubled(cells: Sequence[SavedCell], released: Released) -> Iterator[str]:
    counts = Counter(name for cell in cells for name in cell.names if name in released.cells)
    for name, count in counts.items():
        if count > 1:
            yield f"{_title(name, released)} is there {count} times, and the last one counts: keep one."


def _renamed(found: Mapping[str, SavedCell | None]) -> Iterator[str]:
    for name, cell in found.items():
        if cell and name not in cell.names:
            yield f"The cell `{name}` has lost its name; it was found by what it says."


def _failing_cells(cells: Sequence[SavedCell], run: FreshRun, released: Released) -> Iterator[str]:
    """What stops when the file alone is run from the top; failing checks are said elsewhere."""
    ended = zip(cells, run.errors, strict=False)
    stopped = [(cell, error) for cell, error in ended if error and not _is_check(cell)]
    for cell, error in stopped[:MOST_TOLD]:
        first = next((line for line in cell.source.splitlines() if line.strip()), "")
        undefined = error.startswith("NameError")
        asked = " Is something used that no cell above it defines?" if undefined else ""
        yield f"In a fresh kernel {_called(cell, first, released)} stops: {error}.{asked}"
    if run.trouble:
        number = min(len(run.errors), len(cells) - 1)
        yield f"In a fresh kernel the notebook was not run to its end ({run.trouble}; cell {number + 1})."


def _unknown_names(run: FreshRun, states: Mapping[str, str]) -> Iterator[str]:
    """What a check stopped at because a cell that is gone had defined it."""
    for name, result in run.results.items():
        if states.get(name) == "failing" and result.message.startswith("NameError"):
            error = result.message.partition("\n")[0]
            yield f"The check of `{name}` stops in a fresh kernel: {error}. Which cell defines it?"


def _is_check(cell: SavedCell) -> bool:
    return any(name.startswith(CHECKS) for name in cell.names)


def _called(cell: SavedCell, first: str, released: Released) -> str:
    known = [name for name in cell.names if name in released.cells]
    return "the" + _title(known[0], released)[3:] if known else f"your cell `{first.strip()[:60]}`"


def _title(name: str, released: Released) -> str:
    exercise = released.exercises.get(name)
    return f"The cell of exercise {exercise.number}" if exercise else f"The cell `{name}`"

EXERCISES |= {
    "explain_feed_forward": Exercise("1", "Explain the feed forward layer", 2, 20, by_hand=True),
    "feed_forward": Exercise(
        "2", "Build the feed forward layer", 4, 20, ("PositionWiseFeedForward",)),
    "attention": Exercise("3a", "Attention", 4, 40, ("Attention",)),
    "multi_head_attention": Exercise("3b", "Multi-head attention", 6, 45, ("MultiHeadAttention",)),
    "explain_layer_norm": Exercise("4", "Explain layer normalisation", 2, 20, by_hand=True),
    "encoder_layer": Exercise("5", "The encoder layer", 6, 40, ("EncoderLayer",)),
    "encoder": Exercise("7", "The encoder", 4, 40, ("Encoder",)),
}
AS_RELEASED |= {  # fingerprints of the cells
    "imports": "25763fc83a7a",
    "toolbox": "5cfa667660ff",
    "exercises": "e514c5ac5ce4",
    "overview_map": "6ed35483a6d6",
    "words": "e17ef67abfee",
    "stand_ins": "1e42f1f35438",
    "explain_feed_forward": "00dc66fbe6c8",
    "feed_forward": "f97731962b9f",
    "check_feed_forward": "41ce488f0313",
    "slow_attention": "b26e9a77e2de",
    "attention": "60e948f61d65",
    "check_attention": "0b3c55103f34",
    "multi_head_attention": "3740eb2180c5",
    "attention_maps": "9518c0badb10",
    "check_multi_head_attention": "1d0b8b09c1a3",
    "explain_layer_norm": "a41fffecbfe8",
    "encoder_layer": "50611ce967c4",
    "check_encoder_layer": "06868d6c178f",
    "encoder": "ff675ff93358",
    "check_encoder": "729254992e59",
}


def main() -> int:
    """Print what was found; return 0 if the notebook is fit, 1 if not, 2 if there is none."""
    parser = argparse.ArgumentParser(description="Is a saved notebook fit to be handed in?")
    parser.add_argument("notebook", type=Path, nargs="?", help="by default the one in this folder")
    parser.add_argument("--no-run", action="store_true", help="only look, run nothing")
    options = parser.parse_args()
    released = Released(EXERCISES, AS_RELEASED)
    try:
        path = options.notebook or find_saved({}, EXERCISES)
        cells = read_saved(path)
        refuse_another(cells, released, path.name)
    except NoNotebook as error:
        print(error, file=sys.stderr)
        return 2
    sources = [cell.source for cell in code_to_run(cells)]
    run = None if options.no_run else run_fresh(sources, path.parent)
    report = report_on(cells, released, run)
    print(report.title, report.text, when_saved(path), sep="\n")
    return 0 if report.fit else 1


if __name__ == "__main__":
    raise SystemExit(main())
