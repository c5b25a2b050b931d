"""One export: read what is known of the grades, write the files of one format."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from autograder.engine.course import find_course
from autograder.engine.graded import describe_error
from autograder.engine.verdict import verdict_files
from autograder.gradebook.marks import StudentMarks, gradebook_of, read_marks
from autograder.gradebook.url import find_gradebook
from autograder.people import Person, RosterError, read_roster
from autograder.platforms import (
    canvas,
    canvas_feedback,
    gradescope,
    gradescope_autograder,
    ilias,
    moodle,
)
from autograder.platforms.as_received import Received, nothing_received
from autograder.platforms.downloaded_sheet import FilledSheet, write_sheet
from autograder.platforms.errors import ExportError
from autograder.platforms.export_paths import export_paths
from autograder.platforms.feedback import comment, nbgrader_page, own_page
from autograder.platforms.feedback_text import notebook
from autograder.platforms.grades import (
    Grade,
    Results,
    assignments_in,
    combine_grades,
    read_results,
)
from autograder.platforms.spreadsheet import (
    CHECKS,
    STUDENTS,
    check_rows,
    student_rows,
    write_table,
)
from autograder.platforms.summary import describe_grades, describe_not_placed, describe_sheet
from autograder.platforms.zip_file import write_zip
from autograder.wording import name_some

TAKES_A_SHEET = "canvas", "moodle"
WITH_PAGES = "canvas", "moodle", "ilias"


@dataclass(frozen=True)
class ExportRequest:
    """What is to be exported: which grades, as what, where."""

    results: Path
    format: str  # a key of WRITERS
    assignment: str | None = None  # may be None where `results` holds one only
    out: Path | None = None  # a file or a folder
    submitted: Path = Path("submitted")  # where `collect` left its roster
    sheet: Path | None = None  # as downloaded from Canvas or Moodle
    column: str | None = None  # of Canvas's sheet
    course: Path | None = None
    gradebook: str | None = None  # URL; None for the course's
    use_gradebook: bool = True
    received: Received = nothing_received  # how the platform called what it is given back


@dataclass(frozen=True)
class Exported:
    """What was written, and what is to be said of it."""

    paths: list[Path]
    sentences: list[str]
    complete: bool  # no verdict was damaged, and no page shows another grade


def split_request(request: ExportRequest) -> list[ExportRequest]:
    """Return a request for each assignment in the results, where none is named. Raises `ExportError`."""
    if _before_grading(request):
        return [request]
    results, known = assignments_in(request.results)
    if request.assignment:
        return [replace(request, results=results) if request.assignment in known else request]
    of_one = {"--out": request.out, "--sheet": request.sheet, "--column": request.column}
    given = next((option for option, value in of_one.items() if value is not None), None)
    if len(known) > 1 and given:
        raise ExportError(
            f"`{results}` holds several assignments, and {given} is for one: add --assignment and "
            f"one of {', '.join(known)}."
        )
    return [replace(request, results=results, assignment=id) for id in known] or [request]


def export_grades(request: ExportRequest) -> Exported:
    """Write the files of one format.

    Raises `ExportError`, `NoGradebook`, `UnreadableGradebook`, `NoCourse`, `OSError`.
    """
    _check(request)
    results = _results(request)
    paths = export_paths(request.format, request.out, results.folder, request.sheet)
    marks, why = _marks(request, results.assignment)
    people = _people(request.submitted, results.assignment)
    grades = combine_grades(results, people, marks, request.submitted)
    grades = [grade for grade in grades if _can_be_written(grade, request.format, results)]
    written = WRITERS[request.format].write(request, results, grades, paths)
    given = sum(grade.total is not None for grade in grades)
    old = _old_pages(request, results, grades)
    sentences = [
        f"{results.assignment}: {given} grades from {len(grades)} verdicts.",
        *describe_grades(grades, why),
        *describe_not_placed(request.submitted, results.assignment),
        *written,
        *old,
        *results.damaged,
    ]
    return Exported(paths, sentences, complete=not (results.damaged or old))


def _before_grading(request: ExportRequest) -> bool:
    """Whether a zip for Gradescope is wanted, which asks for one before anybody hands in."""
    if request.format != gradescope.PLATFORM or not request.assignment:
        return False
    folders = request.results, request.results / request.assignment
    return not any(map(verdict_files, folders))


def _results(request: ExportRequest) -> Results:
    if not _before_grading(request):
        return read_results(request.results, request.assignment)
    from autograder.engine.assignment import find_assignment  # not for other exports: slow

    assignment = find_assignment(request.assignment or "", find_course(request.course))
    return Results(assignment.id, request.results / assignment.id, [])


def _can_be_written(grade: Grade, format: str, results: Results) -> bool:
    """Whether this one grade can be written at all; else a sentence is added to `results.damaged`."""
    part = WRITERS[format].part
    try:
        part(grade)
    except Exception as error:  # whatever is odd in one verdict, the others are exported
        results.damaged.append(
            f"{grade.student} is left out ({describe_error(error)}): grade that student again."
        )
        return False
    return True


def _check(request: ExportRequest) -> None:
    if request.sheet and request.format not in TAKES_A_SHEET:
        raise ExportError(
            f"--sheet is for {' and '.join(TAKES_A_SHEET)}, not for {request.format}."
        )
    if request.column is not None and request.format != "canvas":
        raise ExportError("--column is for canvas: the others have one column of grades.")


def _marks(request: ExportRequest, assignment: str) -> tuple[dict[str, StudentMarks], str]:
    """What the gradebook holds, and why there is nothing if there is none."""
    if not request.use_gradebook:
        return {}, "the gradebook was left out"
    if request.gradebook:
        url: str | None = find_gradebook(request.gradebook)
    else:
        url = gradebook_of(find_course(request.course))
    if url is None:
        return {}, "there is no gradebook yet"
    marks = read_marks(url, assignment)
    return marks, "" if marks else "the gradebook does not hold this assignment"


def _people(submitted: Path, assignment: str) -> dict[str, Person]:
    try:
        return read_roster(submitted, assignment)
    except RosterError as error:
        raise ExportError(str(error)) from error


def _write_csv(
    request: ExportRequest, results: Results, grades: list[Grade], paths: list[Path]
) -> list[str]:
    students, checks = paths
    write_table(students, STUDENTS, student_rows(grades))
    write_table(checks, CHECKS, check_rows(grades))
    return []


def _write_canvas(
    request: ExportRequest, results: Results, grades: list[Grade], paths: list[Path]
) -> list[str]:
    assignment, column = results.assignment, request.column
    if request.sheet:
        filled = canvas.fill_sheet(request.sheet, grades, assignment, column)
    else:
        filled = canvas.new_sheet(grades, assignment, column)
    received = request.received(assignment, canvas.PLATFORM)
    course = find_course(request.course).root
    pages, unknown = canvas_feedback.feedback_files(grades, received, course)
    table, feedback = paths
    write_sheet(table, filled.sheet)
    write_zip(feedback, pages)
    return [*_describe(filled), *unknown]


def _write_moodle(
    request: ExportRequest, results: Results, grades: list[Grade], paths: list[Path]
) -> list[str]:
    course = find_course(request.course).root
    filled = moodle.fill_sheet(request.sheet, grades) if request.sheet else moodle.new_sheet(grades)
    table, pages = paths
    write_sheet(table, filled.sheet)
    write_zip(pages, moodle.feedback_files(filled, course))
    return _describe(filled)


def _write_gradescope(
    request: ExportRequest, results: Results, grades: list[Grade], paths: list[Path]
) -> list[str]:
    received = request.received(results.assignment, gradescope.PLATFORM)
    files, said = gradescope_autograder.autograder_files(results.assignment, grades, received)
    single, autograder = paths
    write_zip(single, gradescope.result_files(grades))
    write_zip(autograder, files, gradescope_autograder.EXECUTABLE)
    return said


def _write_ilias(
    request: ExportRequest, results: Results, grades: list[Grade], paths: list[Path]
) -> list[str]:
    pages, unknown = ilias.feedback_files(grades, find_course(request.course).root)
    write_zip(paths[0], pages)
    return [f"{len(pages)} pages for ILIAS's Multi-Feedback.", *unknown]


def _describe(filled: FilledSheet) -> list[str]:
    return [f"{filled.entered} of them in the sheet.", *describe_sheet(filled)]


def _old_pages(request: ExportRequest, results: Results, grades: list[Grade]) -> list[str]:
    """A sentence if pages are older than the grades beside which they go out."""
    course = find_course(request.course)
    pages = {one.student: one for one in grades if nbgrader_page(course.root, one)}
    if not pages or request.format not in WITH_PAGES:
        return []
    from autograder.gradebook.feedback import FeedbackPages  # nbgrader, only where it made pages

    made = FeedbackPages(course.root, request.gradebook, results.assignment)
    old = [who for who, grade in pages.items() if not made.shows(grade.verdict)]
    if not old:
        return []
    return [
        f"The feedback pages of {name_some(old)} are older than their grades: `make feedback`, and "
        "export again."
    ]


class Writer(NamedTuple):
    """How one format is written."""

    write: Callable[[ExportRequest, Results, list[Grade], list[Path]], list[str]]
    part: Callable[[Grade], object]  # what is made of one grade alone


WRITERS = {
    "csv": Writer(_write_csv, lambda grade: (student_rows([grade]), check_rows([grade]))),
    "canvas": Writer(
        _write_canvas,
        lambda grade: (student_rows([grade]), notebook(grade), own_page(grade).encode()),
    ),
    "moodle": Writer(
        _write_moodle, lambda grade: (comment(grade).encode(), own_page(grade).encode())
    ),
    "gradescope": Writer(_write_gradescope, lambda grade: gradescope.result_files([grade])),
    "ilias": Writer(_write_ilias, lambda grade: own_page(grade).encode()),
}
