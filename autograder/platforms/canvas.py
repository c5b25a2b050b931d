"""Canvas: read its download ("Download Submissions"), and give grades back.

All files of the download are in the same folder, and their names have the numbers of user and upload
(`read_upload_name`). The times in the zip are those of the download, not of submission. The order of
uploads is known by their numbers, which increase, and lateness by the word LATE.

Where groups submit and are graded together, a file name has the group's name and the number of some
member. Only the names of the course's groups distinguish it from a person's.

The name that Canvas gives to an uploaded file, and takes back with feedback on it:

    softmaxada_12345_67890_sheet-3.ipynb        person, user, upload, the student's own file name
    softmaxada_LATE_12345_67890_sheet-3.ipynb   after the due date
    team_8_12345_67890_sheet-3.ipynb            of a group, with the number of a member
    LATE_anon_aB3xZ_67890_sheet-3.ipynb         of an anonymous assignment, with the submission's code
    softmaxada_12345_text.html                  a text or a link instead of a file

The name of a person or a group stands first, so a name that is a number is not a user's number.
Behind it the first two parts that are numbers are user and upload. Students' own file names may
hold numbers, too.

Grades go back as the table that the gradebook imports, and a zip of feedback. The import reads every
column of an assignment. A cell that differs from Canvas's grade is a change, and an empty cell
deletes a grade. So the table has the columns that identify a student, the assignment's column, and
rows of students with a grade, and nothing else.

The zip is for "Upload Submissions". Canvas finds a file's student by its name alone, and the upload
must belong to the newest attempt. It shows the file as a comment, under the name that the student
gave the upload. So the feedback on a notebook is a notebook, and the feedback on a zip is a zip: a
page of HTML would be offered as `sheet-3.ipynb`, and not open. All members of a group see the
comment on their group's upload.

https://github.com/instructure/canvas-lms/blob/master/lib/gradebook_importer.rb
https://github.com/instructure/canvas-lms/blob/master/app/models/abstract_assignment.rb
(`infer_comment_context_from_filename`, `generate_comments_from_files`)
"""

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.classroom.identify import spellings
from autograder.classroom.new_ids import slug
from autograder.classroom.roster import Person
from autograder.engine import AutograderError, Pattern, files, printable, texts
from autograder.gradebook.grades import Grade, decimal_text
from autograder.gradebook.pages.of_grade import feedback_page, notebook, zip_bytes
from autograder.platforms.download import File, Left
from autograder.platforms.platform import (
    ClassGrades,
    Contents,
    Format,
    HandedIn,
    Item,
    Known,
    Layout,
    Platform,
    ReceivedFile,
)
from autograder.platforms.sheet import (
    FilledSheet,
    MatchKey,
    has_commas,
    match_sheet,
    normalised,
    number_in,
    read_sheet,
    refuse_duplicates,
    scale_warning,
)

NOT_IN_NAME = Pattern(f"[^{texts.WORD}]+")
NUMBER_INSIDE = Pattern(r"_(\d+)_")
WORDS = r"(?P<owner>[^_]*(?:_(?:[^_]*[^_\d][^_]*)?)*?)"  # no number after the first part
LATE = "(?P<late>_LATE|_late)?"  # older versions of Canvas write it in lower case
REST = r"_(?:(?P<upload>\d+)_(?P<file>.+)|(?:text|link)\.html)"
NAMED = Pattern(rf"(?s){WORDS}{LATE}_(?P<user>\d+){REST}")
ANONYMOUS = Pattern(rf"(?s)(?P<late>LATE_)?(?P<user>anon_[A-Za-z0-9]+){REST}")
BEGINS_WITH_NUMBER = Pattern(r"\d+_")
PLATFORM = "canvas"
TITLE_AND_ID = Pattern(r"(?P<title>.*\S)\s+\((?P<id>\d+)\)\s*")
POSSIBLE = "points possible"
READ_ONLY = Pattern(r"(?i)read\s+only")
NOTE = Pattern(r"(?i)\s*(muted|manual posting.*)?\s*")  # in a row that is not a student's
NOT_ASSIGNED = "N/A"
LOCKED = {"EX": "EX", NOT_ASSIGNED: f"{NOT_ASSIGNED}: not assigned"}
NEW_HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
ZIP, NOTEBOOK = ".zip", ".ipynb"
USER = Pattern(r"[0-9]+|anon_[A-Za-z0-9]+")
WRITTEN = Pattern(r"(?s)(.*_)?(\d+|anon_[A-Za-z0-9]+)_(\d+_.+|text\.html|link\.html)")
TEST_STUDENT = "Student, Test"  # Canvas's student for teachers who try the course
Owner = tuple[str, str]  # (group's name in Canvas's files, "") or ("", user)


