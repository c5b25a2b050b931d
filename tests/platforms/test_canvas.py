"""Canvas takes back its gradebook, nothing emptied, and a file beside each upload, by the upload's name."""

import csv
import io
from pathlib import Path

import nbformat
import pytest
from downloads import BOOK, DATA, ours, read_download, samples, unzipped, zipped
from downloads import ID as COLLECTED
from exports import (
    ADA,
    BEN,
    CLEO,
    COLUMN,
    UNSCALED,
    canvas_course,
    enroll,
    enter,
    export_collected,
    made,
    verdict,
)
from importers import Canvas, CanvasUploads
from msgspec.structs import replace

from autograder import write_verdict
from autograder.classroom.newest_files import ReceivedFile
from autograder.classroom.roster import Person
from autograder.engine import AutograderError, Pattern
from autograder.gradebook.grades import Grade
from autograder.platforms.canvas import as_canvas_writes
from autograder.platforms.platform import ClassGrades
from autograder.platforms.registry import PLATFORMS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("delimiter", "bom"), [(",", False), (";", True)])
def test_canvas_takes_back_its_gradebook_with_one_column_filled(export, delimiter, bom):
    course = canvas_course(u103="8", u109="2")
    Path("sheet.csv").write_bytes(course.export(delimiter, bom))
    status, said = export("canvas", "--sheet", "sheet.csv")
    assert status == 0 and f"Left as the sheet has it: {CLEO} (8)." in said
    filled = made("canvas.csv")
    before, after = (
        list(csv.reader(io.StringIO(text.decode()), delimiter=delimiter))
        for text in (course.export(delimiter, bom), filled)
    )
    assert after[0] == [*before[0][:5], COLUMN]
    assert [row[:5] for row in after] == [row[:5] for row in before[:5]]  # nobody but Ada and Ben
    course.take(filled)
    assert course.changed == [(COLUMN, "101", "10"), (COLUMN, "102", "7.5")]


def test_a_column_that_is_not_clear_is_asked_for(export):
    content = canvas_course().export().replace(COLUMN.encode(), b"Quiz (4711)")
    Path("sheet.csv").write_bytes(content)
    status, said = export("canvas", "--sheet", "sheet.csv")
    assert status == 2 and said.count("\n") == 1
    assert "`Warm-up (17)`, `Quiz (4711)`" in said and "--column" in said
    for name in ("Quiz (4711)", "Quiz", "4711"):
        assert export("canvas", "--sheet", "sheet.csv", "--column", name)[0] == 0
    assert export("canvas", "--sheet", "sheet.csv", "--column", "Final Score")[0] == 2
    Path("sheet.csv").write_bytes(content.replace(b",10,(read only)", b",(read only),(read only)"))
    status, said = export("canvas", "--sheet", "sheet.csv", "--column", "Quiz (4711)")
    assert status == 2 and said.endswith("one of these: `Warm-up (17)`.\n")


def test_without_a_sheet_canvas_gets_a_table_of_those_with_a_grade(export):
    enroll("canvas", {ADA: "101", BEN: "102", CLEO: "103"})
    assert export("canvas", "--column", "Sheet 3")[0] == 0
    course = canvas_course(u103="8")
    course.take(made("canvas.csv"))
    assert course.grades[COLUMN] == {"101": "10", "102": "7.5", "103": "8"}


def feedback(into, points: float = 7.5) -> bytes:
    """The zip that Canvas gets, where everybody who was collected has these points."""
    students = [path.name for path in into.iterdir() if path.name[0] != "."]
    folder = export_collected(into, "canvas", dict.fromkeys(students, points))
    return (folder / "canvas-feedback.zip").read_bytes()


