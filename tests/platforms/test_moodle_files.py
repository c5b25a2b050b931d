"""Files that a real Moodle wrote (4.5.6 and 4.2.3): worksheets in four languages, names in zips."""

import csv
import io
import unicodedata
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from downloads import unzipped
from exports import verdict
from importers import Moodle

from autograder.classroom.newest_files import ReceivedFile
from autograder.classroom.roster import Person
from autograder.engine.files.csv_text import TableError, read_table
from autograder.engine.texts.errors import AutograderError
from autograder.gradebook.grades import Grade
from autograder.platforms.download import Download, File
from autograder.platforms.moodle import RECORD
from autograder.platforms.moodle_worksheet import (
    name_in_zip,
    read_worksheet,
    refuse_other_assignment,
)
from autograder.platforms.platform import ClassGrades
from autograder.platforms.recognise import sort_by_student

DATA = Path(__file__).with_name("data")
WORKSHEETS = sorted(DATA.glob("moodle-*.csv"))
NAMES = (DATA / "moodle-zip-names.tsv").read_text(encoding="utf-8")
ZIPS = list(csv.DictReader(NAMES.splitlines(), delimiter="\t"))
EMPTY = "en-workflow-none-allocated"
DUE = datetime(2026, 11, 18, 18)
LONG = (
    "Maximiliane-Alexandra Theodora Josephine Wilhelmina Kunigunde Adelheid Friederike "
    "Wolfeschlegelsteinhausenbergerdorff-Schwarzenberg von und zu Hohenfels-Altenburg"
)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute)


def people(name: str) -> list:
    return read_worksheet(DATA / f"moodle-{name}.csv").participants


# address: name, number, time of submission, status
CLASS = {
    "ada": ("Ada Softmax", "1810040", at(17, 20, 15), "submitted"),
    "juergen": ("Jürgen Müßig-Groß", "1810039", at(19, 10), "submitted"),
    "siobhan": ("Siobhán O'Connor", "1810038", at(18, 17, 30), "submitted"),
    "sean": ("Seán O’Hara", "1810025", at(18, 18), "submitted"),
    "anna.schmidt": ("Anna Schmidt", "1810035", at(18, 9), "submitted"),
    "anna.schmidt2": ("Anna Schmidt", "1810028", at(26, 12), "submitted"),
    "sammy": ("Sammy Davis, Jr.", "1810048", at(18, 9), "submitted"),
    "ahmad": ("أحمد الفارسي", "1810032", at(18, 9), "submitted"),
    "noa": ("נועה כהן", "1810034", at(18, 9), "submitted"),
    "long": (LONG, "1810033", at(18, 9), "submitted"),
    "zoe": ("Zoë 🦊 Fox", "1810036", at(18, 12), "submitted"),
    "kim.mailname": ("Kim Mailname", "1810044", at(20, 17), "submitted"),
    "wang": ("小明 王", "1810029", at(18, 12), "draft"),
    "max": ("Max_Power under_score", "1810046", at(18, 12), "submitted"),
    "bob": ('Robert "Bob" Tables/Slash', "1810047", at(18, 12), "submitted"),
    "formula": ("=1+1 Formula", "1810026", at(18, 12), "submitted"),
    "tom": ("Tom & Jerry &Co", "1810045", at(18, 12), "submitted"),
    "team": ("Team Rocket", "1810043", at(18, 18), "submitted"),
    "madonna": ("Madonna .", "1810027", at(19, 9, 30), "draft"),
    "hang": (unicodedata.normalize("NFD", "Hằng Nguyễn Thị"), "1810037", at(18, 12), "submitted"),
    "ibrahim": ("İbrahim Işık", "1810042", at(18, 12), "submitted"),
    "ada2": ("Ada Sóftmax", "1810030", at(18, 12), "submitted"),
    "nils": ("Nils 7", "1810041", at(18, 12), "submitted"),
    "idle": ("Idle Never-Handed-In", "1810031", None, "none"),
}
EXTENSIONS = {"juergen": at(20, 18), "anna.schmidt2": at(27, 18)}
TEAMS = {
    "Team 1": ("ada juergen siobhan", at(17, 20, 15)),
    "Gruppe Ä": ("sean anna.schmidt anna.schmidt2", at(18, 18)),
    "Group_3": ("sammy ahmad noa", at(18, 9)),
    "The Attention": ("long zoe kim.mailname", at(18, 12)),
    "Team 5": ("wang max bob", at(19, 10)),
    "Sölo": ("formula", at(18, 12)),
    "Default group": ("tom team madonna hang ibrahim ada2 nils idle", at(18, 12)),
}
TEAM_NUMBERS = {
    "Team 1": "90213",
    "Gruppe Ä": "90214",
    "Group_3": "90215",
    "The Attention": "90216",
    "Team 5": "90217",
    "Sölo": "90218",
}


