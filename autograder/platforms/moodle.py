"""Moodle: read its download ("Download all submissions"), and give grades back.

The download has a folder for each participant or team, or all files in the same folder:

    Ada Softmax_1810040_assignsubmission_file/sheet-3.ipynb      since 4.1
    Ada Softmax_1810040_assignsubmission_file_/sheet-3.ipynb     before
    Ada Softmax_1810040_assignsubmission_file_sheet-3.ipynb      not in folders
    Participant_1810179_assignsubmission_file/...                names are hidden
    Team 1_90213_assignsubmission_file/...                       a team, by the team's number
    Default group_assignsubmission_file/...                      all students without a team

Moodle replaces the underscores of a name by spaces, so the first match is Moodle's own words. A
name does not tell a team from a person. The times in the zip are those of the stored files, in the
server's zone, which the zip does not name. A draft that was submitted later has the earlier time:
only the grading worksheet has the time of submission.

Grades go back as the grading worksheet with the rows that change, and a zip of pages. Moodle finds
columns by their names in the user's language, and people by the number at the end of the
identifier. It skips rows without a grade, above the maximum, or locked, and rows with an older time
of grading than its own. The worksheet has comments without their HTML: uploading a comment as it
was downloaded would remove links and lists, so rows that do not change are left out.

In the zip, Moodle splits a folder's name at its underscores, and the second part must be the
number: of a participant, or of a team where teams submit.
"""

import html
from collections import defaultdict
from dataclasses import replace
from math import inf
from pathlib import Path

from autograder.classroom.identify import spellings
from autograder.classroom.new_ids import slug
from autograder.classroom.roster import Person
from autograder.engine import AutograderError, Pattern, files, printable, texts
from autograder.gradebook.grades import Grade, decimal_text
from autograder.gradebook.pages.of_grade import (
    OUR_COMMENT,
    comment,
    feedback_page,
    without_student,
    zip_bytes,
)
from autograder.platforms.download import File
from autograder.platforms.moodle_worksheet import (
    COLUMNS,
    DEFAULT_GROUP,
    PLATFORM,
    Worksheet,
    name_in_zip,
    open_worksheet,
    refuse_other_assignment,
)
from autograder.platforms.platform import (
    ClassGrades,
    Contents,
    Format,
    HandedIn,
    Item,
    Known,
    Layout,
    Platform,
)
from autograder.platforms.sheet import (
    EMPTY_CELLS,
    ROUNDING,
    FilledSheet,
    MatchKey,
    final_number,
    has_commas,
    match_sheet,
    number_in,
    scale_warning,
)

