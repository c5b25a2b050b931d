"""Facts add up: the best source of each counts, in whichever run of `collect` it came."""

import csv
import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import StringIO
from zoneinfo import ZoneInfo

import pytest
from downloads import BOOK, COURSE, ID, METADATA, entry, ours, standing, timestamp, zipped
from nbgrader.api import Gradebook
from recorded import receipts

from autograder._commands.main import main
from autograder.classroom.newest_files import newest_files
from autograder.classroom.records.received import granted_until, received_of
from autograder.classroom.roster import read_remembered, read_roster
from autograder.engine.courses.assignment import assignments
from autograder.engine.courses.course import read_course
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse

pytestmark = pytest.mark.usefixtures("read_without_fork")

ADA, BEN = ("Ada Softmax", "1810040", "ada@uni.example"), ("Ben Mask", "1810041", "ben@uni.example")
HEADER = [
    "Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade",
    "Grade can be changed", "Last modified (submission)", "Last modified (grade)", "Feedback comments",
]  # fmt: skip
SUBMITTED, DRAFT = "Submitted for grading -  - ", "Draft (not submitted) -  - "


def in_words(when: datetime) -> str:
    return f"{when:%A, {when.day} %B %Y, %I:%M %p}"


def worksheet(path, *rows, group=False, due=False):
    """Write a grading worksheet of Moodle's: rows of a person, a status, a time, and what follows."""
    extra = ["Group"] * group + ["Due date"] * due
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow([*HEADER[:4], *extra, *HEADER[4:]])
        for (name, number, email), status, when, *more in rows:
            time = in_words(when) if when else "-"
            person = f"Participant {number}", name, email, status
            table.writerow([*person, *more, "", "28.00", "Yes", time, "-", ""])
    return path


def moodle(*submissions) -> bytes:
    """Moodle's zip: a person's name and number, the file's time, and the notebook's mark."""
    return zipped(
        [
            (
                entry(f"{name}_{number}_assignsubmission_file/{BOOK}", when.timetuple()[:6]),
                ours(mark),
            )
            for (name, number, *_), when, mark in submissions
        ]
    )


FIRST, SECOND = datetime(2026, 11, 17, 20, 15), datetime(2026, 11, 18, 17, 30)
MOODLE_SAYS = {1: FIRST + timedelta(minutes=5), 2: SECOND + timedelta(minutes=70)}  # a draft before
ZIPS = {1: moodle((ADA, FIRST, 1)), 2: moodle((ADA, SECOND, 2))}


def expected(runs) -> tuple[int, datetime]:
    """The version that counts after these runs, and its time in UTC, calculated anew."""
    times = {}
    for version in {version for version, _, _ in runs}:
        mine = [(sheet, zone) for seen, sheet, zone in runs if seen == version]
        with_sheet = [(zone) for sheet, zone in mine if sheet]
        written = MOODLE_SAYS[version] if with_sheet else (FIRST, SECOND)[version - 1]
        zones = [zone for zone in (with_sheet or [zone for _, zone in mine]) if zone]
        zone = ZoneInfo(zones[-1] if zones else "UTC")
        times[version] = written.replace(tzinfo=zone).astimezone(UTC)
    best = max(times, key=lambda version: times[version])
    return best, times[best]


@pytest.mark.parametrize("seed", range(12))
def test_any_order_of_runs_ends_with_the_facts_of_the_best_sources(collect, into, tmp_path, seed):
    choice = random.Random(seed)
    sheets = {v: worksheet(tmp_path / f"{v}.csv", (ADA, SUBMITTED, MOODLE_SAYS[v])) for v in (1, 2)}
    zones = [None, "Europe/Berlin", "America/New_York"]
    runs = []
    for _ in range(choice.randint(2, 5)):
        version, with_sheet, zone = (
            choice.choice((1, 2)),
            choice.random() < 0.5,
            choice.choice(zones),
        )
        words = ["--worksheet", sheets[version]] if with_sheet else []
        status, said = collect(ZIPS[version], words=words, zone=zone)
        runs.append((version, with_sheet, zone))
        assert status == 0, said
        (student,) = standing(into)
        best, when = expected(runs)
        assert standing(into)[student] == ours(best), runs
        assert timestamp(into, student) == f"{when:%F %T} UTC", runs
        if version == best:
            printed = when.astimezone(ZoneInfo(zone or "UTC"))
            assert f"{printed:%Y-%m-%d %H:%M}" in said, "what is printed is what is stored"
        (row,) = [
            row for row in receipts(into, ID) if row["submitted_at"] == when.replace(tzinfo=None)
        ]
        assert row["student"] == student


def test_of_two_files_with_one_worksheet_the_one_that_was_stored_later_counts(
    collect, into, tmp_path
):
    """Also if the older one comes last, in a download from before."""
    sheet = worksheet(tmp_path / "new.csv", (ADA, SUBMITTED, MOODLE_SAYS[2]))
    for version in (2, 1):
        assert collect(ZIPS[version], words=["--worksheet", sheet])[0] == 0
    assert [*standing(into).values()] == [ours(2)]


