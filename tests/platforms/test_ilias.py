"""ILIAS's download: whose files they are, which is the newest, when it was handed in; and its feedback."""

import io
import zipfile
from datetime import datetime
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from downloads import BOOK, entry, ours, read_download, samples
from exports import export_collected, verdict
from importers import Ilias

from autograder.classroom.newest_files import ReceivedFile
from autograder.classroom.roster import Person
from autograder.gradebook.grades import Grade
from autograder.platforms.platform import ClassGrades, HandedIn
from autograder.platforms.registry import PLATFORMS

SUBMISSIONS = "Layer_Norm/Submissions"
ADA, BEN = "Softmax_Ada_asoftmax_4711", "Mask_Ben_bmask_4712"
NAMES = samples("ilias-folder-names.tsv")
FILES = samples("ilias-files.tsv")
HEADER = ["Nachname", "Vorname", "Benutzername", "Datum der letzten Abgabe"]


def spreadsheet(rows: list[list[str | float]], header: list[str] = HEADER) -> bytes:
    """A spreadsheet with one sheet, as a zip of the least that a reader needs."""
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    lines = []
    for n, row in enumerate([header, *rows], start=1):
        cells = "".join(
            f'<c r="{chr(65 + i)}{n}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
            if isinstance(cell, str)
            else f'<c r="{chr(65 + i)}{n}"><v>{cell}</v></c>'
            for i, cell in enumerate(row)
        )
        lines.append(f'<row r="{n}">{cells}</row>')
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="Layer_Norm" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{"".join(lines)}</sheetData></worksheet>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, head + text)
    return out.getvalue()


def sort(folder: Path, files: dict | list) -> dict[str, HandedIn]:
    """The submissions in a download of ILIAS, by the name of the folder."""
    _, contents = read_download(folder, files)
    assert not contents.without_student and not contents.notes
    return {handed_in.label: handed_in for handed_in in contents.handed_in}


def newest(handed_in: HandedIn) -> list[str]:
    """The paths of the newest uploads."""
    most = max(file.upload or 0 for file in handed_in.files)
    return ["/".join(file.parts[2:]) for file in handed_in.files if file.upload == most]


@pytest.mark.parametrize("row", NAMES, ids=lambda row: row["folder"])
@pytest.mark.parametrize("team", ["", "Zespół 3/"])
def test_the_number_of_each_folder_is_the_persons(tmp_path, row, team):
    (handed_in,) = sort(tmp_path, {f"{SUBMISSIONS}/{team}{row['folder']}/{BOOK}": ours()}).values()
    person = handed_in.person
    assert person.number == row["number"] and PLATFORMS["ilias"].number_lasts(person.number)
    assert person.login in ("", row["login"]) and (person.login == "") == (person.name == "")
    assert person.student == (person.login or f"ilias-{row['number']}")
    assert (handed_in.team, handed_in.team_number) == (
        (team[:-1], team[:-1].split()[-1]) if team else ("", "")
    )


@pytest.mark.parametrize("row", samples("ilias-odd-folders.tsv"), ids=lambda row: row["folder"])
def test_a_login_is_certain_where_the_name_has_three_parts(tmp_path, row):
    """Also where an administrator has turned off ASCII."""
    folder, login = row.values()
    files = {f"{SUBMISSIONS}/{folder}/{BOOK}": ours(), f"{SUBMISSIONS}/X_Y_z_99/{BOOK}": ours(1)}
    person = sort(tmp_path, files)[folder].person
    assert person.login == login and person.number == folder.rpartition("_")[2]
    plain = login.replace(".", "").isalnum() and login.isascii()
    assert person.student == (login if plain else f"ilias-{person.number}")


def test_each_upload_of_the_sample(tmp_path):
    """Who is graded for which file; the team's and the persons' folders are two assignments."""
    for is_team in (False, True):
        rows = [
            row for row in FILES if ("Team" in row["whose"] or "team" in row["whose"]) == is_team
        ]
        rows += [row for row in FILES if row["whose"] == "nobody" or "4799" in row["whose"]]
        files = {row["path in the zip"]: ours(row["path in the zip"]) for row in rows}
        files["Layer_Norm/Layer_Norm.xlsx"] = spreadsheet([])
        submissions = sort(tmp_path, files)
        expected = {
            row["path in the zip"].split("/", 2)[2]: row
            for row in rows
            if row["expected"].startswith("graded")
        }
        assert {path for one in submissions.values() for path in newest(one)} == set(expected)
        for handed_in in submissions.values():
            (row,) = (expected[path] for path in newest(handed_in))
            assert handed_in.person.number == row["whose"].split()[0]
            assert handed_in.late == (row["late, as ILIAS says"] == "yes")
            assert handed_in.team_number == ("12" if "team" in row["whose"] else "")
            assert {file.original_name for file in handed_in.files} == {"layer-norm.ipynb"}


