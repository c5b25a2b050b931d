"""Export the grades of one assignment to a platform: combine verdicts, roster and gradebook, and
write the platform's files in results/<assignment>/export/, or the place named by `--out`. There, only
files of an earlier export are overwritten.
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
    """The arguments of an export: which grades, for which platform, and which files to read and
    write.
    """

    results: Path
    format: str  # the name of a platform that takes grades
    assignment: str | None = None  # may be None where `results` holds one only
    out: Path | None = None  # a file or a folder
    submitted: Path = Path("submitted")  # where `collect` left its roster
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
    """The paths of the files that an export wrote, the sentences to print about it, and whether
    nothing was damaged, left out or out of date (`complete`).
    """

    paths: list[Path]
    sentences: list[str]
    complete: bool  # no verdict was damaged, and no page shows another grade


def split_request(request: ExportRequest) -> list[ExportRequest]:
    """Return a request for each assignment in the results; only for the named assignment if the
    request names one.

    Raises `AutograderError` if there are no verdicts, or if there are several assignments and the
    request has an option for one only, such as `--sheet`.
    """
    if _before_grading(request):
        return [request]
    results, known = assignments_in(request.results, request.assignment)
    of_one = {"--out": request.out, "--sheet": request.sheet, "--column": request.column}
    given = next((option for option, value in of_one.items() if value is not None), None)
    if len(known) > 1 and given:
        raise AutograderError(
            f"`{results}` holds several assignments, and {given} is for one: add --assignment and "
            f"one of {', '.join(known)}."
        )
    return [replace(request, results=results, assignment=id) for id in known]


def export_grades(request: ExportRequest) -> ExportOutcome:
    """Write the platform's files for one assignment, and a record of that (`exports.py`); return
    their paths, and the sentences to print.

    Raises `AutograderError` if an option or an input file does not fit, if some verdicts are practice,
    or if a file that no export wrote would be overwritten; `OSError` if a file cannot be written.
    """
    _check(request)
    course = find_course(request.course)
    groups = CourseGroups(course.root, request.submitted).of(request.assignment or "")
    results = _results(request, groups)
    _refuse_practice(results)
    paths = _export_paths(request, results.folder)
    marks, why, differing = _marks(request, course, results.assignment, groups)
    of_class = _class_grades(request, course, results, marks, groups)
    left_out = _make_parts(of_class, request)
    contents, written = request.how.write(of_class)
    for path, content in zip(paths, contents, strict=True):
        with files.replacing_bytes(path) as file:
            file.write(content)
    grades, where = of_class.grades, (results.folder.parent, results.assignment)
    record_export(*where, request.format, grades, paths, request.sheet, request.column)
    given = sum(grade.total is not None for grade in grades)
    old = _old_pages(request, of_class, course)
    sentences = [
        f"{results.assignment}: {plural(given, 'grade')} from {plural(len(grades), 'verdict')}.",
        *_describe_grades(grades, why),
        *without_points(results.verdicts),
        *groups.notes,
        *differing,
        *_describe_unmatched(request.submitted, results.assignment),
        *written,
        *old,
        *results.damaged,
        *left_out,
    ]
    return ExportOutcome(paths, sentences, complete=not (results.damaged or left_out or old))


def _class_grades(
    request: ExportRequest,
    course: Course,
    results: Results,
    marks: dict[str, StudentMarks],
    groups: Groups,
) -> ClassGrades:
    """Return what is exported. `marks`: from the gradebook, by student."""
    people = read_roster(request.submitted, results.assignment)
    received = newest_files(request.submitted, results.assignment, request.format)
    of_class = ClassGrades(
        results.assignment,
        combine_grades(results, people, marks, request.submitted, groups),
        course.root,
        request.sheet,
        request.column,
        {who: file for id, file in received.items() for who in groups.members(id)},
    )
    if request.sheet:
        where = results.folder.parent, results.assignment
        of_class.sent_since = sent_since(*where, request.format, request.sheet, of_class.grades)
    return of_class


def _export_paths(request: ExportRequest, folder: Path) -> list[Path]:
    """Return the paths of the files to write. `folder`: the assignment's folder of results, in which
    they are put without `--out`.

    Raises `AutograderError` if a path is the downloaded table or a folder; with `--out`, also if a path
    is a file that no earlier export wrote.
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
    first, *others = map(Path, names)
    if request.out is None or out.is_dir() or out.suffix.lower() not in SUFFIXES:
        return [out / name for name in names]
    if out.suffix.lower() != first.suffix:
        raise AutograderError(
            f"`{out}`: {request.format} makes a {first.suffix} file; name one, or a folder."
        )
    beside = [name.name.removeprefix(f"{first.stem}-") for name in others]
    return [out, *(out.with_name(f"{out.stem}-{name}") for name in beside)]


