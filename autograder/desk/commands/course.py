"""`course`: make a course for practice, write tables, and archive a course at the end of a
semester.
"""

from collections import Counter
from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import PATH, in_course
from autograder._commands.progress import with_progress
from autograder.desk.commands.course_data import about_course, alone_in, refuse_existing
from autograder.desk.commands.course_grades import grades
from autograder.desk.commands.course_records import records
from autograder.desk.student_data.archive import (
    LEFT_OUT,
    kept_files,
    kind_of_file,
    tables_without_names,
)
from autograder.desk.student_data.course_files import course_files, write_zip
from autograder.engine import AutograderError, courses, find_course, grading, plural


@click.group("course", no_args_is_help=False)
def course() -> None:
    """Make a course for practice beside another one; write its records as tables; at the end of a
    semester, write all grades into one table, and put the course away.
    """


course.add_command(grades)
course.add_command(records)


@course.command(
    "new",
    short_help="a course like this one, for practice",
    cls=Command,
    statuses={OK: "made", FAILED: "the folder cannot be written"},
)
@click.argument("folder", type=PATH, metavar="DIR")
@in_course
def new(folder: Path, course: Path | None) -> int:
    """Make DIR a course with the assignments, the graders and the settings of this one, and with
    submissions, results and a gradebook of its own.
    """
    template = find_course(course)
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise AutograderError(f"`{folder}` is there and not empty: name another folder.")
    courses.make_course(folder.resolve(), template)
    terminal.say(f"-> {folder}, a course with the assignments of {template.root}")
    return OK


@course.command(
    "archive",
    short_help="all that must be kept, as one zip",
    cls=Command,
    statuses={OK: "written, or not agreed to", FAILED: "a file or the gradebook cannot be read"},
)
@click.option("--to", type=PATH, required=True, metavar="FILE", help="the zip to write")
@click.option("--without-names", is_flag=True, help="points alone, under pseudonyms")
@about_course
def archive(
    to: Path, without_names: bool, yes: bool, course: Path | None, gradebook: str | None
) -> int:
    """Write one zip with what must be kept of a course: submissions, verdicts, marks, the gradebook,
    staff's tables, and the source of the assignments, if that is in the course's folder. Nothing is
    deleted.

    With --without-names it has the points of all checks and cells, and nobody's id, text or times.
    The same course gives the same bytes.
    """
    refuse_existing(to)
    with alone_in(course, gradebook) as (root, url):
        kinds = {file: kind_of_file(file) for file in course_files(root)}
        archived = [file for file, (_, is_kept) in kinds.items() if is_kept and not without_names]
        count = Counter(kinds[file] for file in archived)
        sentences = [f"{name}: {plural(number, 'file')}" for (name, _), number in count.items()]
        left_out = dict.fromkeys(name for name, is_kept in kinds.values() if not is_kept)
        source = courses.read_course(root).source
        if not source.is_relative_to(root):
            left_out[f"the assignments, which are in `{source}`"] = None
        sentences += [f"Left out: {LEFT_OUT if without_names else ', '.join(left_out)}."]
        if not terminal.agreed(sentences, f"Write {to}?", yes):
            return OK
        members = kept_files(with_progress(archived, "writing", len(archived)))
        write_zip(
            to, tables_without_names(root / grading.RESULTS, url) if without_names else members
        )
        terminal.say(f"-> {to}")
    return OK