@dataclass(frozen=True)
class UploadName:
    """The parts of a file name from Canvas."""

    owner: str  # the name of a person or a group, as Canvas writes it; "" if anonymous
    user: str  # number, or `anon_` and the submission's code
    upload: str  # number; "" for a text or a link
    file: str  # the student's own file name
    late: bool

    @property
    def next_number(self) -> str:
        """The number after the upload's, or "". Instead, user and upload may be the second and the
        third number.
        """
        return self.upload if BEGINS_WITH_NUMBER.match(self.file) else ""


def as_canvas_writes(name: str) -> str:
    """Return the name of a person or a group as Canvas writes it in file names."""
    plain = NOT_IN_NAME.sub("", unicodedata.normalize("NFC", name).lower())
    return NUMBER_INSIDE.sub(r"\1", plain)


def read_upload_name(file_name: str, group: str = "") -> UploadName | None:
    """Split a file name from Canvas into its parts. Return None if it has another form.

    `group`: a group's name as Canvas writes it. The file name must begin with it.
    """
    if group:
        names = NAMED.fullmatch(file_name.removeprefix(group))
        fits = file_name.startswith(group) and names and not names["owner"]
    else:
        names = fits = ANONYMOUS.fullmatch(file_name) or NAMED.fullmatch(file_name)
    if not fits:
        return None
    parts = names.groupdict("")
    return UploadName(
        **parts | {"owner": group or parts.get("owner", ""), "late": bool(parts["late"])}
    )


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return the contents of the grade table and the feedback zip, and sentences on both."""
    filled = _fill_sheet(of_class.sheet, of_class) if of_class.sheet else _new_sheet(of_class)
    filled.remarks += texts.sentence_on(
        [grade.student for grade in of_class.grades if grade.mark and grade.mark.penalty],
        "A late penalty is taken off already of {}. If the course has a late policy in Canvas, "
        "Canvas takes its own off again: turn off one of the two.",
    )
    by_name, unknown = of_class.by_name(
        lambda grade: _feedback_name(of_class.received.get(grade.student))
    )
    files = {name: of_class.parts[grades[-1].student] for name, grades in by_name.items()}
    return [filled.sheet.to_bytes(), zip_bytes(files)], [
        *filled.describe(),
        *texts.sentence_on(
            unknown,
            "No feedback for Canvas of {}: no upload of theirs was collected from Canvas. `collect` "
            "its download, and name that folder with --submitted.",
        ),
    ]


def _fill_sheet(path: Path, of_class: ClassGrades) -> FilledSheet:
    """Return the gradebook at `path` with the grades filled in, and only the columns and rows that
    Canvas needs.

    Raises `TableError` or `AutograderError` if the file is not a gradebook from Canvas, has a
    student twice or none of the graded students, if not exactly one column fits, or if Canvas hides
    the assignment's grades.
    """
    sheet = read_sheet(path)
    id, last_column = sheet.column("ID"), sheet.column("Section")
    if id is None or last_column is None or sheet.column("Student", "LastName") is None:
        raise AutograderError(
            f"`{path}` is no gradebook from Canvas: it needs the columns Student, ID and Section."
        )
    column = _column(path, sheet, of_class)
    note_rows = [row for row in sheet.rows[1:] if _is_note(row) and row[column].strip()]
    rows = {i: row for i, row in enumerate(sheet.rows) if i and not _is_note(row)}
    refuse_duplicates(path, "ID", (row[id].strip() for row in rows.values()))
    if rows and all(row[column].strip() == NOT_ASSIGNED for row in rows.values()):
        raise AutograderError(
            f"Canvas hides `{sheet.header[column]}`: all its cells in `{path}` are N/A, as those of "
            "an anonymous assignment before its grades are posted. Post them in Canvas, then export "
            "the gradebook again."
        )
    filled = match_sheet(path, sheet, of_class.grades, rows, _match_keys(sheet, of_class))
    filled.commas = has_commas(sheet, column)
    possible = number_in(_possible_row(sheet)[column])
    filled.remarks += scale_warning(f"`{sheet.header[column]}`", possible, of_class.grades)
    output_rows = [sheet.header, *note_rows]
    for i, grade in sorted(filled.grades.items()):
        row = sheet.rows[i]
        locked = LOCKED.get(row[column].strip().upper(), "")
        filled.enter(grade, row, column, locked)
        output_rows += [] if locked or grade.total is None else [row]
    # Canvas expects no byte order mark before this column
    bom = sheet.bom and sheet.column("LastName") is None
    cells = [[*row[: last_column + 1], row[column]] for row in output_rows]
    filled.sheet = replace(sheet, rows=cells, lines=[], bom=bom)
    return filled


def _new_sheet(of_class: ClassGrades) -> FilledSheet:
    """Return a new table for students with a grade, made without a downloaded gradebook."""
    column = of_class.column or of_class.assignment
    graded = [grade for grade in of_class.grades if grade.total is not None]
    maximum = decimal_text(max((grade.max_points for grade in graded), default=0.0))
    rows = [
        [
            texts.text_cell(grade.person.name or grade.student),
            texts.text_cell(of_class.number_of(grade, PLATFORM)),
            "",
            grade.student,
            "",
            decimal_text(grade.total or 0.0),
        ]
        for grade in graded
    ]
    remark = (
        "Made without a sheet: Canvas takes a column of a name that it does not know for a new "
        "assignment. Surer is --sheet, with the gradebook as Canvas exports it."
    )
    head = [[*NEW_HEADER, column], ["    Points Possible", "", "", "", "", maximum]]
    return FilledSheet(files.Table([*head, *rows]), entered=len(graded), remarks=[remark])


def _column(path: Path, sheet: files.Table, of_class: ClassGrades) -> int:
    """Return the index of the assignment's column, with a header `<title> (<number>)`, or the
    column named by `--column`.

    Raises `AutograderError` unless exactly one column fits. Columns that Canvas marks as read-only
    are not considered.
    """
    assignment, column = of_class.assignment, of_class.column
    titles = {i: TITLE_AND_ID.fullmatch(name) for i, name in enumerate(sheet.header)}
    possible = _possible_row(sheet)
    candidates = {
        i: match for i, match in titles.items() if match and not READ_ONLY.search(possible[i])
    }
    if column is not None:
        hits = [i for i, name in enumerate(sheet.header) if name.strip() == column.strip()]
        hits = hits or [
            i for i, match in candidates.items() if column.strip() in (match["title"], match["id"])
        ]
    else:
        hits = [
            i for i, match in candidates.items() if _letters(match["title"]) == _letters(assignment)
        ]
    if len(hits) == 1 and hits[0] in candidates:
        return hits[0]
    listed = ", ".join(f"`{sheet.header[i]}`" for i in candidates) or "none that may be changed"
    raise AutograderError(
        f"Which column of `{path}` is {column or assignment}? Add --column and one of these: {listed}."
    )


def _letters(title: str) -> str:
    """Return a title's letters and digits, in lower case."""
    return "".join(sign for sign in normalised(title) if sign.isalnum())