def test_canvas_finds_each_student_by_the_name_of_the_newest_upload(collect, into):
    collect({f"softmaxada_101_7001_{BOOK}": ours(1)})
    collect(
        {
            f"softmaxada_LATE_101_7002_{BOOK[:-6]}-1.ipynb": ours(2),
            "maskben_102_8001_work.zip": zipped({BOOK: ours(3)}),
            f"anon_aB3xZ_8002_{BOOK}": ours(4),
        }
    )
    canvas = CanvasUploads(
        {("101", "7002"): BOOK, ("102", "8001"): "work.zip", ("aB3xZ", "8002"): BOOK}
    )
    canvas.take_feedback(feedback(into))
    assert canvas.comments.keys() == {"101", "102", "aB3xZ"}
    book = nbformat.reads(canvas.comments["101"][BOOK].decode(), as_version=4)
    nbformat.validate(book)
    assert UNSCALED.sentence.split("`")[1] in "".join(cell.source for cell in book.cells)
    assert b"7.5 of 10" in unzipped(canvas.comments["102"]["work.zip"])["feedback.html"]


def test_whoever_was_not_collected_from_canvas_is_named(collect, into, capfd):
    collect({f"ada/{BOOK}": ours(1), f"ben/{BOOK}": ours(2)})
    content = feedback(into)
    assert unzipped(content) == {}
    assert "No feedback for Canvas of ada, ben" in capfd.readouterr().out


def test_an_export_again_is_taken_for_one(collect, into):
    collect({f"softmaxada_101_7001_{BOOK}": ours(1)})
    out = into.parent / "out"
    for points in (7.5, 10.0):
        student = next(path.name for path in into.iterdir() if path.name[0] != ".")
        export_collected(into, "canvas", {student: points}, "--out", str(out))
    (page,) = unzipped((out / "canvas-feedback.zip").read_bytes()).values()
    assert "10 of 10" in page.decode()


def test_a_download_of_canvas_in_the_way_is_kept(collect, into):
    collect({f"softmaxada_101_7001_{BOOK}": ours(1)})
    download = into.parent / "canvas-feedback.zip"
    download.write_bytes(zipped({f"softmaxada_101_7001_{BOOK}": ours(1)}))
    before = download.read_bytes()
    out = ["--out", str(into.parent)]
    with pytest.raises(AssertionError):
        export_collected(into, "canvas", {"softmaxada-101": 7.5}, *out)
    assert download.read_bytes() == before


NAMES = samples("canvas-zip-names.tsv")
GROUPS = [row["sortable name, or group"] for row in NAMES if row["kind"] == "group"]


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row["name in the zip"])
def test_each_name_that_canvas_writes_is_read(tmp_path, row):
    name, is_group = row["name in the zip"], row["kind"] == "group"
    _, contents = read_download(tmp_path, {name: ours()}, groups=GROUPS if is_group else ())
    assert not contents.without_student
    if "studenttest" in name:
        assert contents.handed_in == [] and "test student" in contents.notes[0]
        return
    (handed_in,) = contents.handed_in
    code = row["anonymous code"]
    number = "" if is_group else f"anon_{code}" if code else row["user"]
    assert handed_in.person.number == number
    assert handed_in.team == (row["sortable name, or group"] if is_group else "")
    assert handed_in.late == (row["late"] == "yes")
    named = "" if is_group or code else as_canvas_writes(row["sortable name, or group"])
    assert handed_in.person.name == named
    signs = Pattern(r'[/:?"]+')  # each run of which Canvas has replaced
    file = signs.sub("_", row["student's file name"])
    read = [(one.original_name, str(one.upload)) for one in handed_in.files]
    assert read == ([(file, row["upload"])] if file else [])
    assert PLATFORMS["canvas"].number_lasts(number) == (not code)


@pytest.mark.parametrize("row", samples("canvas-odd-names.tsv"), ids=lambda row: row["name"])
def test_odd_names_are_read_as_canvas_writes_them_or_are_nobodys(tmp_path, row):
    _, contents = read_download(tmp_path, {row["name"]: ours()}, named="canvas")
    read = [
        (one.person.name, one.person.number, str(file.upload), file.original_name, one.late)
        for one in contents.handed_in
        for file in one.files
    ]
    name, *said, late = [*row.values()][1:]
    assert read == ([(name, *said, late == "yes")] if row["user"] else [])


