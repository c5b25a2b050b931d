"""Feedback for GitHub Classroom: one repository of ours, with a branch for each student's.

A branch is called like the student's repository. Its commits hold the feedback's two files and nothing
else, and have no history in common with the student's work: whoever pushes such a branch hands over
what is in it, and no grader can be. What was exported before is the parent of what is new, so that a
push only ever adds; who got no other feedback gets no other commit.
"""

import hashlib
import subprocess
import time
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from autograder.files import kind_of
from autograder.locks import locked
from autograder.patterns import Pattern
from autograder.platforms.as_received import ReceivedFile
from autograder.platforms.errors import ExportError
from autograder.platforms.feedback import feedback_page
from autograder.platforms.feedback_text import markdown
from autograder.platforms.git_objects import CloneRefused, clean_environment, make_repository
from autograder.platforms.grades import Grade
from autograder.text import printable
from autograder.wording import name_some

MARKER = "autograder-feedback"  # a file that makes the repository known as one of ours
TEXT, PAGE = "feedback.md", "feedback.html"
AUTHOR = "Course staff <staff@localhost>"
MESSAGE = "Give feedback"
REPOSITORY = Pattern(r"[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")


def feedback_by_repository(
    grades: Sequence[Grade], received: dict[str, ReceivedFile], course: Path
) -> tuple[dict[str, dict[str, bytes]], list[str]]:
    """Return the files of feedback by repository, and sentences on whom there is none for."""
    teams: dict[str, list[Grade]] = defaultdict(list)
    unknown = []
    for grade in grades:
        if grade.verdict.state == "not_graded":
            continue
        repository = _repository(received.get(grade.student))
        if repository:
            teams[repository].append(grade)
        else:
            unknown.append(grade.student)
    files = {
        repository: {
            TEXT: markdown(_best(team)).encode("utf-8", "backslashreplace"),
            PAGE: feedback_page(course, _best(team)),
        }
        for repository, team in sorted(teams.items())
    }
    return files, _said(teams, unknown)


def is_ours(folder: Path) -> bool:
    """Whether a folder is a repository that was made here."""
    return folder.is_dir() and kind_of(folder / MARKER, folder) == "file"


def write_feedback(folder: Path, feedback: dict[str, dict[str, bytes]]) -> int:
    """Add what is new to the repository, which is made if there is none.

    Returns how many branches have a new commit. Raises `ExportError`, `OSError`.
    """
    try:
        if not is_ours(folder):
            make_repository(folder)
            (folder / MARKER).touch()
        with locked(folder / MARKER, f"Somebody else is exporting to `{folder}`: wait for that."):
            trees = _trees(folder)
            changed = {
                name: files for name, files in feedback.items() if trees.get(name) != _tree(files)
            }
            if changed:
                stream = b"".join(_commits(changed, trees.keys()))
                _run(folder, "fast-import", "--quiet", "--done", data=stream)
            return len(changed)
    except CloneRefused as error:
        raise ExportError(f"`{folder}` {error}.") from error


def _repository(file: ReceivedFile | None) -> str:
    """The repository that a file is from, or nothing."""
    parts = file.path.split("/") if file else []
    name = parts[1] if len(parts) > 2 else ""
    return name if is_repository(name) else ""


def is_repository(name: str) -> bool:
    """Whether a name can be a repository's, and so a branch's."""
    good = len(name) <= 100 and not name.endswith(".lock")
    return good and bool(REPOSITORY.fullmatch(name))


def _best(team: list[Grade]) -> Grade:
    return max(team, key=lambda grade: grade.total or 0.0)


def _said(teams: dict[str, list[Grade]], unknown: list[str]) -> list[str]:
    said = [
        f"`{repository}` is of {name_some([one.student for one in team])}, whose points differ: its feedback is that of the "
        "one with most points."
        for repository, team in sorted(teams.items())
        if len({grade.total for grade in team}) > 1
    ]
    if unknown:
        said.append(
            f"No feedback for GitHub of {name_some(unknown)}: no repository of theirs was collected. "
            "`collect` the clones, and name that folder with --submitted."
        )
    return said


def _trees(folder: Path) -> dict[str, str]:
    """The hash of what each branch holds."""
    said = _run(folder, "for-each-ref", "--format=%(tree) %(refname:lstrip=2)", "refs/heads")
    return {name: tree for tree, name in (line.split(" ", 1) for line in said.splitlines())}


def _tree(files: dict[str, bytes]) -> str:
    """The hash that git gives to a folder of these files."""
    entries = (
        f"100644 {name}\0".encode() + bytes.fromhex(_hash("blob", data))
        for name, data in sorted(files.items())
    )
    return _hash("tree", b"".join(entries))


def _hash(kind: str, data: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()


def _commits(changed: dict[str, dict[str, bytes]], known: Container[str]) -> Iterator[bytes]:
    """What `git fast-import` reads: a commit for each branch."""
    now = f"{int(time.time())} +0000"
    for repository, files in changed.items():
        branch = f"refs/heads/{repository}"
        yield f"commit {branch}\ncommitter {AUTHOR} {now}\n".encode()
        yield f"data {len(MESSAGE)}\n{MESSAGE}\n".encode()
        if repository in known:
            yield f"from {branch}^0\n".encode()
        yield b"deleteall\n"
        for name, data in files.items():
            yield f"M 100644 inline {name}\ndata {len(data)}\n".encode() + data + b"\n"
        yield b"\n"
    yield b"done\n"


def _run(folder: Path, *words: str, data: bytes = b"") -> str:
    settings = "-c", "core.hooksPath=/dev/null"
    done = subprocess.run(
        ["git", *settings, *words], env=clean_environment(folder), input=data, capture_output=True
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or "it says no reason"
        raise ExportError(
            f"git cannot work in `{folder}` ({printable(said.splitlines()[0])}): move that folder "
            "away, and export again."
        )
    return done.stdout.decode(errors="replace")