@pytest.mark.parametrize("row", samples("ilias-odd-uploads.tsv"), ids=lambda row: row["uploads"])
def test_the_newest_upload_is_found_by_its_name(tmp_path, row):
    names, graded = row["uploads"].split(" | "), row["graded"]
    files = {f"{SUBMISSIONS}/{ADA}/{name}": ours(name) for name in names}
    handed_in = sort(tmp_path, files)[ADA]
    books = [file for file in handed_in.files if file.may_hold_notebook]
    most = max((file.upload or 0 for file in books or handed_in.files), default=0)
    last = [file.name for file in books or handed_in.files if file.upload == most]
    assert last == [graded] if graded else len(last) > 1
    assert handed_in.late == (row["late"] == "yes")


def test_nobody_hides_lateness_by_a_name(tmp_path):
    """Neither a profile with ILIAS's words nor another student's file name does."""
    late = f"Verspaetete Abgabe - {BOOK}"
    files = {
        f"{SUBMISSIONS}/Abgabe_Verspaetete_x_1/{late}": ours(1),
        f"{SUBMISSIONS}/Late_Bob_latebob_2/Late Submission - {BOOK}": ours(2),
        f"{SUBMISSIONS}/B_C_d_3/Retard - {BOOK}": ours(3),
    }
    assert all(handed_in.late for handed_in in sort(tmp_path, files).values())


def team(*uploads: tuple[str, str, int]) -> list:
    """The entries of a zip with a team's uploads: folder, name, and minutes after ten o'clock."""
    return [
        (entry(f"{SUBMISSIONS}/Team 12/{folder}/{name}", (2026, 11, 20, 10, minute, 0)), ours(n))
        for n, (folder, name, minute) in enumerate(uploads)
    ]


@pytest.mark.parametrize(
    ("uploads", "number", "order"),
    [
        ([(ADA, "x.ipynb", 0), (BEN, "x.ipynb", 0), (BEN, "x (2).ipynb", 0)], "4712", [1, 1, 2]),
        ([(ADA, "x.ipynb", 0), (BEN, "x.ipynb", 0)], "", [None, None]),
        ([(ADA, "x.ipynb", 0), (BEN, "x.ipynb", 5)], "", [None, None]),  # the download took long
        ([(ADA, "x.ipynb", 40), (BEN, "x.ipynb", 0)], "4711", [1, 2]),
        (
            [(ADA, "x.ipynb", 40), (BEN, "x.ipynb", 0), (BEN, "x (2).ipynb", 20)],
            "4711",
            [1, 2, 3],
        ),
        ([(ADA, "x.ipynb", 0), (BEN, "plot.png", 0)], "4711", [1, 1]),
        ([(ADA, "a.ipynb", 0), (BEN, "b.ipynb", 0)], "", [1, 1]),
        ([("Ada Softmax", "x.ipynb", 0)], "", [1]),
    ],
)
def test_a_teams_newest_upload_and_who_sent_it(tmp_path, uploads, number, order):
    solo = (
        entry(f"{SUBMISSIONS}/Solo_Sam_ssolo_4799/x.ipynb", (2026, 11, 20, 10, 0, 0)),
        ours("s"),
    )
    submissions = sort(tmp_path, [*team(*uploads), solo])
    assert set(submissions) == {"Team 12", "Solo_Sam_ssolo_4799"}
    assert submissions["Solo_Sam_ssolo_4799"].team == ""
    handed_in = submissions["Team 12"]
    assert (handed_in.team, handed_in.team_number) == ("Team 12", "12")
    assert handed_in.person.number == number
    assert [file.upload for file in handed_in.files] == order
    assert len(handed_in.files) == len(uploads)


@pytest.mark.parametrize(("minutes", "has_times"), [(0, False), (9, False), (11, True)])
def test_times_that_lie_together_are_those_of_the_download(tmp_path, minutes, has_times):
    files = [
        (entry(f"{SUBMISSIONS}/{folder}/{BOOK}", (2026, 11, 20, 10, minute, 0)), ours(minute))
        for folder, minute in ((ADA, 0), (BEN, minutes))
    ]
    layout, _ = read_download(tmp_path, files)
    assert layout.times_in_zip is has_times


WHEN = datetime(2026, 11, 20, 15, 4, 5)
DAYS = (WHEN - datetime(1899, 12, 30)).total_seconds() / 86_400  # as a spreadsheet counts


