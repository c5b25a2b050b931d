"""Files that a real Moodle wrote (4.5.6 and 4.2.3): worksheets in four languages, names in zips."""

import csv
import io
import unicodedata
from collections import Counter
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from downloads import BOOK, ID, entry, ours, receipts, standing, timestamp, unzipped, zipped
from exports import verdict
from importers import Moodle
from recorded import recorded_rows

from autograder import AutograderError
from autograder.classroom.newest_files import ReceivedFile
from autograder.classroom.records import received
from autograder.classroom.roster import Person
from autograder.gradebook.grades import Grade
from autograder.platforms.download import Download, File
from autograder.platforms.moodle import RECORD
from autograder.platforms.moodle_worksheet import name_in_zip, read_worksheet
from autograder.platforms.platform import ClassGrades
from autograder.platforms.recognise import sort_by_student

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]

DATA = Path(__file__).with_name("data")
NAMES = (DATA / "moodle-zip-names.tsv").read_text(encoding="utf-8")
ZIPS = list(csv.DictReader(NAMES.splitlines(), delimiter="\t"))
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


def real_zip(kind: str) -> list:
    """A zip with the names and times of one that Moodle wrote; each notebook is another one."""
    entries = []
    for row in ZIPS:
        if row["zip"] == kind:
            when = datetime.fromisoformat(row["time in the zip"]).timetuple()[:6]
            name = row["name"].replace("encoder-layer", ID)
            data = ours(row["name"]) if name.endswith(".ipynb") else b"text"
            data = zipped({f"work/{BOOK}": ours("in a zip")}) if name.endswith(".zip") else data
            entries.append((entry(name, when), data))
    return entries


def in_utc(when: datetime, zone: str = "Europe/Berlin") -> datetime:
    return when.replace(tzinfo=ZoneInfo(zone)).astimezone(ZoneInfo("UTC")).replace(tzinfo=None)


@pytest.fixture
def collect_real(collect, into):
    """Collect a zip with a worksheet; return status, sentences, and the people by address."""

    def run(kind: str, name: str, zone: str = "Europe/Berlin"):
        words = ["--worksheet", DATA / f"moodle-{name}.csv"] if name else []
        status, said = collect(real_zip(kind), words=words, zone=zone)
        rows = recorded_rows(into, received.CoursePerson)
        return status, said, {row.email.removesuffix("@example.invalid"): row for row in rows}

    return run


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_each_person_has_the_time_the_status_and_the_extension_of_the_worksheet(
    collect_real, into, language
):
    status, said, known = collect_real("individual", f"{language}-individual")
    assert status == 3 and said.count("2 notebooks could be meant") == 1, "Tom's alone"
    assert "Drafts, which are not graded" in said
    assert {who: (row.name, row.number) for who, row in known.items()} == {
        who: (name, number) for who, (name, number, *_) in CLASS.items()
    }
    times = {row["student"]: row["submitted_at"] for row in receipts(into)}
    for who, (_, _, when, state) in CLASS.items():
        student, granted = known[who].student, EXTENSIONS.get(who)
        assert known[who].granted_until == (granted and in_utc(granted))
        if state != "submitted":
            assert student not in standing(into), "a draft, or nothing"
        else:
            assert times[student] == in_utc(when)
        if state == "submitted" and who != "tom":
            assert timestamp(into, student) == f"{in_utc(when):%F %T} UTC"


@pytest.mark.parametrize("language", ["en", "de"])
def test_own_due_dates_are_granted(collect_real, language):
    known = collect_real("individual", f"{language}-overrides")[2]
    group = "juergen sean anna.schmidt2 ahmad long max formula team hang ada2 idle".split()
    own = {who: at(19, 18) for who in group} | {"kim.mailname": at(21, 18)}
    for who, person in known.items():
        assert person.granted_until == in_utc(max(own.get(who, DUE), EXTENSIONS.get(who, DUE)))


def test_times_of_a_profile_elsewhere_are_the_same(collect_real, into):
    collect_real("individual", "en-newyork", "America/New_York")
    there = {row["student"]: row["submitted_at"] for row in receipts(into)}
    collect_real("individual", "en-individual")
    assert {row["student"]: row["submitted_at"] for row in receipts(into)} == there


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("team", "en-team"),
        ("team, German", "de-team"),
        ("team, not in folders", "en-team"),
        ("team, French", "en-team"),
        ("team 4.2.3", "en-team-4.2.3"),
    ],
)
def test_teams_have_the_members_and_the_time_of_the_worksheet(collect_real, into, kind, name):
    status, said, known = collect_real(kind, name)
    assert status == 0, said
    members = recorded_rows(into, received.GroupMember)
    students = {person.student: who for who, person in known.items()}
    assert {*standing(into)} == {member.group for member in members} and len(TEAMS) == 7
    for team, (names, when) in TEAMS.items():
        of_team = [member for member in members if member.name == team]
        assert {students[member.student] for member in of_team} == {*names.split()}
        assert {timestamp(into, one.group) for one in of_team} == {f"{in_utc(when):%F %T} UTC"}


def test_a_draft_that_was_submitted_late_has_the_time_of_its_submission(collect_real, into):
    """The file in the zip is of 17:30; it was submitted at 18:40, as Moodle's worksheet knows."""
    for name, time in (("", "16:30:00"), ("en-draft-then-submitted-late", "17:40:00")):
        collect_real("draft, then submitted late", name)
        (student,) = standing(into)
        assert timestamp(into, student) == f"2026-11-18 {time} UTC"


def test_a_hidden_name_is_no_name():
    assert {(one.name, one.email, one.login) for one in people("en-blind")} == {("", "", "")}
    assert people("en-blind") == people("de-blind")


def test_special_rows_are_read():
    reopened = people("en-onlinetext-reopened")
    assert reopened[0].status == "reopened" and reopened[0].submitted_at == at(28, 13, 11)
    for language in ("en", "de"):
        ada = people(f"{language}-identity-columns")[0]
        assert (ada.login, ada.id_number, ada.email) == ("ada", "3700137", "ada@example.invalid")
    names = [person.name for person in people("en-last-first")]
    assert names == ["Softmax, Ada", "Müßig-Groß, Jürgen", "O'Connor, Siobhán", "O’Hara, Seán"]
    older = people("en-individual-4.2.3")
    assert [person.name for person in older] == [name for name, *_ in CLASS.values()]
    workflow = Counter(person.status for person in people("en-workflow"))
    assert workflow == {"submitted": 8, "none": 16}
    scale = read_worksheet(DATA / "moodle-en-scale.csv")
    assert scale.maximum is None and scale.participants[0].submitted_at == at(18, 9)
    second = read_worksheet(DATA / "moodle-en-second-assignment.csv")
    assert second.maximum == 30 and {one.submitted_at for one in second.participants} == {
        at(24, 10)
    }
    with pytest.raises(AutograderError, match="has no rows: nobody is in it. Download it as"):
        people("en-workflow-none-allocated")


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
    assert not RECORD.number_lasts("1810040")


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


def page_of(student: str, says: str = "20 points") -> bytes:
    return f"<h1>page of {student}</h1>\n<p>{says}</p>\n".encode()


def give_back(
    name: str, points: dict[str, float], files=None, numbered=True, **pages: bytes
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
    of_class = ClassGrades("encoder-layer", grades, Path(), path, received=files or {})
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