@pytest.fixture
def collect_sheet(capfd, tmp_path):
    """Collect the people's notebooks of one of the course's assignments, with a worksheet in which
    they have other numbers than in the next; return its students.
    """
    course = read_course(COURSE.parents[1])
    ids = [*assignments(course)][:2]
    into = tmp_path / "submitted"

    def run(which: int, people, *more) -> dict:
        id = ids[which]
        source = (course.source / id / f"{id}.ipynb").read_bytes()
        people = [(name, str(int(number) + 164 * which), email) for name, number, email in people]
        sheet = worksheet(tmp_path / "sheet.csv", *((one, SUBMITTED, FIRST) for one in people))
        files = {
            f"{name}_{number}_assignsubmission_file/{id}.ipynb": source
            for name, number, _ in people
        }
        (tmp_path / "moodle.zip").write_bytes(zipped(files))
        words = ["--course", COURSE.parents[1], "--into", into, "--assignment", id, *more]
        download = str(tmp_path / "moodle.zip")
        status = main(["collect", download, *map(str, words), "--worksheet", str(sheet)])
        assert status == 0, capfd.readouterr()
        return read_roster(into, id)

    return run


PEOPLE = ADA, BEN, ("Ben Mask", "1810099", "ben2@uni.example")  # another Ben


def test_the_same_people_in_the_next_assignment_are_the_same_students(collect_sheet):
    first, second = (collect_sheet(which, PEOPLE) for which in (0, 1))
    assert [*first] == [*second] and len(first) == 3
    assert all(first[student].number != second[student].number for student in first)


def test_ids_stay_whichever_assignment_is_collected_again(collect_sheet):
    first = collect_sheet(0, PEOPLE)
    for which in (1, 0, 1, 0):
        assert [*collect_sheet(which, PEOPLE)] == [*first]


def test_people_of_ilias_and_gradescope_are_the_same_in_the_next_assignment(collect, into):
    """Logins may end alike, and two may begin their addresses alike."""
    ilias = {
        f"Sheet/Abgaben/Muster_Max_max_muster_4721/{BOOK}": ours(1),
        f"Sheet/Abgaben/Muster_Erika_erika_muster_4722/{BOOK}": ours(2),
        f"Sheet/Abgaben/___________wang_4718/{BOOK}": ours(3),
    }
    assert collect(ilias)[0] == 0
    assert set(standing(into)) == {"ilias-4721", "ilias-4722", "ilias-4718"}
    gradescope = {
        "x/submission_metadata.yml": METADATA.encode(),
        f"x/submission_456/{BOOK}": ours(4),
        f"x/submission_457/{BOOK}": ours(5),
    }
    assert "`submission_458` is nobody's" in collect(gradescope)[1]
    again = {
        "x/submission_metadata.yml": METADATA.replace("submission_45", "submission_99").encode(),
        f"x/submission_996/{BOOK}": ours(6),
        f"x/submission_997/{BOOK}": ours(7),
    }
    collect(again)
    assert {"0042", "ben@uni.example", "ben@other.example"} < set(standing(into))
    assert len(standing(into)) == 6


TEAM_ROWS = [
    (ADA, SUBMITTED, FIRST, "Team_1"),
    (BEN, SUBMITTED, FIRST, "Team_1"),
    (("Cleo Head", "1810042", "cleo@uni.example"), SUBMITTED, SECOND, "Default group"),
]


def test_a_teams_members_come_from_the_worksheet(collect, into, tmp_path):
    """Also if the worksheet comes later: the zip names no member, and the team's number alone."""
    download = {
        f"Team 1_90213_assignsubmission_file/{BOOK}": ours("team"),
        f"Standard-Gruppe_assignsubmission_file/{BOOK}": ours("others"),
    }
    assert collect(download)[0] == 0
    sheet = worksheet(tmp_path / "sheet.csv", *TEAM_ROWS, group=True)
    status, said = collect(download, words=["--worksheet", sheet])
    assert status == 0, said
    assert standing(into) == {"Team_1": ours("team"), "default-group": ours("others")}
    assert timestamp(into, "Team_1") == f"{FIRST:%F %T} UTC"
    assert {person.name for person in read_roster(into, ID).values()} == {
        "Ada Softmax", "Ben Mask", "Cleo Head",
    }  # fmt: skip
    assert collect(download)[0] == 0, "a poorer run removes nothing"
    assert set(standing(into)) == {"Team_1", "default-group"}
    moved = [TEAM_ROWS[0], (*TEAM_ROWS[1][:3], "Default group"), TEAM_ROWS[2]]
    worksheet(sheet, *moved, group=True)
    said = collect(download, words=["--worksheet", sheet])[1]
    who = "ben-mask-1810041 from Team_1 to default-group"
    assert f"The team has changed since the last worksheet: {who}." in said
    assert "has changed" not in collect(download, words=["--worksheet", sheet])[1]


