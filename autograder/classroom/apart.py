"""Grade one notebook in a separate process, without side effects on the calling process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from autograder.classroom.worker import prepare_worker
from autograder.engine import (
    Assignment,
    AutograderError,
    RunSettings,
    SandboxError,
    Verdict,
    courses,
    find_assignment,
    limits,
    verdicts,
)

SANDBOXES = {"require": limits.REQUIRE, "namespaces": limits.NAMESPACES, "off": limits.PRACTICE}

PROGRAM = f"import autograder._quick_start; from {__name__} import main; main()"


class _Request(msgspec.Struct):
    """A grading task for the separate process, as plain values."""

    course: str
    assignment: str
    notebook: str
    student: str
    sandbox: str
    seed: int | None


class _Answer(msgspec.Struct):
    """The verdict of the separate process, or the reason for a missing sandbox."""

    verdict: Verdict | None = None
    no_sandbox: str = ""


def grade(
    assignment: Assignment,
    notebook: Path | str,
    student: str = "student",
    *,
    sandbox: str = "require",
    seed: int | None = None,
) -> Verdict:
    """Grade one notebook in a separate process and return its verdict. Nothing is written.

    `student`: id for the verdict. `sandbox`: "require" takes namespaces or else Landlock,
    "namespaces" requires namespaces. With "off" the student's code may do whatever you may do, and
    the points are practice. `seed`: of the hidden inputs, None for a random seed.

    It takes some seconds, mostly for the start. For a class, `autograder grade` is faster. An
    unreadable notebook gives the state `unreadable`, and a fault of the grader or of the machine
    gives `not_graded`. Raises `AutograderError` for an invalid argument, and its subclass
    `SandboxError` if this machine has no such sandbox.
    """
    if sandbox not in SANDBOXES:
        raise AutograderError(f"sandbox is {sandbox!r}: choose one of {', '.join(SANDBOXES)}.")
    if not verdicts.STUDENT.fullmatch(student):
        raise AutograderError(f"{student!r:.80} cannot be a student's id.")
    if not Path(notebook).is_file():
        raise AutograderError(f"There is no notebook `{notebook}`.")
    limits.refuse_elsewhere(SANDBOXES[sandbox])
    request = _Request(
        course=str(assignment.course.root),
        assignment=assignment.id,
        notebook=os.path.abspath(notebook),
        student=student,
        sandbox=SANDBOXES[sandbox],
        seed=seed,
    )
    answer = _ask_process(request)
    if answer.verdict is None:
        raise SandboxError(answer.no_sandbox)
    return answer.verdict


def _ask_process(request: _Request) -> _Answer:
    """Ask a separate process. Raises `AutograderError` if it ends without an answer."""
    path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path)
    process = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        input=msgspec.json.encode(request),
        capture_output=True,
        env=os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
    )
    try:
        return msgspec.json.decode(process.stdout, type=_Answer)
    except msgspec.DecodeError:
        last_line = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise AutograderError(
            f"The process that grades ended with {process.returncode}: {last_line}"
        ) from None


def _answer(request: _Request) -> _Answer:
    assignment = find_assignment(request.assignment, courses.read_course(Path(request.course)))
    signal.alarm(limits.Limits().alarm_seconds)  # ends this process if it hangs
    try:
        grader = prepare_worker(RunSettings(assignment, request.sandbox, request.seed))
    except SandboxError as error:
        return _Answer(no_sandbox=str(error))
    return _Answer(grader.grade(request.student, Path(request.notebook)).verdict)


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with the answer
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=_Request)
    answers.write(msgspec.json.encode(_answer(request)))
    answers.close()
