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


VERSION = "d80dd991"  # where the modules are one file: how the hash of its text begins


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
    """A version is older than in OLDEST; the message says which, and how to get a newer one."""


def refuse_old_versions() -> None:
    """Raise `TooOld` if Python or a package is too old for the checks."""
    if sentence := too_old():
        raise TooOld(sentence)


def too_old() -> str:
    """Return a sentence that names the versions that are too old for the checks, and says how to
    get newer ones; "" if there are none.
    """
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
    """Return the version of Python or of a package; "" if it is not installed. The version of an
    imported package counts, and not the one that was installed since.
    """
    if name == "Python":
        return platform.python_version()
    if version := getattr(sys.modules.get(name), "__version__", ""):
        return str(version)
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _is_older(version: str, oldest: str) -> bool:
    """Whether `version`, such as "2.4.0a0+git", has a smaller number than `oldest`; False if it has
    no number.
    """
    numbers, least = (
        [int(part) for part in re.findall(r"\d+", text)] for text in (version, oldest)
    )
    return bool(numbers) and numbers[: len(least)] < least


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
    """One exercise: its number, title, points and minutes, and the names that its cell defines."""

    number: str
    title: str
    points: int
    minutes: int
    defines: tuple[str, ...] = ()  # classes and functions that its solution cell defines
    by_hand: bool = False  # a person reads the answer
    form_only: bool = (
        False  # its visible check sees whether it is filled in, and not whether it is right
    )


EXERCISES: dict[
    str, ExerciseHeading
] = {}  # of this notebook, by solution cell: `begin` fills them in


class Result(NamedTuple):
    """How a visible check ended: its state, the questions of the steps that passed, and the question
    and message of the step that did not.
    """

    state: str  # "done", "open", "failing", or "unchecked" if a package lacks what the check uses
    passed: tuple[str, ...] = ()  # the steps before
    question: str = ""  # of the step at which it ended
    message: str = ""


RESULTS: dict[str, Result] = {}  # of the checks that ran, by solution cell
STOPPED: dict[str, BaseException] = {}  # what solution cells raised that did not run to their end


def title_of(exercise: str) -> str:
    """Return "Exercise 3a" for the exercise with this name; if there is none, the name itself."""
    known = EXERCISES.get(exercise)
    return f"Exercise {known.number}" if known else exercise


def exercise_that_defines(name: str) -> str:
    """Return the id of the exercise whose cell has to define the class, function or variable
    `name`; "" if there is none.
    """
    found = (id for id, exercise in EXERCISES.items() if name in exercise.defines)
    return next(found, "")


def defines(source: str, exercise: ExerciseHeading) -> bool:
    """Whether this code defines, at its top level, one of the names that the exercise asks for."""
    return bool(names_defined(source) & set(exercise.defines))


def worth(exercise: ExerciseHeading) -> str:
    """Return the exercise's points and minutes as text, such as "4 points · 20 min"."""
    points = "1 point" if exercise.points == 1 else f"{exercise.points} points"
    return f"{points} · {exercise.minutes} min"


MAX_BYTES = 32 << 20
SKIPPED = "skip-grading"  # tag of provided cells that grading does not run
DOWNLOAD = "save it from Jupyter, or download it with File > Download as a notebook (.ipynb)"


class NoNotebook(Exception):
    """There is no notebook that can be read; the message says why, and what to do."""


class SavedCell(NamedTuple):
    """One cell of a notebook as it is saved."""

    kind: str  # "code", "markdown", "raw"
    source: str
    names: tuple[str, ...] = ()  # nbgrader's id, then the cell's own
    skipped: bool = False


def read_saved(path: Path) -> list[SavedCell]:
    """Return the cells of the notebook file at this path. Raises `NoNotebook` if it cannot be
    opened, is larger than MAX_BYTES or than grading reads, or is no notebook.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise NoNotebook(f"`{path.name}` is too large: clear its outputs and save it.")
        data = path.read_bytes()
    except OSError as error:
        raise NoNotebook(f"`{path}` cannot be opened: {error.strerror}.") from error
    if data.lstrip().startswith(b"<"):
        raise NoNotebook(f"`{path.name}` is a web page, not a notebook: {DOWNLOAD}.")
    try:
        cells = cells_of(json.loads(data))
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
    """Return the cells of a notebook, given as parsed JSON. Raises `KeyError`, `TypeError` or
    `AttributeError` if it has another form.
    """
    cells = []
    for cell in notebook["cells"]:
        about = cell.get("metadata") or {}
        names = (about.get("nbgrader") or {}).get("grade_id"), cell.get("id"), about.get("id")
        cells.append(
            SavedCell(
                str(cell["cell_type"]),
                "".join(cell.get("source", "")),
                tuple(dict.fromkeys(str(name) for name in names if name)),
                SKIPPED in (about.get("tags") or ()),
            )
        )
    return cells


def find_saved(space: Mapping[str, Any], known: Collection[str], how_to_name: str = ".") -> Path:
    """Return the path of the notebook that is running.

    `space`: the notebook's namespace, in which VS Code stores the path; Jupyter stores it in the
    environment. Elsewhere, it is the only notebook in this folder that has cells with names in
    `known`. Raises `NoNotebook` if there is none or several; `how_to_name`: the end of that
    message.
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
        raise NoNotebook(f"Several notebooks here could be meant: {names}. Name one{how_to_name}")
    raise NoNotebook(f"The saved notebook was not found here. Name it{how_to_name}")


def when_saved(path: Path) -> str:
    """Return a sentence with the name of the file at this path, and when it was saved."""
    changed = path.stat().st_mtime
    minutes = int((time.time() - changed) // 60)
    count, unit = (minutes, "minute") if minutes < 120 else (minutes // 60, "hour")
    ago = f"{count} {unit}{'s' * (count > 1)} ago"
    at = time.strftime("%d %B, %H:%M", time.localtime(changed))
    return f"Saved: {path.name}, {at}, {ago if minutes else 'just now'}."


def cells_in_colab() -> list[SavedCell]:
    """Return the cells of the notebook that is open in Colab; [] if this is not Colab."""
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


NAME = "RELEASED"  # of the data in that file
MODULE_SUFFIX = "_checks"  # of the module with an assignment's checks
SUFFIX = f"{MODULE_SUFFIX}.py"
CHECK_CELL = "check_"  # a check cell is named after its solution cell


class Released(NamedTuple):
    """What is known of an assignment as it was released to students."""

    exercises: Mapping[str, ExerciseHeading]  # by solution cell
    cells: Sequence[ReleasedCell] = ()  # all, in order
    overview: str = ""  # the map, as SVG
    ungraded: Collection[str] = ()  # number and title of exercises without a cell to answer in
    notebook: str = ""  # the name under which it is submitted
    checks: Path | None = None  # the file in which this stands

    @property
    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of the cells, by id."""
        return {cell.id: cell.fingerprint for cell in self.cells}


NOTHING = Released({})


def title_of_cell(name: str, released: Released) -> str:
    """Return "The cell of exercise 3a" for the cell `name`, or "The cell `name`" if it belongs to
    no exercise.
    """
    exercise = released.exercises.get(name)
    return f"The cell of exercise {exercise.number}" if exercise else f"The cell `{name}`"


def checks_module(assignment: str) -> str:
    """Return the name of the module with the visible checks of the assignment with this id:
    `my-sheet` -> `my_sheet_checks`.
    """
    return assignment.replace("-", "_") + MODULE_SUFFIX


def released_from(data: Mapping[str, Any]) -> Released:
    """Return the `Released` that is given as plain data: its fields by name, and those of each
    exercise and cell.
    """
    exercises = {id: ExerciseHeading(**fields) for id, fields in data["exercises"].items()}
    cells = [ReleasedCell(*fields) for fields in data["cells"]]
    return Released(**{**data, "exercises": exercises, "cells": cells})


def read_released(checks: Path) -> Released:
    """Read the release from a file `<assignment>_checks.py` at this path, without running it;
    return NOTHING if it does not exist or has no such data.
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
    """Return the paths of the files of visible checks in a folder; there is one for each
    assignment.
    """
    return sorted(folder.glob(f"*{SUFFIX}"))


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


class PlacedCells(NamedTuple):
    """The cells of a saved notebook as grading sees them, in its order: each has the kind of the released cell
    that it stands for, and that cell's id as its only name. Copies of released cells are left out,
    and cells that are still open of exercises that another cell answers.

    `answers`: the cells that answer each exercise, by its name; `texts`: those that no exercise
    claims, by their indices in the saved notebook; `placement`: where everything belongs, by these
    indices.
    """

    cells: list[SavedCell]
    answers: dict[str, list[SavedCell]]
    texts: dict[int, SavedCell]
    placement: Placement


def place_saved(cells: Sequence[SavedCell], released: Released, name: str = "") -> PlacedCells:
    """Return the cells of a saved notebook as grading sees them. Raises `NoNotebook` if they are not
    of this assignment; `name`: of the file, for the message.
    """
    placement = place(released.cells, cells)
    if not placement.cells:
        raise NoNotebook(f"`{name}` has no cell of this assignment: is it the right file?")
    kinds = {cell.id: cell.kind for cell in released.cells}
    ids = {index: id for id, index in placement.cells.items()}
    ids.update({index: id for id, parts in placement.parts.items() for index in parts})
    order = {index: place for place, (_, index) in enumerate(placement.order)}
    own = [index for id, index in placement.order if not id]
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
            skipped=cell.skipped and index in ids,  # grading runs whatever the student added
        )
        for index, cell in sorted(enumerate(cells), key=lambda pair: order.get(pair[0], -1))
        if (index in ids or index in own) and index not in open_cells
    }
    indices = {**placement.parts, **{name: [i] for name, i in placement.answers.items()}}
    return PlacedCells(
        list(placed.values()),
        {name: [placed[index] for index in found] for name, found in indices.items()},
        {index: cells[index] for index in own if is_prose(cells[index])},
        placement,
    )


