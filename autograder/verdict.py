"""The result of one submission: its form, its JSON schema, and how it is kept."""

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import jsonschema

from autograder.replacing import replacing

SCHEMA_VERSION = 1
STUDENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}")
SUBMISSION_STATES = ("graded", "unreadable", "not_graded")
EXERCISE_STATES = ("answered", "not_attempted", "error", "timed_out", "out_of_memory", "crashed")


@dataclass(frozen=True)
class CheckResult:
    id: str
    points: float
    max_points: float
    passed: bool
    message: str | None


@dataclass(frozen=True)
class Recognised:
    """A known mistake that explains the student's answers."""

    id: str
    sentence: str


@dataclass(frozen=True)
class ExerciseResult:
    id: str
    state: str
    points: float
    max_points: float
    checks: list[CheckResult]
    mistakes: list[Recognised] = field(default_factory=list)
    gone: list[Recognised] = field(default_factory=list)  # that an earlier submission had


@dataclass(frozen=True)
class Earlier:
    """A mistake that an earlier submission had, of which this one does not tell."""

    exercise: str
    id: str
    sentence: str


@dataclass(frozen=True)
class Verdict:
    """Automatic points only; what is marked by hand stays in nbgrader."""

    student: str
    assignment: str
    state: str
    points: float
    max_points: float
    exercises: list[ExerciseResult]
    repairs: list[str]
    seconds: float
    stamp: dict[str, Any]  # what determined it: grader, submission, versions, seed, sandbox
    reason: str | None = None  # of a submission that is unreadable or not graded
    earlier: list[Earlier] = field(default_factory=list)

    def to_json(self) -> dict:
        """Return the verdict as contract 3 has it; `reason`, `earlier`, `gone` where there is any."""
        content = {"schema": SCHEMA_VERSION} | asdict(self)
        for part in (content, *content["exercises"]):
            for name in ("reason", "earlier", "gone"):
                if name in part and not part[name]:
                    del part[name]
        return content


def from_json(content: dict) -> Verdict:
    """Return the verdict. Raises `jsonschema.ValidationError`."""
    VALIDATOR.validate(content)
    fields = {name: value for name, value in content.items() if name != "schema"}
    fields["exercises"] = [
        ExerciseResult(
            **exercise
            | {"checks": [CheckResult(**check) for check in exercise["checks"]]}
            | {"mistakes": [Recognised(**mistake) for mistake in exercise["mistakes"]]}
            | {"gone": [Recognised(**mistake) for mistake in exercise.get("gone", [])]}
        )
        for exercise in content["exercises"]
    ]
    fields["earlier"] = [Earlier(**one) for one in content.get("earlier", [])]
    return Verdict(**fields)


def write_verdict(path: Path, verdict: Verdict) -> None:
    """Write the verdict so that a reader sees the old one or the new one, whole. Raises `OSError`."""
    content = json.dumps(verdict.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
    with replacing(path) as file:
        file.write(content + "\n")


def read_verdict(path: Path) -> Verdict | None:
    """Return the verdict kept at `path`, or None if there is none that can be read."""
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, jsonschema.ValidationError):
        return None


def _object(properties: dict, optional: tuple[str, ...] = ()) -> dict:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_POINTS = {"type": "number", "minimum": 0}
_RECOGNISED = {"type": "array", "items": _object({"id": _TEXT, "sentence": _TEXT})}

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "The verdict on one submission",
    **_object(
        {
            "schema": {"const": SCHEMA_VERSION},
            "student": {"type": "string", "pattern": f"^{STUDENT.pattern}$"},
            "assignment": _TEXT,
            "state": {"enum": list(SUBMISSION_STATES)},
            "reason": _TEXT,
            "points": _POINTS,
            "max_points": _POINTS,
            "exercises": {
                "type": "array",
                "items": _object(
                    {
                        "id": _TEXT,
                        "state": {"enum": list(EXERCISE_STATES)},
                        "points": _POINTS,
                        "max_points": _POINTS,
                        "checks": {
                            "type": "array",
                            "items": _object(
                                {
                                    "id": _TEXT,
                                    "points": _POINTS,
                                    "max_points": _POINTS,
                                    "passed": {"type": "boolean"},
                                    "message": {"type": ["string", "null"]},
                                }
                            ),
                        },
                        "mistakes": _RECOGNISED,
                        "gone": _RECOGNISED,
                    },
                    optional=("gone",),
                ),
            },
            "earlier": {
                "type": "array",
                "items": _object({"exercise": _TEXT, "id": _TEXT, "sentence": _TEXT}),
            },
            "repairs": {"type": "array", "items": _TEXT},
            "seconds": {"type": "number", "minimum": 0},
            "stamp": _object(
                {
                    "grader": _TEXT,
                    "submission": _TEXT,
                    "torch": _TEXT,
                    "python": _TEXT,
                    "seed": {"type": "integer"},
                    "sandbox": _TEXT,
                },
            ),
        },
        optional=("reason", "earlier"),
    ),
}
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)  # made once: the schema is not checked anew