def test_drafts_are_listed_and_graded_only_if_asked_for(collect, into, tmp_path):
    sheet = worksheet(tmp_path / "s.csv", (ADA, DRAFT, FIRST), (BEN, SUBMITTED, FIRST))
    download = moodle((ADA, FIRST, 1), (BEN, FIRST, 2))
    status, said = collect(download, words=["--worksheet", sheet])
    assert status == 0 and "Drafts, which are not graded: ada-softmax-1810040" in said
    assert [*standing(into)] == ["ben-mask-1810041"]
    collect(download, words=["--worksheet", sheet, "--drafts"])
    assert len(standing(into)) == 2


def test_a_worksheet_of_another_assignment_is_refused(collect, into, tmp_path):
    other = [(name, str(int(number) + 164), email) for name, number, email in (ADA, BEN)]
    sheet = worksheet(tmp_path / "s.csv", *((one, SUBMITTED, FIRST) for one in other))
    status, said = collect(moodle((ADA, FIRST, 1)), words=["--worksheet", sheet])
    assert status == 2 and said.count("\n") == 1 and "is of another assignment" in said
    assert standing(into) == {}


def test_a_worksheet_is_a_roster_for_its_assignment(collect, into, tmp_path):
    sheet = worksheet(
        tmp_path / "s.csv", (ADA, SUBMITTED, FIRST), (BEN, "No submission -  - ", None)
    )
    stranger = "Mallory", "1810099", ""
    download = moodle((ADA, FIRST, 1), (stranger, FIRST, 2))
    status, said = collect(download, words=["--worksheet", sheet])
    assert status == 3 and "is not in the grading worksheet" in said
    assert [*standing(into)] == ["ada-softmax-1810040"]
    assert [person.name for person in read_remembered(into, ID)] == ["Ada Softmax", "Ben Mask"]


def test_a_dry_run_writes_nothing(collect, into):
    status, said = collect(ZIPS[1], words=["--dry-run"])
    assert status == 0 and "1 placed" in said and "Nothing was written" in said
    assert not into.exists() and not (into.parent / "records.db").exists()
    collect(ZIPS[1])
    before = (into.parent / "records.db").read_bytes()
    assert "1 newer than before" in collect(ZIPS[2], words=["--dry-run"])[1]
    assert (into.parent / "records.db").read_bytes() == before
    assert [*standing(into).values()] == [ours(1)]


def test_the_last_run_can_be_undone_and_the_one_before(collect, into):
    collect(ZIPS[1])
    collect(ZIPS[2], {"lost.ipynb": ours(9)}, words=["--platform", "moodle"])
    assert [*standing(into).values()] == [ours(2)]
    status, said = collect(words=["--undo"])
    assert status == 0 and "ada-softmax-1810040" in said, said
    assert [*standing(into).values()] == [ours(1)]
    assert timestamp(into, "ada-softmax-1810040") == f"{FIRST:%F %T} UTC"
    assert not (into.parent / f"unmatched-{ID}.csv").exists()
    assert collect(words=["--undo"])[0] == 0 and standing(into) == {}
    status, said = collect(words=["--undo"])
    assert status == 2 and "Nothing was collected" in said


def test_records_of_an_earlier_version_get_the_columns_that_are_new(collect, into):
    collect(ZIPS[1])
    with closing(sqlite3.connect(into.parent / "records.db")) as file, file:
        file.execute("ALTER TABLE submission_owners DROP COLUMN notebook")
        file.execute("ALTER TABLE received_sightings DROP COLUMN name")
        file.execute("DROP TABLE staff_times")
        file.execute("UPDATE records_version SET version = 1")
    received = received_of(into, ID, "ada-softmax-1810040")
    assert [notebook for _, notebook, *_ in received] == [ours(1)]
    assert collect(ZIPS[2])[0] == 0
    assert [*standing(into).values()] == [ours(2)] and len(receipts(into, ID)) == 2


def test_a_person_is_asked_before_anything_is_written(collect, into, monkeypatch):
    monkeypatch.setattr("autograder._commands.terminal.is_there_to_answer", lambda: True)
    monkeypatch.setattr("sys.stdin", StringIO("no\n"))
    assert "Nothing was changed" in collect(ZIPS[1])[1] and standing(into) == {}
    monkeypatch.setattr("sys.stdin", StringIO("y\n"))
    assert collect(ZIPS[1])[0] == 0 and [*standing(into).values()] == [ours(1)]


def test_two_platforms_in_one_command_need_a_word(collect, into):
    canvas = {f"softmaxada_5_100_{BOOK}": ours(3)}
    status, said = collect(ZIPS[1], canvas)
    assert status == 2 and "canvas and moodle" in said and standing(into) == {}
    assert collect(ZIPS[1], canvas, words=["--yes"])[0] == 0