@pytest.mark.parametrize(
    "name",
    [
        *("en-individual", "de-individual", "fr-individual", "es-individual"),
        *("en-html-comment", "en-after-upload", "de-after-upload"),
    ],
)
def test_each_row_of_one_assignment_is_the_same_in_four_languages(name):
    worksheet = read_worksheet(DATA / f"moodle-{name}.csv")
    assert worksheet.maximum == 28
    rows = {
        person.email.removesuffix("@example.invalid"): person for person in worksheet.participants
    }
    assert [*rows] == [*CLASS]
    for address, person in rows.items():
        row = person.name, person.number, person.submitted_at, person.status
        assert row == CLASS[address]
        assert person.extension == EXTENSIONS.get(address)
        assert (person.login, person.id_number, person.group, person.due) == ("", "", "", None)


@pytest.mark.parametrize(
    "kind", ["individual", "team", "blind", "overrides", "identity-columns", "after-upload"]
)
def test_english_and_german_rows_of_one_assignment_are_equal(kind):
    assert people(f"en-{kind}") == people(f"de-{kind}")


@pytest.mark.parametrize("name", ["en-team", "de-team", "en-team-4.2.3"])
def test_teams_are_those_of_the_column_group(name):
    rows = {person.email.removesuffix("@example.invalid"): person for person in people(name)}
    found = {team: [who for who in rows if rows[who].group == team] for team in TEAMS}
    assert found == {team: members.split() for team, (members, _) in TEAMS.items()}
    for members, time in TEAMS.values():
        assert {rows[who].submitted_at for who in members.split()} == {time}
    assert {person.status for person in rows.values()} == {"submitted"}
    assert [person.name for person in rows.values()] == [CLASS[who][0] for who in rows]


def test_a_hidden_name_is_no_name():
    rows = people("en-blind")
    assert {(person.name, person.email, person.login) for person in rows} == {("", "", "")}
    assert rows[0].number == "1810188" and len({person.number for person in rows}) == 24
    late = [person.number for person in rows if person.submitted_at == at(19, 10)]
    assert late == ["1810172", "1810191", "1810170", "1810180"]
    assert [p.number for p in rows if p.status == "none" and not p.submitted_at] == ["1810169"]


@pytest.mark.parametrize("name", ["en-overrides", "de-overrides"])
def test_each_student_has_the_due_date_of_the_row(name):
    rows = {person.email.removesuffix("@example.invalid"): person for person in people(name)}
    group = "juergen sean anna.schmidt2 ahmad long max formula team hang ada2 idle".split()
    own = {who: at(19, 18) for who in group} | {"kim.mailname": at(21, 18)}
    for who, person in rows.items():
        time, status = CLASS[who][2:] if who != "idle" else (at(18, 18, 40), "submitted")
        assert (person.due, person.submitted_at, person.status) == (own.get(who, DUE), time, status)
        assert person.extension == EXTENSIONS.get(who)


def test_special_rows_are_read():
    reopened = people("en-onlinetext-reopened")
    assert reopened[0].status == "reopened" and reopened[0].submitted_at == at(28, 13, 11)
    assert Counter(person.status for person in reopened) == {
        "none": 20,
        "submitted": 3,
        "reopened": 1,
    }
    assert reopened[1].submitted_at == at(24, 10)
    late = people("en-draft-then-submitted-late")
    assert (late[-1].status, late[-1].submitted_at) == ("submitted", at(18, 18, 40))
    assert late[:-1] == people("en-individual")[:-1]
    ada = people("en-identity-columns")[0]
    assert (ada.login, ada.id_number, ada.email) == ("ada", "3700137", "ada@example.invalid")
    names = [person.name for person in people("en-last-first")]
    assert names == ["Softmax, Ada", "Müßig-Groß, Jürgen", "O'Connor, Siobhán", "O’Hara, Seán"]
    newyork = people("en-newyork")
    assert (newyork[0].submitted_at, newyork[1].extension) == (at(17, 14, 15), at(20, 12))
    for here, there in zip(people("en-individual"), newyork, strict=True):
        assert (here.submitted_at is None) == (there.submitted_at is None)
        if here.submitted_at:
            assert (here.submitted_at - there.submitted_at).seconds == 6 * 3600
    older = people("en-individual-4.2.3")
    for here, there in zip(people("en-individual"), older, strict=True):
        time = at(18, 17, 59) if here.name == "Team Rocket" else here.submitted_at
        assert there == replace(here, number=there.number, submitted_at=time)
    second = read_worksheet(DATA / "moodle-en-second-assignment.csv")
    assert second.maximum == 30 and {p.submitted_at for p in second.participants} == {at(24, 10)}
    assert {p.number for p in second.participants}.isdisjoint(row[1] for row in CLASS.values())
    scale = read_worksheet(DATA / "moodle-en-scale.csv")
    assert scale.maximum is None and scale.participants[0].submitted_at == at(18, 9)
    workflow = Counter(person.status for person in people("en-workflow"))
    assert workflow == {"submitted": 8, "none": 16}


