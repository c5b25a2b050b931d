"""Facts add up: the best source of each counts, in whichever run of `collect` it came."""

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from courses import OURS
from downloads import BOOK, ID, collect_words, entry, ours, standing, timestamp, zipped
from nbgrader.api import Gradebook
from platforms.worksheets import FIRST, in_words, worksheet
from recorded import receipts, recorded_rows

from autograder._commands.main import main
from autograder.classroom.newest_files import newest_files
from autograder.classroom.records import received
from autograder.classroom.roster import read_roster
from autograder.gradebook.sync import nbgrader_course

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]

ADA, BEN = ("Ada Softmax", "1810040", "ada@uni.example"), ("Ben Mask", "1810041", "ben@uni.example")


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


SECOND = datetime(2026, 11, 18, 17, 30)
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
    rows = (*ADA, "submitted")
    sheets = {v: worksheet(tmp_path / f"{v}.csv", rows, when=MOODLE_SAYS[v]) for v in (1, 2)}
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


@pytest.fixture
def collect_sheet(capfd, tmp_path):
    """Collect the people's notebooks of one of the course's assignments, with a worksheet in which
    they have other numbers than in the next; return its students.
    """
    into = tmp_path / "submitted"

    def run(which: int, people, *more) -> dict:
        id, source = OURS[which].id, OURS[which].source.read_bytes()
        people = [(name, str(int(number) + 164 * which), email) for name, number, email in people]
        sheet = worksheet(tmp_path / "sheet.csv", *((*one, "submitted") for one in people))
        files = {
            f"{name}_{number}_assignsubmission_file/{id}.ipynb": source
            for name, number, _ in people
        }
        (tmp_path / "moodle.zip").write_bytes(zipped(files))
        words = ["--course", OURS[0].course.root, "--into", into, "--assignment", id, *more]
        download = str(tmp_path / "moodle.zip")
        status = main(["collect", download, *map(str, words), "--worksheet", str(sheet)])
        assert status == 0, capfd.readouterr()
        return read_roster(into, id)

    return run


PEOPLE = ADA, BEN, ("Ben Mask", "1810099", "ben2@uni.example")  # another Ben


def test_ids_stay_whichever_assignment_is_collected_again(collect_sheet):
    first = collect_sheet(0, PEOPLE)
    assert len(first) == 3, "also where two have one name"
    for which in (1, 0, 1):
        again = collect_sheet(which, PEOPLE)
        assert [*again] == [*first]
        assert all((again[who].number == first[who].number) is (which == 0) for who in first)


def teams_of(into) -> dict[str, tuple[str, str]]:
    """Name and number of each team to which something goes back: a member's number would give the
    page to nobody, or to strangers.
    """
    files = newest_files(into, ID, "moodle")
    assert not any(file.number for file in files.values())
    return {group: (file.team, file.team_number) for group, file in files.items()}


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
    assert [row["student"] for row in receipts(into, ID)] == ["ada-softmax-1810040"]
    assert collect(ZIPS[2])[0] == 0
    assert [*standing(into).values()] == [ours(2)] and len(receipts(into, ID)) == 2


@pytest.mark.parametrize("answer", ["no", "y"])
def test_a_person_at_a_terminal_is_asked_before_anything_is_written(into, tmp_path, answer):
    (tmp_path / "moodle.zip").write_bytes(ZIPS[1])
    ours_, theirs = os.openpty()
    os.write(ours_, f"{answer}\n".encode())
    words = [sys.executable, "-m", "autograder", "collect", tmp_path / "moodle.zip"]
    command = [*map(str, words), *collect_words(into)]
    done = subprocess.run(command, stdin=theirs, stdout=theirs, stderr=theirs, timeout=120)
    said = os.read(ours_, 1 << 16).decode()
    assert done.returncode == 0 and ("Nothing was changed" in said) is (answer == "no")
    assert [*standing(into).values()] == ([ours(1)] if answer == "y" else [])


def test_two_platforms_in_one_command_need_a_word(collect, into):
    canvas = {f"softmaxada_5_100_{BOOK}": ours(3)}
    status, said = collect(ZIPS[1], canvas)
    assert status == 2 and "canvas and moodle" in said and standing(into) == {}
    assert collect(ZIPS[1], canvas, words=["--yes"])[0] == 0


def test_what_an_earlier_version_received_is_imported_once(collect, into, earlier_lists):
    assert collect(ZIPS[2])[0] == 0
    assert not (into / ".received").exists() and (into / ".received-imported").is_dir()
    assert standing(into) == {"ada-softmax-1810040": ours(2), "cleo": ours("chosen")}
    assert {row["student"] for row in receipts(into, ID)} == {"ada-softmax-1810040", "cleo"}
    table = (into.parent / f"unmatched-{ID}.csv").read_text()
    assert "It is nobody's." in table and table.count("old.zip") == 1