def _possible_row(sheet: files.Table) -> list[str]:
    rows = (row for row in sheet.rows[1:] if POSSIBLE in row[0].casefold())
    return next(rows, [""] * len(sheet.header))


def _is_note(row: list[str]) -> bool:
    return POSSIBLE in row[0].casefold() or all(NOTE.fullmatch(cell) for cell in row)


def _match_keys(sheet: files.Table, of_class: ClassGrades) -> list[MatchKey]:
    """Return the kinds of text by which rows are matched with students, the most reliable first."""
    logins = sheet.cells("SIS User ID", "SIS Login ID", "Integration ID")
    names = sheet.cells("Student", "FirstName", "LastName")
    return [
        MatchKey(lambda grade: [of_class.number_of(grade, PLATFORM)], sheet.cells("ID")),
        MatchKey(lambda grade: [grade.student, grade.person.email], logins),
        MatchKey(
            lambda grade: spellings(grade.person.name),
            lambda row: spellings(" ".join(names(row))),
            sure=False,
        ),
    ]


def _feedback_name(file: ReceivedFile | None) -> str:
    """Return the file name under which Canvas accepts feedback on this upload, or ""."""
    if file is None or file.upload is None:
        return ""
    name = read_upload_name(file.name, as_canvas_writes(file.team)) if file.team else None
    number, suffix = name.user if name else file.number, Path(file.name).suffix.lower()
    if suffix not in (ZIP, NOTEBOOK) or not USER.fullmatch(number):
        return ""
    user = number if number.startswith("anon_") else f"student_{number}"
    return f"{user}_{file.upload}_feedback{suffix}"