def is_missing(name: str, notebook: PlacedCells) -> bool:
    """Whether the notebook has neither the cell of the exercise `name` nor an answer to it."""
    return name not in notebook.placement.cells and not notebook.answers.get(name)


def misplaced(name: str, notebook: PlacedCells, released: Released) -> SavedCell | None:
    """Return the cell that defines what the exercise `name` asks for, if nothing answers the
    exercise and that cell is not graded: the cell of a check, or one that grading skips.
    """
    if notebook.answers.get(name):
        return None
    (asked,) = (cell for cell in released.cells if cell.id == name)
    for cell in reversed(notebook.cells):
        ungraded = cell.skipped or (cell.names[:1] and cell.names[0].startswith(CHECK_CELL))
        if ungraded and names_defined(cell.source) & set(asked.defines):
            return cell
    return None


def in_other_cells(
    notebook: PlacedCells, released: Released, states: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence on what to do with each answer that is in a cell that is not graded.

    `states`: of the exercises, by name, as in `Report.states`.
    """
    for name, exercise in released.exercises.items():
        if cell := misplaced(name, notebook, released):
            asked = " or ".join(f"`{defined}`" for defined in exercise.defines)
            of = "a cell that grading skips" if cell.skipped else "the cell of a check"
            yield (
                f"{asked} stands in {of}, where nothing counts: move it into the cell of exercise "
                f"{exercise.number}."
            )
        for text in _texts_beside(name, notebook, released) if states[name] == "open" else ():
            yield (
                f"Your text `{first_line(text)}` is in a cell of its own, and the cell of exercise "
                f"{exercise.number} is still empty. If it is your answer, put it there."
            )


def _texts_beside(name: str, notebook: PlacedCells, released: Released) -> Iterator[SavedCell]:
    """Yield the texts that no exercise claims and that lie beside the cell of the exercise `name`,
    which a person reads: between the answers and checks above and below it.
    """
    place = [cell.id for cell in released.cells].index(name)
    counting = [
        [notebook.placement.cells[cell.id] for cell in cells if _counts(cell, notebook)]
        for cells in (released.cells[:place], released.cells[place + 1 :])
    ]
    low, high = (
        max(counting[0], default=-1),
        min(counting[1], default=max(notebook.texts, default=0) + 1),
    )
    if released.exercises[name].by_hand:
        yield from (text for index, text in notebook.texts.items() if low < index < high)


def _counts(cell: ReleasedCell, notebook: PlacedCells) -> bool:
    """Whether this is an answer or a check that is in the notebook."""
    return cell.role in (ANSWER, CHECK) and cell.id in notebook.placement.cells


def own_cells_that_count(notebook: PlacedCells, released: Released) -> Iterator[str]:
    """Yield a sentence for each cell that the student added and that is graded, with the name of
    the cell it should be in.
    """
    for name, exercise in released.exercises.items():
        answer = notebook.answers.get(name, ())
        if answer and not answer[0].names:
            yield (
                f"Exercise {exercise.number}: your own cell `{first_line(answer[0])}` counts; its "
                f"place is the cell `{name}`."
            )
        elif answer and name not in answer[0].names:
            where = title_of_cell(answer[0].names[0], released)
            yield f"Exercise {exercise.number}: what stands in {where.lower()} counts."


def first_line(cell: SavedCell) -> str:
    """Return the first line of a cell that is not blank, cut off after 60 characters; "" if all are
    blank.
    """
    lines = (line.strip() for line in cell.source.splitlines())
    return next((line for line in lines if line), "")[:60]


MOST_TOLD = 3  # cells that stop: the later ones often stop because of the first


def code_to_run(cells: Sequence[SavedCell]) -> list[SavedCell]:
    """Return the code cells that are run when the notebook is graded, together with the cells of
    the visible checks. `cells`: as placed.
    """
    return [cell for cell in cells if cell.kind == "code" and not cell.skipped]


def ended_as(
    name: str, cells: Sequence[SavedCell], released: Released, run: FreshRun | None
) -> Result | None:
    """Return how the visible check of the exercise `name` ended in this run: by its steps, or by
    the exception of its cell.

    None if the notebook was not run (`run` is None), if the check was not reached, or if the
    student changed its cell.
    """
    check = CHECK_CELL + name
    for cell, error in zip(code_to_run(cells), run.errors if run else (), strict=False):
        if check in cell.names and fingerprint(cell.source) == released.fingerprints.get(check):
            if run and name in run.results:
                return run.results[name]
            stub = error == "NotImplementedError"  # without a message
            state = "open" if stub else "failing" if error else "done"
            return Result(state, (), error)
    return None


def names_that_stop(cells: Sequence[SavedCell], run: FreshRun) -> set[str]:
    """Return the names of all cells that raised an exception in this run."""
    ended = zip(code_to_run(cells), run.errors, strict=False)
    return {name for cell, error in ended if error for name in cell.names}


def what_stops(
    cells: Sequence[SavedCell], run: FreshRun, released: Released, states: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence on what to do for each cell that raised in this run (at most for the first
    MOST_TOLD); one if the run did not come to its end; and one for each failing visible check that
    stopped at an undefined name. A cell or check that stopped only because an earlier cell had is
    left out.

    `states`: of the exercises, by name, as in `Report.states`.
    """
    to_run = code_to_run(cells)
    ended = zip(to_run, run.errors, strict=False)
    stopped = [(cell, error) for cell, error in ended if error and not _is_check(cell)]
    for number, (cell, error) in enumerate(stopped[:MOST_TOLD]):
        if not _follows(error, stopped[:number]):
            undefined = error.startswith("NameError")
            asked = " Is something used that no cell above it defines?" if undefined else ""
            said = f"{_called(cell, released)} stops: {without_file(error)}"
            yield f"Run from the top, {said}.{asked}"
    if run.trouble:
        number = min(len(run.errors), len(to_run) - 1)
        yield f"The notebook was not run to its end ({run.trouble}; cell {number + 1})."
    for name, result in run.results.items():
        error, *meaning = result.message.splitlines() or [""]
        undefined = states.get(name) == "failing" and error.startswith("NameError")
        if undefined and not _follows(error, stopped):
            asked = " ".join(meaning) or "Which cell defines it?"
            yield f"Run from the top, the check of `{name}` stops: {error}. {asked}"


def without_file(error: str) -> str:
    """Return a message of an exception without the file name that IPython gives to a cell; the line
    number stays.
    """
    return re.sub(r" ?\([^()]*, line (\d+)\)$", r", line \1", error)


def _follows(error: str, stopped: Sequence[tuple[SavedCell, str]]) -> bool:
    """Whether the exception (in words) is a `NameError` on a name that occurs in one of the cells
    that raised before (`stopped`: these cells, with their exceptions).
    """
    name = re.match(r"NameError: name '(\w+)'", error)
    return name is not None and any(
        re.search(rf"\b{name[1]}\b", cell.source) for cell, _ in stopped
    )


def _is_check(cell: SavedCell) -> bool:
    """Whether the cell is that of a visible check."""
    return any(name.startswith(CHECK_CELL) for name in cell.names)


def _called(cell: SavedCell, released: Released) -> str:
    """Return how a sentence calls the cell: by its exercise, its name or its first line."""
    known = [name for name in cell.names if name in released.fingerprints]
    return (
        "the" + title_of_cell(known[0], released)[3:]
        if known
        else f"your cell `{first_line(cell)}`"
    )


STUB = "raise NotImplementedError()"  # what stands in a cell that is still open
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
    """What was found out about a saved notebook. It is ready to be handed in if `to_do` is empty."""

    states: dict[str, str]  # by exercise: one of WORDS
    lines: list[str]  # one an exercise
    to_do: list[str]
    notes: list[str]
    ran: bool = False  # whether its cells were run

    @property
    def fit(self) -> bool:
        """Whether nothing is left to do, so that the file can be graded as intended."""
        return not self.to_do

    @property
    def title(self) -> str:
        """In one sentence, whether the notebook is ready to be handed in, or how much is to be
        done.
        """
        if not self.fit:
            count = len(self.to_do)
            return f"Not fit to be handed in yet: {count} thing{'s' * (count > 1)} to do."
        made = sum(state not in ("open", "missing", "failing") for state in self.states.values())
        if not self.ran:
            return f"Written: {made} of {len(self.states)} exercises. Nothing was run."
        if not made:
            return "It can be handed in, but no check passes yet."
        if made == len(self.states):
            return f"Fit to be handed in: all {made} exercises are there."
        return f"Fit to be handed in as it is, with {made} of {len(self.states)} exercises."

    @property
    def text(self) -> str:
        """All that was found, one line each: first what has to be done, then a line for each
        exercise, then other remarks.
        """
        return "\n".join([*(f"To do: {one}" for one in self.to_do), *self.lines, *self.notes])


def other_name(path: Path, released: Released) -> Iterator[str]:
    """Yield a sentence if the file at `path` is not called as it has to be when it is handed in;
    none if the release prescribes no name.
    """
    if released.notebook not in ("", path.name):
        yield f"This file is called `{path.name}`: hand it in as `{released.notebook}`."


def report_on(notebook: PlacedCells, released: Released, run: FreshRun | None = None) -> Report:
    """Return the report on a notebook.

    `run`: how the cells of `code_to_run` ended, None if they were not run.
    """
    cells = notebook.cells
    ended = {name: ended_as(name, cells, released, run) for name in released.exercises}
    states = {name: _state(name, notebook, released, result) for name, result in ended.items()}
    lines = [
        _line(exercise, states[name], ended[name], notebook.answers.get(name, ()))
        for name, exercise in released.exercises.items()
    ]
    to_do = [*_missing(states, released), *in_other_cells(notebook, released, states)]
    if not to_do and all(state == "open" for state in states.values()):
        to_do.append("No exercise is answered yet.")
    if run:
        placed = {
            name: state for name, state in states.items() if not misplaced(name, notebook, released)
        }
        to_do += what_stops(cells, run, released, placed)
    notes = [
        *notebook.placement.repairs,
        *_provided_and_missing(notebook, released),
        *own_cells_that_count(notebook, released),
    ]
    return Report(states, lines, to_do, notes, run is not None)


def _state(name: str, notebook: PlacedCells, released: Released, ended: Result | None) -> str:
    """Return the state of the exercise `name`, a key of WORDS. `ended`: how its visible check
    ended, None if it was not run.
    """
    if is_missing(name, notebook):
        return "missing"
    done = ended is not None and ended.state == "done"  # whichever cell it was that did it
    if not done and not notebook.answers.get(name):
        return "open"
    if released.exercises[name].by_hand:
        return "by_hand"
    if done and released.exercises[name].form_only:
        return "filled"
    return ended.state if ended else "written"


def _line(
    exercise: ExerciseHeading, state: str, result: Result | None, answer: Sequence[SavedCell]
) -> str:
    """Return the report's line on an exercise. `state`: a key of WORDS; `result`: how the visible
    check ended, None if it was not run; `answer`: the cells that are graded.
    """
    has_stub = state == "written" and any(map(_has_stub, answer))
    detail = f"`{STUB}` is still in it" if has_stub else ""
    if result and result.state == state and state in ("failing", "open"):
        first, *_ = [*result.message.splitlines(), ""]
        detail = f"{result.question} {first}".strip()
    words = ": ".join(part for part in (WORDS[state], detail) if part)
    return f"Exercise {exercise.number}, {exercise.title}: {words}"


def _has_stub(cell: SavedCell) -> bool:
    """Whether the line of the stub is still in the cell."""
    return STUB in map(str.strip, cell.source.splitlines())


def _missing(states: Mapping[str, str], released: Released) -> Iterator[str]:
    """Yield a sentence for each exercise whose cell is missing."""
    for name, state in states.items():
        if state == "missing":
            yield (
                f"{title_of_cell(name, released)} (`{name}`) is missing. Copy it from the notebook as you got "
                "it, and put your answer in."
            )


def _provided_and_missing(notebook: PlacedCells, released: Released) -> Iterator[str]:
    """Yield a sentence with the names of the code cells that are missing and belong to no exercise;
    grading puts these back.
    """
    there = {name for cell in notebook.cells for name in cell.names}
    names = [
        f"`{cell.id}`"
        for cell in released.cells
        if cell.kind == "code" and cell.role in ("", CHECK) and cell.id not in there
    ]
    if names:
        yield f"Missing cells, which grading puts back: {', '.join(names)}."


NAME_IT = ": python toolbox.py NAME.ipynb"


def main(arguments: list[str] | None = None) -> int:
    """Print the report on the notebook that the arguments name (None for those of this process).
    Return 0 if it is ready, 1 if something is to be done, 2 if no notebook is found or it cannot be
    read.
    """
    parser = argparse.ArgumentParser(
        prog="python toolbox.py", description="Is a saved notebook fit to be handed in?"
    )
    parser.add_argument("notebook", type=Path, nargs="?", help="by default the one in this folder")
    parser.add_argument("--no-run", action="store_true", help="only look, run nothing")
    options = parser.parse_args(arguments)
    try:
        known = [name for path in _folders(options.notebook) for name in _exercises_in(path)]
        path = options.notebook or find_saved({}, known, NAME_IT)
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
    """Run the notebook's cells in a new process; return how they ended. If a package is missing or
    too old, print which and return None.

    `path`: of the notebook.
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
    """Return the release that the notebook belongs to: of the files of checks beside it, the one
    that shares most cells with it. Raises `NoNotebook` if there is none.

    `path`: of the notebook.
    """
    releases = [read_released(file) for folder in _folders(path) for file in checks_beside(folder)]
    best = max(releases, key=lambda it: len(place(it.cells, cells).cells), default=NOTHING)
    if not best.cells:
        raise NoNotebook(
            f"Beside `{path.name}` there is no `..._checks.py`: put the files of the assignment in one "
            "folder."
        )
    return best


def _exercises_in(folder: Path) -> list[str]:
    """Return the names of the exercises that the files of checks in this folder know."""
    return [name for file in checks_beside(folder) for name in read_released(file).exercises]


def _folders(notebook: Path | None) -> list[Path]:
    """Return the folders to look for files of checks in: the notebook's (for None, the current
    one), and that of this file.
    """
    beside = [notebook.parent] if notebook else [Path()]
    return list(dict.fromkeys(one.resolve() for one in (*beside, Path(__file__).parent)))


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


TABLE = 12  # rows and columns that are drawn at most


class Differs(AssertionError):
    """A tensor differs from its target. `yours` and `target` hold the parts of both that are drawn
    side by side; None if there is nothing to draw.
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
        self.yours, self.target = yours, target  # tables of one shape
        self.corner = corner  # row and column at which both tables begin