@pytest.mark.parametrize("group", ["Too late", "Lab 3_b_", "Team_8", "9", "Müller & Söhne", "王"])
@pytest.mark.parametrize("mark", ["", "_LATE"])
def test_a_groups_name_may_hold_anything(tmp_path, group, mark):
    name = f"{as_canvas_writes(group)}{mark}_501003_900202_2026_b.ipynb"
    _, contents = read_download(tmp_path, {name: ours()}, groups=["Team", group, "Team_8_5"])
    (handed_in,) = contents.handed_in
    assert (handed_in.team, handed_in.person.number) == (group, "")
    assert handed_in.late == bool(mark) and handed_in.files[0].original_name == "2026_b.ipynb"


def test_a_display_name_with_a_number_places_nothing_for_somebody_else(tmp_path):
    """Whoever is called `x_501001` has the number 501099; Ada is 501001."""
    forged, guest = f"x_501001_501099_900199_{BOOK}", f"guest_501099_900199_copy_of_501001_{BOOK}"
    people = [Person("ada", number="501001"), Person("mallory", number="501099")]
    for files, roster in (
        ({forged: ours(1)}, people),
        ({forged: ours(1), f"softmaxada_501001_900101_{BOOK}": ours(2)}, []),
    ):
        _, contents = read_download(tmp_path, files, people=roster)
        assert [left.path for left in contents.without_student] == [forged]
        assert "its user may be 501001 or 501099" in contents.without_student[0].sentence
    _, contents = read_download(tmp_path, {guest: ours(1)}, people=people)
    assert [one.person.number for one in contents.handed_in] == ["501099"]
    own = f"softmaxada_501001_900101_2026_11_20_{BOOK}"
    _, contents = read_download(tmp_path, {own: ours(1)}, people=people)
    assert [one.person.number for one in contents.handed_in] == ["501001"]


def test_whoever_is_called_as_a_group_is_not_taken_for_it(tmp_path):
    files = {f"group7_50100{n}_90020{n}_{BOOK}": ours(n) for n in (1, 2)}
    _, contents = read_download(tmp_path, files, groups=["Group 7"])
    assert contents.handed_in == [] and len(contents.without_student) == 2


def test_two_groups_that_canvas_writes_alike_are_not_guessed(tmp_path):
    files = {f"group7_501001_900201_{BOOK}": ours()}
    _, contents = read_download(tmp_path, files, groups=["Group 7", "Group-7"])
    assert [one.team for one in contents.handed_in] == ["Group 7 or Group-7"]


@pytest.mark.parametrize(
    "row", samples("canvas-upload-names.tsv"), ids=lambda row: row[next(iter(row))]
)
def test_the_imitation_reads_names_as_canvas_does(row):
    name, group, user, upload, accepted = row.values()
    read = CanvasUploads.reads(name, as_canvas_writes(group))
    if accepted == "yes":
        assert read == (user.removeprefix("anon "), upload)
    elif user and upload:
        assert read == (user, upload)
    else:
        assert not all(read)


TEAMS = ReceivedFile("", f"team_8_501003_900202_{BOOK}", 900202, team="Team_8")
ANONYMOUS = ReceivedFile("anon_q9QQ1", "LATE_anon_q9QQ1_900302_x.ZIP", 900302)
RECEIVED = [  # what Canvas gave, the name under which it takes feedback, and how it reads that
    (ReceivedFile("501001", f"x_501001_900101_{BOOK}", 900101), "student_501001_900101", ".ipynb"),
    (TEAMS, "student_501003_900202", ".ipynb"),
    (ANONYMOUS, "anon_q9QQ1_900302", ".zip"),
    (ReceivedFile("501001", "softmaxada_501001_900101_x.pdf", 900101), "", ""),
    (ReceivedFile("501001", "softmaxada_501001_text.html"), "", ""),
    (ReceivedFile("../../1", f"x_1_2_{BOOK}", 2), "", ""),
]


