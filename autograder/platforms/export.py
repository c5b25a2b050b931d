"""Export the grades of an assignment to a platform: combine verdicts, roster and gradebook, and
write the platform's files to results/<assignment>/export/, or to `--out`. With `--out`, only files
of an earlier export are overwritten.
"""

import csv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.classroom.groups import CourseGroups, Groups
from autograder.classroom.newest_files import newest_files
from autograder.classroom.roster import read_roster
from autograder.classroom.unmatched import read_unmatched, unmatched_path
from autograder.engine import (
    AutograderError,
    Course,
    files,
    find_assignment,
    find_course,
    grading,
    name_some,
    plural,
    printable,
    texts,
    verdicts,
)
from autograder.gradebook.grades import (
    Grade,
    Results,
    assignments_in,
    combine_grades,
    decimal_text,
    read_results,
    without_points,
)
from autograder.gradebook.pages.details import old_pages
from autograder.gradebook.pages.of_grade import FIRST_DAY, nbgrader_page
from autograder.gradebook.sync.database import gradebook_of
from autograder.gradebook.sync.group_marks import share_group_marks
from autograder.gradebook.sync.marks import StudentMarks, about_open
from autograder.gradebook.sync.tables import read_marks
from autograder.platforms.exports import FOLDER, record_export, sent_since
from autograder.platforms.platform import ClassGrades, Format
from autograder.platforms.registry import formats

SUFFIXES = (".csv", ".zip", ".json", ".html", ".xlsx", ".xls", ".ods", ".txt", ".ipynb", ".db")


@dataclass(frozen=True)
class ExportRequest:
    """The arguments of an export."""

    results: Path
    format: str  # the name of a platform that takes grades
    assignment: str | None = None  # None if `results` holds a single assignment
    out: Path | None = None  # a file or a folder
    submitted: Path = Path("submitted")  # the folder with the roster of `collect`
    sheet: Path | None = None  # as downloaded from the platform
    column: str | None = None  # of that sheet
    course: Path | None = None
    gradebook: str | None = None  # URL; None for the course's
    use_gradebook: bool = True

    @property
    def how(self) -> Format:
        return formats()[self.format]


@dataclass(frozen=True)
class ExportOutcome:
    """The result of an export: the written files and the sentences to print."""

    paths: list[Path]
    sentences: list[str]
    complete: bool  # no verdict is damaged or left out, and no page shows an old grade


def split_request(request: ExportRequest) -> list[ExportRequest]:
    """Split a request by assignment. A request that names an assignment is for this assignment
    only.

    Raises `AutograderError` without verdicts, or if a request for several assignments has an option
    for a single assignment, such as `--sheet`.
    """
    if _before_grading(request):
        return [request]
    results, assignments = assignments_in(request.results, request.assignment)
    of_one = {"--out": request.out, "--sheet": request.sheet, "--column": request.column}
    option = next((name for name, value in of_one.items() if value is not None), None)
    if len(assignments) > 1 and option:
        raise AutograderError(
            f"`{results}` holds several assignments, and {option} is for one: add --assignment and "
            f"one of {', '.join(assignments)}."
        )
    return [replace(request, results=results, assignment=id) for id in assignments]


def export_grades(request: ExportRequest) -> ExportOutcome:
    """Write the platform's files for an assignment, and record the export (`exports.py`).

    Raises `AutograderError` if an option or an input file does not fit, if some verdicts are
    practice, or if a file that was not exported would be overwritten. Raises `OSError` if a file
    cannot be written.
    """
    _check(request)
    course = find_course(request.course)
    groups = CourseGroups(course.root, request.submitted).of(request.assignment or "")
    results = _results(request, groups)
    _refuse_practice(results)
    paths = _export_paths(request, results.folder)
    marks, reason, differing = _marks(request, course, results.assignment, groups)
    of_class = _class_grades(request, course, results, marks, groups)
    left_out = _make_parts(of_class, request)
    contents, remarks = request.how.write(of_class)
    for path, content in zip(paths, contents, strict=True):
        with files.replacing_bytes(path) as file:
            file.write(content)
    grades, location = of_class.grades, (results.folder.parent, results.assignment)
    record_export(*location, request.format, grades, paths, request.sheet, request.column)
    grade_count = sum(grade.total is not None for grade in grades)
    page_warnings = _old_pages(request, of_class, course)
    sentences = [
        f"{results.assignment}: {plural(grade_count, 'grade')} from {plural(len(grades), 'verdict')}.",
        *_describe_grades(grades, reason),
        *without_points(results.verdicts),
        *groups.notes,
        *differing,
        *_describe_unmatched(request.submitted, results.assignment),
        *remarks,
        *page_warnings,
        *results.damaged,
        *left_out,
    ]
    return ExportOutcome(
        paths, sentences, complete=not (results.damaged or left_out or page_warnings)
    )


