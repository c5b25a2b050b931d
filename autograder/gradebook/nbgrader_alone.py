"""nbgrader's own autograding, for assignments of a course that have no hidden graders.

Students' code runs without walls. nbgrader converts a copy of what was checked, and what it had made
before is put back where it fails.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.converters import Autograde
from nbgrader.converters.base import BaseConverter

from autograder.engine.notebook.reader import MAX_BYTES
from autograder.files.reading import read_regular
from autograder.files.timestamp import TIMESTAMP
from autograder.gradebook.one_by_one import for_each
from autograder.gradebook.submitted_files import check_folder, check_notebooks, time_in
from autograder.text.times import timestamp_text

their_convert_notebooks = BaseConverter.convert_notebooks


def autograde_alone(converter: Autograde) -> list[str]:
    """Autograde with nbgrader one student at a time; return a sentence for each failure."""
    folders = converter.coursedir
    id = folders.assignment_id
    converter.log.warning(
        "%s has no hidden graders: nbgrader runs its submissions itself, without walls.", id
    )
    source = Path(folders.format_path(folders.source_directory, ".", id))
    wanted = sorted(path.name for path in source.glob("*.ipynb"))

    def convert(student: str, folder: Path, notebooks: list[str]) -> None:
        files = check_folder(student, folder, folder.parents[1])
        check_notebooks(student, notebooks, wanted)
        with _copied(converter, folder, [one for one in files if one != TIMESTAMP]) as copy:
            converter.assignments = {str(copy): [str(copy / name) for name in notebooks]}
            convert_or_put_back(converter, student)

    return for_each(converter, convert)


def convert_or_put_back(converter: BaseConverter, student: str) -> None:
    """Convert `converter.assignments` of one student (`.` for none); restore the former output on
    failure.

    nbgrader itself would delete that output.
    """
    made = Path(
        os.path.normpath(converter._format_dest(converter.coursedir.assignment_id, student))
    )
    if not made.is_dir():
        return their_convert_notebooks(converter)
    with tempfile.TemporaryDirectory(dir=made.parent, prefix=".") as aside:
        kept = shutil.copytree(made, Path(aside) / made.name, symlinks=True)
        try:
            their_convert_notebooks(converter)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            kept.rename(made)
            raise


@contextmanager
def _copied(converter: Autograde, folder: Path, names: list[str]) -> Iterator[Path]:
    """Yield the folder of a copy of a submission's files and timestamp, for nbgrader to read."""
    folders = converter.coursedir
    theirs = folders.submitted_directory
    with tempfile.TemporaryDirectory(dir=folders.root, prefix=".submitted-") as copies:
        folders.submitted_directory = Path(copies).name
        try:
            copy = Path(converter._format_source(folder.name, folder.parent.name))
            for name in names:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                (copy / name).write_bytes(read_regular(folder / name, MAX_BYTES, folder.parents[1]))
            if submitted := time_in(folder, converter.log):
                (copy / TIMESTAMP).write_text(timestamp_text(submitted, "microseconds"))
            yield copy
        finally:
            folders.submitted_directory = theirs