@pytest.mark.parametrize(("file", "name", "suffix"), RECEIVED)
def test_canvas_reads_user_and_upload_in_the_names_of_our_feedback(tmp_path, file, name, suffix):
    grades = [Grade(Person(student), verdict(student, 7.5)) for student in (ADA, BEN)]
    received = dict.fromkeys((ADA, BEN), file)  # a group's file is each member's
    of_class = ClassGrades("sheet-3", grades, tmp_path, received=received)
    written = PLATFORMS["canvas"].format
    of_class.parts = {grade.student: written.part(grade, of_class) for grade in grades}
    (_, pages), said = written.write(of_class)
    assert [*unzipped(pages)] == ([f"{name}_feedback{suffix}"] if name else [])
    if name:
        user, upload = CanvasUploads.reads(f"{name}_feedback{suffix}")
        assert name in (f"student_{user}_{upload}", f"anon_{user}_{upload}")
    else:
        assert f"No feedback for Canvas of {ADA}, {BEN}" in " ".join(said)


GRADEBOOKS = {"en": ".", "comma": ",", "semicolon-bom": ",", "lastname": "."}
SAMPLE_ROSTER = {
    "ada": Person("ada", "Ada Softmax", "ada@uni.example", "canvas", "501001"),  # 12 -> 25
    "4100102": Person("4100102", "Jörg Müller"),  # by SIS User ID: none -> 16.66667
    "sean": Person("sean", "Seán O'Brien", "Sean@uni.example"),  # by login: EX
    "maria": Person("maria", "María José de la Cruz", "MARIA@UNI.EXAMPLE"),  # N/A
    "ann": Person("ann", "Ann Lee"),  # two rows bear the name
    "ann1": Person("ann1", "Ann Lee", "ann1@uni.example"),  # 23.50, as it is
    "eve": Person("eve", "Eve Formula"),  # by name only: 0.00 -> 20
    "ada@uni": Person("ada@uni", "Nobody Else"),  # begins as Ada's login does
}
POINTS = {"ada": 25.0, "4100102": 16.66667, "sean": 5.0, "maria": 5.0, "ann": 29.0, "ann1": 23.5}
POINTS |= {"eve": 20.0, "ada@uni": 29.0}


def fill(folder: Path, sheet: bytes, points: dict[str, float] = POINTS, column: str = "98765"):
    """The table that is made of a gradebook, and what is said."""
    path = folder / "gradebook.csv"
    path.write_bytes(sheet)
    grades = [Grade(SAMPLE_ROSTER[who], verdict(who, given)) for who, given in points.items()]
    of_class = ClassGrades("layer-norm", grades, folder, path, column)
    (table, _), said = PLATFORMS["canvas"].format.write(of_class)
    return table, "\n".join(said)


@pytest.mark.parametrize("name", GRADEBOOKS)
def test_our_column_changes_and_nobody_elses_cell(tmp_path, name):
    """Between export and import a colleague has changed another column and another student."""
    sheet = (DATA / f"canvas-gradebook-{name}.csv").read_bytes()
    table, said = fill(tmp_path, sheet)
    ours_, other = "Layer Norm (98765)", "Encoder Layer (98770)"
    course = Canvas.of_export(sheet)
    course.grades[other] |= {"501001": "33.00", "501002": ""}
    course.grades[ours_] |= {"501009": "7.00", "501099": "1.00"}
    course.take(table)
    assert course.asked_for == [] and course.changed == [
        (ours_, "501001", "25"),
        (ours_, "501002", "16.66667"),
        (ours_, "501050", "20"),
    ]
    assert course.grades[ours_]["501003"] == "EX" and course.grades[ours_]["501004"] == "N/A"
    assert "Left as the sheet has it: sean (EX), maria (N/A: not assigned)." in said
    assert "please look: eve." in said and "may be meant: ann." in said
    assert "Not in the sheet: ada@uni." in said