def _class_grades(
    request: ExportRequest,
    course: Course,
    results: Results,
    marks: dict[str, StudentMarks],
    groups: Groups,
) -> ClassGrades:
    people = read_roster(request.submitted, results.assignment)
    received = newest_files(request.submitted, results.assignment, request.format)
    of_class = ClassGrades(
        results.assignment,
        combine_grades(results, people, marks, request.submitted, groups),
        course.root,
        request.sheet,
        request.column,
        {student: file for id, file in received.items() for student in groups.members(id)},
    )
    if request.sheet:
        location = results.folder.parent, results.assignment
        of_class.sent_since = sent_since(*location, request.format, request.sheet, of_class.grades)
    return of_class


def _export_paths(request: ExportRequest, folder: Path) -> list[Path]:
    """Return the paths of the files to write, by default in the assignment's folder of results
    (`folder`).

    Raises `AutograderError` if a path is the downloaded table, a folder, or, with `--out`, a file
    that was not exported.
    """
    paths, sheet = _paths(request, folder), request.sheet
    if sheet and sheet.resolve() in [path.resolve() for path in paths]:
        raise AutograderError(f"`{sheet}` is what you downloaded: name another place with --out.")
    for path in paths:
        if (request.out and path.is_file() and not _is_export(path)) or path.is_dir():
            raise AutograderError(f"`{path}` is there, and no earlier export: name another --out.")
    return paths


def _paths(request: ExportRequest, folder: Path) -> list[Path]:
    names, out = request.how.files, request.out or folder / FOLDER
    first, *other_names = map(Path, names)
    if request.out is None or out.is_dir() or out.suffix.lower() not in SUFFIXES:
        return [out / name for name in names]
    if out.suffix.lower() != first.suffix:
        raise AutograderError(
            f"`{out}`: {request.format} makes a {first.suffix} file; name one, or a folder."
        )
    beside = [name.name.removeprefix(f"{first.stem}-") for name in other_names]
    return [out, *(out.with_name(f"{out.stem}-{name}") for name in beside)]


def _is_export(path: Path) -> bool:
    """Whether a file looks like an earlier export, or is empty."""
    if path.stat().st_size == 0:
        return True
    if path.suffix.lower() == ".zip":
        try:
            with zipfile.ZipFile(path) as archive:
                return all(member.date_time == FIRST_DAY for member in archive.infolist())
        except zipfile.BadZipFile:
            return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline()
    header = next(csv.reader([line], delimiter=files.delimiter_of(line)), [])
    return any(format.is_ours(header) for format in formats().values())


def _before_grading(request: ExportRequest) -> bool:
    """Whether the platform needs the files before students submit, and there are no verdicts yet."""
    if not request.how.before_grading or not request.assignment:
        return False
    folders = request.results, request.results / request.assignment
    return not any(map(verdicts.verdict_files, folders))


def _results(request: ExportRequest, groups: Groups) -> Results:
    if not _before_grading(request):
        return read_results(request.results, request.assignment or "", groups)
    assignment = find_assignment(request.assignment or "", find_course(request.course))
    return Results(assignment.id, request.results / assignment.id, [])


def _refuse_practice(results: Results) -> None:
    """Raise `AutograderError` for practice verdicts. Platforms would show their points as grades."""
    if count := sum(verdict.is_practice for verdict in results.verdicts):
        verdicts = plural(len(results.verdicts), "verdict")
        raise AutograderError(
            f"{results.assignment} is not exported: {count} of {verdicts} {'is' if count == 1 else 'are'} "
            "practice, which was graded without a sandbox and is not a grade. Run `grade` where a "
            "sandbox works, then export again."
        )