FILLED_IN = "identifier", "name", "email", "status", "grade", "maximum", "changeable"
HEADER = [COLUMNS[column][0] for column in (*FILLED_IN, "submitted", "graded", "comments")]
NO = "no", "nein", "non"  # the grade cannot be changed
BREAK = "<br> "  # the space separates the lines after Moodle has removed the HTML
PARAGRAPH = "   "  # Moodle's end of a line or a paragraph in a worksheet
TICK = (
    "Allow updating records that have been modified more recently in Moodle than in the spreadsheet"
)
PART = Pattern(
    r"(?P<name>[^_]*)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?"
)
# in place of hidden names, in four languages
HIDDEN = "Participant", "Teilnehmerin", "Participante"


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return the contents of the worksheet and the zip of feedback pages, and sentences on them."""
    worksheet = _worksheet(of_class)
    table, columns, rows = worksheet.table, worksheet.columns, worksheet.rows
    filled = _match(worksheet, of_class)
    pages, without_page, differing = _pages(of_class, filled, rows, "group" in columns)
    changes = {
        i: change
        for i, grade in sorted(filled.grades.items())
        if any(
            change := _fill_row(filled, i, rows[i], columns, grade.student in of_class.sent_since)
        )
    }
    upload = replace(table, rows=[table.header, *(table.rows[i] for i in changes)])
    outdated = sum(filled.grades[i].student in of_class.sent_since for i in changes)
    steps = _steps([rows[i] for i in changes], [*changes.values()], without_page, outdated)
    return [upload.to_bytes(), zip_bytes(pages)], [*filled.describe(), *steps, *differing]


def _worksheet(of_class: ClassGrades) -> Worksheet:
    """Return the downloaded worksheet, or a new worksheet.

    Raises `TableError` if the file is not a grading worksheet. Raises `AutograderError` if it
    belongs to another assignment, has no points, or has a participant twice.
    """
    grades = of_class.grades
    worksheet = (
        open_worksheet(of_class.sheet, "grade", "graded")
        if of_class.sheet
        else Worksheet(Path(FORMAT.files[0]), _new_sheet(grades))
    )
    if "scale" in worksheet.columns and "maximum" not in worksheet.columns:
        raise AutograderError(
            f"`{worksheet.path}` grades by a scale, not by points: set the assignment's grade to "
            "points."
        )
    numbers = [file.number for file in of_class.received.values() if not file.team]
    numbers += [grade.person.number for grade in grades if grade.person.platform == PLATFORM]
    refuse_other_assignment(worksheet, {*map(final_number, numbers)} - {""})
    _refuse_other_maximum(worksheet, of_class)
    return worksheet


def _match(worksheet: Worksheet, of_class: ClassGrades) -> FilledSheet:
    """Return the worksheet with the grade for each row. Nothing is filled in yet."""
    table, columns = worksheet.table, worksheet.columns
    filled = match_sheet(worksheet.path, table, of_class.grades, worksheet.rows, MATCH_KEYS)
    table.delimiter = ","  # Moodle reads no other, but spreadsheet programs may write others
    filled.commas = has_commas(table, columns["grade"], columns.get("maximum"))
    conditions = {
        "The worksheet has no comments: switch on Feedback comments.": "comments" not in columns,
        "Made without a sheet, in English: Moodle skips people whom it has graded before unless "
        f"you tick *{TICK}*.": not of_class.sheet,
    }
    filled.remarks = scale_warning("The assignment", worksheet.maximum, of_class.grades)
    filled.remarks += texts.sentences_where(conditions)
    return filled


def _refuse_other_maximum(worksheet: Worksheet, of_class: ClassGrades) -> None:
    """Raise `AutograderError` if no grade has Moodle's maximum. Releases may have different maxima."""
    points = {grade.max_points for grade in of_class.grades if grade.total is not None}
    maximum = worksheet.maximum
    if (
        maximum
        and points
        and all(abs(maximum - grade_maximum) > ROUNDING for grade_maximum in points)
    ):
        raise AutograderError(
            f"`{worksheet.path}` is out of {decimal_text(maximum)} points, and the grades of "
            f"{of_class.assignment} are out of {' or '.join(map(decimal_text, sorted(points)))}: "
            "download the worksheet of this assignment, or change the maximum grade in Moodle (or "
            "`enter` the grades, if points that are marked by hand are missing)."
        )


def _participant_number(grade: Grade) -> str:
    return final_number(grade.number_at(PLATFORM))


MATCH_KEYS = [  # the kinds of text by which a row is matched with a student, the most reliable first
    MatchKey(
        lambda grade: [_participant_number(grade)], lambda row: [final_number(row["identifier"])]
    ),
    MatchKey(lambda grade: [grade.student], lambda row: [row["login"]]),
    MatchKey(
        lambda grade: [grade.student, grade.person.email],
        lambda row: [row["email"], row["login"]],
    ),
    # students may write the last two themselves
    MatchKey(lambda grade: [grade.student], lambda row: [row["id_number"]], sure=False),
    MatchKey(
        lambda grade: spellings(grade.person.name),
        lambda row: spellings(row["name"]),
        sure=False,
    ),
]


def _new_sheet(grades: list[Grade]) -> files.Table:
    """Return an empty worksheet of the students with a known participant number."""
    people = [
        (number, (grade.person.name, grade.person.email))
        for grade in grades
        if (number := _participant_number(grade))
    ]
    if not people:
        raise AutograderError(
            "No participant number of Moodle's is known of anybody: give --sheet with the grading "
            "worksheet as downloaded (or --submitted, the folder that `collect` filled)."
        )
    maximum = decimal_text(max(grade.max_points for grade in grades))
    rows = (
        [
            f"Participant {number}",
            *map(texts.text_cell, names),
            "",
            "",
            maximum,
            "Yes",
            "-",
            "-",
            "",
        ]
        for number, names in people
    )
    return files.Table([HEADER, *rows])


