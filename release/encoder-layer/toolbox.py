"""The toolbox of a practical's notebook: pictures, checks in steps, the map, handing in.

There is nothing to do here; read on if you are curious. No answer is in it. The notebook imports it, and
`python toolbox.py NOTEBOOK` says whether a saved notebook is fit to be handed in.
"""

from __future__ import annotations  # with an old Python, this file comes as far as saying so


import argparse
import ast
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol


VERSION = "2ef3e3c6"  # in the joined file: the beginning of the hash of its text


OLDEST = {  # `python -m tests.machines.notebooks oldest` tries exactly these
    "Python": "3.11",
    "torch": "2.4",  # the first with `rms_norm`
    "numpy": "1.26",
    "matplotlib": "3.9",  # older ones cannot be imported beside NumPy 2
    "IPython": "7.34",
    "ipywidgets": "7.7",
}
FOR_SLIDERS = "ipywidgets"  # without it, or with an older one, still pictures are drawn


class TooOld(ImportError):
    """A version is older than in OLDEST. The message names it, and a way to get a newer version."""


def refuse_old_versions() -> None:
    """Raise `TooOld` if Python or a package is too old for the checks."""
    if sentence := too_old():
        raise TooOld(sentence)


def too_old() -> str:
    """Return a sentence on the versions that are too old for the checks, or ""."""
    oldest = {name: version for name, version in OLDEST.items() if name != FOR_SLIDERS}
    versions = {name: _version_of(name) for name in oldest}
    packages = [name for name in oldest if _is_older(versions[name], oldest[name])]
    if not packages:
        return ""
    parts = [f"{name} {versions[name]} (needed: {oldest[name]} or newer)" for name in packages]
    verb = "are" if len(packages) > 1 else "is"
    upgrade = (
        "choose a kernel with a newer Python"
        if "Python" in packages
        else f"run `%pip install -U {' '.join(packages)}` in a cell, then restart the kernel"
    )
    return f"{' and '.join(parts)} {verb} too old for this notebook: {upgrade}."


def _version_of(name: str) -> str:
    """Return the version of Python or of a package, or "" if it is not installed."""
    if name == "Python":
        return platform.python_version()
    # The imported version counts, even if another version was installed since.
    if version := getattr(sys.modules.get(name), "__version__", ""):
        return str(version)
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _is_older(version: str, oldest: str) -> bool:
    """Whether `version`, such as "2.4.0a0+git", is smaller than `oldest`.

    False if it has no number.
    """
    numbers, oldest_numbers = (
        [int(part) for part in re.findall(r"\d+", text)] for text in (version, oldest)
    )
    return bool(numbers) and numbers[: len(oldest_numbers)] < oldest_numbers


ANSWER, CHECK, NOT_RUN = "answer", "check", "not run"  # roles of released cells
MOST_CELLS = 2_000  # of a notebook
MOST_CODE = 300_000  # characters of all its code cells together, of which a release takes 130,000
ENOUGH = 2  # answers and checks by which a notebook that lost all its ids is known
KIND_WORDS = {"code": "a code cell", "markdown": "a text cell", "raw": "a raw cell"}
LONGEST_PROSE = 20_000  # characters of a text in a code cell
COMPARISONS = "=!<>+-*/%&|^@~:"  # before `=`, they make it no plain assignment


class ReleasedCell(NamedTuple):
    """A cell of the release. `role`: ANSWER if students write in it, CHECK for an automatic check
    cell, NOT_RUN for one that grading does not run, else "". `defines`: the names that an answer in code has to define; `text`: what an
    answer in prose has before anything is written.
    """

    id: str
    kind: str  # "code", "markdown"
    fingerprint: str
    role: str = ""
    defines: tuple[str, ...] = ()
    text: str = ""

    @property
    def is_prose(self) -> bool:
        """Whether students write text in it, which a person reads."""
        return self.role == ANSWER and self.kind != "code"