def _make_parts(of_class: ClassGrades, request: ExportRequest) -> list[str]:
    """Store each student's part of the export in `of_class.parts`. Return a sentence on each
    student that must be left out.

    Only a `ValueError`, such as for a number that JSON lacks, leaves a student out. Other
    exceptions are errors in the platform's module.
    """
    sentences = []
    for grade in of_class.grades:
        try:
            of_class.parts[grade.student] = request.how.part(grade, of_class)
        except ValueError as error:
            sentences.append(
                f"{grade.student} is left out: the grade cannot be written for {request.format} "
                f"({grading.describe_error(error)})."
            )
    of_class.grades = [grade for grade in of_class.grades if grade.student in of_class.parts]
    return sentences


def _check(request: ExportRequest) -> None:
    format_by_name = formats()
    with_sheet = [name for name, format in format_by_name.items() if format.sheet]
    with_column = [name for name, format in format_by_name.items() if format.column]
    if request.sheet and request.format not in with_sheet:
        raise AutograderError(
            f"--sheet is for {' and '.join(with_sheet)}, not for {request.format}."
        )
    if request.column is not None and request.format not in with_column:
        raise AutograderError(
            f"--column is for {' and '.join(with_column)}: the others have one column of grades."
        )


def _marks(
    request: ExportRequest, course: Course, assignment: str, groups: Groups
) -> tuple[dict[str, StudentMarks], str, list[str]]:
    """Return the marks by student, the reason for none, and sentences on differing marks in groups."""
    if not request.use_gradebook:
        return {}, "the gradebook was left out", []
    url = gradebook_of(None if request.gradebook else course, request.gradebook)
    if url is None:
        return {}, "there is no gradebook yet", []
    differing = share_group_marks(url, assignment, groups)
    marks = read_marks(url, assignment)
    return (
        marks,
        "" if marks else "the gradebook does not hold this assignment; `enter` enters it",
        differing,
    )


def _describe_grades(grades: Sequence[Grade], reason: str) -> list[str]:
    """Return sentences on the grades. `reason`: why the gradebook has no marks, or ""."""
    graded = [grade for grade in grades if grade.total is not None]
    marked = [grade for grade in graded if grade.mark]
    bare = [grade for grade in graded if not grade.mark]
    maximum = " or ".join(decimal_text(points) for points in sorted({g.max_points for g in bare}))
    names = name_some([grade.student for grade in bare])
    explanation = (
        reason or f"the gradebook does not hold these points of {names}; `enter` enters them"
    )
    sentences = {
        f"{len(marked)} with what was marked by hand and late penalties, from the gradebook.": marked,
        f"{len(bare)} with automatic points only, of {maximum}: {explanation}.": bare,
    }
    return [
        *texts.sentences_where(sentences),
        *about_open({grade.student: grade.mark for grade in marked if grade.mark}, "Export again"),
        *(f"No grade for {grade.student}. {grade.no_grade}" for grade in grades if grade.no_grade),
    ]


def _describe_unmatched(submitted: Path, assignment: str) -> list[str]:
    """Return a sentence on unmatched submissions, if any, as a list."""
    received = read_unmatched(submitted, assignment)
    people = [submission.sender for submission in received]
    names = {printable(person.name or person.email or person.student) for person in people}
    known_names = sorted(filter(None, names))
    hint = f" ({name_some(known_names)})" if known_names else ""
    sentence = (
        f"No grade for what is unmatched: {plural(len(received), 'submission')}{hint}. "
        f"`{unmatched_path(submitted, assignment)}` says why; fill in a copy of it, and `collect "
        "--resolve` it."
    )
    return [sentence] if received else []


def _old_pages(request: ExportRequest, of_class: ClassGrades, course: Course) -> list[str]:
    """Return a sentence on feedback pages that are older than the exported grades, if any, as a
    list.
    """
    if not (request.how.pages and request.use_gradebook):
        return []
    marks = {grade.student: grade.mark for grade in of_class.grades if grade.mark}
    verdicts_with_page = [
        grade.verdict for grade in of_class.grades if nbgrader_page(of_class.course, grade)
    ]
    return texts.sentence_on(
        [*old_pages(course, verdicts_with_page, marks)],
        "The feedback pages of {} are older than their grades: `python -m autograder feedback`, and "
        "export again.",
    )
