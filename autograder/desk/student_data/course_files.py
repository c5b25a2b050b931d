"""List the files of a course, and write some of them into a zip."""

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.engine import files
from autograder.gradebook.pages.of_grade import FIRST_DAY

MAX_BYTES = 1 << 30  # of one file
MOST, DEPTH = 10_000_000, 30  # files and folders of a course; levels of folders
LINKED = "submitted", "results", "autograded", "feedback"  # they may lie on another disk
NOT_OURS = {".git", ".venv", "__pycache__", "node_modules"}  # programs, and what git has of them


@dataclass(frozen=True)
class CourseFile:
    """A file of a course, or a link or another thing that is no folder."""

    label: str  # its path in the course
    path: Path
    top: Path  # the folder below which no link is followed
    kind: files.Kind

    @property
    def assignment(self) -> str:
        """The id of the assignment in whose folder of submissions or results the file is; "" if it
        is in none.
        """
        parts = self.label.split("/")
        place = 1 if parts[0] == "results" else 2
        return parts[place] if parts[0] in LINKED and parts[place + 1 :] else ""

    def read(self) -> bytes:
        """Return the content. Raises `NotRegular`, `TooLarge` or another `OSError` if it cannot be
        read.
        """
        return files.read_regular(self.path, MAX_BYTES, self.top)


def course_files(root: Path) -> list[CourseFile]:
    """Return the files in a course's folder. No link is followed, but those that staff made in
    place of a folder of LINKED. Raises `OSError` if a folder cannot be listed.
    """
    tops = {"": root, **{f"{name}/": root / name for name in LINKED if (root / name).is_symlink()}}
    return [
        CourseFile(prefix + "/".join(parts), top.joinpath(*parts), top, entry.kind)
        for prefix, top in tops.items()
        for parts, entry in files.walk(
            top, top, DEPTH, NOT_OURS.__contains__, strict=False, most=MOST
        )
        if prefix or f"{parts[0]}/" not in tops
    ]


def write_zip(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write a zip with these members, given by path and content, one after the other: the same
    members give the same bytes. If one of them raises, nothing is written. Raises `OSError`.
    """
    with files.replacing_bytes(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name, FIRST_DAY)
            info.external_attr = 0o600 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