def test_the_spreadsheet_says_when_everybody_of_the_sample_handed_in(tmp_path):
    """Its names are whole, so that logins with an underscore are certain, too."""
    rows = [
        [row["last name"], row["first name"], row["login"], f"2026-11-20 15:00:{n:02}", BOOK]
        for n, row in enumerate(NAMES)
    ]
    files = {f"{SUBMISSIONS}/{row['folder']}/{BOOK}": ours(row["number"]) for row in NAMES}
    submissions = sort(tmp_path, files | {"Layer_Norm/Layer_Norm.xlsx": spreadsheet(rows)})
    for n, row in enumerate(NAMES):
        handed_in = submissions[row["folder"]]
        assert handed_in.submitted_at == datetime(2026, 11, 20, 15, 0, n)
        assert handed_in.time_from == "ILIAS's spreadsheet"
        assert handed_in.person.login == row["login"]
        assert handed_in.person.name == f"{row['first name']} {row['last name']}"


@pytest.mark.parametrize(
    ("row", "when"),
    [
        (["Softmax", "Ada", "asoftmax", "2026-11-20 15:04:05"], WHEN),
        ([" Softmax ", "Ada", "asoftmax", DAYS], None),  # a number without a date's format
        (["Softmax", "Ada", "asoftmax", ""], None),
        (["Softmax", "Ada", "asoftmax", "yesterday"], None),
        (["Softmax", "Ada", "asoftmax2", "2026-11-20 15:04:05"], None),
        (["Soft", "max_Ada", "asoftmax", "2026-11-20 15:04:05"], None),
        (["softmax", "ada", "asoftmax", "2026-11-20 15:04:05"], None),
        (["Softmax", "Ada", "asoftmax"], None),
        (["=1+1", "Ada", "asoftmax", "2026-11-20 15:04:05"], None),
    ],
)
def test_rows_that_are_of_nobody_give_no_time(tmp_path, row, when):
    files = {f"{SUBMISSIONS}/{ADA}/{BOOK}": ours()}
    files["Layer_Norm/Layer_Norm.xlsx"] = spreadsheet([row, ["Mask", "Ben", "bmask", ""]])
    (handed_in,) = sort(tmp_path, files).values()
    assert handed_in.submitted_at == when and bool(handed_in.time_from) == bool(when)


def test_two_rows_for_one_folder_give_no_time_and_a_row_twice_does(tmp_path):
    files = {
        f"{SUBMISSIONS}/Kova__evi___Ana_x_7/{BOOK}": ours(),
        f"{SUBMISSIONS}/{ADA}/{BOOK}": ours(),
    }
    alike = [["Kovačević", "Ana", "x", "2026-11-20 15:04:05"], ["Kovašević", "Ana", "x", ""]]
    alike[1][0] = "Kovařević"
    ada = ["Softmax", "Ada", "asoftmax", "2026-11-20 15:04:05", BOOK]
    rows = [*alike, [*ada, "review 1"], [*ada, "review 2"]]  # a row for each review
    submissions = sort(tmp_path, files | {"Layer_Norm/Layer_Norm.xlsx": spreadsheet(rows)})
    assert submissions["Kova__evi___Ana_x_7"].submitted_at is None
    assert submissions[ADA].submitted_at == WHEN


@pytest.mark.parametrize("number", ["12", 12])
def test_a_teams_time_is_found_by_its_number(tmp_path, number):
    rows = [
        ["Softmax", "Ada", "asoftmax", "2026-11-20 15:04:05", number, BOOK],
        ["Mask", "Ben", "bmask", "2026-11-20 15:04:05", number, BOOK],
        ["Head", "Cleo", "chead", "2026-11-21 15:04:05", 13, BOOK],
        ["Solo", "Sam", "ssolo", "2026-11-19 15:04:05", "", BOOK],
    ]
    files = {
        f"{SUBMISSIONS}/Team 12/{BEN}/{BOOK}": ours(),
        f"{SUBMISSIONS}/Solo_Sam_ssolo_4799/{BOOK}": ours(1),
        "Layer_Norm/Layer_Norm.xlsx": spreadsheet(rows, [*HEADER, "Team", "Datei"]),
    }
    submissions = sort(tmp_path, files)
    assert submissions["Team 12"].submitted_at == WHEN
    assert submissions["Team 12"].person.number == "4712"
    assert submissions["Solo_Sam_ssolo_4799"].submitted_at == datetime(2026, 11, 19, 15, 4, 5)