def test_an_entry_of_canvas_for_a_group_is_the_groups(collect, into, copied):
    """Its number is one member's, who need not have uploaded it."""
    (copied.course.root / "groups.csv").write_text("student,group\nada,Team 8\nben,Team 8\n")
    download = {f"team8_501003_900202_{BOOK}": ours(1), f"kerneva_501016_900116_{BOOK}": ours(2)}
    status, said = collect(download, words=["--course", copied.course.root])
    assert status == 0, said
    assert standing(into) == {"team-8": ours(1), "kerneva-501016": ours(2)}


def test_a_run_on_which_a_mark_depends_is_not_undone(collect, into, copied):
    collect(ZIPS[1], words=["--course", copied.course.root])
    student, url = "ada-softmax-1810040", f"sqlite:///{copied.course.root}/gradebook.db"
    nbgrader_course.NbgraderCourse(copied.course).register(copied)
    with Gradebook(url) as book:
        book.add_student(student)
        submission = book.add_submission(ID, student)
        grade = submission.notebooks[0].grades[0]
        grade.manual_score = 1.0
        book.db.commit()
    words = ["--undo", "--course", copied.course.root]
    status, said = collect(words=words)
    assert status == 2 and f"{student}: marks were given by hand" in said
    assert [*standing(into).values()] == [ours(1)] and len(receipts(into, ID)) == 1
    with Gradebook(url) as book:
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


def test_a_renamed_team_keeps_its_id_and_its_submission(collect, into, tmp_path):
    """By its number, also if two teams exchange names, or a new team gets the name of before."""
    people = [(f"Student {n}", str(n), f"s{n}@uni.example") for n in range(1, 7)]

    def run(*names: str, submitted: str = "123") -> str:
        """The teams' names in the order of their numbers; who is in it has another number."""
        rows = [(*people[-n], "submitted", name) for n, name in enumerate(names, 1)]
        sheet = worksheet(tmp_path / "sheet.csv", *rows)
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


def test_the_newest_worksheet_says_until_when_a_student_may_submit(collect, into, tmp_path):
    """An extension that is shortened or withdrawn in Moodle does not count any longer."""
    download = moodle((ADA, FIRST, 1), (BEN, FIRST, 2))
    for day in (2, 1, None):
        extended = f" - Extension granted until: {in_words(FIRST + timedelta(day))}" if day else ""
        rows = (*ADA, f"Submitted for grading{extended} -  - "), (*BEN, "submitted")
        sheet = worksheet(tmp_path / "s.csv", *(rows if day != 1 else rows[:1]))
        status, said = collect(download, words=["--worksheet", sheet])
        assert status == 0, said
        until = {
            row.student: row.granted_until for row in recorded_rows(into, received.CoursePerson)
        }
        assert until["ada-softmax-1810040"] == (FIRST + timedelta(day) if day else None)
        assert ("changed the extension of ada-softmax-1810040 (" in said) is (day != 2)
    assert "(none)" in said


@pytest.fixture
def choose_elsewhere(collect, into, tmp_path):
    """Collect for one assignment what is the notebook of another, and say whose it is there; return
    how to say it again.
    """
    first, other = OURS[:2]
    words = ["--course", first.course.root, "--assignment", first.id]
    book = other.source.read_bytes() + b"\n"
    collect({f"{other.id}.ipynb": book}, words=[*words, "--platform", "moodle"])
    text = (into.parent / f"unmatched-{first.id}.csv").read_text().rstrip("\r\n")

    def choose(place: str, *more) -> tuple[int, str]:
        (tmp_path / "choices.csv").write_text(f"{text}{place}\n")
        return collect(words=[*words, "--resolve", tmp_path / "choices.csv", *more])

    return choose


def test_what_is_chosen_for_another_assignment_may_be_chosen_anew_and_undone(
    collect, into, choose_elsewhere
):
    first, other = OURS[:2]
    for student, there in (("s2", ["s2"]), ("s3", ["s3"]), ("-", []), ("s2", ["s2"])):
        place = student if student == "-" else f"{other.id}/{student}"
        status, said = choose_elsewhere(place)
        assert status == 0, said
        assert [path.parts[-3] for path in into.glob(f"*/{other.id}/*.ipynb")] == there
    for there in ([], ["s3"], ["s2"], []):
        words = ["--undo", "--course", first.course.root, "--assignment", first.id]
        assert collect(words=words)[0] == 0
        assert [path.parts[-3] for path in into.glob(f"*/{other.id}/*.ipynb")] == there


def test_a_choice_for_an_assignment_with_a_submission_of_a_known_time_needs_a_word(
    collect, choose_elsewhere
):
    other = OURS[1]
    name = f"Ada Softmax_1810040_assignsubmission_file/{other.id}.ipynb"
    own = zipped([(entry(name, (2026, 11, 17, 20, 15, 0)), other.source.read_bytes())])
    words = ["--course", other.course.root, "--assignment", other.id]
    assert collect(own, words=words)[0] == 0
    place = f"{other.id}/ada-softmax-1810040"
    status, said = choose_elsewhere(place)
    assert status == 2 and f"known time is there already: {place}: leave" in said
    assert choose_elsewhere(place, "--yes")[0] == 0