def _fill_row(
    filled: FilledSheet, i: int, cells: dict[str, str], columns: dict[str, int], is_outdated: bool
) -> tuple[bool, bool]:
    """Fill a grade and its comment into the row with the index `i`, unless the row already has
    both. Return whether Moodle's grade and its comment change. `cells`: the row as downloaded.
    `is_outdated`: whether Moodle may have received another grade since then.
    """
    grade, row = filled.grades[i], filled.sheet.rows[i]
    locked = cells["changeable"].casefold() in NO
    is_above = (grade.total or 0) > (number_in(cells["maximum"]) or inf)
    reason = "locked in Moodle" if locked else "above Moodle's maximum" if is_above else ""
    regraded = filled.enter(grade, row, columns["grade"], reason)
    regraded = regraded or (is_outdated and not reason and grade.total is not None)
    if locked:
        return False, False
    merged = _merge_comment(cells["comments"], grade)
    differs = is_outdated or _letters(merged) != _letters(cells["comments"])
    commented = "comments" in columns and differs
    if commented and not is_above and grade.total not in (None, number_in(row[columns["grade"]])):
        row[columns["grade"]] = decimal_text(grade.total, filled.commas)  # with all its decimals
    if (regraded or commented) and "comments" in columns:
        row[columns["comments"]] = merged
    return regraded, commented


def _merge_comment(old_comment: str, grade: Grade) -> str:
    """Return a worksheet's comment (plain text) with ours added or replaced, as HTML."""
    earlier = OUR_COMMENT.search(old_comment)
    start, _, end = old_comment.partition(earlier[0]) if earlier else (old_comment, "", "")
    ours = comment(grade).replace("\n", BREAK)
    return BREAK.join(filter(None, (_as_html(start), ours, _as_html(end))))


def _as_html(text: str) -> str:
    lines = text.replace(PARAGRAPH, "\n").replace("<br>", "\n").split("\n")
    return BREAK.join(html.escape(line.strip(), quote=False) for line in lines if line.strip())


def _letters(comment: str) -> str:
    """Return a comment without markup and spaces, for comparison with the worksheet."""
    return "".join(html.unescape(comment.replace(BREAK, "")).split())


def _pages(
    of_class: ClassGrades, filled: FilledSheet, rows: dict[int, dict[str, str]], by_team: bool
) -> tuple[dict[str, bytes], list[str], list[str]]:
    """Return the feedback pages by their paths in the zip, the students without a page that Moodle
    can take, and sentences on teams with different pages. Students with the state `not_graded` have
    no page. `by_team`: whether the worksheet has teams.
    """
    by_team = by_team or any(file.team for file in of_class.received.values())
    pages_by_path = defaultdict[str, dict[str, bytes]](dict)  # pages, by path and student
    without_page = []
    graded = {i: grade for i, grade in filled.grades.items() if grade.verdict.state != "not_graded"}
    for i, grade in sorted(graded.items()):
        # a member's number may be another team's
        name, number = rows[i]["name"], "" if by_team else final_number(rows[i]["identifier"])
        received = of_class.received.get(grade.student)
        if received and received.team:
            name, number = received.team, final_number(received.team_number)
        if number:
            name = name_in_zip(printable(name)).strip(" .~")[:80] or "Participant"
            path = f"{name}_{number}_assignsubmission_file_/feedback.html"
            pages_by_path[path][grade.student] = of_class.parts[grade.student]
        else:
            without_page.append(grade.student)
    pages: dict[str, bytes] = {}
    differing: list[str] = []
    for path, member_pages in pages_by_path.items():
        first_page, *other_pages = member_pages.values()
        if all(without_student(page) == without_student(first_page) for page in other_pages):
            pages[path] = first_page
        else:
            differing += member_pages
    notes = texts.sentence_on(
        differing,
        "No page is in the zip for {}: Moodle shows one page to all of a team, and the pages of its "
        "members differ, as in what being late costs or in what one of them asked. The comment has "
        "each one's points; send these pages in another way.",
    )
    return pages, without_page, notes


