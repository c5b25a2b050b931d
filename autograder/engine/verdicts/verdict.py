"""The result of a submission: its schema, and its storage as JSON.

`verdict.schema.json` in `engine/` is the same schema for programs in other languages. It is written
by `python -m autograder.engine.verdicts.verdict`.
"""

import contextlib
import inspect
import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from autograder.engine.files.reading import read_named
from autograder.engine.files.writing import replacing
from autograder.engine.limits.process import PRACTICE
from autograder.engine.texts.patterns import Pattern

STUDENT = Pattern(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
MAX_BYTES = 64 << 20  # of a verdict's file
AS_WRITTEN = b'{\n "schema": 1,'  # the beginning of a file of `write_verdict`
SCHEMA_FILE = Path(__file__).parents[1] / "verdict.schema.json"

StudentId = Annotated[str, Meta(pattern=f"^{STUDENT.pattern}$")]
Points = Annotated[float, Meta(ge=0)]
SubmissionState = Literal["graded", "unreadable", "not_graded"]
ExerciseState = Literal[
    "answered", "not_attempted", "error", "timed_out", "out_of_memory", "crashed"
]


def _none() -> list[str]:
    # msgspec writes a default that a function makes to the JSON, but leaves out a plain `[]`
    return []


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a verdict. Fields with their default value are left out of the JSON."""


class CheckResult(_Part, frozen=True):
    """The result of a check: its points, and the message for the student if it failed.

    `mistakes`: the ids of the exercise's mistakes that explain the failure.
    """

    id: str
    points: Points
    max_points: Points
    passed: bool
    message: str | None
    mistakes: list[str] = []

    @property
    def sentence(self) -> str:
        """The name of the check for people: `test_projections_have_no_bias` is `projections have no
        bias`.
        """
        return check_sentence(self.id)


class NamedMistake(_Part, frozen=True):
    """A known mistake that explains the student's answers, with the sentence for the student."""

    id: str
    sentence: str


class EarlierMistake(_Part, frozen=True):
    """A mistake of an earlier submission that may or may not be resolved.

    It is derived for a page and never stored.
    """

    exercise: str
    id: str
    sentence: str


class ExerciseResult(_Part, frozen=True):
    """The result of a coded exercise.

    `gone`: resolved mistakes of earlier submissions. They are derived for a page and never stored.
    """

    id: str
    state: ExerciseState
    points: Points
    max_points: Points
    checks: list[CheckResult]
    mistakes: list[NamedMistake]
    gone: list[NamedMistake] = []


class Stamp(_Part, frozen=True):
    """Everything that a verdict depends on: hashes of the graders and the submission, versions,
    seed, sandbox level.
    """

    grader: str
    submission: str
    torch: str
    python: str
    seed: int
    sandbox: str
    time: Literal["scheduler", "wall clock"] = "scheduler"  # the source of the student's time
    packages: str = ""  # hash of the full versions of Python and of the packages

    def __post_init__(self) -> None:
        # msgspec recognises a default by identity, which pickling to another process loses
        msgspec.structs.force_setattr(self, "time", sys.intern(self.time))

    def by_wall_clock(self) -> "Stamp":
        """Return a copy of the stamp for a machine that does not report how long a process waits
        for a processor.
        """
        return msgspec.structs.replace(self, time="wall clock")


class Verdict(_Part, frozen=True, tag_field="schema", tag=1):
    """The verdict on a submission, with automatic points only.

    nbgrader keeps the points that people give.
    """

    student: StudentId
    assignment: str
    state: SubmissionState
    points: Points
    max_points: Points
    exercises: list[ExerciseResult]
    repairs: list[str]
    seconds: Annotated[float, Meta(ge=0)]
    stamp: Stamp
    reason: str | None = None  # of the state "unreadable" or "not_graded"
    earlier: list[EarlierMistake] = []
    notes: list[str] = field(default_factory=_none)  # for staff only; no point depends on them

    @property
    def is_practice(self) -> bool:
        """Whether the submission was graded without a sandbox, so that its points do not count."""
        return self.state == "graded" and self.stamp.sandbox == PRACTICE

    @property
    def table_state(self) -> str:
        """The state as tables of points show it: `practice` instead of `graded` for practice."""
        return PRACTICE if self.is_practice else self.state

    def to_json(self) -> dict:
        """Return the verdict as plain dicts, lists and values, ready for `json.dumps`."""
        return msgspec.to_builtins(self)


class Summary(Struct, frozen=True, gc=False):
    """The fields of a verdict that are kept in memory when many students are graded."""

    student: str
    state: SubmissionState
    points: float
    submission: str  # its hash
    is_attempted: bool  # an exercise has another state than "not_attempted"
    repairs: tuple[str, ...]
    notes: tuple[str, ...]
    reason: str | None


def summary_of(verdict: Verdict) -> Summary:
    """Return the summary of a verdict."""
    return Summary(
        student=verdict.student,
        state=verdict.state,
        points=verdict.points,
        submission=verdict.stamp.submission,
        is_attempted=any(exercise.state != "not_attempted" for exercise in verdict.exercises),
        repairs=tuple(verdict.repairs),
        notes=tuple(verdict.notes),
        reason=verdict.reason,
    )


DECODER = msgspec.json.Decoder(Verdict)


def check_name(check_id: str) -> str:
    """Return the name of a check's test function: `test_shapes[one head]` -> `test_shapes`."""
    return check_id.partition("[")[0]


def check_sentence(check_id: str) -> str:
    """Return a check's name for people: `test_shapes_are_kept[one head]` -> `shapes are kept (one
    head)`.
    """
    words = check_name(check_id).removeprefix("test_").replace("_", " ")
    case = check_id[len(check_name(check_id)) :].removeprefix("[").removesuffix("]")
    return f"{words} ({case})" if case else words


def points_text(points: float) -> str:
    """Return points as text, such as `17.5` or `20`.

    The text has at most five decimals, which removes errors of binary fractions.
    """
    return f"{round(points, 5) + 0.0:.5f}".rstrip("0").rstrip(".")  # -0.0 is 0


def from_json(content: object) -> Verdict:
    """Return the verdict in parsed JSON. Raise `ValueError` if it does not match the schema."""
    if not isinstance(content, dict) or "schema" not in content:
        raise ValueError("no verdict: it does not say which schema it has")
    try:
        return msgspec.convert(content, Verdict)
    except msgspec.ValidationError as error:
        raise ValueError(f"no verdict: {error}") from error


def write_verdict(path: Path, verdict: Verdict) -> None:
    """Write the verdict to a file atomically. Raise `OSError` if that fails."""
    content = json.dumps(verdict.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
    with replacing(path) as file:
        file.write(content + "\n")


def read_verdict(path: Path) -> Verdict | None:
    """Return the verdict in this file, or None without a file or a valid verdict in it."""
    try:
        return _decoded(read_named(path, MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None


def _decoded(data: bytes) -> Verdict:
    """Parse the JSON of a verdict. Raise `ValueError` if it is invalid, `RecursionError` if it is
    nested too deeply.
    """
    if data.startswith(AS_WRITTEN):  # ten times as fast
        with contextlib.suppress(msgspec.DecodeError):
            return DECODER.decode(data)
    return from_json(json.loads(data))


def verdict_files(folder: Path) -> list[Path]:
    """Return the paths of the verdict files in a folder, sorted by name, without hidden files."""
    return sorted(
        path for path in folder.glob("*.json") if not path.name.startswith(".") and path.is_file()
    )


def json_schema() -> dict:
    """Return the JSON schema of verdicts, as it is in `verdict.schema.json`."""
    schema = msgspec.json.schema(Verdict)
    for part in schema["$defs"].values():  # docstrings: Python keeps their indentation before 3.13
        part["description"] = inspect.cleandoc(part["description"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The verdict on one submission",
        **schema,
    }


def main() -> None:
    """Write `verdict.schema.json`."""
    SCHEMA_FILE.write_text(json.dumps(json_schema(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