def same(yours: Tensor, target: Tensor, axes: str = "", atol: float = 1e-5) -> None:
    """Raise `Differs` unless the tensor `yours` has the shape of `target` and its numbers, up to
    the tolerance `atol`, which is both absolute and relative.

    `axes`: the names of the dimensions for the message, such as "batch query key".
    """
    has_shape(yours, *target.shape)
    yours, target = yours.detach().double(), target.detach().double()
    equal = torch.isclose(yours, target, rtol=atol, atol=atol)
    if equal.all():
        return
    first = tuple((~equal).nonzero()[0].tolist())
    share = int(100 * equal.double().mean())  # never 100 while one is wrong
    named = ", ".join(f"{name} {i}" for name, i in zip(axes.split(), first, strict=False))
    place = named or (f"at {[*first]}" if first else "the number")
    message = (
        f"Shape {_shape(yours)} is right; {share}% of the values are. The first other one, "
        f"{place}: {_two_numbers(yours[first].item(), target[first].item())}."
    )
    row, column = (0, 0, *first)[-2:]
    corner = row // TABLE * TABLE, column // TABLE * TABLE
    tables = [_table(tensor, first, corner) for tensor in (yours, target)]
    raise Differs(message, tables[0], tables[1], corner)


def has_shape(yours: Tensor, *sizes: int) -> None:
    """Raise `Differs` unless `yours` is a tensor whose shape is `sizes`."""
    if not isinstance(yours, Tensor):
        raise Differs(f"This is no tensor but {kind_of(yours)}")
    if yours.shape != sizes:
        raise Differs(f"Your shape is {_shape(yours)}, it should be {tuple(sizes)}.")


