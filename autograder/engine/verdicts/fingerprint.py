"""Hash everything that a verdict depends on besides the submission: engine, assignment, package
versions, sandbox, seed.
"""

import hashlib
import os
import platform
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from autograder.engine.courses.assignment import Assignment
from autograder.engine.files.digest import digest_of
from autograder.engine.limits.process import NAMESPACES, REQUIRE, WALLED
from autograder.engine.verdicts.verdict import Stamp

PACKAGE = Path(__file__).parents[2]
DECIDING = ("engine", "mistakes")  # folders of the package that decide a verdict
PACKAGES = (  # a verdict may depend on their versions
    "torch",
    "numpy",
    "safetensors",
    "einops",
    "jaxtyping",
    "matplotlib",
    "matplotlib-inline",
    "ipython",
    "pytest",
)
# Files on which no verdict depends: caches of Python, questions for an oral exam, and the data that
# prove the graders (correct solutions, mistakes in these, the same checks as plain tests, contracts).
# Hidden files and folders are left out, too.
NO_PART = (
    "__pycache__",
    "viva.md",
    "variants",
    "in_variants.md",
    "plain_tests",
    "contract.md",
)


@dataclass(frozen=True)
class RunSettings:
    """The settings that all submissions of a run share: assignment, sandbox level and seed.

    The level REQUIRE stands for any level with a sandbox.
    """

    assignment: Assignment
    sandbox: str = REQUIRE
    seed: int | None = None  # None: a random seed for each submission

    def stamp(self, submission: str, seed: int | None = None) -> Stamp:
        """Return the stamp of a verdict on the submission with the hash `submission`.

        The seed of the settings takes precedence over the argument. If both are None, the seed is
        random.
        """
        seed = secrets.randbits(31) if seed is None else seed
        return Stamp(
            grader=grader_hash(self.assignment),
            submission=submission,
            torch=versions()["torch"].partition("+")[0],
            python=".".join(platform.python_version_tuple()[:2]),
            seed=seed if self.seed is None else self.seed,
            sandbox=NAMESPACES if self.sandbox == REQUIRE else self.sandbox,
            packages=versions_hash(),
        )


def is_current(stamp: Stamp, expected: Stamp) -> bool:
    """Whether a verdict with this stamp is up to date: its stamp equals the `expected` stamp.

    Two things may differ: whether the student's time was read from the scheduler or from the wall
    clock, and the kind of sandbox.
    """
    if stamp.sandbox in WALLED and expected.sandbox in WALLED:
        expected = msgspec.structs.replace(expected, sandbox=stamp.sandbox)
    return stamp in (expected, expected.by_wall_clock())


@cache
def grader_hash(assignment: Assignment) -> str:
    """Return a hash of everything in the code and in the assignment that decides a verdict.

    These are the files in the DECIDING folders of this package, the assignment's graders, its
    source and release notebooks, and whether layers of the library earn points. Files for students
    (the toolbox, visible checks, figures) and the data that prove the graders (see NO_PART) do not
    count. The result is cached.
    """
    notebooks = {
        name: file_hash(path) if path.is_file() else ""
        for name, path in (("source", assignment.source), ("release", assignment.release))
    }
    folders = {name: file_hashes(PACKAGE / name) for name in DECIDING}
    folders["graders"] = file_hashes(assignment.graders)
    decided = [] if assignment.course.takes_library_layers else ["no library layers"]
    return digest_of([*notebooks.items(), *folders.items(), *decided])


def file_hashes(folder: Path) -> list[tuple[str, str]]:
    """Return (path relative to the folder, hash of the content) for each file below a folder.

    The pairs are sorted by path. Hidden files and folders, and those in NO_PART, are left out.
    """
    return [
        (file.relative_to(folder).as_posix(), file_hash(file)) for file in sorted(_files(folder))
    ]


def file_hash(file: Path) -> str:
    """Return the SHA-256 hash of a file's content, in hexadecimal."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def versions() -> dict[str, str]:
    """Return the versions of the packages that a verdict may depend on, by name.

    The version of a missing package is "". The result is cached.
    """
    return {name: _version(name) for name in PACKAGES}


@cache
def versions_hash() -> str:
    """Return a hash of Python's version and of the versions in `versions`. The result is cached."""
    return digest_of(platform.python_version(), sorted(versions().items()))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _files(folder: Path) -> Iterator[Path]:
    for top, folders, names in os.walk(folder):
        folders[:], files = (
            [name for name in entries if name not in NO_PART and not name.startswith(".")]
            for entries in (folders, names)
        )
        yield from (Path(top, name) for name in files)