def _steps(
    rows: list[dict[str, str]],
    changes: list[tuple[bool, bool]],
    without_page: list[str],
    outdated: int,
) -> list[str]:
    """Return sentences on uploading the files, and on Moodle's report. `rows`: the uploaded rows,
    as downloaded. `changes`: whether the grade and the comment of each row change. `outdated`:
    number of rows for which Moodle may have received another grade since.
    """
    graded_before = max(outdated, sum(row["graded"] not in EMPTY_CELLS for row in rows))
    sentences = {
        "Upload the worksheet first, then the zip; where Moodle shows a choice of groups, choose all "
        "participants before, or it skips the other groups.": rows,
        f"Moodle will report: Updated {sum(grade for grade, _ in changes)} grades and "
        f"{sum(comment for _, comment in changes)} feedback instances.": rows,
        "Nothing changes in Moodle's worksheet: only the zip needs an upload.": not rows,
        f"Moodle has graded {graded_before} of these before, and may skip them unless you tick *{TICK}*.": graded_before,
        "Marking workflow is on: students see nothing before you release the grades.": any(
            row["workflow"] for row in rows
        ),
    }
    return texts.sentences_where(sentences) + texts.sentence_on(
        without_page,
        "No page is in the zip for {}: Moodle takes a team's page by the team's number, and people "
        "without a team have none. Send these pages in another way.",
    )


def _part(grade: Grade, of_class: ClassGrades) -> bytes:
    """Return a feedback page as HTML. Raises `ValueError` if the comment cannot be encoded."""
    comment(grade).encode()
    return feedback_page(of_class.course, grade)


FORMAT = Format(
    files=("moodle.csv", "moodle-feedback.zip"),
    part=_part,
    write=_write,
    is_ours=lambda header: all(
        {*COLUMNS[column]} & {*header} for column in ("identifier", "grade")
    ),
    sheet=True,
    pages=True,
    manual=(
        "the worksheet with grades, a zip of pages",
        "*Upload grading worksheet*, then *Upload feedback files in a zip*",
    ),
)


def _sort_by_student(items: list[Item], assignment_id: str, facts: Known) -> Contents:
    """Return a submission for each participant or team. Texts written in Moodle are ignored."""
    files: dict[tuple[str, str], list[File]] = defaultdict(list)
    for item in items:
        submitted = files[item.said["name"], item.said["number"]]
        if item.said["kind"] == "file":
            own_name = "" if item.is_folder else item.said["file"]
            submitted += [replace(file, student_name=own_name) for file in item.files]
    return Contents([_submission(name, number, files[name, number]) for name, number in files])


def _submission(name: str, number: str, files: list[File]) -> HandedIn:
    if not number:
        person = Person(slug(DEFAULT_GROUP), platform=PLATFORM)
        return HandedIn(person, name, tuple(files), team=DEFAULT_GROUP)
    visible_name = "" if name in HIDDEN else name.strip()
    person = Person(
        suggested_id(visible_name, number), visible_name, platform=PLATFORM, number=number
    )
    return HandedIn(person, f"{name}_{number}", tuple(files))


def suggested_id(name: str, number: str) -> str:
    """Return an id for a participant. `name` is "" if Moodle hides it."""
    student = slug(name or HIDDEN[0], number)
    # the name has no letters with an ASCII form
    return slug(PLATFORM, number) if student == slug("", number) else student


RECORD = Platform(
    PLATFORM,
    (Layout(PART, _sort_by_student, files=True, times_in_zip=True),),
    FORMAT,
    manual=(
        "Moodle",
        "*Download all submissions*, and the grading worksheet",
        "the worksheet (`--worksheet`), in the zone of your profile; the zip has the times of the "
        "stored files, in the server's zone",
    ),
    number_lasts=lambda number: False,
)