def test_a_worksheet_without_anybody_has_a_sentence():
    with pytest.raises(
        TableError, match="has no rows: nobody is in it. Download it as somebody who"
    ):
        people(EMPTY)


@pytest.mark.parametrize("path", WORKSHEETS, ids=lambda path: path.stem)
def test_every_row_of_every_file_is_read(path):
    assert len(WORKSHEETS) == 25
    if path.stem == f"moodle-{EMPTY}":
        return
    table = read_table(path)
    participants = read_worksheet(path).participants
    assert len(participants) == len(table.rows) - 1
    for row, person in zip(table.rows[1:], participants, strict=True):
        assert row[0].endswith(person.number) and len(person.number) == 7
        assert person.email in row and person.name in [*row, ""]
        extended = any(
            word in cell
            for cell in row
            for word in ("xtension g", "erlängertes", "rolong", "mpliado")
        )
        assert (person.extension is not None) == extended
        assert (person.submitted_at is None) == (person.status == "none") == (row.count("-") == 2)


def sorted_zip(kind: str) -> list:
    """The submissions in one of the zips."""
    names = [row["name"] for row in ZIPS if row["zip"] == kind]
    files = [File(tuple(name.split("/")), None, "") for name in names]
    layout, contents = sort_by_student(Download("download.zip", files, []), "encoder-layer")
    assert layout.times_in_zip and not contents.without_student
    return contents.handed_in


@pytest.mark.parametrize("form", ["", ", not in folders"])
def test_people_in_a_zip_have_name_and_number(form):
    submissions = sorted_zip(f"individual{form}")
    shown = {number: name_in_zip(name) for name, number, *_ in CLASS.values()}
    del shown[CLASS["idle"][1]]
    assert {one.person.number: one.person.name for one in submissions} == shown
    assert not any(one.team or one.team_number for one in submissions)
    files = {
        one.person.number: sorted(file.student_name for file in one.files) for one in submissions
    }
    own_names = {"1810046": ["encoder_layer_final_v2.ipynb"], "1810045": ["a.ipynb", "b.ipynb"]}
    for number, names in own_names.items():
        assert files[number] == (names if form else [""] * len(names))
    ids = {one.person.number: one.person.student for one in submissions}
    assert (ids["1810040"], ids["1810029"]) == ("ada-softmax-1810040", "moodle-1810029")
    assert ids["1810043"] == "team-rocket-1810043" and len({*ids.values()}) == 23


@pytest.mark.parametrize(
    "kind", ["team", "team, not in folders", "team, German", "team, French", "team, Spanish"]
)
def test_teams_in_a_zip_are_not_told_from_people(kind):
    submissions = {one.person.number: one for one in sorted_zip(kind)}
    numbered = {number: name_in_zip(name) for name, number in TEAM_NUMBERS.items()}
    default = submissions.pop("")
    assert {number: one.person.name for number, one in submissions.items()} == numbered
    assert not any(one.team for one in submissions.values())
    assert (default.team, default.team_number) == ("Default group", "")
    assert default.person == Person("default-group", platform="moodle") and default.files


@pytest.mark.parametrize("kind", ["blind", "blind, German"])
def test_hidden_people_in_a_zip_are_the_same_in_each_language(kind):
    numbers = ["1810179", "1810187", "1810186", "1810173", "1810185"]
    assert [one.person for one in sorted_zip(kind)] == [
        Person(f"participant-{number}", platform="moodle", number=number) for number in numbers
    ]


@pytest.mark.parametrize("form", [" and file", ", not in folders"])
def test_texts_written_in_moodle_are_no_files(form):
    submissions = sorted_zip(f"online text{form}")
    assert {one.person.number for one in submissions} == {
        "1810020",
        "1810017",
        "1810009",
        "1810016",
    }
    assert all(len(one.files) == 1 and "_file" in one.files[0].path for one in submissions)