def bomb() -> bytes:
    """A spreadsheet of megabytes with a cell of more than a gigabyte."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(spreadsheet([]))) as plain,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for name in plain.namelist():
            before, cell, after = plain.read(name).partition(b"<t>Vorname")
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(before + cell)
                for _ in range(1_200 if cell else 0):
                    file.write(b"a" * (1 << 20))
                file.write(after)
    return out.getvalue()


DAMAGED = [b"", b"PK\x03\x04", b"Nachname;Vorname\n", spreadsheet([])[:900]]
DAMAGED += [spreadsheet([], ["Nachname"])]


@pytest.mark.parametrize(
    "content", [*DAMAGED, pytest.param(None, id="bomb", marks=pytest.mark.slow)]
)
def test_a_damaged_spreadsheet_gives_no_times_and_is_named(tmp_path, content):
    files = {f"{SUBMISSIONS}/{ADA}/{BOOK}": ours(), f"{SUBMISSIONS}/{BEN}/{BOOK}": ours(1)}
    _, contents = read_download(
        tmp_path, files | {"Layer_Norm/Layer_Norm.xlsx": bomb() if content is None else content}
    )
    assert len(contents.handed_in) == 2 and len(contents.notes) == 1
    assert "`Layer_Norm/Layer_Norm.xlsx`, since it is damaged" in contents.notes[0]
    assert all(handed_in.submitted_at is None for handed_in in contents.handed_in)


def test_a_file_that_is_called_as_a_folder_takes_nobodys_time(tmp_path):
    rows = [
        ["Softmax", "Ada", "asoftmax", "2026-11-20 15:04:05", BOOK],
        ["Mask", "Ben", "bmask", "2026-11-21 15:04:05", "Softmax_Ada_asoftmax"],
    ]
    files = {f"{SUBMISSIONS}/{ADA}/{BOOK}": ours(), f"{SUBMISSIONS}/{BEN}/{BOOK}": ours(1)}
    submissions = sort(tmp_path, files | {"Layer_Norm/Layer_Norm.xlsx": spreadsheet(rows)})
    assert submissions[ADA].submitted_at == WHEN and submissions[ADA].person.login == "asoftmax"


def test_a_students_own_spreadsheet_says_nothing(tmp_path):
    forged = spreadsheet([["Softmax", "Ada", "asoftmax", "2020-01-01 00:00:00"]])
    files = {f"{SUBMISSIONS}/{ADA}/{BOOK}": ours(), f"{SUBMISSIONS}/{ADA}/Layer_Norm.xlsx": forged}
    (handed_in,) = sort(tmp_path, files).values()
    assert handed_in.submitted_at is None


def test_ilias_takes_a_page_for_each_person(collect, into, capfd):
    collect(
        {
            f"Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}": ours(1),
            f"Sheet 3/Submissions/Mask_Zoë_zmask_4712/{BOOK}": ours(2),
            f"Sheet 3/Submissions/Team 5/{BOOK}": ours(3),
        }
    )
    points = {"asoftmax": 7.5, "zmask": 10.0, "team-5": 9.0}
    folder = export_collected(into, "ilias", points)
    ilias = Ilias({4711, 4712})
    ilias.take_feedback((folder / "ilias-feedback.zip").read_bytes())
    assert b"7.5 of 10" in ilias.files[4711]["feedback.html"]
    assert b"10 of 10" in ilias.files[4712]["feedback.html"]
    assert "No feedback for ILIAS of team-5" in capfd.readouterr().out


def test_each_member_of_a_team_gets_a_page_under_the_own_number(tmp_path):
    """A team's file has the number of whoever sent it, which is nobody else's."""
    people = {
        "ada": Person("ada", "Łucja Žák", platform="ilias", number="4711"),
        "ben": Person("ben", "", platform="moodle", number="1"),
        "cleo": Person("cleo", "Cleo Head", platform="canvas", number="2"),
    }
    file = ReceivedFile("4711", f"{SUBMISSIONS}/Team 12/{ADA}/{BOOK}", 1, "Team 12", "12")
    received = {
        "ada": file,
        "ben": file,
        "cleo": ReceivedFile("4713", f"{SUBMISSIONS}/x/{BOOK}", 1),
    }
    grades = [Grade(person, verdict(student, 7.5)) for student, person in people.items()]
    of_class = ClassGrades("layer-norm", grades, tmp_path, received=received)
    of_class.parts = {student: student.encode() for student in people}
    (content,), sentences = PLATFORMS["ilias"].format.write(of_class)
    ilias = Ilias({4711, 4713})
    ilias.take_feedback(content)
    assert ilias.files == {4711: {"feedback.html": b"ada"}, 4713: {"feedback.html": b"cleo"}}
    assert "No feedback for ILIAS of ben:" in " ".join(sentences)


@pytest.mark.parametrize(
    "row", samples("ilias-multi-feedback.tsv"), ids=lambda row: row["entry in the uploaded zip"]
)
@pytest.mark.parametrize("is_old", [True, False])
def test_the_imitation_reads_feedback_as_ilias_does(row, is_old):
    number = row["number that ILIAS reads"]
    accepted = number.split()[0] if number and not (is_old and "nobody (older)" in number) else None
    assert Ilias.reads(row["entry in the uploaded zip"], is_old) == (
        int(accepted) if accepted else None
    )