def _table(tensor: Tensor, place: tuple[int, ...], corner: tuple[int, int]) -> Tensor:
    """Return the part of a tensor's last two dimensions that begins at `corner`, with at most TABLE
    rows and columns. `place`: the index of an entry, which picks the other dimensions.
    """
    table = torch.atleast_2d(tensor[place[:-2]])
    return table[corner[0] :, corner[1] :][:TABLE, :TABLE]


def kind_of(answer: object) -> str:
    """Return what a value is that should be a tensor, in words, with a likely reason."""
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
    """Return both numbers as text, with as many digits as are needed to see that they differ."""
    texts = [[f"{number:.{digits}g}" for number in (yours, target)] for digits in range(3, 10)]
    return "yours {}, should be {}".format(
        *next((two for two in texts if two[0] != two[1]), texts[-1])
    )


def is_unanswered(answer: object) -> bool:
    """Whether an answer is still the placeholder `...` or None."""
    return answer is None or answer is ...


def letters_of(text: object) -> str:
    """Return the letters and digits of a text, in lower case, so that texts can be compared."""
    return "".join(one for one in str(text).casefold() if one.isalnum())


class Call(NamedTuple):
    """One call of a stand-in: what it was given, and what it returned."""

    part: nn.Module
    words: list[Tensor]  # inputs of (batch, seq, d_model)
    masks: list[Tensor]  # all others
    answer: Tensor


def fixed_map(features: int) -> Tensor:
    """Return the matrix by which a stand-in multiplies, (features, features): random, but the same
    each time.
    """
    generator = torch.Generator().manual_seed(features)
    return torch.randn(features, features, generator=generator) / math.sqrt(features)


class ReadyMadeNorms(TorchFunctionMode):
    """A context manager that records which of torch's own norms are called within its block:
    `called` has their names, each once, in the order of the first calls.
    """

    KNOWN = "layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"

    def __init__(self) -> None:
        super().__init__()
        self.called: dict[str, None] = {}  # in their order, each once

    def __torch_function__(self, function, types, arguments=(), named=None):
        name = getattr(function, "__name__", "").removeprefix("native_")
        if name in self.KNOWN:
            self.called[f"`{name}`"] = None
        return function(*arguments, **(named or {}))


