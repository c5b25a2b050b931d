"""Submitted notebooks: parsed strictly, and merged into the pristine notebook."""

from autograder.engine.notebooks.file_cache import FileCache, NotebookFile
from autograder.engine.notebooks.file_kind import ZIP, file_kind, is_archive
from autograder.engine.notebooks.json_parts import Conflict, Damaged
from autograder.engine.notebooks.pictures import JPEG, PAGE_PIXELS, PNG, NoPicture, decode, measure
from autograder.engine.notebooks.reader import MAX_BYTES, parse_notebook, read_notebook
from autograder.engine.notebooks.submission import (
    Cell,
    is_of,
    parse_submission,
    read_submission,
    unreadable_file,
)

__all__ = [
    "JPEG",
    "MAX_BYTES",
    "PAGE_PIXELS",
    "PNG",
    "ZIP",
    "Cell",
    "Conflict",
    "Damaged",
    "FileCache",
    "NoPicture",
    "NotebookFile",
    "decode",
    "file_kind",
    "is_archive",
    "is_of",
    "measure",
    "parse_notebook",
    "parse_submission",
    "read_notebook",
    "read_submission",
    "unreadable_file",
]