class CellText(Protocol):
    """A submitted cell. `names`: nbgrader's id and the cell's own, as far as the file has them."""

    @property
    def kind(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def names(self) -> Sequence[str]: ...


class Placement(NamedTuple):
    """Where the submitted cells (given by their indices) belong.

    `cells`: the cell that stands for each released one, by id; none for a cell that is missing.
    `order`: all cells in the order in which they are graded, as pairs (released id or "", index or
    -1 for a cell that is missing). `parts`: of each answer in prose, the cells that it is made of.
    `answers`: the cell that answers each coded exercise, which may be one that the student added;
    `before_checks`: the last cell of the student's between that and the check, where there is one.
    `repairs`: a sentence for the student on each repair. If `cells` is empty, the notebook is not of
    this assignment.
    """

    cells: dict[str, int]
    order: list[tuple[str, int]]
    parts: dict[str, list[int]]
    answers: dict[str, int]
    before_checks: dict[str, int]
    repairs: list[str]


def place(released: Sequence[ReleasedCell], submitted: Sequence[CellText]) -> Placement:
    """Return where the cells of a submitted notebook belong; `released`: all cells of the release,
    in its order.
    """
    return _Placing(released, submitted).place()


def fingerprint(source: str) -> str:
    """Return a short hash of a cell's text; white space at the ends of lines does not change it."""
    lines = [line.rstrip() for line in source.strip().splitlines()]
    return hashlib.sha256("\n".join(lines).encode(errors="replace")).hexdigest()[:12]


def says_more(source: str, cell: ReleasedCell) -> bool:
    """Whether the text of a submitted cell has something that the released cell does not have: of
    an answer in prose, a line; of code, any line that is not a comment.
    """
    if cell.is_prose:
        return bool(_lines(source) - _lines(cell.text))
    has_code = any(not line.startswith("#") for line in _lines(source)) or cell.kind != "code"
    return has_code and fingerprint(source) != cell.fingerprint


def names_defined(source: str) -> set[str]:
    """Return the names that this code defines at its top level: classes, functions, variables, and
    what it imports. A parser would take very long for some texts, and refuses others.
    """
    return {name for line in source.splitlines() for name in _names_in(line) if name.isidentifier()}


def words(source: str) -> set[str]:
    """Return the names that occur in this code."""
    return set(_words(source))


def is_prose(cell: CellText) -> bool:
    """Whether a person has to read this cell: a text, or a code cell with what is no Python."""
    if cell.kind != "code" or not cell.source.strip():
        return bool(cell.source.strip())
    if len(cell.source) > LONGEST_PROSE:  # a parser takes long for some texts
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(cell.source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    except SyntaxError:  # magics are code, too
        return not any(line.lstrip()[:1] in ("%", "!") for line in cell.source.splitlines())
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return False


def _is_empty_copy(source: str, cell: ReleasedCell) -> bool:
    """Whether the text of a submitted cell has nothing at all of the student's."""
    is_same = fingerprint(source) == cell.fingerprint or not source.strip()
    return is_same or (cell.is_prose and not says_more(source, cell))


class _Placing:
    """The cells that are placed so far, and those that are free."""

    def __init__(self, released: Sequence[ReleasedCell], submitted: Sequence[CellText]):
        self.released = released
        self.submitted = submitted
        self.ids = [cell.id for cell in released]
        self.cells: dict[str, int] = {}
        self.parts: dict[str, list[int]] = {}
        self.free = set(range(len(submitted)))
        self.outdone: set[int] = set()  # answers with the name of a later one
        self.repairs: list[str] = []

    def place(self) -> Placement:
        self._by_name(lambda cell: cell.names[:1])
        self._by_name(lambda cell: cell.names[1:])
        is_known = bool(self.cells)
        self._by_text()
        self._by_definition()
        counting = {cell.id for cell in self.released if cell.role in (ANSWER, CHECK)}
        if len(counting & self.cells.keys()) < (1 if is_known else ENOUGH):
            return Placement({}, [], {}, {}, {}, [])
        self._by_place()
        for cell in self.released:
            if cell.is_prose:
                self._collect_parts(cell)
        order = list(self._order())
        answers, before_checks = self._answers(order)
        return Placement(self.cells, order, self.parts, answers, before_checks, self.repairs)

    def _by_name(self, names_of: Callable[[CellText], Sequence[str]]) -> None:
        """Place the cells whose names, as `names_of` returns them, are those of a released cell."""
        named: dict[str, list[int]] = {}
        for index in sorted(self.free):
            for name in names_of(self.submitted[index]):
                named.setdefault(name, []).append(index)
        for cell in self.released:
            if cell.id in named and cell.id not in self.cells:
                self._choose(cell, [index for index in named[cell.id] if index in self.free])

    def _choose(self, cell: ReleasedCell, indices: Sequence[int]) -> None:
        """Place the one of these cells with the name of `cell` that has something of the student's;
        of several, the last one. Those that are as released are left out of the notebook.
        """
        if not indices:
            return
        sources = {index: self.submitted[index].source for index in indices}
        written = [index for index in indices if says_more(sources[index], cell)]
        self.free -= {index for index in indices if _is_empty_copy(sources[index], cell)}
        counts = (written or indices)[-1]
        halves = self._halves(cell, written)
        if halves:
            self._repair(f"The cell `{cell.id}` is there in {len(halves)} parts, which all count.")
            self.parts[cell.id] = halves
            self.free -= set(halves)
        elif len(written) > 1:
            self.outdone |= set(written[:-1])
            self._repair(f"The cell `{cell.id}` is there twice: the last one counts.")
        elif written and len(indices) > 1 and cell.role == ANSWER:
            self._repair(f"The cell `{cell.id}` is there twice: the one with an answer counts.")
        self.cells[cell.id] = counts
        self.free.discard(counts)
        self._about_kind(cell, counts)

    def _halves(self, cell: ReleasedCell, written: Sequence[int]) -> list[int]:
        """Return these cells if they are one answer in prose that was split: side by side, and
        without a line in common.
        """
        if not cell.is_prose or len(written) < 2:
            return []
        between = set(range(written[0], written[-1])) - set(written)
        if any(self.submitted[index].source.strip() for index in between):
            return []
        texts = [_lines(self.submitted[index].source) for index in written]
        lines = [line for text in texts for line in text if any(map(str.isalpha, line))]
        return [*written] if len(lines) == len(set(lines)) else []

    def _about_kind(self, cell: ReleasedCell, index: int) -> None:
        """Report that a cell with an answer has another kind than it was released with."""
        kind = self.submitted[index].kind
        if kind != cell.kind and cell.role == ANSWER:
            self._repair(
                f"The cell `{cell.id}` had become {KIND_WORDS.get(kind, 'another cell')}: it is read as "
                f"{KIND_WORDS[cell.kind]} again."
            )

    def _by_text(self) -> None:
        """Place cells that say what a released cell says, or all that a question in prose does."""
        prints: dict[str, list[int]] = {}
        for index in sorted(self.free):
            prints.setdefault(fingerprint(self.submitted[index].source), []).append(index)
        for cell in self._missing():
            self._adopt_nearest(
                cell, [i for i in prints.get(cell.fingerprint, ()) if i in self.free]
            )
        for cell in self.released:  # copies of released cells have nothing of the student's
            self.free -= set(prints.get(cell.fingerprint, ()))
        for cell in self._missing():
            asked = _lines(cell.text)
            if cell.is_prose and asked:
                free = sorted(self.free)
                same = [i for i in free if asked <= _lines(self.submitted[i].source)]
                self._adopt_nearest(cell, same)

    def _adopt_nearest(self, cell: ReleasedCell, indices: Sequence[int]) -> None:
        """Place the first of these cells that lies between the neighbours of `cell`, or the only
        one.
        """
        low, high = self._window(cell)
        between = [index for index in indices if low < index < high]
        if between or len(indices) == 1:
            self._adopt(cell, (between or indices)[0], "what it says")

    def _by_definition(self) -> None:
        """Place cells that define what an answer has to define: code, or else what is no code any
        more.
        """
        defined = {index: names_defined(self.submitted[index].source) for index in self.free}
        for cell in self._missing():
            fitting = [
                index
                for index in sorted(self.free)
                if cell.kind == "code" and defined[index] & set(cell.defines)
            ]
            code = [index for index in fitting if self.submitted[index].kind == "code"]
            if fitting:
                self._adopt(cell, (code or fitting)[-1], "what it defines")

    def _by_place(self) -> None:
        """Place the only code cell that lies between the neighbours of a missing answer in code."""
        for cell in self._missing():
            if cell.role != ANSWER or cell.is_prose:
                continue
            low, high = self._window(cell)
            code = [index for index in self.free if self.submitted[index].kind == "code"]
            between = [index for index in code if low < index < high]
            if len(between) == 1:
                self._adopt(cell, between[0], "its place")

    def _collect_parts(self, cell: ReleasedCell) -> None:
        """Let the texts beside an answer in prose, which the student added, be parts of it."""
        own = self.parts.get(cell.id) or [self.cells[id] for id in (cell.id,) if id in self.cells]
        own = [index for index in own if says_more(self.submitted[index].source, cell)]
        low, high = self._window(cell)
        free = sorted(self.free - self.outdone)
        beside = [
            index
            for index in free
            if low < index < high and says_more(self.submitted[index].source, cell)
        ]
        texts = [index for index in beside if self.submitted[index].kind != "code"]
        if not own and not texts:  # what defines nothing is no loss among the code
            texts = [i for i in beside if not names_defined(self.submitted[i].source)]
        is_there = cell.id in self.cells
        if own and texts:
            self._repair(f"The text beside the cell `{cell.id}` counts, too.")
        elif texts and is_there:
            self._repair(f"The text beside the cell `{cell.id}` counts as its answer.")
        elif texts:
            self._repair(f"The cell `{cell.id}` is missing: the text in its place counts.")
        elif not own and (texts := self._merged_with(cell)):
            state = "empty" if is_there else "missing"
            self._repair(f"The cell `{cell.id}` is {state}: the changed text near it counts.")
        self.free -= set(texts)
        self.parts[cell.id] = sorted({*own, *texts})

    def _merged_with(self, cell: ReleasedCell) -> list[int]:
        """Return the nearest text of the exercise, or the one below its cell, that the student has
        changed (the index of its cell), since an answer can be merged with it, or written there; []
        if there is none.
        """
        place = self.ids.index(cell.id)
        above = list(reversed(self.released[:place]))
        count = next(
            (n for n, other in enumerate(above) if other.role in (ANSWER, CHECK)), len(above)
        )
        for neighbour in (*above[:1], *self.released[place + 1 :][:1], *above[1:count]):
            index = self.cells.get(neighbour.id, -1)
            is_text = neighbour.kind != "code" and not neighbour.role
            if index >= 0 and is_text and says_more(self.submitted[index].source, neighbour):
                return [index]
        return []

    def _order(self) -> Iterator[tuple[str, int]]:
        """Yield all cells in the order of the release; those that the student added follow the cell
        that they followed.
        """
        ids = {index: id for id, index in self.cells.items()}
        own: dict[str, list[int]] = {}
        anchor = ""
        for index in range(len(self.submitted)):
            anchor = ids.get(index, anchor)
            if index in self.free:
                own.setdefault(anchor, []).append(index)
        for id in ("", *self.ids):
            if id:
                yield id, self.cells.get(id, -1)
            yield from (("", index) for index in own.get(id, ()))

    def _answers(self, order: Sequence[tuple[str, int]]) -> tuple[dict[str, int], dict[str, int]]:
        """Return `answers` and `before_checks`, see `Placement`."""
        answers, before_checks = {}, {}
        code = [
            (place, index) for place, index in enumerate(self._student_code(order)) if index >= 0
        ]
        defined = {index: names_defined(self.submitted[index].source) for _, index in code}
        places = {id: place for place, (id, _) in enumerate(order) if id}
        checks = {
            cell.id.partition("_")[2]: cell.id for cell in self.released if cell.role == CHECK
        }
        for cell in self.released:
            if cell.role != ANSWER or cell.is_prose:
                continue
            check = places[checks[cell.id]] if cell.id in checks else len(order) - 1
            below = check  # the last cell that stands directly below the check
            while below + 1 < len(order) and not order[below + 1][0]:
                below += 1
            defining = [pair for pair in code if defined[pair[1]] & set(cell.defines)]
            early = [pair for pair in defining if pair[0] < check]
            early += [
                pair
                for pair in defining
                if check < pair[0] <= below and not (early and self._uses(pair[1], cell.defines))
            ]
            named = [pair for pair in code if pair[1] == self.cells.get(cell.id)]
            for place, index in (early or defining or named)[-1:]:
                answers[cell.id] = index
                between = [other for later, other in code if place < later <= check]
                if between:
                    before_checks[cell.id] = between[-1]
        return answers, before_checks

    def _student_code(self, order: Sequence[tuple[str, int]]) -> Iterator[int]:
        """Yield, for each cell of `order`, its index if it is run and has code of the student's, else
        -1.
        """
        released = {cell.id: cell for cell in self.released}
        for id, index in order:
            cell = released.get(id)
            is_run = index >= 0 and (self.submitted[index] if cell is None else cell).kind == "code"
            if cell is not None and is_run:
                is_run = cell.role in (ANSWER, "")
                is_run = is_run and says_more(self.submitted[index].source, cell)
            yield index if is_run else -1

    def _uses(self, index: int, names: Iterable[str]) -> bool:
        """Whether the code of this cell uses one of these names before it has defined that anew, and
        so builds upon an answer above.
        """
        for line in self.submitted[index].source.splitlines():
            used = [] if line.lstrip().startswith("#") else _words(line)
            if here := [name for name in names if name in used]:
                return any(name not in _names_in(line) or used.count(name) > 1 for name in here)
        return False

    def _adopt(self, cell: ReleasedCell, index: int, reason: str) -> None:
        self.cells[cell.id] = index
        self.free.discard(index)
        if cell.role == ANSWER:
            self._repair(f"The cell `{cell.id}` had lost its id and was found by {reason}.")
            self._about_kind(cell, index)

    def _window(self, cell: ReleasedCell) -> tuple[int, int]:
        """Return the indices of the nearest placed cells above and below a released one."""
        place = self.ids.index(cell.id)
        above = [self.cells[id] for id in self.ids[:place] if id in self.cells]
        below = [self.cells[id] for id in self.ids[place + 1 :] if id in self.cells]
        return max(above, default=-1), min(below, default=len(self.submitted))

    def _missing(self) -> list[ReleasedCell]:
        return [cell for cell in self.released if cell.id not in self.cells]

    def _repair(self, sentence: str) -> None:
        self.repairs.append(sentence)


def _words(source: str) -> list[str]:
    letters = (letter if letter.isalnum() or letter == "_" else " " for letter in source)
    return "".join(letters).split()


def _lines(source: str) -> set[str]:
    """Return the different lines of a text, without white space around them and without empty
    ones.
    """
    return {line.strip() for line in source.splitlines()} - {""}


def _function_in(line: str) -> str:
    """Return the name of the class or function whose definition begins in this line, else ""."""
    words = line.removeprefix("async ").split(None, 1)
    if len(words) < 2 or words[0] not in ("class", "def") or line[:1].isspace():
        return ""
    name = words[1].split("(")[0].split(":")[0].split("[")[0].strip()
    return name if name.isidentifier() else ""


def _names_in(line: str) -> Iterable[str]:
    """Return the names that a line of code at the top level defines; some may be no names."""
    if not line.strip() or line[0].isspace() or line[0] == "#":
        return ()
    if name := _function_in(line):
        return (name,)
    first = line.split(None, 1)[0]
    if first in ("import", "from"):
        imported = line.partition("import")[2].strip("() ")
        return [part.split()[-1] for part in imported.split(",") if part.split()]
    target, equals, value = line.partition("=")
    if not equals or value.startswith("=") or target[-1:] in COMPARISONS:
        return ()
    targets = target.partition(":")[0].strip("() ")
    return [] if "(" in targets else [part.strip() for part in targets.split(",")]


class ExerciseHeading(NamedTuple):
    """One exercise of a notebook."""

    number: str
    title: str
    points: int
    minutes: int
    defines: tuple[str, ...] = ()  # classes and functions that its solution cell defines
    by_hand: bool = False  # a person reads the answer
    form_only: bool = False  # its visible check only tests whether it is filled in


# Of this notebook, by solution cell. `begin` fills them in.
EXERCISES: dict[str, ExerciseHeading] = {}


class Result(NamedTuple):
    """How a visible check ended."""

    state: str  # "done", "open", "failing", or "unchecked" if a package is too old for the check
    passed: tuple[str, ...] = ()  # questions of the steps that passed
    question: str = ""  # of the step at which it ended
    message: str = ""


RESULTS: dict[str, Result] = {}  # of the checks that ran, by solution cell
STOPPED: dict[str, BaseException] = {}  # exceptions of solution cells, by solution cell


def title_of(exercise: str) -> str:
    """Return "Exercise 3a" for the exercise with this name, or else the name itself."""
    heading = EXERCISES.get(exercise)
    return f"Exercise {heading.number}" if heading else exercise


def exercise_that_defines(name: str) -> str:
    """Return the id of the exercise that must define the class, function or variable, or ""."""
    ids = (id for id, exercise in EXERCISES.items() if name in exercise.defines)
    return next(ids, "")


def defines(source: str, exercise: ExerciseHeading) -> bool:
    """Whether this code defines, at its top level, a name that the exercise asks for."""
    return bool(names_defined(source) & set(exercise.defines))


def worth(exercise: ExerciseHeading) -> str:
    """Return the exercise's points and minutes as text, such as "4 points · 20 min"."""
    points = "1 point" if exercise.points == 1 else f"{exercise.points} points"
    return f"{points} · {exercise.minutes} min"


MAX_BYTES = 32 << 20
SKIPPED = "skip-grading"  # tag of provided cells that grading does not run
DOWNLOAD = "save it from Jupyter, or download it with File > Download as a notebook (.ipynb)"


class NoNotebook(Exception):
    """No notebook can be read. The message gives the reason and the remedy."""


class SavedCell(NamedTuple):
    """One cell of a notebook as it is saved."""

    kind: str  # "code", "markdown", "raw"
    source: str
    names: tuple[str, ...] = ()  # nbgrader's id, then the cell's own
    skipped: bool = False


def read_saved(path: Path) -> list[SavedCell]:
    """Return the cells of the notebook file at this path.

    Raises `NoNotebook` if it cannot be opened, is larger than MAX_BYTES or than grading reads, or
    is not a notebook.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise NoNotebook(f"`{path.name}` is too large: clear its outputs and save it.")
        content = path.read_bytes()
    except OSError as error:
        raise NoNotebook(f"`{path}` cannot be opened: {error.strerror}.") from error
    if content.lstrip().startswith(b"<"):
        raise NoNotebook(f"`{path.name}` is a web page, not a notebook: {DOWNLOAD}.")
    try:
        cells = cells_of(json.loads(content))
    except (ValueError, RecursionError) as error:
        raise NoNotebook(
            f"`{path.name}` is no notebook (its JSON is damaged): {DOWNLOAD}."
        ) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise NoNotebook(f"`{path.name}` is no notebook with cells: {DOWNLOAD}.") from error
    code = sum(len(cell.source) for cell in cells if cell.kind == "code")
    if len(cells) > MOST_CELLS or code > MOST_CODE:
        raise NoNotebook(
            f"`{path.name}` is longer than grading reads ({MOST_CELLS:,} cells, {MOST_CODE:,} "
            "characters of code): keep the assignment alone."
        )
    return cells


def cells_of(notebook: Any) -> list[SavedCell]:
    """Return the cells of a notebook, given as parsed JSON.

    Raises `KeyError`, `TypeError` or `AttributeError` if it has another form.
    """
    cells = []
    for cell in notebook["cells"]:
        metadata = cell.get("metadata") or {}
        names = (metadata.get("nbgrader") or {}).get("grade_id"), cell.get("id"), metadata.get("id")
        cells.append(
            SavedCell(
                str(cell["cell_type"]),
                "".join(cell.get("source", "")),
                tuple(dict.fromkeys(str(name) for name in names if name)),
                SKIPPED in (metadata.get("tags") or ()),
            )
        )
    return cells


def find_saved(space: Mapping[str, Any], known: Collection[str], how_to_name: str = ".") -> Path:
    """Return the path of the notebook that is running.

    VS Code stores the path in the notebook's namespace (`space`), Jupyter in the environment.
    Elsewhere, it is the only notebook in this folder that has cells with names in `known`. Raises
    `NoNotebook` if there is none or several. `how_to_name`: the end of that message.
    """
    running = str(space.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or "")
    if running.endswith(".ipynb"):
        for path in (Path(running), Path(Path(running).name)):
            if path.is_file():
                return path
    candidates = [path for path in sorted(Path().glob("*.ipynb")) if _has_one_of(path, known)]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        names = ", ".join(path.name for path in candidates)
        raise NoNotebook(f"Several notebooks here could be meant: {names}. Name one{how_to_name}")
    raise NoNotebook(f"The saved notebook was not found here. Name it{how_to_name}")


def when_saved(path: Path) -> str:
    """Return a sentence with the name of the file at this path, and the time it was saved."""
    changed = path.stat().st_mtime
    minutes = int((time.time() - changed) // 60)
    count, unit = (minutes, "minute") if minutes < 120 else (minutes // 60, "hour")
    ago = f"{count} {unit}{'s' * (count > 1)} ago"
    clock_time = time.strftime("%d %B, %H:%M", time.localtime(changed))
    return f"Saved: {path.name}, {clock_time}, {ago if minutes else 'just now'}."


def cells_in_colab() -> list[SavedCell]:
    """Return the cells of the notebook that is open in Colab, or [] outside of Colab."""
    try:
        from google.colab import _message  # type: ignore[import-not-found, unused-ignore]

        return cells_of(_message.blocking_request("get_ipynb", timeout_sec=20)["ipynb"])
    except (ImportError, KeyError, TypeError, AttributeError):
        return []


def _has_one_of(path: Path, known: Collection[str]) -> bool:
    """Whether the file at this path is a notebook that has a cell with a name in `known`."""
    try:
        return any(name in known for cell in read_saved(path) for name in cell.names)
    except NoNotebook:
        return False


NAME = "RELEASED"  # variable with the data in that file
MODULE_SUFFIX = "_checks"  # of the module with an assignment's checks
SUFFIX = f"{MODULE_SUFFIX}.py"
CHECK_CELL = "check_"  # a check cell is named after its solution cell


class Released(NamedTuple):
    """The data of an assignment as it was released to students."""

    exercises: Mapping[str, ExerciseHeading]  # by solution cell
    cells: Sequence[ReleasedCell] = ()  # all, in order
    overview: str = ""  # the map, as SVG
    ungraded: Collection[str] = ()  # number and title of exercises without a cell to answer in
    notebook: str = ""  # the name under which it is submitted
    checks: Path | None = None  # the file with this data

    @property
    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the cells, by id."""
        return {cell.id: cell.fingerprint for cell in self.cells}


NOTHING = Released({})


def title_of_cell(name: str, released: Released) -> str:
    """Return "The cell of exercise 3a" for the cell of an exercise, else "The cell `name`"."""
    exercise = released.exercises.get(name)
    return f"The cell of exercise {exercise.number}" if exercise else f"The cell `{name}`"


def checks_module(assignment: str) -> str:
    """Return the name of the module with an assignment's checks: `my-sheet` -> `my_sheet_checks`."""
    return assignment.replace("-", "_") + MODULE_SUFFIX


def released_from(data: Mapping[str, Any]) -> Released:
    """Make a `Released` from plain data: its fields by name, and those of exercises and cells."""
    exercises = {id: ExerciseHeading(**fields) for id, fields in data["exercises"].items()}
    cells = [ReleasedCell(*fields) for fields in data["cells"]]
    return Released(**{**data, "exercises": exercises, "cells": cells})


def read_released(checks: Path) -> Released:
    """Read the release from a file `<assignment>_checks.py` without running it.

    Return NOTHING if it does not exist or has no such data.
    """
    try:
        tree = ast.parse(checks.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return NOTHING
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == NAME:
            return released_from(ast.literal_eval(node.value))._replace(checks=checks)
    return NOTHING


def checks_beside(folder: Path) -> list[Path]:
    """Return the paths of the files of visible checks in a folder, one for each assignment."""
    return sorted(folder.glob(f"*{SUFFIX}"))


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


class PlacedCells(NamedTuple):
    """The cells of a saved notebook as grading sees them, in its order.

    Each cell has the kind of its released cell, and that cell's id as its only name. Copies of
    released cells are left out, and so are open cells of exercises that another cell answers.
    """

    cells: list[SavedCell]
    answers: dict[str, list[SavedCell]]  # by exercise
    texts: dict[int, SavedCell]  # texts without an exercise, by index in the saved notebook
    placement: Placement  # with the same indices


def place_saved(cells: Sequence[SavedCell], released: Released, name: str = "") -> PlacedCells:
    """Return the cells of a saved notebook as grading sees them.

    Raises `NoNotebook` if they are not of this assignment. `name`: of the file, for the message.
    """
    placement = place(released.cells, cells)
    if not placement.cells:
        raise NoNotebook(f"`{name}` has no cell of this assignment: is it the right file?")
    kinds = {cell.id: cell.kind for cell in released.cells}
    ids = {index: id for id, index in placement.cells.items()}
    ids.update({index: id for id, parts in placement.parts.items() for index in parts})
    order = {index: place for place, (_, index) in enumerate(placement.order)}
    own_cells = [index for id, index in placement.order if not id]
    open_cells = {
        placement.cells[cell.id]
        for cell in released.cells
        if cell.id in placement.answers
        and cell.id in placement.cells
        and not says_more(cells[placement.cells[cell.id]].source, cell)
    }
    placed = {
        index: cell._replace(
            kind=kinds[ids[index]] if index in ids else cell.kind,
            names=(ids[index],) if index in ids else (),
            skipped=cell.skipped and index in ids,  # grading runs all cells that the student added
        )
        for index, cell in sorted(enumerate(cells), key=lambda pair: order.get(pair[0], -1))
        if (index in ids or index in own_cells) and index not in open_cells
    }
    indices = {**placement.parts, **{name: [i] for name, i in placement.answers.items()}}
    return PlacedCells(
        list(placed.values()),
        {
            name: [placed[index] for index in answer_indices]
            for name, answer_indices in indices.items()
        },
        {index: cells[index] for index in own_cells if is_prose(cells[index])},
        placement,
    )


def is_missing(name: str, notebook: PlacedCells) -> bool:
    """Whether the notebook has neither the cell of the exercise `name` nor an answer to it."""
    return name not in notebook.placement.cells and not notebook.answers.get(name)


def misplaced(name: str, notebook: PlacedCells, released: Released) -> SavedCell | None:
    """Return the ungraded cell that answers the exercise `name`, if nothing else does.

    It is the cell of a check, or a cell that grading skips.
    """
    if notebook.answers.get(name):
        return None
    (solution_cell,) = (cell for cell in released.cells if cell.id == name)
    for cell in reversed(notebook.cells):
        ungraded = cell.skipped or (cell.names[:1] and cell.names[0].startswith(CHECK_CELL))
        if ungraded and names_defined(cell.source) & set(solution_cell.defines):
            return cell
    return None


def in_other_cells(
    notebook: PlacedCells, released: Released, states: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each answer in a cell that is not graded.

    `states`: of the exercises, by name, as in `Report.states`.
    """
    for name, exercise in released.exercises.items():
        if cell := misplaced(name, notebook, released):
            answer = " or ".join(f"`{name}`" for name in exercise.defines)
            location = "a cell that grading skips" if cell.skipped else "the cell of a check"
            yield (
                f"{answer} stands in {location}, where nothing counts: move it into the cell of exercise "
                f"{exercise.number}."
            )
        for text in _texts_beside(name, notebook, released) if states[name] == "open" else ():
            yield (
                f"Your text `{first_line(text)}` is in a cell of its own, and the cell of exercise "
                f"{exercise.number} is still empty. If it is your answer, put it there."
            )


def _texts_beside(name: str, notebook: PlacedCells, released: Released) -> Iterator[SavedCell]:
    """Yield the unclaimed texts beside the cell of a written exercise.

    They lie between the answers and checks above and below it.
    """
    index = [cell.id for cell in released.cells].index(name)
    counting = [
        [notebook.placement.cells[cell.id] for cell in cells if _counts(cell, notebook)]
        for cells in (released.cells[:index], released.cells[index + 1 :])
    ]
    low, high = (
        max(counting[0], default=-1),
        min(counting[1], default=max(notebook.texts, default=0) + 1),
    )
    if released.exercises[name].by_hand:
        yield from (text for text_index, text in notebook.texts.items() if low < text_index < high)


def _counts(cell: ReleasedCell, notebook: PlacedCells) -> bool:
    """Whether this is an answer or a check that is in the notebook."""
    return cell.role in (ANSWER, CHECK) and cell.id in notebook.placement.cells


def own_cells_that_count(notebook: PlacedCells, released: Released) -> Iterator[str]:
    """Yield a sentence for each graded cell that the student added, with the proper cell's name."""
    for name, exercise in released.exercises.items():
        answer = notebook.answers.get(name, ())
        if answer and not answer[0].names:
            yield (
                f"Exercise {exercise.number}: your own cell `{first_line(answer[0])}` counts; its "
                f"place is the cell `{name}`."
            )
        elif answer and name not in answer[0].names:
            cell_title = title_of_cell(answer[0].names[0], released)
            yield f"Exercise {exercise.number}: what stands in {cell_title.lower()} counts."


def first_line(cell: SavedCell) -> str:
    """Return the first line of a cell that is not blank, cut off after 60 characters, or ""."""
    lines = (line.strip() for line in cell.source.splitlines())
    return next((line for line in lines if line), "")[:60]


MOST_TOLD = 3  # reported failing cells: later cells often fail because of the first


def code_to_run(cells: Sequence[SavedCell]) -> list[SavedCell]:
    """Return the code cells that run when the notebook is graded, with visible checks.

    `cells`: as placed.
    """
    return [cell for cell in cells if cell.kind == "code" and not cell.skipped]


def ended_as(
    name: str, cells: Sequence[SavedCell], released: Released, run: FreshRun | None
) -> Result | None:
    """Return the result of the visible check of the exercise `name` in this run.

    None if the notebook was not run (`run` is None), if the check was not reached, or if the
    student changed its cell.
    """
    check = CHECK_CELL + name
    for cell, error in zip(code_to_run(cells), run.errors if run else (), strict=False):
        if check in cell.names and fingerprint(cell.source) == released.fingerprints.get(check):
            if run and name in run.results:
                return run.results[name]
            stub = error == "NotImplementedError"  # a stub's exception has no message
            state = "open" if stub else "failing" if error else "done"
            return Result(state, (), error)
    return None


def names_that_stop(cells: Sequence[SavedCell], run: FreshRun) -> set[str]:
    """Return the names of all cells that raised an exception in this run."""
    endings = zip(code_to_run(cells), run.errors, strict=False)
    return {name for cell, error in endings if error for name in cell.names}


def what_stops(
    cells: Sequence[SavedCell], run: FreshRun, released: Released, states: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each cell or check that stopped in this run, with the remedy.

    At most MOST_TOLD cells are reported, and an incomplete run. A failing visible check is reported
    if it stopped at an undefined name. Cells and checks that stopped only because of an earlier
    cell are left out. `states`: of the exercises, by name, as in `Report.states`.
    """
    to_run = code_to_run(cells)
    endings = zip(to_run, run.errors, strict=False)
    stopped = [(cell, error) for cell, error in endings if error and not _is_check(cell)]
    for number, (cell, error) in enumerate(stopped[:MOST_TOLD]):
        if not _follows(error, stopped[:number]):
            undefined = error.startswith("NameError")
            hint = " Is something used that no cell above it defines?" if undefined else ""
            sentence = f"{_called(cell, released)} stops: {without_file(error)}"
            yield f"Run from the top, {sentence}.{hint}"
    if run.trouble:
        number = min(len(run.errors), len(to_run) - 1)
        yield f"The notebook was not run to its end ({run.trouble}; cell {number + 1})."
    for name, result in run.results.items():
        error, *hint_lines = result.message.splitlines() or [""]
        undefined = states.get(name) == "failing" and error.startswith("NameError")
        if undefined and not _follows(error, stopped):
            hint = " ".join(hint_lines) or "Which cell defines it?"
            yield f"Run from the top, the check of `{name}` stops: {error}. {hint}"


def without_file(error: str) -> str:
    """Return an exception's message without the file name that IPython gives to a cell."""
    return re.sub(r" ?\([^()]*, line (\d+)\)$", r", line \1", error)


def _follows(error: str, stopped: Sequence[tuple[SavedCell, str]]) -> bool:
    """Whether the exception is a `NameError` on a name in a cell that raised before.

    `stopped`: these cells, with their exceptions.
    """
    name = re.match(r"NameError: name '(\w+)'", error)
    return name is not None and any(
        re.search(rf"\b{name[1]}\b", cell.source) for cell, _ in stopped
    )


def _is_check(cell: SavedCell) -> bool:
    return any(name.startswith(CHECK_CELL) for name in cell.names)


def _called(cell: SavedCell, released: Released) -> str:
    """Return the description of the cell: its exercise, its name or its first line."""
    released_names = [name for name in cell.names if name in released.fingerprints]
    return (
        "the" + title_of_cell(released_names[0], released)[3:]
        if released_names
        else f"your cell `{first_line(cell)}`"
    )


STUB = "raise NotImplementedError()"  # the code of a cell that is still open
WORDS = {
    "done": "done",
    "filled": "filled in, and grading says whether it is right",
    "written": "written, not checked here",
    "unchecked": "written, not checked: a package lacks what the check uses",
    "by_hand": "written, and a person reads it",
    "open": "still open",
    "failing": "failing",
    "missing": "missing",
}


class Report(NamedTuple):
    """The findings about a saved notebook. It is ready to submit if `to_do` is empty."""

    states: dict[str, str]  # by exercise: one of WORDS
    lines: list[str]  # one per exercise
    to_do: list[str]
    notes: list[str]
    ran: bool = False  # whether its cells were run

    @property
    def fit(self) -> bool:
        """Whether nothing is left to do, so that the file can be graded as intended."""
        return not self.to_do

    @property
    def title(self) -> str:
        """One sentence on whether the notebook is ready to submit, or the number of tasks left."""
        if not self.fit:
            count = len(self.to_do)
            return f"Not fit to be handed in yet: {count} thing{'s' * (count > 1)} to do."
        answered_count = sum(
            state not in ("open", "missing", "failing") for state in self.states.values()
        )
        if not self.ran:
            return f"Written: {answered_count} of {len(self.states)} exercises. Nothing was run."
        if not answered_count:
            return "It can be handed in, but no check passes yet."
        if answered_count == len(self.states):
            return f"Fit to be handed in: all {answered_count} exercises are there."
        return (
            f"Fit to be handed in as it is, with {answered_count} of {len(self.states)} exercises."
        )

    @property
    def text(self) -> str:
        """All findings, a line each: tasks, then a line for each exercise, then other remarks."""
        return "\n".join([*(f"To do: {task}" for task in self.to_do), *self.lines, *self.notes])


def other_name(path: Path, released: Released) -> Iterator[str]:
    """Yield a sentence if the file at `path` does not have the name prescribed by the release."""
    if released.notebook not in ("", path.name):
        yield f"This file is called `{path.name}`: hand it in as `{released.notebook}`."


def report_on(notebook: PlacedCells, released: Released, run: FreshRun | None = None) -> Report:
    """Return the report on a notebook.

    `run`: the results of the cells of `code_to_run`, None if they were not run.
    """
    cells = notebook.cells
    results = {name: ended_as(name, cells, released, run) for name in released.exercises}
    states = {name: _state(name, notebook, released, result) for name, result in results.items()}
    lines = [
        _line(exercise, states[name], results[name], notebook.answers.get(name, ()))
        for name, exercise in released.exercises.items()
    ]
    to_do = [*_missing(states, released), *in_other_cells(notebook, released, states)]
    if not to_do and all(state == "open" for state in states.values()):
        to_do.append("No exercise is answered yet.")
    if run:
        states_of_placed = {
            name: state for name, state in states.items() if not misplaced(name, notebook, released)
        }
        to_do += what_stops(cells, run, released, states_of_placed)
    notes = [
        *notebook.placement.repairs,
        *_provided_and_missing(notebook, released),
        *own_cells_that_count(notebook, released),
    ]
    return Report(states, lines, to_do, notes, run is not None)


def _state(name: str, notebook: PlacedCells, released: Released, result: Result | None) -> str:
    """Return the state of the exercise `name`, a key of WORDS. `result`: of its visible check."""
    if is_missing(name, notebook):
        return "missing"
    passed = result is not None and result.state == "done"  # no matter which cell solved it
    if not passed and not notebook.answers.get(name):
        return "open"
    if released.exercises[name].by_hand:
        return "by_hand"
    if passed and released.exercises[name].form_only:
        return "filled"
    return result.state if result else "written"


def _line(
    exercise: ExerciseHeading, state: str, result: Result | None, answer: Sequence[SavedCell]
) -> str:
    """Return the report's line on an exercise. `answer`: the cells that are graded."""
    has_stub = state == "written" and any(map(_has_stub, answer))
    detail = f"`{STUB}` is still in it" if has_stub else ""
    if result and result.state == state and state in ("failing", "open"):
        first, *_ = [*result.message.splitlines(), ""]
        detail = f"{result.question} {first}".strip()
    words = ": ".join(part for part in (WORDS[state], detail) if part)
    return f"Exercise {exercise.number}, {exercise.title}: {words}"


def _has_stub(cell: SavedCell) -> bool:
    return STUB in map(str.strip, cell.source.splitlines())


def _missing(states: Mapping[str, str], released: Released) -> Iterator[str]:
    for name, state in states.items():
        if state == "missing":
            yield (
                f"{title_of_cell(name, released)} (`{name}`) is missing. Copy it from the notebook as you got "
                "it, and put your answer in."
            )


def _provided_and_missing(notebook: PlacedCells, released: Released) -> Iterator[str]:
    """Yield a sentence with the missing code cells of no exercise, which grading puts back."""
    existing_names = {name for cell in notebook.cells for name in cell.names}
    names = [
        f"`{cell.id}`"
        for cell in released.cells
        if cell.kind == "code" and cell.role in ("", CHECK) and cell.id not in existing_names
    ]
    if names:
        yield f"Missing cells, which grading puts back: {', '.join(names)}."


NAME_IT = ": python toolbox.py NAME.ipynb"


def main(arguments: list[str] | None = None) -> int:
    """Print the report on the notebook in the arguments, by default those of this process.

    Return 0 if it is ready, 1 if something is left to do, 2 if no notebook is found or it cannot be
    read.
    """
    parser = argparse.ArgumentParser(
        prog="python toolbox.py", description="Is a saved notebook fit to be handed in?"
    )
    parser.add_argument("notebook", type=Path, nargs="?", help="by default the one in this folder")
    parser.add_argument("--no-run", action="store_true", help="only look, run nothing")
    options = parser.parse_args(arguments)
    try:
        exercises = [name for path in _folders(options.notebook) for name in _exercises_in(path)]
        path = options.notebook or find_saved({}, exercises, NAME_IT)
        cells = read_saved(path)
        released = _released(path, cells)
        notebook = place_saved(cells, released, path.name)
    except NoNotebook as error:
        print(error, file=sys.stderr)
        return 2
    run = None if options.no_run else _run(notebook.cells, path, released)
    report = report_on(notebook, released, run)
    report.to_do.extend(other_name(path, released))
    print(report.title, report.text, when_saved(path), sep="\n")
    return 0 if report.fit else 1


def _run(cells: list[SavedCell], path: Path, released: Released) -> FreshRun | None:
    """Run the notebook's cells in a new process. Return their results.

    If a package is missing or too old, print its name and return None.
    """
    missing = [name for name in ("torch", "IPython") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"Nothing is run, for this is not installed: {', '.join(missing)}.", file=sys.stderr)
        return None
    if sentence := too_old():
        print(f"Nothing is run. {sentence}", file=sys.stderr)
        return None
    sources = [cell.source for cell in code_to_run(cells)]
    return run_fresh(sources, path.parent, released.checks)


def _released(path: Path, cells: list[SavedCell]) -> Released:
    """Return the release of the notebook, which shares most cells with it.

    Raises `NoNotebook` if no file of checks beside it fits.
    """
    releases = [read_released(file) for folder in _folders(path) for file in checks_beside(folder)]
    best = max(
        releases, key=lambda release: len(place(release.cells, cells).cells), default=NOTHING
    )
    if not best.cells:
        raise NoNotebook(
            f"Beside `{path.name}` there is no `..._checks.py`: put the files of the assignment in one "
            "folder."
        )
    return best


def _exercises_in(folder: Path) -> list[str]:
    """Return the names of the exercises in this folder's files of checks."""
    return [name for file in checks_beside(folder) for name in read_released(file).exercises]


def _folders(notebook: Path | None) -> list[Path]:
    """Return the folders with files of checks: the notebook's, or the current, and this file's."""
    first_folder = [notebook.parent] if notebook else [Path()]
    return list(
        dict.fromkeys(folder.resolve() for folder in (*first_folder, Path(__file__).parent))
    )


if __name__ == "__main__":  # which needs nothing of what is imported below
    sys.exit(main())
refuse_old_versions()  # before torch and the others are imported


import ast
import base64
import difflib
import html
import importlib
import importlib.util
import inspect
import io
import linecache
import math
import matplotlib.pyplot as plt
import os
import re
import sys
import textwrap
import torch
import zlib
from IPython import get_ipython
from IPython.core.interactiveshell import ExecutionResult
from IPython.display import DisplayHandle, HTML, Markdown, display
from IPython.utils.capture import capture_output
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from pathlib import Path
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from traceback import walk_tb
from types import FrameType, ModuleType, TracebackType
from typing import Any, NamedTuple
from xml.etree import ElementTree


TABLE = 12  # maximal number of rows and columns that are drawn


class Differs(AssertionError):
    """A tensor differs from its target.

    `yours` and `target` hold the parts of both that are drawn side by side, or None.
    """

    def __init__(
        self,
        message: str,
        yours: Tensor | None = None,
        target: Tensor | None = None,
        corner: tuple[int, int] = (0, 0),
    ):
        """`corner`: the row and column of the whole tensors at which the two parts begin."""
        super().__init__(message)
        self.yours, self.target = yours, target  # tables of the same shape
        self.corner = corner


def same(yours: Tensor, target: Tensor, axes: str = "", atol: float = 1e-5) -> None:
    """Raise `Differs` unless the tensor `yours` has the shape and the numbers of `target`.

    `atol` is both the absolute and the relative tolerance. `axes`: the names of the dimensions for
    the message, such as "batch query key".
    """
    has_shape(yours, *target.shape)
    yours, target = yours.detach().double(), target.detach().double()
    equal = torch.isclose(yours, target, rtol=atol, atol=atol)
    if equal.all():
        return
    first = tuple((~equal).nonzero()[0].tolist())
    share = int(100 * equal.double().mean())  # rounded down: never 100 if a value is wrong
    index_names = ", ".join(f"{name} {i}" for name, i in zip(axes.split(), first, strict=False))
    location = index_names or (f"at {[*first]}" if first else "the number")
    message = (
        f"Shape {_shape(yours)} is right; {share}% of the values are. The first other one, "
        f"{location}: {_two_numbers(yours[first].item(), target[first].item())}."
    )
    row, column = (0, 0, *first)[-2:]
    corner = row // TABLE * TABLE, column // TABLE * TABLE
    tables = [_table(tensor, first, corner) for tensor in (yours, target)]
    raise Differs(message, tables[0], tables[1], corner)


def has_shape(yours: Tensor, *sizes: int) -> None:
    """Raise `Differs` unless `yours` is a tensor of the shape `sizes`."""
    if not isinstance(yours, Tensor):
        raise Differs(f"This is no tensor but {kind_of(yours)}")
    if yours.shape != sizes:
        raise Differs(f"Your shape is {_shape(yours)}, it should be {tuple(sizes)}.")


def _table(tensor: Tensor, place: tuple[int, ...], corner: tuple[int, int]) -> Tensor:
    """Return the part of a tensor's last two dimensions that begins at `corner`.

    `place`: the index of an entry, which picks the other dimensions.
    """
    table = torch.atleast_2d(tensor[place[:-2]])
    return table[corner[0] :, corner[1] :][:TABLE, :TABLE]


def kind_of(answer: object) -> str:
    """Describe a value that should be a tensor, with a likely reason."""
    if answer is None:
        return "None: is a `return` missing?"
    if isinstance(answer, nn.Module):
        return f"a layer, {type(answer).__name__}: it is made here, and was to be called."
    if isinstance(answer, tuple | list):
        return f"a {type(answer).__name__} of {len(answer)}: is the output returned alone?"
    return f"of type {type(answer).__name__}."


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))


def _two_numbers(yours: float, target: float) -> str:
    """Return both numbers as text, with enough digits to see that they differ."""
    texts = [[f"{number:.{digits}g}" for number in (yours, target)] for digits in range(3, 10)]
    return "yours {}, should be {}".format(
        *next((two for two in texts if two[0] != two[1]), texts[-1])
    )


def is_unanswered(answer: object) -> bool:
    """Whether an answer is still the placeholder `...` or None."""
    return answer is None or answer is ...


def letters_of(text: object) -> str:
    """Return the letters and digits of a text in lower case, to compare texts."""
    return "".join(character for character in str(text).casefold() if character.isalnum())


class Call(NamedTuple):
    """One call of a stand-in, with its inputs and its answer."""

    part: nn.Module
    words: list[Tensor]  # inputs of (batch, seq, d_model)
    masks: list[Tensor]  # all other inputs
    answer: Tensor


def fixed_map(features: int) -> Tensor:
    """Return the matrix by which a stand-in multiplies, (features, features).

    It is random, but the same each time.
    """
    generator = torch.Generator().manual_seed(features)
    return torch.randn(features, features, generator=generator) / math.sqrt(features)


class ReadyMadeNorms(TorchFunctionMode):
    """A context manager that records calls of torch's own norms within its block."""

    KNOWN = "layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"

    def __init__(self) -> None:
        super().__init__()
        self.called: dict[str, None] = {}  # names, each once, in the order of the first calls

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        name = getattr(function, "__name__", "").removeprefix("native_")
        if name in self.KNOWN:
            self.called[f"`{name}`"] = None
        return function(*arguments, **(keywords or {}))


def answers_alike(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` unless two calls in evaluation mode return the same numbers.

    The layer is left in evaluation mode.
    """
    layer.eval()
    same(layer(*_copies(inputs)), layer(*_copies(inputs)), axes)


def rests_in_training(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` unless training mode and evaluation mode return the same numbers.

    The layer is left in evaluation mode unless something is raised.
    """
    target = layer.eval()(*_copies(inputs))
    same(layer.train()(*_copies(inputs)), target, axes)
    layer.eval()


def keeps_inputs(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` if calling the layer changes an input."""
    copies = _copies(inputs)
    layer(*copies)
    for copy, original in zip(copies, inputs, strict=True):
        same(copy, original, axes)


def learns(layer: nn.Module, *inputs: Tensor) -> None:
    """Raise `AssertionError` if a parameter or an input gets no gradient.

    A gradient of zeros counts as none. All trainable parameters and all floating-point inputs are
    tested.
    """
    leaves = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    answer = layer(*_copies(leaves))
    assert answer.requires_grad, "No gradient comes back through the output at all."
    layer.zero_grad()
    (answer * torch.randn_like(answer)).sum().backward()
    idle = [name for name, weight in layer.named_parameters() if _is_idle(weight)]
    assert not idle, f"No gradient arrives at {', '.join(idle)}."
    cut = [i for i, x in enumerate(leaves, start=1) if x.requires_grad and _is_idle(x)]
    assert not cut, f"No gradient arrives at input {cut[0]} of {len(inputs)}."


def _is_idle(tensor: Tensor) -> bool:
    """Whether a tensor that should get a gradient has none, or only zeros."""
    return tensor.requires_grad and (tensor.grad is None or not tensor.grad.any())


def _copies(tensors) -> list[Tensor]:
    return [tensor.clone() for tensor in tensors]


GREY = "#808080"  # can be read on white and on black
DPI = 110
LABEL = 0.19  # inches that a row or a column with a label needs
WIDEST = 8.2  # inches: a page of 775 pixels shows them without scrolling
plt.rc("text", color=GREY)
plt.rc("xtick", color=GREY)
plt.rc("ytick", color=GREY)
plt.rc("axes", edgecolor=GREY, labelcolor=GREY, facecolor="none")
plt.rc("figure", facecolor="none")
plt.rc("savefig", facecolor="none")
plt.rc("legend", framealpha=0)


def show(figure: Figure, alt: str) -> None:
    """Show a figure below the cell, and close it. `alt`: its description for screen readers."""
    png = io.BytesIO()
    width = round(DPI * figure.get_figwidth())
    figure.savefig(png, format="png", dpi=DPI)
    plt.close(figure)
    image = base64.b64encode(png.getvalue()).decode()
    min_width = round(0.85 * width)  # on a narrow page it scrolls, to stay readable
    style = f"width: {width}px; max-width: max(100%, {min_width}px)"
    picture = picture_html(f"data:image/png;base64,{image}", alt, style)
    display({"text/html": picture, "text/plain": alt}, raw=True)


def close_figures() -> None:
    """Close all unfinished figures. Otherwise the notebook would show them half drawn."""
    plt.close("all")


def picture_html(address: str, alt: str, style: str) -> str:
    """Return the HTML of a picture that scrolls if it is wider than the page.

    `alt`: its description for screen readers. `style`: its CSS.
    """
    image = f'<img alt="{html.escape(alt)}" style="{style}" src="{address}">'
    return f'<div style="overflow-x: auto">{image}</div>'


def heatmaps(
    grids: dict[str, Tensor],
    rows: list[str],
    columns: list[str] | tuple = (),
    alt: str = "",
    cmap: str = "Purples",
    vmin: float = 0.0,
    vmax: float = 1.0,
    gamma: float = 1.0,
) -> None:
    """Draw each grid (len(rows), len(columns)) under its title, all on the same colour scale.

    The grids are side by side if the page is wide enough. `rows`, `columns`: labels, empty for
    none. `cmap`: matplotlib's name of the colours. `vmin`, `vmax`: the ends of the colour scale.
    `gamma`: below 1, it spreads small values. `alt` describes the picture for screen readers, and
    the extreme values are added to it. Raises `Differs` if a grid is not a tensor of this shape.
    """
    for title, grid in grids.items():
        _can_be_drawn(title, grid, len(rows), len(columns))
    width, height, aspect = _size_of_one(grids, len(rows), len(columns))
    across = min(len(grids), max(1, int((WIDEST - 1) / width)))
    lines = math.ceil(len(grids) / across)
    size = 1 + across * width, lines * height
    figure, axes = plt.subplots(lines, across, figsize=size, squeeze=False, layout="constrained")
    for ax in axes.flat[len(grids) :]:
        ax.set_visible(False)
    for ax, (title, grid) in zip(axes.flat, grids.items(), strict=False):
        colours = PowerNorm(gamma, vmin, vmax)
        image = ax.imshow(grid.numpy(force=True), cmap=cmap, norm=colours, aspect=aspect)
        ax.set_title(title, fontsize=10)
        ax.set_xticks(range(len(columns)), columns, rotation=90)
        ax.set_yticks(range(len(rows)), rows)
    figure.colorbar(image, ax=axes, shrink=0.8)
    descriptions = [_in_words(title, grid, rows, columns) for title, grid in grids.items()]
    show(figure, f"{alt or 'Heat maps.'} {'; '.join(descriptions)}.")


def _size_of_one(grids: dict[str, Tensor], rows: int, columns: int) -> tuple[float, float, Any]:
    """Return width and height of a grid in inches, and its aspect for matplotlib.

    The size has room for all labels. The aspect is "equal" for square cells, else "auto".
    """
    tallest = max(len(grid) / len(grid.T) for grid in grids.values())
    width = max(min(3, (WIDEST - 1) / len(grids)), 0.7 + LABEL * columns)
    height = min(3.2, 1.2 + 0.9 * width * tallest)  # flat grids: no space around them
    min_height = 0.9 + LABEL * rows
    return width, max(height, min_height), "auto" if height < min_height else "equal"


def _in_words(title: str, grid: Tensor, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Describe a grid: its smallest and largest value, the place of the largest, and its zeros."""
    values = grid.detach().double()
    if odd := int((~values.isfinite()).sum()):
        return (
            f"{' '.join(title.split())}: {odd} of {values.numel()} are no numbers, or without end"
        )
    row, column = divmod(int(values.argmax()), values.size(1))
    location = f"row {rows[row] if rows else row}, column {columns[column] if columns else column}"
    zeros = int((values == 0).sum())
    share = f", {zeros} of {values.numel()} are 0" if zeros else ""
    return f"{' '.join(title.split())}: {values.min():.2g} to {values.max():.2g}, most in {location}{share}"


def _can_be_drawn(title: str, grid: Tensor, rows: int, columns: int) -> None:
    """Raise `Differs` unless the grid is a matrix with a row and a column for each label.

    `rows`, `columns`: the numbers of labels, 0 for none.
    """
    if not isinstance(grid, Tensor):
        raise Differs(f"{title}: this is no tensor but {kind_of(grid)}")
    if grid.dim() != 2 or (rows or len(grid), columns or len(grid.T)) != grid.shape:
        shape = f"{rows or 'any number'}, {columns or 'any number'}"
        raise Differs(f"{title}: its shape is {tuple(grid.shape)}, the picture needs ({shape}).")


def beside_target(yours: Tensor, target: Tensor, corner: tuple[int, int] = (0, 0)) -> None:
    """Draw the student's numbers, the target, and their difference as three tables.

    `corner`: the row and column of the whole tensors at which these tables begin, for the labels.
    """
    limit = float(torch.cat([yours, target]).nan_to_num(0, 0, 0).abs().max()) or 1.0
    ranges = (range(first, first + size) for first, size in zip(corner, target.shape, strict=True))
    rows, columns = ([str(i) for i in numbers] for numbers in ranges)
    tables = {"yours": yours, "target": target, "difference": yours - target}
    heatmaps(
        tables, rows, columns, "Your numbers, the target, the difference.", "PuOr", -limit, limit
    )


def word_vectors(words: list[str], d_model: int) -> Tensor:
    """Return a random vector of the numbers 1 and -1 for each word, (len(words), d_model).

    A word gets the same vector in every sentence.
    """
    vectors = []
    for word in words:
        generator = torch.Generator().manual_seed(zlib.crc32(word.encode()))
        vectors.append(torch.randn(d_model, generator=generator).sign())
    return torch.stack(vectors)


_spaces: list[dict[str, Any]] = []  # the last replaces the notebook's, in a test or a program


def names() -> dict[str, Any]:
    """Return the notebook's namespace: the dict itself, not a copy."""
    return _spaces[-1] if _spaces else vars(sys.modules["__main__"])


class Student:
    """Gives access to the notebook's definitions as attributes: `student.Attention`.

    Each access looks up the present definition.
    """

    def __getattr__(self, name: str) -> Any:
        """Return the notebook's object of this name. Raises `NameError`, as a cell would."""
        if name not in names():
            raise NameError(f"name '{name}' is not defined", name=name)
        return names()[name]


student = Student()


@contextmanager
def notebook_is(space: dict[str, Any]) -> Iterator[None]:
    """Within the block, use this dictionary as the notebook's namespace."""
    _spaces.append(space)
    try:
        yield
    finally:
        _spaces.pop()


@contextmanager
def replaced(**parts: object) -> Iterator[None]:
    """Within the block, put these objects (by name) in the place of the notebook's own.

    Afterwards the notebook has its own again.
    """
    space = names()
    originals = {name: space[name] for name in parts if name in space}
    space.update(parts)
    try:
        yield
    finally:
        for name in parts:
            space.pop(name, None)
        space.update(originals)


PACKAGE = __name__.removesuffix(".telling")  # of these modules, or the one file made of them
COLOURS = {"done": "#2a9d57", "filled": "#34689f", "open": "#808080", "failing": "#d08700"}
MADE_FIRST = (
    "A layer is made first, and then called with a tensor: are brackets missing where it is made?"
)
SYMPTOMS = {  # patterns in messages of Python and torch, and their meaning here
    r"^(?!.*same dtype).*\b(ints?|integers?|slices|non-int)\b.*\bfloat|got \((?![^)]*Tensor)[^)]*\bfloat"
    r"|'float' object (cannot|is not iterable)|slice indices": "A float stands where a whole number is "
    "needed: `/` gives a float, `//` a whole number.",
    r"missing the required \"forward\" function": "The class has no `forward`: is it spelt so, and indented as far as `__init__`?",
    r"cannot assign \w+ before Module.__init__|has no attribute '_(modules|parameters|buffers|\w*hooks\w*)'": "`super().__init__()` has to come before the first member.",
    r"shapes cannot be multiplied|Expected size for first two dimensions": "The last dimension of the left is not the first of the right: write the shape behind each line.",
    r"view size is not compatible": "`view` wants memory in order; after a `transpose`, `reshape` does not mind.",
    r"must match the (existing )?size of tensor|not broadcastable|output with shape": "Two shapes do not fit: write both as comments, right-aligned.",
    r"missing (\d+|a) required": "A call leaves out what the message names: a size, or a tensor?",
    r"got an unexpected keyword argument|positional arguments? but": "A call hands over other arguments than the signature names.",
    r"expected .*dtype|same dtype|expected scalar type|boolean masks|a boolean tensor": "Two tensors have different types: an integer mask becomes a boolean one with `.bool()`.",
    r"NoneType": "Something is None where a value should be: was `return` forgotten, an argument left out, or has a layer no bias?",
    r"maximum recursion depth": "A method calls itself, without an end.",
    r"Boolean value of Tensor": "`if`, `and`, `or`, `not` want one truth, and the tensor has many: is `is not None` meant?",
    r"object is not (subscriptable|callable)": "Round brackets call, square ones take a part: which does it need?",
    r"must be Tensor, not (int|float)": "A number is there instead of a tensor: for numbers there is `math`.",
    r"is not a Module subclass|must be Tensor, not": MADE_FIRST,
    r"leaf Variable": "The numbers of a layer are written under `with torch.no_grad():`.",
    r"in-?place operation": "A tensor is changed in place, which autograd needs as it was.",
}
KINDS = {  # meaning of errors without a symptom
    IndentationError: "The lines of one block begin at one column: spaces, or tabs, and not both.",
    SyntaxError: "Look at this line and at those above: is a bracket, a quotation mark, a comma or a colon missing?",
}
IMPORTS = {  # of common names
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "F": "from torch.nn import functional as F",
    "Tensor": "from torch import Tensor",
    "plt": "from matplotlib import pyplot as plt",
    "torch": "import torch",
    "math": "import math",
}


def is_stub(error: BaseException) -> bool:
    """Whether a stub raised the exception: a `NotImplementedError` without a message.

    The exercise is then still open.
    """
    return isinstance(error, NotImplementedError) and not error.args


def open_exercise(error: BaseException) -> str:
    """Return the exercise of the stub that raised this exception, or ""."""
    frames = _frames(error.__traceback__)
    name = frames[-1].f_code.co_qualname.partition(".")[0] if frames else ""
    return exercise_that_defines(name)


def cell_text(error: BaseException) -> str:
    """Return the text of the cell or file in which the exception was raised."""
    return "".join(linecache.getlines(raised_in(error)))


def in_words(error: BaseException, given: str = "") -> str:
    """Return an exception's type and message, the student's line, and the usual meaning.

    `given`: the file of a cell whose lines are not the student's, or "".
    """
    text = " ".join(message_of(error).split())
    title = f"{type(error).__name__}: {text}" if text else type(error).__name__
    parts = title, own_line(error, given), _meaning(error, text)
    return "\n".join(part for part in parts if part)


def message_of(error: BaseException, longest: int = 400) -> str:
    """Return an exception's message, cut off after `longest` characters.

    Return "" if making the message raises.
    """
    try:
        text = without_file(str(error))
    except Exception:  # the student's own exception class may raise anything
        return ""
    return text if len(text) <= longest else f"{text[:longest]} ..."


def is_ours(error: BaseException) -> bool:
    """Whether a line of the toolbox or of the visible checks raised the exception itself."""
    frames = _frames(error.__traceback__)
    module = str(frames[-1].f_globals.get("__name__")) if frames else ""
    return module.startswith(PACKAGE) or module.endswith(MODULE_SUFFIX)


def is_of_library(error: BaseException) -> bool:
    """Whether the toolbox or a visible check uses a module, or a name in one, that is missing.

    An example is `F.rms_norm` before torch 2.4. No code of the student can cause that.
    """
    in_module = isinstance(error, AttributeError) and isinstance(error.obj, ModuleType)
    return is_ours(error) and (in_module or isinstance(error, ImportError))


def raised_in(error: BaseException) -> str:
    """Return the name of the file or cell in which the exception was raised, or ""."""
    frames = _frames(error.__traceback__)
    return frames[-1].f_code.co_filename if frames else ""


def panel(state: str, title: str, text: str = "") -> None:
    """Show a title and a text below the cell, with an edge in the colour of `state`.

    They are shown as plain text if HTML cannot be shown. `state`: a key of COLOURS.
    """
    style = f"border-left: 4px solid {COLOURS[state]}; padding: 0.2em 0.8em; white-space: pre-wrap"
    body = f"<b>{html.escape(title)}</b>" + (f"\n{html.escape(text)}" if text else "")
    bundle = {
        "text/plain": f"{title}\n{text}".strip(),
        "text/html": f'<div style="{style}">{body}</div>',
    }
    display(bundle, raw=True, metadata={"check": {"state": state}})


def _meaning(error: BaseException, text: str) -> str:
    """Return the usual meaning of an exception here, or "". `text`: its message."""
    if isinstance(error, NameError) and error.name and not isinstance(error, UnboundLocalError):
        exercise = exercise_that_defines(error.name)
        origin = f"`{error.name}` comes from the cell of {title_of(exercise)}" if exercise else ""
        local = [name for frame in _frames(error.__traceback__)[-1:] for name in frame.f_locals]
        if similar := _similar(error.name, [*local, *names()]):
            return f"{origin}. There is `{similar}`: is one of the two misspelt?".removeprefix(". ")
        if error.name in IMPORTS:
            return f"A line is missing: `{IMPORTS[error.name]}`."
        if origin:
            return f"{origin}: has it been run, and does it define that?"
        return f"Is `{error.name}` spelt as where it was made, and has that cell been run?"
    if any(map(_makes_a_layer_of_a_tensor, _frames(error.__traceback__))):
        return MADE_FIRST
    meaning = next((sentence for sign, sentence in SYMPTOMS.items() if re.search(sign, text)), "")
    if isinstance(error, AttributeError) and error.name and not meaning:
        similar = _similar(error.name, _members(error.obj))
        return f"Is `{similar}` meant?" if similar else _layers_inside(error.obj)
    return meaning or next(
        (sentence for kind, sentence in KINDS.items() if isinstance(error, kind)), ""
    )


def _similar(name: str, candidates: Iterable[str]) -> str:
    """Return the most similar of the `candidates` that do not belong to exercises, or ""."""
    names_by_casefold = {
        candidate.casefold(): candidate
        for candidate in candidates
        if not exercise_that_defines(candidate)
    }
    matches = difflib.get_close_matches(name.casefold(), names_by_casefold, 1, 0.8)
    return names_by_casefold[matches[0]] if matches else ""


def _members(owner: object) -> list[str]:
    try:
        return dir(owner)
    except Exception:  # a module without `super().__init__()` raises here
        return []


def _layers_inside(layer: object) -> str:
    """Return a sentence with the names of the layers inside a layer, or ""."""
    layers = vars(layer).get("_modules", {}) if isinstance(layer, nn.Module) else {}
    quoted_names = ", ".join(f"`{name}`" for name in layers)
    return f"The layers inside are called {quoted_names}." if quoted_names else ""


def _makes_a_layer_of_a_tensor(frame: FrameType) -> bool:
    """Whether this frame is the constructor of a torch layer that got a tensor for a size."""
    code, arguments = frame.f_code, frame.f_locals.values()
    is_torch_layer = str(frame.f_globals.get("__name__")).startswith("torch.nn.modules.")
    return (
        is_torch_layer
        and code.co_name == "__init__"
        and any(isinstance(argument, Tensor) for argument in arguments)
    )


def own_line(error: BaseException, given: str = "") -> str:
    """Return the last line of the traceback that the student wrote, with its number, or "".

    `given`: the file of a cell whose lines are not the student's, or "".
    """
    for frame, number in reversed(list(walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        text = linecache.getline(file, number).strip()
        # The line is neither a library's nor the toolbox's.
        if text and frame.f_globals is names() and file != given:
            return f"in `{frame.f_code.co_qualname}`, line {number} of its cell:  {text}"
    return ""


def _frames(traceback: TracebackType | None) -> list[FrameType]:
    return [frame for frame, _ in walk_tb(traceback)]


class Begun:
    """The data that `begin` has found about this notebook's assignment."""

    released: Released = NOTHING
    missing = ""  # name of the file of checks if it is not beside the notebook


def begin(assignment: str, version: str = "") -> None:
    """Load the visible checks of this assignment from the file beside the notebook.

    From then on, `toolbox.check` can run them. `version`: of the toolbox that the notebook was
    released with. A message is shown if this toolbox has another version, or if the file of checks
    is missing.
    """
    if version and version != VERSION:
        panel(
            "failing",
            "`toolbox.py` is not the one of this notebook.",
            f"It is version {VERSION or 'unknown'}, and this notebook wants {version}: put the file that "
            "came with the notebook beside it, and restart the kernel.",
        )
    checks = checks_of(assignment)
    Begun.missing = f"{checks_module(assignment)}.py" if checks is None else ""
    if checks is None:
        ask_for_set_up()
        if shell := get_ipython():  # the file of checks would have defined `%%ipytest`
            shell.register_magic_function(lambda *_: ask_for_set_up(), "cell", "ipytest")
        return
    Begun.released = read_released(Path(checks.__file__ or ""))
    EXERCISES.clear()
    EXERCISES.update(Begun.released.exercises)
    if shell := get_ipython():
        shell.events.register("post_run_cell", note_how_it_ended)
    print(f"Ready: checks and pictures of {assignment}.")


def ask_for_set_up() -> None:
    """Ask for the missing file, or for a run of the cell `set_up`."""
    if name := Begun.missing:
        todo = "Put it beside this notebook, as you got it, and restart the kernel: the checks are in it."
        panel("failing", f"`{name}` is missing.", todo)
        return
    todo = "Run the first cell of code, `set_up`, and then this one once more."
    panel("failing", "Nothing is known of this notebook yet.", todo)


def note_how_it_ended(result: ExecutionResult) -> None:
    """Record in STOPPED the exception of an exercise's cell, or remove the earlier record.

    IPython calls this after each cell. After an exception, the cell's names may date from an
    earlier run.
    """
    error = result.error_before_exec or result.error_in_exec
    for id, exercise in EXERCISES.items():
        if result.info and defines(result.info.raw_cell, exercise):
            STOPPED.pop(id, None)
            if error is not None:
                STOPPED[id] = error


def checks_of(assignment: str) -> ModuleType | None:
    """Import the file of visible checks of this assignment. Return the module, or None.

    Raises all exceptions of the file's code.
    """
    name = checks_module(assignment)
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


SVG = "http://www.w3.org/2000/svg"
FILLS = {"done": "#c9efd5", "filled": "#d5e4f7", "failing": "#ffdfa6", "open": "#e9ecef"}
EDGES = {"done": "#1d7f43", "filled": "#34689f", "failing": "#a86a00", "open": "#7a8899"}


class Progress(NamedTuple):
    """How far an exercise is."""

    state: str  # "done", "filled", "open" or "failing"
    mark: str  # a sign for the state
    words: str  # a few words for the list


def progress() -> None:
    """Show the map and the list of all exercises.

    An exercise is green if its check passes, blue if it is filled in, amber if its check fails,
    grey if it is open or was not run.
    """
    if not EXERCISES:
        ask_for_set_up()
        return
    title = _sum_of_points()
    rows = [(exercise, progress_of(id)) for id, exercise in EXERCISES.items()]
    lines = [
        f"{status.mark} {exercise.number:>3}  {exercise.title}: {status.words} ({worth(exercise)})"
        for exercise, status in rows
    ]
    ungraded = [f"Exercise {heading}: no points." for heading in Begun.released.ungraded]
    summary = "; ".join(f"exercise {exercise.number}: {status.words}" for exercise, status in rows)
    page = [
        f"<p><b>{title}</b></p>",
        _map_picture(f"Map of the exercises. {summary}."),
        _list_of(rows),
    ]
    page += [f"<p>{html.escape(line)}</p>" for line in ungraded]
    text = "\n".join([title, *lines, *ungraded])
    display({"text/plain": text, "text/html": "".join(page)}, raw=True)


def progress_of(id: str) -> Progress:
    """Return how far the exercise `id` is, by the last run of its visible check.

    For an exercise that a person marks, the saved file counts.
    """
    if EXERCISES[id].by_hand:
        return _written(id)
    result = RESULTS.get(id)
    if result is None:
        return Progress("open", "○", "check not run yet")
    if result.state == "done" and EXERCISES[id].form_only:
        return Progress("filled", "●", "filled in; grading says whether it is right")
    if result.state == "done":
        return Progress("done", "✓", "all steps of the check pass")
    if result.state == "failing":
        return Progress("failing", "!", f"next: {result.question or result.message}")
    if result.state == "unchecked":
        return Progress("open", "○", "not checked: a package lacks what the check uses")
    return Progress("open", "○", "still open")


def _written(id: str) -> Progress:
    """Return how far an exercise is that a person marks: whether the saved file has an answer."""
    released = Begun.released
    try:
        notebook = place_saved(read_saved(find_saved(names(), EXERCISES)), released)
    except NoNotebook:
        return Progress("open", "✎", "a person reads it")
    if notebook.answers.get(id):
        return Progress("filled", "✎", "written, and a person reads it")
    return Progress("open", "○", "not written in the saved file; a person reads it")


def coloured(svg: str) -> str:
    """Return the map (`svg`) with the state of each exercise.

    Of the parts with `data-exercise`, a text is replaced by the exercise's sign, points and
    minutes. Any other shape gets the colour of the state.
    """
    ElementTree.register_namespace("", SVG)
    figure = ElementTree.fromstring(svg)
    for part in figure.iter():
        id = part.get("data-exercise")
        if id not in EXERCISES:
            continue
        status = progress_of(id)
        if part.tag == f"{{{SVG}}}text":
            part.text = f"{status.mark} {worth(EXERCISES[id])}"
        else:
            dashes = "; stroke-dasharray: 5 4" if EXERCISES[id].by_hand else ""
            part.set("style", f"fill: {FILLS[status.state]}; stroke: {EDGES[status.state]}{dashes}")
    return ElementTree.tostring(figure, encoding="unicode")


def _sum_of_points() -> str:
    """Return a sentence with the points of passing checks."""
    exercises = EXERCISES.values()
    passing = sum(
        exercise.points for id, exercise in EXERCISES.items() if progress_of(id).state == "done"
    )
    checked = sum(
        exercise.points for exercise in exercises if not exercise.by_hand and not exercise.form_only
    )
    form_only = sum(exercise.points for exercise in exercises if exercise.form_only)
    by_hand = sum(exercise.points for exercise in exercises if exercise.by_hand)
    later = f"; grading alone tells about {form_only} more" if form_only else ""
    by_hand_remark = f"; a person reads the answers for {by_hand} more" if by_hand else ""
    return (
        f"Your checks pass in exercises worth {passing} of {checked} points{later}{by_hand_remark}."
    )


def _map_picture(alt: str) -> str:
    """Return the map as HTML, "" if the assignment has none."""
    if not Begun.released.overview:
        return ""
    svg = base64.b64encode(coloured(Begun.released.overview).encode()).decode()
    source = f"data:image/svg+xml;base64,{svg}"
    style = "max-width: 100%; min-width: 36em"  # on a phone it scrolls instead of shrinking
    return picture_html(source, alt, style)


def _list_of(rows: list[tuple[ExerciseHeading, Progress]]) -> str:
    """Return an HTML table with a row for each exercise."""

    def line(cells: tuple[str, ...], tag: str) -> str:
        style = ' style="text-align: left"'
        return "<tr>" + "".join(f"<{tag}{style}>{html.escape(cell)}</{tag}>" for cell in cells)

    head = line(("", "exercise", "", "worth"), "th")
    body = (
        line(
            (status.mark, f"{exercise.number} · {exercise.title}", status.words, worth(exercise)),
            "td",
        )
        for exercise, status in rows
    )
    return f"<table>{head}{''.join(body)}</table>"


Steps = Callable[[], Iterator[str]]
CHECKS: dict[str, Steps] = {}  # by exercise: the file of checks fills them in
PRINTED = 12  # lines that are shown of the output during a check
SEED = 1  # of the random numbers of a check
REPORT = "Your code has no part in it. Update that package, or report this to your course."
WAITING: dict[str, str] = {}  # names in waiting pictures, with the exercise that is still open


def steps(exercise: str) -> Callable[[Steps], Steps]:
    """Return a decorator that declares the visible check of an exercise.

    The decorated function is a generator. It yields the question of each step, and then asserts the
    answer. It gets the notebook's definitions from `student`.
    """

    def declare(steps_of: Steps) -> Steps:
        CHECKS[exercise] = steps_of
        return steps_of

    return declare


def check(exercise: str) -> None:
    """Run the visible check of an exercise, and show and record the result.

    Nothing is raised, so that the cells below are run. Random numbers are the same each time. If
    the exercise's own cell raised when it was last run, the check is not run and counts as failing.
    If no check is known, a message asks to run `set_up` first. Under nbgrader's Validate, an
    exercise that is open or fails is reported as an error.
    """
    if exercise in STOPPED:
        RESULTS[exercise] = _old_answer(exercise, STOPPED[exercise])
    elif exercise in CHECKS:
        RESULTS[exercise] = run_steps(exercise, CHECKS[exercise], SEED)
    else:
        ask_for_set_up()
    # nbgrader's Validate takes silence for success.
    if os.environ.get("NBGRADER_EXECUTION") == "validate":
        _report_to_nbgrader(exercise, RESULTS.get(exercise))


def _report_to_nbgrader(exercise: str, result: Result | None) -> None:
    """Write a sentence to standard error, where nbgrader looks for failures.

    A check that passes or cannot be run with the installed packages is not reported.
    """
    if result is None or result.state == "open":
        print(f"{title_of(exercise)} is still open.", file=sys.stderr)
    elif result.state == "failing":
        message = f"{result.question} {result.message}".strip()
        print(f"{title_of(exercise)}: {message}", file=sys.stderr)


def _old_answer(exercise: str, error: BaseException) -> Result:
    """Report that the exercise's cell raised, so that its definitions date from an earlier run."""
    question = "Did the cell of this exercise run to its end?"
    message = f"It stopped, and what it may have defined before is still there.\n{in_words(error)}"
    panel("failing", f"{title_of(exercise)}, before the check: {question}", message)
    return Result("failing", (), question, message)


def run_steps(exercise: str, steps_of: Steps, seed: int) -> Result:
    """Run an exercise's check up to its first failing step. Show and return the result.

    `steps_of`: the generator function of the check. `seed`: of its random numbers.
    """
    questions: list[str] = []
    error, printed = _ask(steps_of, seed, questions)
    if printed:
        print(_beginning(printed))
    if error is not None:
        return _ended_early(exercise, questions, error)
    if exercise in EXERCISES and EXERCISES[exercise].form_only:
        panel("filled", f"{title_of(exercise)} is filled in. Grading says whether it is right.")
    else:
        panel("done", f"{title_of(exercise)}: all {len(questions)} steps of the check pass.")
    return Result("done", tuple(questions))


def _ask(steps_of: Steps, seed: int, questions: list[str]) -> tuple[BaseException | None, str]:
    """Run the steps, and append the question of each begun step to `questions`.

    Return the exception that ended them, or None, and the printed output.
    """
    printed = io.StringIO()
    with torch.random.fork_rng(devices=[]), redirect_stdout(printed):
        torch.manual_seed(seed)
        try:
            for question in steps_of():
                questions.append(question)
        except (Exception, SystemExit) as error:
            return error, printed.getvalue()
    return None, printed.getvalue()


def _beginning(printed: str) -> str:
    """Return the first PRINTED lines of a text, and the number of further lines."""
    lines = printed.rstrip("\n").split("\n")
    remaining = len(lines) - PRINTED
    return "\n".join(
        [*lines[:PRINTED], *([f"... and {remaining} lines more"] if remaining > 0 else [])]
    )


def try_it(picture: Callable[..., None], *inputs: object) -> bool:
    """Call `picture` with these inputs to draw it, and return whether it was drawn.

    If its exercise is open, or if it raises, a line explains this.
    """
    try:
        picture(*inputs)
    except (Exception, SystemExit) as error:
        close_figures()
        exercise = _waits_for(error, picture)
        if isinstance(error, ImportError) and Begun.missing == f"{error.name}.py":
            ask_for_set_up()
        elif exercise is None:
            panel("failing", "No picture yet.", _said(error, picture.__code__.co_filename))
        else:
            title = title_of(exercise) or "An exercise"
            panel("open", f"{title} is still open: no picture yet.", _line_left(error, exercise))
        return False
    for name in picture.__code__.co_names:
        WAITING.pop(name, None)
    return True


def _waits_for(error: BaseException, picture: Callable[..., None]) -> str | None:
    """Return the open exercise that the picture needs, "" if it is not known.

    Return None if the exception has another cause. A picture also waits if it uses names of an
    earlier picture that waits.
    """
    if is_stub(error):
        exercise = open_exercise(error)
        WAITING.update(dict.fromkeys(picture.__code__.co_names, exercise))
        return exercise
    return WAITING.get(error.name or "") if isinstance(error, NameError) else None


def is_open(ask: Callable[[], object]) -> bool:
    """Whether calling `ask` shows that an exercise is a stub, which a stand-in may replace.

    An exception of another kind counts as not open.
    """
    try:
        ask()
    except Exception as error:  # other errors appear where the part is used
        return is_stub(error)
    return False


def _ended_early(exercise: str, questions: list[str], error: BaseException) -> Result:
    """Show and return the result of a check that an exception stopped.

    It is open if a stub raised it, unchecked if a part of a library is missing, else failing.
    `questions`: of all begun steps.
    """
    title = title_of(exercise)
    if is_stub(error):
        other = open_exercise(error)
        waits = f" It waits for {title_of(other)}." if other not in ("", exercise) else ""
        line = _line_left(error, other)
        panel("open", f"{title} is still open.{waits}", line)
        return Result("open", tuple(questions), "", line)
    question, passed = (questions[-1], questions[:-1]) if questions else ("", [])
    message = _said(error)
    step = f"{title}, step {len(questions)} of the check: {question}"
    if is_of_library(error):
        panel(
            "open",
            f"{title} is not checked: your version of a package lacks what the check uses.",
            f"{message}\n{REPORT}",
        )
        return Result("unchecked", tuple(passed), question, message)
    panel("failing", step, message)
    if isinstance(error, Differs) and error.yours is not None and error.target is not None:
        beside_target(error.yours, error.target, error.corner)
    return Result("failing", tuple(passed), question, message)


def _line_left(error: BaseException, exercise: str) -> str:
    """Return a sentence if the stub's line is left in a cell that was changed otherwise."""
    released = Begun.released.fingerprints.get(exercise)
    if not is_stub(error) or released in (None, fingerprint(cell_text(error))):
        return ""
    line = own_line(error)
    return f"This line is still there, {line}" if line else ""


def _said(error: BaseException, picture_file: str = "") -> str:
    """Return the text to show for an exception.

    An assertion of our own code has its message alone. `picture_file`: the file of a picture's
    cell, whose lines are not the student's.
    """
    if isinstance(error, AssertionError) and (is_ours(error) or raised_in(error) == picture_file):
        return message_of(error)
    return in_words(error, picture_file)


NAME_IN_CALL = ', as in toolbox.fit_to_hand_in("folder/name.ipynb").'


def fit_to_hand_in(file: str = "") -> None:
    """Read the saved notebook, run it in a new process, and show the remaining tasks.

    `file`: the path of the notebook's file, if it cannot be found.
    """
    if FRESH in os.environ:  # the new process also runs this cell
        return
    released = Begun.released
    if not released.exercises:
        ask_for_set_up()
        return
    if not released.cells:  # in the solution
        print("Only the released notebook can be checked here.")
        return
    try:
        notebook, path, save_sentence = _saved_notebook(file)
    except NoNotebook as error:
        panel("failing", "The saved notebook could not be checked.", str(error))
        return
    to_run = [cell.source for cell in code_to_run(notebook.cells)]
    run = run_fresh(to_run, path.parent, released.checks)
    report = report_on(notebook, released, run)
    shell = get_ipython()
    history = shell.history_manager.input_hist_raw if shell else ()
    passing = [name for name, result in RESULTS.items() if result.state == "done"]
    report.to_do.extend(only_here(notebook, released, run, report.states, history, passing))
    report.to_do.extend(other_name(path, released))
    panel("done" if report.fit else "failing", report.title, f"{report.text}\n{save_sentence}")


def _saved_notebook(file: str) -> tuple[PlacedCells, Path, str]:
    """Return the notebook's saved cells, its path, and a sentence on the time of saving.

    Raises `NoNotebook` if it is not found, cannot be read, or is of another assignment.
    """
    if not file and (cells := cells_in_colab()):
        as_named = Path(Begun.released.notebook)  # Colab does not reveal the file's name
        notebook = place_saved(cells, Begun.released, "This notebook")
        return notebook, as_named, "Checked as it stands in Colab now: download it after this."
    path = Path(file) if file else find_saved(names(), EXERCISES, NAME_IN_CALL)
    notebook = place_saved(read_saved(path), Begun.released, path.name)
    return notebook, path, when_saved(path)


def only_here(
    notebook: PlacedCells,
    released: Released,
    run: FreshRun,
    states: Mapping[str, str],
    history: Sequence[str],
    done: Collection[str] = (),
) -> Iterator[str]:
    """Yield a sentence for each exercise if its saved answer differs from the running notebook's.

    `run`: how the saved cells ended in a new process. `states`: of the exercises, by name.
    `history`: all code that was run in this notebook's kernel. `done`: the exercises with passing
    checks in it. Cells that raise are left out, as they are reported already.
    """
    stops = names_that_stop(notebook.cells, run)
    for name, exercise in released.exercises.items():
        if name in stops:
            continue
        if _ran_another(name, notebook, released, history):
            yield (
                f"{title_of_cell(name, released)}: what ran last is not what is saved. Run the cell "
                "once more, and save the notebook."
            )
        elif name in done and states[name] == "failing" and not run.trouble:
            yield (
                f"Exercise {exercise.number} passes its check here, and not in a fresh kernel: "
                "restart the kernel, run all cells, and see what is missing."
            )


def _ran_another(
    name: str, notebook: PlacedCells, released: Released, history: Sequence[str]
) -> bool:
    """Whether the code last run for the exercise `name` differs from its saved cell.

    False if nothing was run, if the notebook has no cell of the exercise, or if its answer is in a
    wrong cell, which is reported elsewhere.
    """
    last_run = [text for text in history if defines(text, released.exercises[name])][-1:]
    saved_cells = notebook.answers.get(name) or [
        cell for cell in notebook.cells if name in cell.names
    ]
    if (
        not saved_cells
        or not last_run
        or fingerprint(last_run[0]) == fingerprint(saved_cells[0].source)
    ):
        return False
    return misplaced(name, notebook, released) is None


VIEW = "application/vnd.jupyter.widget-view+json"  # where a page shows a widget


class Control(NamedTuple):
    """A control that a reader changes."""

    start: Any  # its first value
    stills: tuple[Any, ...]  # values for fixed pictures
    build: Callable[[ModuleType, Callable[[Any], None]], Any]  # ipywidgets, on change -> widget


def slider(label: str, values: Sequence[Any], start: Any, stills: Sequence[Any]) -> Control:
    """Return a control that chooses from these ordered values.

    `label`: the text beside it. `start`: the first value. `stills`: the values to draw if no widget
    can be shown.
    """

    def build(widgets: ModuleType, on_change: Callable[[Any], None]) -> Any:
        wide = {"layout": {"width": "90%"}, "style": {"description_width": "initial"}}
        widget = widgets.SelectionSlider(
            options=list(values), value=start, description=label, **wide
        )
        widget.observe(lambda change: on_change(change.new), "value")
        return widget

    return Control(start, tuple(stills), build)


def toggles(words: Sequence[str], start: Sequence[bool]) -> Control:
    """Return a control with a button for each word.

    Its value is a tuple with the state of each button. `start`: the first value.
    """

    def build(widgets: ModuleType, on_change: Callable[[Any], None]) -> Any:
        buttons = [
            widgets.ToggleButton(value=on, description=word, layout={"width": "auto"})
            for word, on in zip(words, start, strict=True)
        ]
        for button in buttons:
            button.observe(lambda _: on_change(tuple(b.value for b in buttons)), "value")
        return widgets.HBox(buttons, layout={"flex_flow": "row wrap"})

    return Control(tuple(start), (tuple(start),), build)


def text_box(label: str, start: str) -> Control:
    """Return a control for a line of text, which counts when Enter is pressed."""

    def build(widgets: ModuleType, on_change: Callable[[Any], None]) -> Any:
        widget = widgets.Text(
            start, description=label, continuous_update=False, layout={"width": "90%"}
        )
        widget.observe(lambda change: on_change(change.new), "value")
        return widget

    return Control(start, (start,), build)


def play(control: Control) -> Callable[[Callable[[Any], None]], None]:
    """Return a decorator that draws a function's picture, and again whenever the control changes.

    The function is called with the control's value. Random numbers are the same for each picture.
    If the function raises because an exercise is not solved yet, a line explains this instead. If
    no control can be shown, the pictures for the control's fixed values are drawn.
    """

    def run(draw: Callable[[Any], None]) -> None:
        if widgets := _ipywidgets():
            with capture_output() as first:
                drawn = _drawn(draw, control.start)
            if not drawn:
                first.show()
                return
            picture = DisplayHandle()
            view = _view_of(control, widgets, lambda value: _redraw(picture, draw, value))
            if view:
                display(view | {"text/plain": "(To play, run this cell.)"}, raw=True)
                _put(picture.display, first.outputs)
                return
        all(_drawn(draw, value) for value in control.stills)

    return run


def _view_of(
    control: Control, widgets: ModuleType, on_change: Callable[[Any], None]
) -> dict[str, Any]:
    """Build the control's widget and return the data that shows it, by MIME type.

    Return {} if this version of ipywidgets cannot be used here.
    """
    try:
        with capture_output() as captured:
            widget = control.build(widgets, on_change)
            # `display(widget)` would end in a traceback if these methods raise.
            if hasattr(widget, "_ipython_display_"):  # ipywidgets 7
                widget._ipython_display_()
            else:
                display(widget._repr_mimebundle_(), raw=True)
    except Exception:  # for example, a version that does not fit the kernel
        return {}
    return next((output.data for output in captured.outputs if VIEW in output.data), {})


def _redraw(picture: DisplayHandle, draw: Callable[[Any], None], value: Any) -> None:
    with capture_output() as captured:
        _drawn(draw, value)
    _put(picture.update, captured.outputs)


def _put(show_output: Callable[..., None], outputs: list[Any]) -> None:
    """Show the last output with `show_output`, a method that displays or updates a picture."""
    for output in outputs[-1:]:
        show_output(output.data, raw=True, metadata=output.metadata or {})


def _drawn(draw: Callable[[Any], None], value: Any) -> bool:
    """Call `draw` with fixed random numbers, and return whether a picture was drawn."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return try_it(draw, value)


def _ipywidgets() -> ModuleType | None:
    """Return the module ipywidgets, or None if it cannot be imported."""
    try:
        return importlib.import_module("ipywidgets")
    except Exception:  # an old version fails in its own ways with a new kernel
        return None


def own_lines(function: Callable[..., Any]) -> str:
    """Return the body of a student's function as text, without the docstring.

    Return "" if the source is not found, or if the function is still the stub.
    """
    try:
        source = textwrap.dedent(inspect.getsource(function))
        body = ast.parse(source).body[0].body  # type: ignore[attr-defined]
    except (OSError, TypeError, SyntaxError, AttributeError):
        return ""
    is_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    body = body[1:] if is_text else body
    if not body or (len(body) == 1 and isinstance(body[0], ast.Raise)):
        return ""
    lines = source.splitlines()[body[0].lineno - 1 : body[-1].end_lineno]
    return textwrap.dedent("\n".join(lines))


def beside_equation(title: str, equation: str, function: Callable[..., Any] | None) -> None:
    """Show the body of the student's function below an equation in LaTeX.

    The equation may be the answer to a question, so it is hidden as long as the function is None or
    a stub.
    """
    lines = own_lines(function) if function else ""
    text = f"$${equation}$$\n\n````python\n{lines}\n````" if lines else "*still open*"
    display(Markdown(f"**{title}**\n\n{text}"))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Show a table below the cell. The first cell of each row names the row.

    Cells are shown as text, never as HTML.
    """
    style = "text-align: left; padding: 0.2em 0.8em"
    lines = [
        "".join(f'<{tag} style="{style}">{html.escape(str(cell))}</{tag}>' for cell in cells)
        for tag, cells in [("th", header), *(("td", row) for row in rows)]
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    display(HTML(f'<table style="color: inherit">{body}</table>'))