def _is_export(path: Path) -> bool:
    """Whether a file looks like one that an earlier export wrote: by the header of a table, or by
    the times of a zip's members. An empty file counts as one.
    """
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
    return any(one.is_ours(header) for one in formats().values())


def _before_grading(request: ExportRequest) -> bool:
    """Whether there are no verdicts yet, and the platform needs the export's files before anybody
    hands in.
    """
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
    """Raise `AutograderError` if some of these verdicts are practice: a platform would show their points
    as grades.
    """
    if count := sum(verdict.is_practice for verdict in results.verdicts):
        verdicts = plural(len(results.verdicts), "verdict")
        raise AutograderError(
            f"{results.assignment} is not exported: {count} of {verdicts} {'is' if count == 1 else 'are'} "
            "practice, which was graded without a sandbox and is not a grade. Run `grade` where a "
            "sandbox works, then export again."
        )


def _make_parts(of_class: ClassGrades, request: ExportRequest) -> list[str]:
    """Make each student's part of the export, and store it in `of_class.parts`. Return a sentence
    on each student whose part cannot be written; their grades are removed from `of_class`.

    A `ValueError`, such as for a number that JSON lacks, leaves out that student only. Any other
    exception is an error in the platform's module, and is not caught.
    """
    said = []
    for grade in of_class.grades:
        try:
            of_class.parts[grade.student] = request.how.part(grade, of_class)
        except ValueError as error:
            said.append(
                f"{grade.student} is left out: the grade cannot be written for {request.format} "
                f"({grading.describe_error(error)})."
            )
    of_class.grades = [one for one in of_class.grades if one.student in of_class.parts]
    return said


def _check(request: ExportRequest) -> None:
    known = formats()
    with_sheet = [name for name, one in known.items() if one.sheet]
    with_column = [name for name, one in known.items() if one.column]
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
    """Return each student's marks in the gradebook, by student, and ""; if there are none, {} and
    the reason. The third is a sentence for each answer of a group with marks that differ.
    """
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


def _describe_grades(grades: Sequence[Grade], why: str) -> list[str]:
    """Return sentences on where the grades come from, and on missing ones. `why` is the reason why
    the gradebook has no marks, or "".
    """
    graded = [grade for grade in grades if grade.total is not None]
    marked = [grade for grade in graded if grade.mark]
    bare = [grade for grade in graded if not grade.mark]
    most = " or ".join(decimal_text(points) for points in sorted({g.max_points for g in bare}))
    names = name_some([one.student for one in bare])
    reason = why or f"the gradebook does not hold these points of {names}; `enter` enters them"
    sentences = {
        f"{len(marked)} with what was marked by hand and late penalties, from the gradebook.": marked,
        f"{len(bare)} with automatic points only, of {most}: {reason}.": bare,
    }
    return [
        *texts.sentences_where(sentences),
        *about_open({one.student: one.mark for one in marked if one.mark}, "Export again"),
        *(f"No grade for {grade.student}. {grade.no_grade}" for grade in grades if grade.no_grade),
    ]


def _describe_unmatched(submitted: Path, assignment: str) -> list[str]:
    """Return a list with a sentence on the received submissions that are unmatched; [] if there
    are none.
    """
    received = read_unmatched(submitted, assignment)
    people = [one.sender for one in received]
    names = {printable(one.name or one.email or one.student) for one in people}
    known = sorted(filter(None, names))
    whose = f" ({name_some(known)})" if known else ""
    sentence = (
        f"No grade for what is unmatched: {plural(len(received), 'submission')}{whose}. "
        f"`{unmatched_path(submitted, assignment)}` says why; fill in a copy of it, and `collect "
        "--resolve` it."
    )
    return [sentence] if received else []


def _old_pages(request: ExportRequest, of_class: ClassGrades, course: Course) -> list[str]:
    """Return a list with a sentence on feedback pages that are older than the exported grades; []
    if there are none, or if the platform takes no pages.
    """
    if not (request.how.pages and request.use_gradebook):
        return []
    marks = {one.student: one.mark for one in of_class.grades if one.mark}
    shown = [one.verdict for one in of_class.grades if nbgrader_page(of_class.course, one)]
    return texts.sentence_on(
        [*old_pages(course, shown, marks)],
        "The feedback pages of {} are older than their grades: `python -m autograder feedback`, and "
        "export again.",
    )
