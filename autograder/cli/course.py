"""`course`: a whole course at the end of a semester."""

from collections import Counter
from pathlib import Path

import click

from autograder.cli.course_data import (
    agreed,
    alone_in,
    find_folders,
    in_course_folders,
    refuse_existing,
)
from autograder.cli.exit_status import FAILED, OK, Command
from autograder.cli.options import PATH
from autograder.cli.progress import with_progress
from autograder.report import terminal
from autograder.staff.student_data.archive import (
    LEFT_OUT,
    is_kept,
    kept_files,
    kind_of_file,
    tables_without_names,
)
from autograder.staff.student_data.course_files import course_files
from autograder.staff.student_data.zip_file import write_zip
from autograder.text.wording import name_some, plural


@click.group("course", no_args_is_help=False)
def course() -> None:
    """Put a course away at the end of a semester."""


@course.command(
    "archive",
    short_help="all that must be kept, as one zip",
    cls=Command,
    statuses={OK: "written, or not agreed to", FAILED: "a file or the gradebook cannot be read"},
)
@click.option("--to", type=PATH, required=True, metavar="FILE", help="the zip to write")
@click.option("--without-names", is_flag=True, help="points alone, under pseudonyms")
@in_course_folders
def archive(to: Path, without_names: bool, yes: bool, **places) -> int:
    """Write one zip with what must be kept of a course: submissions, verdicts, marks, the gradebook,
    staff's tables, and the source of the assignments. Nothing is deleted.

    With --without-names it has the points of all checks and marks, and nobody's id, text or times.
    Files with the same content give the same zip.
    """
    refuse_existing(to)
    folders, gradebook = find_folders(**places)
    with alone_in(folders):
        files = [*course_files(folders)]
        kept = [] if without_names else [one for one in files if is_kept(one)]
        count = Counter(map(kind_of_file, kept))
        said = [f"{name}: {plural(number, 'file')}" for name, number in count.items()]
        out = [name for name in dict.fromkeys(map(kind_of_file, files)) if name not in count]
        said += [f"Left out: {LEFT_OUT if without_names else name_some(out)}."]
        if not agreed(said, f"Write {to}?", yes):
            return OK
        if without_names:
            members = tables_without_names(folders, gradebook)
        else:
            members = kept_files(with_progress(kept, "writing", len(kept)))
        terminal.say(f"{plural(write_zip(to, members), 'file')} -> {to}")
    return OK
