"""Autograde with nbgrader itself, for assignments without hidden graders.

Students' code then runs without a sandbox. nbgrader gets a copy of the checked files. If it fails,
the student's former output is restored.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.converters import Autograde
from nbgrader.converters.base import BaseConverter

from autograder.classroom.submitted_files import check_folder, check_notebooks, time_in
from autograder.engine import files, notebooks
from autograder.gradebook.sync.one_by_one import for_each

their_convert_notebooks = BaseConverter.convert_notebooks


def autograde_alone(converter: Autograde) -> list[str]:
    """Check each submission and autograde it with nbgrader, without a sandbox, one student after
    the other. Return a sentence for each failure.

    `converter`: nbgrader's application. Raises `CannotGoOn` if the gradebook is unusable.
    """
    folders = converter.coursedir
    id = folders.assignment_id
    converter.log.warning(
        "%s has no hidden graders: nbgrader runs its submissions itself, without walls.", id
    )
    source = Path(folders.format_path(folders.source_directory, ".", id))
    expected_names = sorted(path.name for path in source.glob("*.ipynb"))

    def convert(student: str, folder: Path, notebooks: list[str]) -> None:
        file_names = check_folder(student, folder, folder.parents[1])
        check_notebooks(student, notebooks, expected_names)
        is_time = time_in(folder, converter.log) is not None
        if (
            files.TIMESTAMP in file_names
            and not is_time
            and (folder / files.TIMESTAMP).stat().st_size
        ):
            file_names.remove(files.TIMESTAMP)  # nbgrader would stop at an invalid timestamp
        with _copied(converter, folder, file_names) as copy:
            converter.assignments = {str(copy): [str(copy / name) for name in notebooks]}
            convert_or_put_back(converter, student)

    return for_each(converter, convert)


def convert_or_put_back(converter: BaseConverter, student: str) -> None:
    """Let nbgrader convert `converter.assignments`. If that raises, restore the student's former
    output folder, which nbgrader would delete, and raise the exception again.

    `student`: owner of the output, `.` for an output such as a release.
    """
    output = Path(
        os.path.normpath(converter._format_dest(converter.coursedir.assignment_id, student))
    )
    if not output.is_dir():
        return their_convert_notebooks(converter)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".") as aside:
        backup = shutil.copytree(output, Path(aside) / output.name, symlinks=True)
        try:
            their_convert_notebooks(converter)
        except BaseException:
            shutil.rmtree(output, ignore_errors=True)
            backup.rename(output)
            raise


@contextmanager
def _copied(converter: Autograde, folder: Path, names: list[str]) -> Iterator[Path]:
    """Copy files of a submission into a temporary folder that nbgrader reads. Yield the copy."""
    folders = converter.coursedir
    submitted_directory = folders.submitted_directory
    with tempfile.TemporaryDirectory(dir=folders.root, prefix=".submitted-") as copies:
        folders.submitted_directory = Path(copies).name
        try:
            copy = Path(converter._format_source(folder.name, folder.parent.name))
            for name in names:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                (copy / name).write_bytes(
                    files.read_regular(folder / name, notebooks.MAX_BYTES, folder.parents[1])
                )
            yield copy
        finally:
            folders.submitted_directory = submitted_directory