def test_numbers_in_other_zips_are_those_of_the_worksheets():
    assert {kind: len({one.label for one in sorted_zip(kind)}) for kind in dict.fromkeys(
        row["zip"] for row in ZIPS
    )} == {
        "individual": 23, "individual, not in folders": 23, "team": 7, "team, not in folders": 7,
        "team, German": 7, "team, French": 7, "team, Spanish": 7, "blind": 5, "blind, German": 5,
        "online text and file": 4, "online text, not in folders": 4, "second assignment": 24,
        "one group": 12, "draft, then submitted late": 1, "individual 4.2.3": 23, "team 4.2.3": 7,
    }  # fmt: skip
    for kind, name in (
        ("second assignment", "en-second-assignment"),
        ("individual 4.2.3", "en-individual-4.2.3"),
        ("draft, then submitted late", "en-draft-then-submitted-late"),
    ):
        zipped = {(one.person.number, one.person.name) for one in sorted_zip(kind)}
        assert zipped <= {(person.number, name_in_zip(person.name)) for person in people(name)}
    assert not RECORD.number_lasts("1810040")


def test_a_worksheet_of_another_assignment_is_refused():
    second = read_worksheet(DATA / "moodle-en-second-assignment.csv")
    refuse_other_assignment(second, set())
    refuse_other_assignment(second, {"1810040", "1810204"})
    with pytest.raises(
        AutograderError, match="of another assignment: it has none of the participant"
    ):
        refuse_other_assignment(second, {person.number for person in people("en-individual")})


def page_of(student: str, says: str = "20 points") -> bytes:
    return f"<h1>page of {student}</h1>\n<p>{says}</p>\n".encode()


def give_back(
    name: str, points: dict[str, float], received=None, numbered=True, **pages: bytes
) -> tuple:
    """Export these points by participant; return what is uploaded, and the sentences."""
    path = DATA / f"moodle-{name}.csv"
    grades = []
    for person in people(name):
        if person.number in points:
            student = person.email.partition("@")[0] or f"s{person.number}"
            number = person.number if numbered else ""
            of_moodle = Person(student, person.name, person.email, "moodle", number)
            made = verdict(student, min(points[person.number], 9.5))
            made = msgspec.structs.replace(made, points=points[person.number], max_points=28.0)
            grades.append(Grade(of_moodle, made))
    of_class = ClassGrades("encoder-layer", grades, Path(), path, received=received or {})
    of_class.parts = {grade.student: page_of(grade.student) for grade in grades} | pages
    (sheet, pages), sentences = RECORD.format.write(of_class)
    return sheet, pages, sentences


@pytest.mark.parametrize("numbered", [True, False], ids=["by number", "by address"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_each_language_takes_its_worksheet_back(language, numbered):
    name = f"{language}-individual"
    points = {number: 20 + i / 4 for i, (_, number, *_) in enumerate(CLASS.values()) if i < 20}
    sheet, pages, sentences = give_back(name, points, numbered=numbered)
    moodle = Moodle.of((DATA / f"moodle-{name}.csv").read_bytes())
    moodle.take(sheet)
    assert {number: who["grade"] for number, who in moodle.people.items()} == {
        number: points.get(number) for number in moodle.people
    }
    assert moodle.updated == (20, 20)
    assert "Moodle will report: Updated 20 grades and 20 feedback instances." in sentences
    moodle.take_feedback(pages)
    assert moodle.files["1810040"] == {"feedback.html": page_of("ada")}
    assert moodle.files["1810047"] == {"feedback.html": page_of("bob")}
    assert moodle.files.keys() == points.keys()


@pytest.mark.parametrize("name", ["en-after-upload", "de-after-upload"])
def test_only_rows_that_change_are_uploaded_and_the_tick_is_named(name):
    content = (DATA / f"moodle-{name}.csv").read_bytes()
    moodle = Moodle.of(content)
    before = {number: dict(who) for number, who in moodle.people.items()}
    sheet, _, sentences = give_back(name, {"1810040": 11.5, "1810039": 12.0})
    old = content.decode().splitlines()
    header, *rows = csv.reader(io.StringIO(sheet.decode("utf-8-sig"), newline=""))
    assert sheet.decode().splitlines()[0] == old[0].replace('"', "") or header == next(
        csv.reader(old)
    )
    was = {row[0]: row for row in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))}
    assert len(rows) == 2
    for row in rows:
        assert [i for i, cell in enumerate(row) if cell != was[row[0]][i]] == [4, 9]
        assert row[9].count("Points by exercise") == 1 and "<br> [automatic feedback]" in row[9]
    assert any("Moodle has graded 2 of these before" in one for one in sentences)
    moodle.take(sheet, tick=True)
    changed = [number for number, who in moodle.people.items() if who != before[number]]
    assert changed == ["1810040", "1810039"] and moodle.updated == (2, 2)