def _part(grade: Grade, of_class: ClassGrades) -> bytes:
    """Return the feedback in the type of the student's upload: a notebook (the default) or a zip."""
    if not _feedback_name(of_class.received.get(grade.student)).lower().endswith(ZIP):
        return notebook(grade)
    return zip_bytes({"feedback.html": feedback_page(of_class.course, grade)})


FORMAT = Format(
    files=("canvas.csv", "canvas-feedback.zip"),
    part=_part,
    write=_write,
    is_ours=lambda header: "ID" in header and bool({"Student", "LastName"} & {*header}),
    sheet=True,
    column=True,
    pages=True,
    manual=(
        "the gradebook with grades (`--sheet`: its export), a zip of pages",
        "*Import*, *Upload Submissions*",
    ),
)


def _sort_by_student(items: list[Item], assignment_id: str, facts: Known) -> Contents:
    """Return a submission for each user, anonymous code or group with files among `items`.

    Files with a doubtful owner are listed as without a student. Files of the test student are
    ignored, with a note.
    """
    contents = Contents([])
    groups = _groups(facts)
    by_owner: dict[Owner, list[tuple[UploadName, File]]] = defaultdict(list)
    for item in items:
        read = ((group, read_upload_name(item.name, group)) for group in (*groups, ""))
        group, name = next((pair for pair in read if pair[1]), ("", None))
        if name is None:
            _leave(contents, item.files[0], "Canvas writes no such name")
        elif name.owner == as_canvas_writes(TEST_STUDENT):
            contents.notes.append(f"`{printable(item.name)}` is of Canvas's test student.")
        else:
            by_owner[group, "" if group else name.user].append((name, item.files[0]))
    for (group, user), uploads in by_owner.items():
        certain, names = [], [name for name, _ in uploads]
        for name, file in uploads:
            if doubt := _doubt(name, group, names, facts):
                _leave(contents, file, doubt)
            else:
                certain.append((name, file))
        if certain:
            contents.handed_in.append(_handed_in(groups.get(group, ""), user, certain))
    return contents


def _groups(facts: Known) -> dict[str, str]:
    """Return the names of the course's groups by their names in Canvas's files, the longest first."""
    groups: dict[str, str] = {}
    for group in dict.fromkeys(facts.groups):
        canvas_name = as_canvas_writes(group)
        groups[canvas_name] = (
            f"{groups[canvas_name]} or {group}" if canvas_name in groups else group
        )
    return dict(sorted(groups.items(), key=lambda pair: -len(pair[0])))


def _doubt(name: UploadName, group: str, uploads: list[UploadName], facts: Known) -> str:
    """Return why the owner of a file is in doubt, or "". `uploads`: the names of all files of this
    user or group.

    Canvas writes a single entry per group. In `x_12_34_56_a.ipynb` the user is 12, or 34 if a
    person's name is `x_12`. The user is in doubt if 34 is a user in the course, or if 12 has
    another name in other files.
    """
    if group and len({upload.user for upload in uploads}) > 1:
        return "its group has several entries, and Canvas writes one"
    names = {upload.owner for upload in uploads if not upload.next_number} - {name.owner}
    if name.next_number and (names or name.next_number in facts.numbers):
        return f"its user may be {name.user} or {name.next_number}"
    return ""


def _leave(contents: Contents, file: File, reason: str) -> None:
    sentence = f"`{printable(file.name)}` is nobody's: {reason}."
    contents.without_student.append(Left(file.path, sentence, file))


def _handed_in(group: str, user: str, uploads: list[tuple[UploadName, File]]) -> HandedIn:
    owner = group or uploads[0][0].owner
    number = () if group else (user,)
    student = slug(owner, *number) if slug(owner) else slug(PLATFORM, user or owner)
    files = tuple(
        replace(file, student_name=name.file, upload=int(name.upload[:18]))
        for name, file in uploads
        if name.file
    )
    return HandedIn(
        person=Person(student, "" if group else owner, platform=PLATFORM, number=user),
        label="_".join(filter(None, (owner, user))),
        files=files,
        time_from="Canvas's zip tells none",
        late=any(name.late for name, _ in uploads),
        timeless=True,
        team=group,
    )


RECORD = Platform(
    PLATFORM,
    (Layout(WRITTEN, _sort_by_student, folders=False, files=True),),
    FORMAT,
    manual=(
        "Canvas",
        "*Download Submissions*",
        "none: write [late.csv](late.md). `--late-template FILE` lists the students that Canvas "
        "marks `LATE`",
    ),
    number_lasts=lambda number: not number.startswith("anon_"),
)
