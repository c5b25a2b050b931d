"""Read the file of marks that a marker saves from a marking page."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Raw, Struct, json

from autograder.engine import AutograderError, files, texts

FORMAT = "marks of a marking page, 1"
MAX_BYTES = 32 << 20
LONGEST_COMMENT = 10_000  # characters

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=LONGEST_COMMENT)]


class SavedMark(Struct, frozen=True, forbid_unknown_fields=True):
    """A mark for an answer of a student."""

    student: Name
    exercise: Name
    answer: Name  # `WrittenAnswer.version`
    points: float
    comment: Text
    items: Annotated[tuple[Text, ...], Meta(max_length=1_000)]


class SavedMarks(Struct, frozen=True, forbid_unknown_fields=True):
    """The marks that a marker saved from a page."""

    format: Literal["marks of a marking page, 1"]
    assignment: Name
    marker: Name
    saved_at: Annotated[datetime, Meta(tz=True)]  # by the clock of the marker's machine
    scheme: Raw  # for the page, which can load the file
    marks: list[SavedMark]


def read_marks_file(path: Path) -> SavedMarks:
    """Read a file saved from a marking page. Raises `AutograderError` if it cannot be read or has
    another format.
    """
    try:
        return json.decode(files.read_named(path, MAX_BYTES), type=SavedMarks)
    except (OSError, ValueError, RecursionError) as error:
        raise AutograderError(
            f"`{path}` is no file that a marking page saved ({texts.first_line(error, 200)}): save it "
            "again from the page.",
            texts.FAILED,
        ) from error