def test_a_roster_of_an_earlier_run_still_counts(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student,name,email\n0042,Ada Softmax,ada@uni.example\n")
    assert collect(moodle((ADA, FIRST, 1)), words=["--roster", roster])[0] == 0
    status, said = collect(moodle((ADA, SECOND, 2), (BEN, SECOND, 3)))
    assert status == 3 and "`Ben Mask_1810041` is not in `course.csv`" in said
    assert standing(into) == {"0042": ours(2)}


@pytest.mark.parametrize("first", [True, False])
def test_a_roster_gives_the_ids_also_if_it_comes_later(collect, into, tmp_path, first):
    roster = tmp_path / "course.csv"
    roster.write_text("student,name,email\n0042,Ada Softmax,ada@uni.example\n")
    words = [["--roster", roster], []]
    for more in words if first else reversed(words):
        collect(moodle((ADA, FIRST, 1)), words=more)
    assert standing(into) == {"0042": ours(1)}


def test_rows_of_a_roster_that_contradict_each_other_are_reported(collect, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student,name,email\na,Ada,x@y\na,Ada,x@y\nb,Ben,X@y\n")
    said = collect(moodle((ADA, FIRST, 1)), words=["--roster", roster])[1]
    assert "has the same row twice: a" in said and "a and b have one address, x@y" in said


def test_who_was_chosen_once_is_known_in_the_next_download(collect, into, tmp_path):
    """Staff said who the number 6 is; its next upload needs no word."""
    roster = tmp_path / "course.csv"
    roster.write_text("student,name\n0042,Ada Softmax\n0043,Ben Mask\n")
    collect({f"maskben_6_100_{BOOK}": ours(1)}, words=["--roster", roster])
    table = into.parent / f"unmatched-{ID}.csv"
    choices = tmp_path / "choices.csv"
    choices.write_text(table.read_text().rstrip("\r\n") + "42\n")
    said = collect(words=["--resolve", choices])[1]
    assert "is `0042` meant?" in said
    choices.write_text(table.read_text().rstrip("\r\n") + "0043\n")
    assert collect(words=["--resolve", choices])[0] == 0
    assert collect({f"maskben_6_101_{BOOK}": ours(2)})[0] == 0
    assert standing(into) == {"0043": ours(2)}
    assert read_roster(into, ID)["0043"].number == "6"
    assert read_roster(into, ID)["0043"].name == "Ben Mask"


def test_what_an_earlier_version_received_is_imported_once(collect, into, earlier_lists):
    assert collect(ZIPS[2])[0] == 0
    assert not (into / ".received").exists() and (into / ".received-imported").is_dir()
    assert standing(into) == {"ada-softmax-1810040": ours(2), "cleo": ours("chosen")}
    assert {row["student"] for row in receipts(into, ID)} == {"ada-softmax-1810040", "cleo"}
    table = (into.parent / f"unmatched-{ID}.csv").read_text()
    assert "It is nobody's." in table and table.count("old.zip") == 1


def test_a_team_is_told_from_a_person_whose_number_is_the_teams(collect, into, tmp_path):
    sheet = worksheet(tmp_path / "sheet.csv", *TEAM_ROWS, group=True)
    download = {f"Team 1_{ADA[1]}_assignsubmission_file/{BOOK}": ours("team")}
    assert collect(download, words=["--worksheet", sheet])[0] == 0
    assert standing(into) == {"Team_1": ours("team")}


def test_an_entry_of_canvas_for_a_group_is_the_groups(collect, into, copied):
    """Its number is one member's, who need not have uploaded it."""
    (copied.course.root / "groups.csv").write_text("student,group\nada,Team 8\nben,Team 8\n")
    download = {f"team8_501003_900202_{BOOK}": ours(1), f"kerneva_501016_900116_{BOOK}": ours(2)}
    status, said = collect(download, words=["--course", copied.course.root])
    assert status == 0, said
    assert standing(into) == {"team-8": ours(1), "kerneva-501016": ours(2)}


def test_of_an_ilias_student_the_newest_upload_counts(collect, into):
    """ILIAS keeps every upload: the highest number is the newest, whatever the name is."""
    folder = "Layer_Norm/Submissions/Softmax_Ada_asoftmax_4711"
    for name in (ID, "my work"):
        files = {f"{folder}/{name}.ipynb": ours(1), f"{folder}/{name} (2).ipynb": ours(2)}
        files[f"{folder}/Late Submission - {name} (3).ipynb"] = ours(f"{name} 3")
        status, said = collect(files)
        assert status == 0 and "late" in said
        assert standing(into) == {"asoftmax": ours(f"{name} 3")}


def test_a_run_on_which_a_mark_depends_is_not_undone(collect, into, copied):
    collect(ZIPS[1], words=["--course", copied.course.root])
    folders = NbgraderCourse(copied.course)
    folders.register(copied)
    student = "ada-softmax-1810040"
    with Gradebook(folders.db_url) as book:
        book.add_student(student)
        submission = book.add_submission(ID, student)
        grade = submission.notebooks[0].grades[0]
        grade.manual_score = 1.0
        book.db.commit()
    words = ["--undo", "--course", copied.course.root]
    status, said = collect(words=words)
    assert status == 2 and f"{student}: marks were given by hand" in said
    assert [*standing(into).values()] == [ours(1)] and len(receipts(into, ID)) == 1
    with Gradebook(folders.db_url) as book:
        book.find_submission(ID, student).notebooks[0].grades[0].manual_score = None
        book.db.commit()
    assert collect(words=words)[0] == 0 and standing(into) == {}


def test_teams_are_known_by_the_courses_table_where_all_names_are_groups(collect, into, copied):
    """A name alone says nothing: a person may be called so."""
    (copied.course.root / "groups.csv").write_text("student,group\nada,Team 1\nben,Team 2\n")
    words = ["--course", copied.course.root]
    teams = {f"Team {n}_9021{n}_assignsubmission_file/{BOOK}": ours(n) for n in (1, 2)}
    person = {f"Team 1_90299_assignsubmission_file/{BOOK}": ours("mine")}
    assert collect(person, words=words)[0] == 0 and set(standing(into)) == {"team-1-90299"}
    assert collect(teams, words=words)[0] == 0
    assert standing(into) == {"team-1": ours(1), "team-2": ours(2), "team-1-90299": ours("mine")}


def test_people_whose_names_moodle_hides_are_placed_beside_a_roster(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student,name,email\n0042,Ada Softmax,ada@uni.example\n")
    hidden = ("", ADA[1], "")
    sheet = worksheet(tmp_path / "s.csv", (hidden, SUBMITTED, FIRST))
    download = {f"Participant_{ADA[1]}_assignsubmission_file/{BOOK}": ours(1)}
    assert collect(download, words=["--roster", roster])[0] == 3
    assert collect(download, words=["--worksheet", sheet])[0] == 0
    assert standing(into) == {f"participant-{ADA[1]}": ours(1)}


def test_what_goes_back_to_a_team_has_the_teams_number(collect, into, tmp_path):
    """A member's number would give the page to nobody, or to strangers."""
    sheet = worksheet(tmp_path / "sheet.csv", *TEAM_ROWS, group=True)
    download = {
        f"Team 1_90213_assignsubmission_file/{BOOK}": ours("team"),
        f"Default group_assignsubmission_file/{BOOK}": ours("others"),
    }
    assert collect(download, words=["--worksheet", sheet])[0] == 0
    files = newest_files(into, ID, "moodle")
    assert {(file.team, file.team_number, file.number) for file in files.values()} == {
        ("Team_1", "90213", ""), ("Default group", "", ""),
    }  # fmt: skip


def teams_of(into) -> dict[str, tuple[str, str]]:
    """Name and number of each team to which something goes back."""
    files = newest_files(into, ID, "moodle")
    return {group: (file.team, file.team_number) for group, file in files.items()}


def test_a_renamed_team_keeps_its_id_and_its_submission(collect, into, tmp_path):
    """By its number, also if two teams exchange names, or a new team gets the name of before."""
    people = [(f"Student {n}", str(n), f"s{n}@uni.example") for n in range(1, 7)]

    def run(*names: str, submitted: str = "123") -> str:
        """The teams' names in the order of their numbers; who is in it has another number."""
        rows = [(people[-n], SUBMITTED, FIRST, name) for n, name in enumerate(names, 1)]
        sheet = worksheet(tmp_path / "sheet.csv", *rows, group=True)
        download = {
            f"{name}_{n}_assignsubmission_file/{BOOK}": ours(f"team {n}")
            for n, name in enumerate(names, 1)
            if str(n) in submitted
        }
        status, said = collect(download, words=["--worksheet", sheet])
        assert status == 0, said
        return said

    run("Team A", "Team B", "Team C")
    before = standing(into)
    assert {*before} == {"team-a", "team-b", "team-c"}
    run("Gradient Gang", "Team C", "Team B")
    assert standing(into) == before
    assert "3 unchanged" in run("Gradient Gang", "Team C", "Team B", "Team A")
    assert standing(into) == before
    assert teams_of(into) == {
        "team-a": ("Gradient Gang", "1"), "team-b": ("Team C", "2"), "team-c": ("Team B", "3"),
    }  # fmt: skip
    run("Gradient Gang", "Team C", "Team B", "Team A", submitted="1234")
    now = standing(into)
    assert now.items() > before.items()
    assert [now[id] for id in now.keys() - before] == [ours("team 4")]
    for _ in range(3):
        assert collect(words=["--undo"])[0] == 0
    assert standing(into) == before
    assert teams_of(into)["team-a"] == ("Team A", "1")


@pytest.mark.parametrize("collides", [True, False])
def test_what_a_team_sent_that_has_no_members_now_is_nobodys(collect, into, tmp_path, collides):
    """Also if a member of another team has the number of the team."""
    jon = "Jon Jacobi", "5" if collides else "77", "jon@uni.example"
    gus = "Gus Gradient", "9", "gus@uni.example"
    sheet = worksheet(
        tmp_path / "sheet.csv", (gus, SUBMITTED, FIRST, "Delta"), (jon, SUBMITTED, SECOND, "Solo"),
        group=True,
    )  # fmt: skip
    words = ["--worksheet", sheet]
    delta = {f"Delta_4_assignsubmission_file/{BOOK}": ours("delta")}
    solo = {f"Solo_5_assignsubmission_file/{BOOK}": ours("solo")}
    assert collect(delta | solo, words=words)[0] == 0
    assert standing(into) == {"Delta": ours("delta"), "Solo": ours("solo")}
    worksheet(sheet, (gus, SUBMITTED, FIRST, "Delta"), (jon, SUBMITTED, FIRST, "Delta"), group=True)
    status, said = collect(delta | solo, words=words)
    assert status == 3 and "`Solo_5` is of the team `Solo`, which the newest" in said, said
    assert standing(into) == {"Delta": ours("delta")}
    choices = tmp_path / "choices.csv"
    table = into.parent / f"unmatched-{ID}.csv"
    choices.write_text(table.read_text().rstrip("\r\n") + "Delta\n")
    collect(words=["--resolve", choices])
    assert standing(into) == {"Delta": ours("solo")}
    assert teams_of(into) == {"Delta": ("Delta", "4")}, "the page goes to the team itself"


def test_a_poorer_worksheet_takes_nobody_away(collect, into, tmp_path):
    """A tutor's has no addresses, and a blind one no names."""
    roster = tmp_path / "course.csv"
    roster.write_text("student,email\n0042,ada@uni.example\n")
    download = moodle((ADA, FIRST, 1))
    sheets = [
        worksheet(tmp_path / f"{n}.csv", ((name, ADA[1], email), SUBMITTED, FIRST))
        for n, (name, email) in enumerate([(ADA[0], ADA[2]), (ADA[0], ""), ("", "")])
    ]
    assert collect(download, words=["--worksheet", sheets[0], "--roster", roster])[0] == 0
    for sheet in sheets[1:]:
        assert collect(download, words=["--worksheet", sheet])[0] == 0
        assert standing(into) == {"0042": ours(1)}


def test_the_newest_worksheet_says_until_when_a_student_may_submit(collect, into, tmp_path):
    """An extension that is shortened or withdrawn in Moodle does not count any longer."""
    download, until = moodle((ADA, FIRST, 1), (BEN, FIRST, 2)), []
    for day in (2, 1, None):
        extended = f" - Extension granted until: {in_words(FIRST + timedelta(day))}" if day else ""
        rows = (ADA, f"{SUBMITTED[:-6]}{extended} -  - ", FIRST), (BEN, SUBMITTED, FIRST)
        sheet = worksheet(tmp_path / "s.csv", *(rows if day != 1 else rows[:1]))
        status, said = collect(download, words=["--worksheet", sheet])
        assert status == 0, said
        until.append(granted_until(into).get(("ada-softmax-1810040", ID)))
        assert ("changed the extension of ada-softmax-1810040 (" in said) is (day != 2)
    assert until == [FIRST + timedelta(2), FIRST + timedelta(1), None]
    assert "(none)" in said
    collect(download)
    assert not granted_until(into), "a run without a worksheet changes nothing"


def test_rosters_add_up(collect, into, tmp_path):
    """A newer one with other columns takes nothing away, and its cells win."""
    rosters = [
        "student,name,email,group\n0042,Ada Softmax,ada@uni.example,Pair\n0043,Ben Mask,ben@uni.example,Pair\n",
        "student,section\n0042,T1\n0043,T2\n",
        "student,platform,number\n0042,canvas,5\n0043,canvas,6\n",
    ]
    people = moodle((ADA, FIRST, 1))
    for n, text in enumerate(rosters):
        roster = tmp_path / f"course-{n}.csv"
        roster.write_text(text)
        status, said = collect(people, words=["--roster", roster])
        assert status == 0, said
        assert standing(into) == {"Pair": ours(1)}
    assert {person.section for person in read_roster(into, ID).values()} == {"T1", "T2"}
    assert collect({f"softmaxada_5_900_{BOOK}": ours(2)}, words=["--yes"])[0] == 0


def test_a_roster_whose_zeros_a_spreadsheet_removed_is_refused(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student,name,email\n0042,Ada Softmax,ada@uni.example\n")
    assert collect(moodle((ADA, FIRST, 1)), words=["--roster", roster])[0] == 0
    roster.write_text("student;name;email\n42;Ada Softmax;ada@uni.example\n;;\n")
    status, said = collect(moodle((ADA, FIRST, 1)), words=["--roster", roster])
    assert status == 2 and "has `42`, and an earlier roster `0042`" in said, said
    assert standing(into) == {"0042": ours(1)}


def test_empty_rows_at_the_end_of_a_roster_are_nobody(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student;name;email\n0042;Ada Softmax;ada@uni.example\n;;\n;;\n")
    assert collect(moodle((ADA, FIRST, 1)), words=["--roster", roster])[0] == 0
    assert standing(into) == {"0042": ours(1)}


@pytest.mark.parametrize("group", [True, False])
def test_another_worksheet_is_refused_in_every_run(collect, into, tmp_path, group):
    more = ["Team 1"] * group
    sheet = worksheet(tmp_path / "s.csv", (ADA, SUBMITTED, FIRST, *more), group=group)
    name, number = ("Team 1", "90213") if group else ADA[:2]
    download = {f"{name}_{number}_assignsubmission_file/{BOOK}": ours(1)}
    assert collect(download, words=["--worksheet", sheet])[0] == 0
    before = standing(into)
    table = tmp_path / "choices.csv"
    collect({"lost.ipynb": ours(9)}, words=["--platform", "moodle"])
    table.write_bytes((into.parent / f"unmatched-{ID}.csv").read_bytes().rstrip() + b"-\r\n")
    other = ADA[0], str(int(ADA[1]) + 164), ADA[2]
    worksheet(sheet, (other, SUBMITTED, SECOND, *more), group=group)
    for words in (["--worksheet", sheet], ["--resolve", table, "--worksheet", sheet]):
        downloads = [] if "--resolve" in words else [download]
        status, said = collect(*downloads, words=words)
        assert status == 2 and "is of another assignment" in said, said
        assert standing(into) == before


def test_worksheets_of_separate_groups_add_up(collect, into, tmp_path):
    """Each tutor of a course with separate groups downloads another part of the class."""
    for n, person in enumerate((ADA, BEN)):
        sheet = worksheet(tmp_path / "s.csv", (person, SUBMITTED, FIRST))
        assert collect(moodle((person, FIRST, n)), words=["--worksheet", sheet])[0] == 0
    assert sorted(standing(into).values()) == [ours(0), ours(1)]


def test_a_moodle_zip_may_be_packed_into_a_folder_with_any_name(collect, into, tmp_path):
    sheet = worksheet(tmp_path / "s.csv", (ADA, SUBMITTED, FIRST), (BEN, SUBMITTED, FIRST))
    files = {
        f"Deep_Learning_Sheet_3/{name}_{number}_assignsubmission_file/{BOOK}": ours(number)
        for name, number, _ in (ADA, BEN)
    }
    assert collect(files, words=["--worksheet", sheet])[0] == 0
    assert sorted(standing(into).values()) == [ours(ADA[1]), ours(BEN[1])]


def test_teams_with_names_alike_are_told_apart_or_nobodys(collect, into, tmp_path):
    """Moodle's zip removes the slash of `Gruppe 1/2`; an accent alone makes no id."""
    names = ["Gruppe A", "Gruppe Ä", "第一组", "第二组", "Gruppe 1/2", "Gruppe 12"]
    rows = [
        ((f"Student {n}", str(1810050 + n), f"s{n}@uni.example"), SUBMITTED, FIRST, name)
        for n, name in enumerate(names)
    ]
    sheet = worksheet(tmp_path / "sheet.csv", *rows, group=True)
    download = {
        f"{name.replace('/', '')}_{90213 + n}_assignsubmission_file/{BOOK}": ours(n)
        for n, name in enumerate(names)
    }
    status, said = collect(download, words=["--worksheet", sheet])
    assert status == 3 and said.count("may be of `Gruppe 1/2` or of `Gruppe 12`") == 2, said
    assert sorted(standing(into).values()) == sorted(ours(n) for n in range(4))
    assert len(read_roster(into, ID)) == 4


def test_names_in_hindi_are_as_different_as_they_look(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student,name\n0042,रमा शर्मा\n", encoding="utf-8")
    guest = "राम शर्मा", "1810040", ""
    status, _ = collect(moodle((guest, FIRST, 1)), words=["--roster", roster])
    assert status == 3 and standing(into) == {}
    assert collect(moodle((("रमा शर्मा", "1810041", ""), FIRST, 2)))[0] == 0
    assert standing(into) == {"0042": ours(2)}


def test_a_mistyped_number_costs_its_owner_nothing(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text(
        "student,name,email\n0042,Ada Softmax,ada@uni.example\n0043,Ben Mask,ben@uni.example\n"
    )
    entry = "submission_{}:\n  :submitters:\n  - :name: {}\n    :sid: '0043'\n    :email: {}\n  :created_at: 2026-11-20 15:00:00 Z\n"
    people = (ADA[0], ADA[2]), (BEN[0], BEN[2])
    files = {"submission_metadata.yml": "---\n"}
    for n, (name, email) in enumerate(people):
        files["submission_metadata.yml"] += entry.format(n, name, email)
        files[f"submission_{n}/{BOOK}"] = ours(n)
    status, said = collect(files, words=["--roster", roster])
    assert status == 0, said
    assert standing(into) == {"0042": ours(0), "0043": ours(1)}


def test_what_is_uploaded_again_after_another_is_the_newest(collect, into):
    folder = "Muster_Ada_ada_4721"
    names = ["sheet.ipynb", "sheet (2).ipynb", "sheet (3).ipynb"]
    marks = [1, 2, 1]
    ilias = {
        f"Sheet/Abgaben/{folder}/{name}": ours(mark)
        for name, mark in zip(names, marks, strict=True)
    }
    assert collect(ilias)[0] == 0 and [*standing(into).values()] == [ours(1)]


def test_in_canvas_too(collect, into):
    for upload, mark in ((100, 1), (101, 2), (102, 1)):
        assert collect({f"softmaxada_5_{upload}_{BOOK}": ours(mark)})[0] == 0
    assert [*standing(into).values()] == [ours(1)]
    assert [file.number for file in newest_files(into, ID, "canvas").values()] == ["5"]


def test_what_is_chosen_for_another_assignment_may_be_chosen_anew_and_undone(
    collect, into, tmp_path
):
    course = read_course(COURSE.parents[1])
    first, other = [*assignments(course)][:2]
    book = (course.source / other / f"{other}.ipynb").read_bytes()
    words = ["--course", course.root, "--assignment", first]
    collect({f"{other}.ipynb": book}, words=[*words, "--platform", "moodle"])
    table, choices = into.parent / f"unmatched-{first}.csv", tmp_path / "choices.csv"
    choices.write_text(table.read_text().rstrip("\r\n") + f"{other}/s2\n")
    status, said = collect(words=[*words, "--resolve", choices])
    assert status == 0, said
    assert (into / "s2" / other / f"{other}.ipynb").is_file()
    again = choices.read_text()
    for words_then, there in ((f"{other}/s3", ["s3"]), ("-", []), (f"{other}/s2", ["s2"])):
        choices.write_text(again.replace(f"{other}/s2", words_then))
        status, said = collect(words=[*words, "--resolve", choices])
        assert status == 0, said
        assert [path.parts[-3] for path in into.glob(f"*/{other}/*.ipynb")] == there
    for there in ([], ["s3"], ["s2"], []):
        assert collect(words=[*words, "--undo"])[0] == 0
        assert [path.parts[-3] for path in into.glob(f"*/{other}/*.ipynb")] == there


def test_a_choice_for_an_assignment_with_a_submission_of_a_known_time_needs_a_word(
    collect, into, tmp_path
):
    course = read_course(COURSE.parents[1])
    first, other = [*assignments(course)][:2]
    book = (course.source / other / f"{other}.ipynb").read_bytes()
    own = entry(
        f"Ada Softmax_1810040_assignsubmission_file/{other}.ipynb", (2026, 11, 17, 20, 15, 0)
    )
    of_course = ["--course", course.root, "--assignment"]
    assert collect(zipped([(own, book)]), words=[*of_course, other])[0] == 0
    collect({f"{other}.ipynb": book + b"\n"}, words=[*of_course, first, "--platform", "moodle"])
    table, choices = into.parent / f"unmatched-{first}.csv", tmp_path / "choices.csv"
    place = f"{other}/ada-softmax-1810040"
    choices.write_text(table.read_text().rstrip("\r\n") + f"{place}\n")
    status, said = collect(words=[*of_course, first, "--resolve", choices])
    assert status == 2 and f"known time is there already: {place}: leave" in said
    assert collect(words=[*of_course, first, "--resolve", choices, "--yes"])[0] == 0


def test_a_person_whose_address_the_worksheet_gives_may_have_another_name(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student,name,email\n0042,Wei Wang,wei@uni.example\n")
    wei = "王 伟", "1810040", "wei@uni.example"
    sheet = worksheet(tmp_path / "s.csv", (wei, SUBMITTED, FIRST))
    words = ["--worksheet", sheet, "--roster", roster]
    assert collect(moodle((wei, FIRST, 1)), words=words)[0] == 0
    assert standing(into) == {"0042": ours(1)}


def test_names_whose_letters_are_the_same_are_two_people(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student,name\n0042,Li Nan\n0043,Lin An\n")
    people = ("Li Nan", "1810040"), ("Lin An", "1810041")
    download = moodle(*((person, FIRST, n) for n, person in enumerate(people)))
    assert collect(download, words=["--roster", roster])[0] == 0
    assert standing(into) == {"0042": ours(0), "0043": ours(1)}


def test_whoever_types_another_ones_number_does_not_get_their_place(collect, into):
    """Without a roster, Gradescope's student number and address are all that is known."""
    entry = (
        "submission_{}:\n  :submitters:\n  - :name: {}\n    :sid: '0042'\n    :email: {}\n"
        "  :created_at: 2026-11-2{} 15:00:00 Z\n"
    )
    for n, (name, _, email) in enumerate((ADA, BEN)):
        metadata = "---\n" + entry.format(n, name, email, n)
        files = {"submission_metadata.yml": metadata, f"submission_{n}/{BOOK}": ours(n)}
        assert collect(files)[0] == (0, 3)[n]
    assert standing(into) == {"0042": ours(0)}


def test_what_was_nobodys_is_somebodys_when_the_platform_says_so(collect, into, tmp_path):
    """An instructor assigns a submission in Gradescope, and exports again."""
    nobody = "---\nsubmission_1:\n  :submitters: []\n  :created_at: 2026-11-20 15:00:00 Z\n"
    ada = f"---\nsubmission_1:\n  :submitters:\n  - :name: {ADA[0]}\n    :email: {ADA[2]}\n"
    for metadata, status in ((nobody, 3), (ada, 0)):
        files = {"submission_metadata.yml": metadata, f"submission_1/{BOOK}": ours(1)}
        assert collect(files)[0] == status
    assert [*standing(into).values()] == [ours(1)]
    assert not (into.parent / f"unmatched-{ID}.csv").exists()


def test_a_member_who_is_on_no_roster_is_named(collect, into, tmp_path):
    roster = tmp_path / "course.csv"
    roster.write_text("student,email\n0042,ada@uni.example\n0043,cleo@uni.example\n")
    sheet = worksheet(tmp_path / "sheet.csv", *TEAM_ROWS, group=True)
    download = {f"Team 1_90213_assignsubmission_file/{BOOK}": ours(1)}
    status, said = collect(download, words=["--worksheet", sheet, "--roster", roster])
    assert status == 0 and "not in `course.csv`: Ben Mask." in said, said