def test_a_comment_in_a_row_that_does_not_change_is_left_out():
    sheet, _, _ = give_back("en-html-comment", {"1810040": 20.0})
    assert "Siobhán" not in sheet.decode() and sheet.count(b"\n") == 2


def test_what_marking_workflow_does_is_said():
    _, _, sentences = give_back("en-workflow", {"1810126": 20.0})
    assert any("Marking workflow is on" in one for one in sentences)
    assert not any("workflow" in one for one in give_back("en-individual", {"1810040": 1.0})[2])


@pytest.mark.parametrize("name", ["en-team", "de-team", "en-team-4.2.3"])
def test_a_teams_page_goes_to_its_members_and_to_nobody_else(name):
    rows = {person.email.removesuffix("@example.invalid"): person for person in people(name)}
    received, points = {}, {}
    for i, (team, (members, _)) in enumerate(TEAMS.items()):
        number = TEAM_NUMBERS.get(team, "")
        file = ReceivedFile("", "x.ipynb", team=name_in_zip(team), team_number=number)
        received |= dict.fromkeys(members.split(), file)
        points |= {rows[who].number: 10.0 + i for who in members.split()}
    sheet, pages, sentences = give_back(name, points, received)
    moodle = Moodle.of((DATA / f"moodle-{name}.csv").read_bytes(), teams=TEAM_NUMBERS)
    moodle.take(sheet)
    assert {number: who["grade"] for number, who in moodle.people.items()} == points
    assert [*unzipped(pages)] == [
        f"{name_in_zip(team)}_{number}_assignsubmission_file_/feedback.html"
        for team, number in TEAM_NUMBERS.items()
    ]
    moodle.take_feedback(pages)
    for team in TEAM_NUMBERS:
        members = TEAMS[team][0].split()
        page = {"feedback.html": page_of(members[0])}
        assert [moodle.files.pop(rows[who].number) for who in members] == [page] * len(members)
    assert not moodle.files
    alone = TEAMS["Default group"][0].replace(" ", ", ")
    assert any(f"No page is in the zip for {alone}: " in one for one in sentences)
    assert any("Send these pages in another way." in one for one in sentences)


def test_members_whose_pages_differ_get_none_as_moodle_would_show_one_to_all():
    """What one of them asked, or pays for being late, is not for the others."""
    rows = {person.email.removesuffix("@example.invalid"): person for person in people("en-team")}
    team, number = next(iter(TEAM_NUMBERS.items()))
    members = TEAMS[team][0].split()
    file = ReceivedFile("", "x.ipynb", team=name_in_zip(team), team_number=number)
    points, received = {rows[who].number: 20.0 for who in members}, dict.fromkeys(members, file)
    same = give_back("en-team", points, received)
    assert len(unzipped(same[1])) == 1
    own = {members[0]: page_of(members[0], "You asked why.")}
    sheet, pages, sentences = give_back("en-team", points, received, **own)
    assert unzipped(pages) == {} and sheet == same[0]
    (said,) = (one for one in sentences if "members differ" in one)
    assert ", ".join(members) in said


def test_a_member_of_a_team_whose_number_is_not_known_has_no_page():
    _, pages, sentences = give_back("en-team", {"1810064": 20.0})
    assert unzipped(pages) == {} and any(
        "No page is in the zip for ada:" in one for one in sentences
    )


def test_hidden_people_get_grades_and_pages_by_number():
    sheet, pages, _ = give_back("de-blind", {"1810179": 21.25})
    assert b'"21,25"' in sheet and b"Teilnehmer/in1810179" in sheet
    assert [*unzipped(pages)] == ["Participant_1810179_assignsubmission_file_/feedback.html"]


def test_other_assignments_and_scales_are_not_filled_in():
    second, first = people("en-second-assignment"), people("en-individual")
    grades = [
        Grade(Person("ada", here.name, here.email, "moodle", there.number), verdict("ada", 9.0))
        for here, there in zip(first[:1], second, strict=False)
    ]
    of_class = ClassGrades("layer-norm", grades, Path(), DATA / "moodle-en-individual.csv")
    with pytest.raises(AutograderError, match="is of another assignment"):
        RECORD.format.write(of_class)
    of_class.sheet = DATA / "moodle-en-second-assignment.csv"
    with pytest.raises(
        AutograderError, match="out of 30 points, and the grades of layer-norm are out of"
    ):
        RECORD.format.write(of_class)
    of_class.sheet = DATA / "moodle-en-scale.csv"
    with pytest.raises(AutograderError, match="by a scale"):
        RECORD.format.write(of_class)