def answers_alike(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` unless two calls of the layer in evaluation mode with these `inputs` return
    the same numbers; the layer is left in that mode. `axes`: the names of the output's dimensions
    for the message, such as "batch query key".
    """
    layer.eval()
    same(layer(*_copies(inputs)), layer(*_copies(inputs)), axes)


def rests_in_training(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` unless the layer returns the same numbers in training mode as in evaluation
    mode for these `inputs`; it is left in evaluation mode unless something is raised. `axes`: the
    names of the output's dimensions for the message, such as "batch query key".
    """
    target = layer.eval()(*_copies(inputs))
    same(layer.train()(*_copies(inputs)), target, axes)
    layer.eval()


def keeps_inputs(layer: nn.Module, *inputs: Tensor, axes: str = "") -> None:
    """Raise `Differs` if calling the layer changes one of the `inputs`. `axes`: the names of their
    dimensions for the message, such as "batch query key".
    """
    given = _copies(inputs)
    layer(*given)
    for after, before in zip(given, inputs, strict=True):
        same(after, before, axes)


def learns(layer: nn.Module, *inputs: Tensor) -> None:
    """Raise `AssertionError` unless, after a backward pass from the layer's output for these
    `inputs`, every trainable parameter and every input of floating-point numbers has a gradient
    that is not all zeros.
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
WIDEST = 8.2  # inches, that a page of 775 pixels shows without scrolling
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
    least = round(0.85 * width)  # on a narrow page it is scrolled rather than unreadable
    style = f"width: {width}px; max-width: max(100%, {least}px)"
    picture = picture_html(f"data:image/png;base64,{image}", alt, style)
    display({"text/html": picture, "text/plain": alt}, raw=True)


def close_figures() -> None:
    """Close all figures that were begun and not shown; else the notebook would show them half
    drawn.
    """
    plt.close("all")


def picture_html(address: str, alt: str, style: str) -> str:
    """Return the HTML of a picture that scrolls if it is wider than the page.

    `address`: of the image; `alt`: its description for screen readers; `style`: its CSS.
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
    """Draw each grid (len(rows), len(columns)) under its title, all on one colour scale; side by
    side if the page is wide enough.

    `rows`, `columns`: labels, empty for none; `cmap`: matplotlib's name of the colours; `vmin`,
    `vmax`: the ends of the colour scale; `gamma`: below one, it spreads small values. `alt`
    describes the picture for screen readers; the extreme values are added to it. Raises `Differs`
    if a grid is no tensor of this shape.
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
    seen = [_in_words(title, grid, rows, columns) for title, grid in grids.items()]
    show(figure, f"{alt or 'Heat maps.'} {'; '.join(seen)}.")


def _size_of_one(grids: dict[str, Tensor], rows: int, columns: int) -> tuple[float, float, Any]:
    """Return width and height of one grid in inches, with room for all labels, and its aspect for
    matplotlib: "equal" for square cells, else "auto".

    `rows`, `columns`: how many labels there are.
    """
    tallest = max(len(grid) / len(grid.T) for grid in grids.values())
    width = max(min(3, (WIDEST - 1) / len(grids)), 0.7 + LABEL * columns)
    height = min(3.2, 1.2 + 0.9 * width * tallest)  # flat grids: no space around them
    needed = 0.9 + LABEL * rows
    return width, max(height, needed), "auto" if height < needed else "equal"


def _in_words(title: str, grid: Tensor, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Return a description of a grid: its smallest and largest value, where the largest is, and how
    many values are zero.
    """
    values = grid.detach().double()
    if odd := int((~values.isfinite()).sum()):
        return (
            f"{' '.join(title.split())}: {odd} of {values.numel()} are no numbers, or without end"
        )
    row, column = divmod(int(values.argmax()), values.size(1))
    place = f"row {rows[row] if rows else row}, column {columns[column] if columns else column}"
    zeros = int((values == 0).sum())
    share = f", {zeros} of {values.numel()} are 0" if zeros else ""
    return f"{' '.join(title.split())}: {values.min():.2g} to {values.max():.2g}, most in {place}{share}"


def _can_be_drawn(title: str, grid: Tensor, rows: int, columns: int) -> None:
    """Raise `Differs` unless the grid is a tensor with two dimensions and with a row and a column
    for each label. `rows`, `columns`: how many labels there are, 0 for none.
    """
    if not isinstance(grid, Tensor):
        raise Differs(f"{title}: this is no tensor but {kind_of(grid)}")
    if grid.dim() != 2 or (rows or len(grid), columns or len(grid.T)) != grid.shape:
        needed = f"{rows or 'any number'}, {columns or 'any number'}"
        raise Differs(f"{title}: its shape is {tuple(grid.shape)}, the picture needs ({needed}).")


def beside_target(yours: Tensor, target: Tensor, corner: tuple[int, int] = (0, 0)) -> None:
    """Draw the student's numbers (`yours`), the right ones (`target`), and the difference of the
    two, as three tables of one size.

    `corner`: the row and the column of the whole tensors at which these tables begin, for the
    labels.
    """
    most = float(torch.cat([yours, target]).nan_to_num(0, 0, 0).abs().max()) or 1.0
    ranges = (range(first, first + size) for first, size in zip(corner, target.shape, strict=True))
    rows, columns = ([str(i) for i in numbers] for numbers in ranges)
    tables = {"yours": yours, "target": target, "difference": yours - target}
    heatmaps(
        tables, rows, columns, "Your numbers, the target, the difference.", "PuOr", -most, most
    )


def word_vectors(words: list[str], d_model: int) -> Tensor:
    """Return a random vector of the numbers 1 and -1 for each word, (len(words), d_model); a word
    gets the same vector in every sentence.
    """
    vectors = []
    for word in words:
        generator = torch.Generator().manual_seed(zlib.crc32(word.encode()))
        vectors.append(torch.randn(d_model, generator=generator).sign())
    return torch.stack(vectors)


_spaces: list[dict[str, Any]] = []  # the last one stands for the notebook, in a test or a program


def names() -> dict[str, Any]:
    """Return the notebook's namespace: the dict itself, not a copy."""
    return _spaces[-1] if _spaces else vars(sys.modules["__main__"])


class Student:
    """Gives access to what the notebook defines, as attributes: `student.Attention`. Each access
    looks up the present definition.
    """

    def __getattr__(self, name: str) -> Any:
        """Return what the notebook defines under this name. Raises `NameError`, as a cell would, if
        there is none.
        """
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
    """Within the block, put these objects (by name) in the place of the notebook's own classes or
    functions; afterwards the notebook has its own again.
    """
    space = names()
    before = {name: space[name] for name in parts if name in space}
    space.update(parts)
    try:
        yield
    finally:
        for name in parts:
            space.pop(name, None)
        space.update(before)


PACKAGE = __name__.removesuffix(".telling")  # of these modules, or the one file made of them
COLOURS = {"done": "#2a9d57", "filled": "#34689f", "open": "#808080", "failing": "#d08700"}
MADE_FIRST = (
    "A layer is made first, and then called with a tensor: are brackets missing where it is made?"
)
SYMPTOMS = {  # of messages of Python and torch: what they mean here
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
KINDS = {  # of errors that no symptom tells apart
    IndentationError: "The lines of one block begin at one column: spaces, or tabs, and not both.",
    SyntaxError: "Look at this line and at those above: is a bracket, a quotation mark, a comma or a colon missing?",
}
IMPORTS = {  # of names that many use
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "F": "from torch.nn import functional as F",
    "Tensor": "from torch import Tensor",
    "plt": "from matplotlib import pyplot as plt",
    "torch": "import torch",
    "math": "import math",
}


def is_stub(error: BaseException) -> bool:
    """Whether a stub raised the exception, so that the exercise is still open: a
    `NotImplementedError` without a message.
    """
    return isinstance(error, NotImplementedError) and not error.args


def open_exercise(error: BaseException) -> str:
    """Return the exercise whose stub raised this exception; "" if it is not known."""
    frames = _frames(error.__traceback__)
    name = frames[-1].f_code.co_qualname.partition(".")[0] if frames else ""
    return exercise_that_defines(name)


def cell_text(error: BaseException) -> str:
    """Return the text of the cell or file in which the exception was raised."""
    return "".join(linecache.getlines(raised_in(error)))


def in_words(error: BaseException, given: str = "") -> str:
    """Return an exception's type and message, the student's own line, and what such an exception
    usually means here, one below the other.

    `given`: the file of a cell whose lines are not the student's, "" for none.
    """
    text = " ".join(message_of(error).split())
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    parts = said, own_line(error, given), _meaning(error, text)
    return "\n".join(part for part in parts if part)


def message_of(error: BaseException, longest: int = 400) -> str:
    """Return an exception's message, cut off after `longest` characters; "" if making the message
    raises.
    """
    try:
        text = without_file(str(error))
    except Exception:  # of a class of errors that the student wrote
        return ""
    return text if len(text) <= longest else f"{text[:longest]} ..."


def is_ours(error: BaseException) -> bool:
    """Whether a line of the toolbox or of the visible checks raised the exception itself."""
    frames = _frames(error.__traceback__)
    module = str(frames[-1].f_globals.get("__name__")) if frames else ""
    return module.startswith(PACKAGE) or module.endswith(MODULE_SUFFIX)


def is_of_library(error: BaseException) -> bool:
    """Whether a line of the toolbox or of the visible checks uses a module, or a name in one, that
    is not there, such as `F.rms_norm` before torch 2.4. No code of the student can cause that.
    """
    in_module = isinstance(error, AttributeError) and isinstance(error.obj, ModuleType)
    return is_ours(error) and (in_module or isinstance(error, ImportError))


def raised_in(error: BaseException) -> str:
    """Return the name of the file or cell in which the exception was raised; "" if it is not known."""
    frames = _frames(error.__traceback__)
    return frames[-1].f_code.co_filename if frames else ""


def panel(state: str, title: str, text: str = "") -> None:
    """Show a title and a text below the cell, with an edge in the colour of `state` (a key of
    COLOURS); as plain text if HTML cannot be shown.
    """
    style = f"border-left: 4px solid {COLOURS[state]}; padding: 0.2em 0.8em; white-space: pre-wrap"
    body = f"<b>{html.escape(title)}</b>" + (f"\n{html.escape(text)}" if text else "")
    shown = {
        "text/plain": f"{title}\n{text}".strip(),
        "text/html": f'<div style="{style}">{body}</div>',
    }
    display(shown, raw=True, metadata={"check": {"state": state}})


def _meaning(error: BaseException, text: str) -> str:
    """Return what an exception usually means here; "" if that is not known. `text`: its message."""
    if isinstance(error, NameError) and error.name and not isinstance(error, UnboundLocalError):
        exercise = exercise_that_defines(error.name)
        first = f"`{error.name}` comes from the cell of {title_of(exercise)}" if exercise else ""
        local = [name for frame in _frames(error.__traceback__)[-1:] for name in frame.f_locals]
        if similar := _similar(error.name, [*local, *names()]):
            return f"{first}. There is `{similar}`: is one of the two misspelt?".removeprefix(". ")
        if error.name in IMPORTS:
            return f"A line is missing: `{IMPORTS[error.name]}`."
        if first:
            return f"{first}: has it been run, and does it define that?"
        return f"Is `{error.name}` spelt as where it was made, and has that cell been run?"
    if any(map(_makes_a_layer_of_a_tensor, _frames(error.__traceback__))):
        return MADE_FIRST
    meaning = next((means for sign, means in SYMPTOMS.items() if re.search(sign, text)), "")
    if isinstance(error, AttributeError) and error.name and not meaning:
        similar = _similar(error.name, _members(error.obj))
        return f"Is `{similar}` meant?" if similar else _layers_inside(error.obj)
    return meaning or next((said for kind, said in KINDS.items() if isinstance(error, kind)), "")


def _similar(name: str, others: Iterable[str]) -> str:
    """Return which of the `others` is most similar to `name`, without names that belong to
    exercises; "" if none is similar.
    """
    near = {one.casefold(): one for one in others if not exercise_that_defines(one)}
    found = difflib.get_close_matches(name.casefold(), near, 1, 0.8)
    return near[found[0]] if found else ""


def _members(thing: object) -> list[str]:
    """Return the names of an object's attributes; [] if they cannot be listed."""
    try:
        return dir(thing)
    except Exception:  # of a module without `super().__init__()`, say
        return []


def _layers_inside(thing: object) -> str:
    """Return a sentence with the names of the layers inside a layer; "" if there are none."""
    layers = vars(thing).get("_modules", {}) if isinstance(thing, nn.Module) else {}
    called = ", ".join(f"`{name}`" for name in layers)
    return f"The layers inside are called {called}." if called else ""


def _makes_a_layer_of_a_tensor(frame: FrameType) -> bool:
    """Whether this frame is the constructor of one of torch's layers, which was given a tensor
    where it takes sizes.
    """
    code, given = frame.f_code, frame.f_locals.values()
    ours = str(frame.f_globals.get("__name__")).startswith("torch.nn.modules.")
    return ours and code.co_name == "__init__" and any(isinstance(one, Tensor) for one in given)


def own_line(error: BaseException, given: str = "") -> str:
    """Return the last line of the traceback that the student wrote, with its number in the cell; ""
    if there is none.

    `given`: the file of a cell whose lines are not the student's, "" for none.
    """
    for frame, number in reversed(list(walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        text = linecache.getline(file, number).strip()
        if text and frame.f_globals is names() and file != given:  # no library's, and none of ours
            return f"in `{frame.f_code.co_qualname}`, line {number} of its cell:  {text}"
    return ""


def _frames(traceback: TracebackType | None) -> list[FrameType]:
    """Return the frames of a traceback, from the outermost to the one that raised."""
    return [frame for frame, _ in walk_tb(traceback)]


class Begun:
    """What `begin` has found out about this notebook's assignment."""

    released: Released = NOTHING
    missing = ""  # the file of checks, where it is not beside the notebook


def begin(assignment: str, version: str = "") -> None:
    """Load the visible checks of this assignment from the file beside the notebook; `toolbox.check`
    can run them from then on.

    `version`: of the toolbox that the notebook was released with. A message is shown if this
    toolbox has another version, or if the file of checks is missing.
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
        if shell := get_ipython():  # the checks would have brought `%%ipytest`
            shell.register_magic_function(lambda *_: ask_for_set_up(), "cell", "ipytest")
        return
    Begun.released = read_released(Path(checks.__file__ or ""))
    EXERCISES.clear()
    EXERCISES.update(Begun.released.exercises)
    if shell := get_ipython():
        shell.events.register("post_run_cell", note_how_it_ended)
    print(f"Ready: checks and pictures of {assignment}.")


def ask_for_set_up() -> None:
    """Show what to do: which file to put beside the notebook if `begin` did not find it, else that
    the cell `set_up` has to be run.
    """
    if name := Begun.missing:
        todo = "Put it beside this notebook, as you got it, and restart the kernel: the checks are in it."
        panel("failing", f"`{name}` is missing.", todo)
        return
    todo = "Run the first cell of code, `set_up`, and then this one once more."
    panel("failing", "Nothing is known of this notebook yet.", todo)


def note_how_it_ended(result: ExecutionResult) -> None:
    """Called after each cell that is run: if it is the cell of an exercise, record in STOPPED the
    exception that it raised, or remove the earlier record if it raised none. After an exception,
    what the cell defines may date from an earlier run.

    `result`: IPython's, of the cell.
    """
    error = result.error_before_exec or result.error_in_exec
    for id, exercise in EXERCISES.items():
        if result.info and defines(result.info.raw_cell, exercise):
            STOPPED.pop(id, None)
            if error is not None:
                STOPPED[id] = error


def checks_of(assignment: str) -> ModuleType | None:
    """Import the file of visible checks of this assignment; return the module, None if there is no
    such file. Raises what running the file raises.
    """
    name = checks_module(assignment)
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


SVG = "http://www.w3.org/2000/svg"
FILLS = {"done": "#c9efd5", "filled": "#d5e4f7", "failing": "#ffdfa6", "open": "#e9ecef"}
EDGES = {"done": "#1d7f43", "filled": "#34689f", "failing": "#a86a00", "open": "#7a8899"}


class Progress(NamedTuple):
    """How far one exercise is: its state, a sign for it, and a few words."""

    state: str  # "done", "filled", "open" or "failing"
    mark: str
    words: str


def progress() -> None:
    """Show the map and the list of all exercises: green if the check passes, blue if something is
    filled in, amber if the check fails, grey if it is open or was not run.
    """
    if not EXERCISES:
        ask_for_set_up()
        return
    title = _sum_of_points()
    rows = [(one, progress_of(id)) for id, one in EXERCISES.items()]
    lines = [
        f"{far.mark} {one.number:>3}  {one.title}: {far.words} ({worth(one)})" for one, far in rows
    ]
    others = [f"Exercise {one}: no points." for one in Begun.released.ungraded]
    said = "; ".join(f"exercise {one.number}: {far.words}" for one, far in rows)
    page = [
        f"<p><b>{title}</b></p>",
        _map_picture(f"Map of the exercises. {said}."),
        _list_of(rows),
    ]
    page += [f"<p>{html.escape(one)}</p>" for one in others]
    text = "\n".join([title, *lines, *others])
    display({"text/plain": text, "text/html": "".join(page)}, raw=True)


def progress_of(id: str) -> Progress:
    """Return how far the exercise `id` is, by the last run of its visible check; if a person marks
    it, by the saved file.
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
    """Return how far the exercise `id` is, which a person marks: whether the saved file has an
    answer to it.
    """
    released = Begun.released
    try:
        notebook = place_saved(read_saved(find_saved(names(), EXERCISES)), released)
    except NoNotebook:
        return Progress("open", "✎", "a person reads it")
    if notebook.answers.get(id):
        return Progress("filled", "✎", "written, and a person reads it")
    return Progress("open", "○", "not written in the saved file; a person reads it")


def coloured(svg: str) -> str:
    """Return the map (`svg`) with the state of each exercise: of the parts with `data-exercise`, a
    text is replaced by the exercise's sign, points and minutes, and any other shape gets the colour
    of the state.
    """
    ElementTree.register_namespace("", SVG)
    figure = ElementTree.fromstring(svg)
    for part in figure.iter():
        id = part.get("data-exercise")
        if id not in EXERCISES:
            continue
        far = progress_of(id)
        if part.tag == f"{{{SVG}}}text":
            part.text = f"{far.mark} {worth(EXERCISES[id])}"
        else:
            dashes = "; stroke-dasharray: 5 4" if EXERCISES[id].by_hand else ""
            part.set("style", f"fill: {FILLS[far.state]}; stroke: {EDGES[far.state]}{dashes}")
    return ElementTree.tostring(figure, encoding="unicode")


def _sum_of_points() -> str:
    """Return a sentence on how many points the passing checks are worth."""
    all_of = EXERCISES.values()
    passing = sum(one.points for id, one in EXERCISES.items() if progress_of(id).state == "done")
    checked = sum(one.points for one in all_of if not one.by_hand and not one.form_only)
    form_only = sum(one.points for one in all_of if one.form_only)
    by_hand = sum(one.points for one in all_of if one.by_hand)
    told_later = f"; grading alone tells about {form_only} more" if form_only else ""
    read = f"; a person reads the answers for {by_hand} more" if by_hand else ""
    return f"Your checks pass in exercises worth {passing} of {checked} points{told_later}{read}."


def _map_picture(alt: str) -> str:
    """Return the map as HTML, "" if the assignment has none. `alt`: its description for screen
    readers.
    """
    if not Begun.released.overview:
        return ""
    svg = base64.b64encode(coloured(Begun.released.overview).encode()).decode()
    source = f"data:image/svg+xml;base64,{svg}"
    style = "max-width: 100%; min-width: 36em"  # on a phone it is moved, not shrunk
    return picture_html(source, alt, style)


def _list_of(rows: list[tuple[ExerciseHeading, Progress]]) -> str:
    """Return a table in HTML with a row for each of these exercises: its sign, its number and
    title, how far it is, and its points and minutes.
    """

    def line(cells: tuple[str, ...], tag: str) -> str:
        style = ' style="text-align: left"'
        return "<tr>" + "".join(f"<{tag}{style}>{html.escape(cell)}</{tag}>" for cell in cells)

    head = line(("", "exercise", "", "worth"), "th")
    body = (
        line((far.mark, f"{one.number} · {one.title}", far.words, worth(one)), "td")
        for one, far in rows
    )
    return f"<table>{head}{''.join(body)}</table>"


Steps = Callable[[], Iterator[str]]
CHECKS: dict[str, Steps] = {}  # by exercise: the file of checks fills them in
PRINTED = 12  # lines that are shown of what is printed during a check
SEED = 1  # of the random numbers of a check
REPORT = "Your code has no part in it. Update that package, or report this to your course."
WAITING: dict[str, str] = {}  # names in pictures that wait, and the exercise that is still open


def steps(exercise: str) -> Callable[[Steps], Steps]:
    """Return a decorator that declares the visible check of an exercise.

    The decorated function is a generator: it yields the question of each step, and then asserts the
    answer. It gets from `student` what the notebook defines.
    """

    def declare(of_it: Steps) -> Steps:
        CHECKS[exercise] = of_it
        return of_it

    return declare


def check(exercise: str) -> None:
    """Run the visible check of an exercise and show the result: the first step that fails, or that
    all pass. The result is kept in RESULTS.

    Nothing is raised, so that the cells below are run. Random numbers are the same each time. If
    the exercise's own cell raised when it was last run, the check is not run and counts as failing;
    if no check is known, a message says what to do first. Under nbgrader's Validate, which takes
    silence for success, an exercise that is open or fails is reported as an error.
    """
    if exercise in STOPPED:
        RESULTS[exercise] = _old_answer(exercise, STOPPED[exercise])
    elif exercise in CHECKS:
        RESULTS[exercise] = run_steps(exercise, CHECKS[exercise], SEED)
    else:
        ask_for_set_up()
    if os.environ.get("NBGRADER_EXECUTION") == "validate":
        _report_to_nbgrader(exercise, RESULTS.get(exercise))


def _report_to_nbgrader(exercise: str, result: Result | None) -> None:
    """Write a sentence to standard error, where nbgrader looks for failures, unless the check passes
    or cannot be run with the packages that are there.
    """
    if result is None or result.state == "open":
        print(f"{title_of(exercise)} is still open.", file=sys.stderr)
    elif result.state == "failing":
        said = f"{result.question} {result.message}".strip()
        print(f"{title_of(exercise)}: {said}", file=sys.stderr)


def _old_answer(exercise: str, error: BaseException) -> Result:
    """Show that the cell of the exercise raised `error`, and that what it defines dates from an
    earlier run; return that as the check's result.
    """
    question = "Did the cell of this exercise run to its end?"
    said = f"It stopped, and what it may have defined before is still there.\n{in_words(error)}"
    panel("failing", f"{title_of(exercise)}, before the check: {question}", said)
    return Result("failing", (), question, said)


def run_steps(exercise: str, steps_of: Steps, seed: int) -> Result:
    """Run the steps of an exercise's check up to the first that fails; show and return how the
    check ended.

    `steps_of`: the generator that the check is; `seed`: of its random numbers.
    """
    asked: list[str] = []
    error, printed = _ask(steps_of, seed, asked)
    if printed:
        print(_beginning(printed))
    if error is not None:
        return _ended_early(exercise, asked, error)
    if exercise in EXERCISES and EXERCISES[exercise].form_only:
        panel("filled", f"{title_of(exercise)} is filled in. Grading says whether it is right.")
    else:
        panel("done", f"{title_of(exercise)}: all {len(asked)} steps of the check pass.")
    return Result("done", tuple(asked))


def _ask(steps_of: Steps, seed: int, asked: list[str]) -> tuple[BaseException | None, str]:
    """Run the steps, and append the question of each step that was begun to `asked`. Return the
    exception that ended them, None if all pass; and what was printed meanwhile.
    """
    printed = io.StringIO()
    with torch.random.fork_rng(devices=[]), redirect_stdout(printed):
        torch.manual_seed(seed)
        try:
            for question in steps_of():
                asked.append(question)
        except (Exception, SystemExit) as error:
            return error, printed.getvalue()
    return None, printed.getvalue()


def _beginning(printed: str) -> str:
    """Return the first PRINTED lines of a text, and a line that says how many more there are."""
    lines = printed.rstrip("\n").split("\n")
    more = len(lines) - PRINTED
    return "\n".join([*lines[:PRINTED], *([f"... and {more} lines more"] if more > 0 else [])])


def try_it(picture: Callable[..., None], *inputs: object) -> bool:
    """Call `picture` with these inputs to draw it; if its exercise is open, or if it raises, show a
    line that says so. Return whether the picture was drawn.
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
    """Return the open exercise that the picture needs, or that an earlier picture needed whose
    names this one uses; None if the exception has another cause. "" if it is an exercise that is
    not known.
    """
    if is_stub(error):
        exercise = open_exercise(error)
        WAITING.update(dict.fromkeys(picture.__code__.co_names, exercise))
        return exercise
    return WAITING.get(error.name or "") if isinstance(error, NameError) else None


def is_open(ask: Callable[[], object]) -> bool:
    """Whether calling `ask` shows that an exercise is still a stub; a stand-in may then take its
    place.

    `ask` uses what the exercise should define. An exception of another kind counts as not open.
    """
    try:
        ask()
    except Exception as error:  # an error of another kind shows itself where the part is used
        return is_stub(error)
    return False


def _ended_early(exercise: str, asked: list[str], error: BaseException) -> Result:
    """Show and return how a check ended that an exception stopped: open if a stub raised it,
    unchecked if the check misses a part of a library, else failing. `asked`: the questions of all steps that were
    begun.
    """
    title = title_of(exercise)
    if is_stub(error):
        other = open_exercise(error)
        waits = f" It waits for {title_of(other)}." if other not in ("", exercise) else ""
        said = _line_left(error, other)
        panel("open", f"{title} is still open.{waits}", said)
        return Result("open", tuple(asked), "", said)
    question, before = (asked[-1], asked[:-1]) if asked else ("", [])
    message = _said(error)
    step = f"{title}, step {len(asked)} of the check: {question}"
    if is_of_library(error):
        panel(
            "open",
            f"{title} is not checked: your version of a package lacks what the check uses.",
            f"{message}\n{REPORT}",
        )
        return Result("unchecked", tuple(before), question, message)
    panel("failing", step, message)
    if isinstance(error, Differs) and error.yours is not None and error.target is not None:
        beside_target(error.yours, error.target, error.corner)
    return Result("failing", tuple(before), question, message)


def _line_left(error: BaseException, exercise: str) -> str:
    """Return a sentence if the stub's line was left in the exercise's cell, which was changed
    otherwise; else "".
    """
    released = Begun.released.fingerprints.get(exercise)
    if not is_stub(error) or released in (None, fingerprint(cell_text(error))):
        return ""
    left = own_line(error)
    return f"This line is still there, {left}" if left else ""


def _said(error: BaseException, given: str = "") -> str:
    """Return what to show of an exception: the message alone of an assertion in our own code, else
    the exception in words.

    `given`: the file of a picture's cell, whose lines are not the student's.
    """
    if isinstance(error, AssertionError) and (is_ours(error) or raised_in(error) == given):
        return message_of(error)
    return in_words(error, given)


NAME_IN_CALL = ', as in toolbox.fit_to_hand_in("folder/name.ipynb").'


def fit_to_hand_in(file: str = "") -> None:
    """Read the saved notebook, run it in a new process, and show what is left to do. In that new
    process, where this cell is run, too, do nothing.

    `file`: the path of the notebook's file, to be given if it cannot be found.
    """
    if FRESH in os.environ:
        return
    released = Begun.released
    if not released.exercises:
        ask_for_set_up()
        return
    if not released.cells:  # in the solution
        print("Only the released notebook can be checked here.")
        return
    try:
        notebook, path, saved = _saved_notebook(file)
    except NoNotebook as error:
        panel("failing", "The saved notebook could not be checked.", str(error))
        return
    to_run = [cell.source for cell in code_to_run(notebook.cells)]
    run = run_fresh(to_run, path.parent, released.checks)
    report = report_on(notebook, released, run)
    shell = get_ipython()
    history = shell.history_manager.input_hist_raw if shell else ()
    done = [name for name, result in RESULTS.items() if result.state == "done"]
    report.to_do.extend(only_here(notebook, released, run, report.states, history, done))
    report.to_do.extend(other_name(path, released))
    panel("done" if report.fit else "failing", report.title, f"{report.text}\n{saved}")


def _saved_notebook(file: str) -> tuple[PlacedCells, Path, str]:
    """Return the notebook's cells as they are saved, the path of its file, and a sentence on when
    it was saved.

    `file`: the path, "" to look for it. Raises `NoNotebook` if it is not found, cannot be read, or
    is of another assignment.
    """
    if not file and (cells := cells_in_colab()):
        as_named = Path(Begun.released.notebook)  # which name it has there is not known
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
    """Yield a sentence on what to do for each exercise whose answer in the running notebook is not
    the one in the saved file.

    `run`: how the saved cells ended in a new process; `states`: of the exercises, by name;
    `history`: all code that was run in this notebook's kernel; `done`: the exercises whose checks
    pass in it. Cells that raise are left out, as they are reported already.
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
    """Whether the code that was last run for the exercise `name` differs from the code in its saved
    cell. False if none was run, if the notebook has no cell of the exercise, or if its answer is in
    a wrong cell, which is reported elsewhere.

    `history`: all code that was run in this notebook's kernel.
    """
    ran = [text for text in history if defines(text, released.exercises[name])][-1:]
    saved = notebook.answers.get(name) or [cell for cell in notebook.cells if name in cell.names]
    if not saved or not ran or fingerprint(ran[0]) == fingerprint(saved[0].source):
        return False
    return misplaced(name, notebook, released) is None


VIEW = "application/vnd.jupyter.widget-view+json"  # where a page shows a widget


class Control(NamedTuple):
    """A control that a reader changes: its first value, the values for fixed pictures, and a
    function that builds the widget.
    """

    start: Any
    stills: tuple[Any, ...]
    build: Callable[[ModuleType, Callable[[Any], None]], Any]  # ipywidgets, on change -> widget


def slider(label: str, values: Sequence[Any], start: Any, stills: Sequence[Any]) -> Control:
    """Return a control that chooses one of these ordered values.

    `label`: the text beside it; `start`: the first value; `stills`: the values to draw where no
    widget can be shown.
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
    """Return a control with a button for each word; its value is a tuple that says for each word
    whether it is on. `start`: the first value.
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
    """Return a control for a line of text, which counts when Enter is pressed; `start`: the first
    text.
    """

    def build(widgets: ModuleType, on_change: Callable[[Any], None]) -> Any:
        widget = widgets.Text(
            start, description=label, continuous_update=False, layout={"width": "90%"}
        )
        widget.observe(lambda change: on_change(change.new), "value")
        return widget

    return Control(start, (start,), build)


def play(control: Control) -> Callable[[Callable[[Any], None]], None]:
    """Return a decorator: it draws the decorated function's picture at once, and again whenever the
    control changes. The function is called with the control's value.

    Random numbers are the same for each picture. Where the function raises because an exercise that
    it uses is not solved yet, a line says so instead. Where no control can be shown, the pictures
    for the control's fixed values are drawn.
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
    """Build the control's widget and return the data that shows it, by MIME type; {} if this
    version of ipywidgets (the module `widgets`) cannot be used here.
    """
    try:
        with capture_output() as captured:
            widget = control.build(widgets, on_change)
            # `display(widget)` would end in a traceback where one of these raises
            if hasattr(widget, "_ipython_display_"):  # ipywidgets 7
                widget._ipython_display_()
            else:
                display(widget._repr_mimebundle_(), raw=True)
    except Exception:  # of a version that does not fit the kernel, for example
        return {}
    return next((output.data for output in captured.outputs if VIEW in output.data), {})


def _redraw(picture: DisplayHandle, draw: Callable[[Any], None], value: Any) -> None:
    """Draw the picture for this value in the place of the earlier one."""
    with capture_output() as again:
        _drawn(draw, value)
    _put(picture.update, again.outputs)


def _put(where: Callable[..., None], outputs: list[Any]) -> None:
    """Show the last of these outputs with `where`, a method that displays or updates a picture."""
    for output in outputs[-1:]:
        where(output.data, raw=True, metadata=output.metadata or {})


def _drawn(draw: Callable[[Any], None], value: Any) -> bool:
    """Call `draw` with the value, with random numbers that are the same each time; return whether a
    picture was drawn.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return try_it(draw, value)


def _ipywidgets() -> ModuleType | None:
    """Return the module ipywidgets; None if it is not installed or cannot be imported."""
    try:
        return importlib.import_module("ipywidgets")
    except Exception:  # an old one fails in its own ways beside a new kernel
        return None


def own_lines(function: Callable[..., Any]) -> str:
    """Return the lines of a function's body as the student's cell has them, without the docstring;
    "" if they are not found, or if the function is still the stub.
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
    """Show the body of the student's function below an equation in LaTeX, under this title.

    As long as the function is None or a stub, the equation is hidden, as it may be the answer to a
    question.
    """
    lines = own_lines(function) if function else ""
    shown = f"$${equation}$$\n\n````python\n{lines}\n````" if lines else "*still open*"
    display(Markdown(f"**{title}**\n\n{shown}"))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Show a table below the cell, with this header row; the first cell of each row says what the
    row is about. Cells are shown as text, never as HTML.
    """
    style = "text-align: left; padding: 0.2em 0.8em"
    lines = [
        "".join(f'<{tag} style="{style}">{html.escape(str(cell))}</{tag}>' for cell in cells)
        for tag, cells in [("th", header), *(("td", row) for row in rows)]
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    display(HTML(f'<table style="color: inherit">{body}</table>'))