def test_a_grade_that_canvas_rounds_to_two_decimals_is_the_same(tmp_path):
    sheet = (DATA / "canvas-gradebook-en.csv").read_bytes()
    for before, after in ((b"16.67", 0), (b"16.66", 1), (b"16.68", 1)):
        there = sheet.replace(b"a note,,30", b"a note," + before + b",30", 1)
        course = Canvas.of_export(there)
        assert course.grades["Layer Norm (98765)"]["501002"] == before.decode()
        course.take(fill(tmp_path, there)[0])
        changed = [cell for cell in course.changed if cell[1] == "501002"]
        assert len(changed) == after, before


def test_grades_that_canvas_hides_are_not_written(tmp_path):
    sheet = (DATA / "canvas-gradebook-anonymous.csv").read_bytes()
    with pytest.raises(AutograderError, match=r"hides `Layer Norm \(98765\)`.*Post them in Canvas"):
        fill(tmp_path, sheet)
    course = Canvas.of_export(sheet)
    course.take(fill(tmp_path, sheet, {"ada": 20.0}, "98770")[0])
    assert course.changed == [("Encoder Layer (98770)", "501001", "20")]


def test_a_penalty_of_ours_and_one_of_canvas_are_taken_twice(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={}, penalty={BEN: 1.0})
    sheet = canvas_course().export()
    Path("sheet.csv").write_bytes(sheet)
    said = export("canvas", "--sheet", "sheet.csv")[1]
    assert f"A late penalty is taken off already of {BEN}." in said and "turn off one" in said
    assert "A late penalty" not in export("canvas", "--sheet", "sheet.csv", "--no-gradebook")[1]


def test_a_students_number_is_canvas_s_also_where_the_roster_has_another_platforms(tmp_path):
    """Where a file was received from Canvas, its name has the number; a group's has a member's."""
    sheet = (DATA / "canvas-gradebook-en.csv").read_bytes()
    path = tmp_path / "gradebook.csv"
    path.write_bytes(sheet)
    grades = [
        Grade(Person(who, platform="ilias", number="501050"), verdict(who, 5)) for who in "ab"
    ]
    received = {
        "a": ReceivedFile("501001", f"x_501001_900101_{BOOK}", 900101),
        "b": ReceivedFile("501002", f"g_501002_900102_{BOOK}", 900102, team="G"),
    }
    of_class = ClassGrades("layer-norm", grades, tmp_path, path, received=received)
    of_class.parts = {grade.student: b"" for grade in grades}
    (table, _), said = PLATFORMS["canvas"].format.write(of_class)
    course = Canvas.of_export(sheet)
    course.take(table)
    assert course.changed == [("Layer Norm (98765)", "501001", "5")]
    assert "Not in the sheet: b." in said


HOSTILE = "`\n</script><img src=x onerror=alert(1)> [a](javascript:b) $x$ @staff #12 https://x.example www.y.example"


@pytest.mark.parametrize(
    ("more", "there", "absent"),
    [
        (
            {"state": "unreadable", "reason": HOSTILE},
            ["`@`staff", "`#`12", "\\$x\\$", "`//`", "`www`.y"],
            ["<img", "](", "<script"],
        ),
        ({"notes": ["`second_part` uses `nn.Secret`."]}, ["second part"], ["Secret"]),
    ],
)
def test_the_notebook_that_goes_back_obeys_no_student_and_has_no_note_for_staff(
    collect, into, more, there, absent
):
    collect({f"softmaxada_101_7001_{BOOK}": ours(1)})
    made = replace(verdict("softmaxada-101", 7.5, **more), assignment=COLLECTED)
    write_verdict(into.parent / "results" / COLLECTED / "softmaxada-101.json", made)
    folder = export_collected(into, "canvas", {})
    ((page),) = unzipped((folder / "canvas-feedback.zip").read_bytes()).values()
    book = nbformat.reads(page.decode(), as_version=4)
    assert [cell.cell_type for cell in book.cells] == ["markdown"] * len(book.cells)
    text = "\n".join(cell.source for cell in book.cells)
    assert all(words in text for words in there)
    plain = Pattern(r"(?s)\\.").sub("", text)  # without what a backslash makes a letter
    assert not any(words in plain for words in absent)
