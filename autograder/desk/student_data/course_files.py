"""List the files of a course, and write some of them into a zip."""

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.engine import files
from autograder.gradebook.pages.of_grade import FIRST_DAY

MAX_BYTES = 1 << 30  # of one file
MOST, DEPTH = 10_000_000, 30  # at most so many files and folders, and levels of folders
LINKED = "submitted", "results", "autograded", "feedback"  # links to other disks are allowed
NOT_OURS = {".git", ".venv", "__pycache__", "node_modules"}  # not listed


@dataclass(frozen=True)
class CourseFile:
    """A file of a course, a link, or another thing that is not a folder."""

    label: str  # path in the course
    path: Path
    top: Path  # the folder below which no link is followed
    kind: files.Kind

    @property
    def assignment(self) -> str:
        """The id of the assignment of a file of submissions or results, "" for other files."""
        parts = self.label.split("/")
        place = 1 if parts[0] == "results" else 2
        return parts[place] if parts[0] in LINKED and parts[place + 1 :] else ""

    def read(self) -> bytes:
        """Return the content. Raises `NotRegular`, `TooLarge` or another `OSError`."""
        return files.read_regular(self.path, MAX_BYTES, self.top)


def course_files(root: Path) -> list[CourseFile]:
    """Return the files in a course's folder. Links are followed only if staff made them in place of
    a folder of LINKED. Raises `OSError` if a folder cannot be listed.
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
    """Write a zip with these members (path, content) in order. The same members give the same
    bytes. If reading a member fails, nothing is written. Raises `OSError`.
    """
    with files.replacing_bytes(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name, FIRST_DAY)
            info.external_attr = 0o600 << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
