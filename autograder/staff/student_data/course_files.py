"""List the files of a course, with paths that are the same wherever its folders lie."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.files.reading import Kind, read_regular, walk

MAX_BYTES = 1 << 30  # of one file
MOST = 10_000_000  # files and folders of a course
DEPTH = 30  # levels of folders
NOT_OURS = {
    ".git",
    ".venv",
    "__pycache__",
    "node_modules",
}  # programs, and what is under version control


@dataclass(frozen=True)
class Folders:
    """The folders of a course: its own, that of the submissions and that of the results."""

    course: Path
    submitted: Path
    results: Path


@dataclass(frozen=True)
class CourseFile:
    """A file of a course, or a link or another thing that is no folder."""

    label: str  # its path in a course where all folders have their usual names
    path: Path
    top: Path  # the folder below which no link is followed
    kind: Kind
    size: int

    @property
    def assignment(self) -> str:
        """The assignment of a file in results/ or in what was received."""
        parts = self.label.removeprefix("submitted/.received/").split("/")
        return parts[parts[0] == "results"]

    def read(self) -> bytes:
        """Return the content. Raises `NotRegular`, `TooLarge` or another `OSError` if it cannot be
        read.
        """
        return read_regular(self.path, MAX_BYTES, self.top)


def course_files(folders: Folders) -> Iterator[CourseFile]:
    """Yield each file of a course once, in the order of the paths; no link is followed. Raises
    `OSError` if a top folder cannot be listed.
    """
    tops = {"submitted/": folders.submitted, "results/": folders.results, "": folders.course}
    inner = [folder.resolve() for prefix, folder in tops.items() if prefix]
    for prefix, top in tops.items():
        if not top.is_dir():
            continue
        for parts, entry in walk(top, top, DEPTH, NOT_OURS.__contains__, strict=False, most=MOST):
            path = top.joinpath(*parts)
            if not prefix and any(one in (top.resolve() / Path(*parts)).parents for one in inner):
                continue
            label = prefix + "/".join(parts)
            yield CourseFile(label, path, top, entry.kind, entry.size)
