"""`collect` on the names, times and worksheets that a real Moodle wrote."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from courses import OURS
from downloads import BOOK, DATA, ID, entry, ours, samples, standing, timestamp, zipped
from recorded import receipts
from sqlalchemy import select

from autograder._commands.main import main
from autograder.classroom.records.database import open_records
from autograder.classroom.records.received import CoursePerson, GroupMember
from autograder.classroom.roster import read_remembered
from autograder.platforms.moodle_worksheet import DEFAULT_GROUP, read_worksheet

pytestmark = pytest.mark.usefixtures("read_without_fork")
BERLIN = "Europe/Berlin"
LANGUAGES = "en", "de", "fr", "es"


def real_zip(kind: str) -> list:
    """A zip with the names and times of one that Moodle wrote; each notebook is another one."""
    members = []
    for row in samples("moodle-zip-names.tsv"):
        if row["zip"] == kind:
            when = datetime.fromisoformat(row["time in the zip"]).timetuple()[:6]
            name = row["name"].replace("encoder-layer", ID)
            data = ours(row["name"]) if name.endswith(".ipynb") else b"text"
            data = zipped({f"work/{BOOK}": ours("in a zip")}) if name.endswith(".zip") else data
            members.append((entry(name, when), data))
    return members


def sheet(name: str):
    return DATA / f"moodle-{name}.csv"


def utc(when: datetime, zone: str = BERLIN) -> datetime:
    return when.replace(tzinfo=ZoneInfo(zone)).astimezone(ZoneInfo("UTC")).replace(tzinfo=None)


def people(into) -> dict[str, CoursePerson]:
    """The people of the assignment, by number."""
    with open_records(into) as records:
        rows = records.scalars(select(CoursePerson).where(CoursePerson.assignment == ID))
        return {row.number: row for row in rows}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_person_has_the_time_the_status_and_the_extension_of_the_worksheet(
    collect, into, language
):
    rows = read_worksheet(sheet(f"{language}-individual")).participants
    words = ["--worksheet", sheet(f"{language}-individual")]
    status, said = collect(real_zip("individual"), words=words, zone=BERLIN)
    assert status == 3 and said.count("2 notebooks could be meant") == 1, "Tom's alone"
    known = people(into)
    assert {row.number for row in rows} == {*known}
    times = {row["student"]: row["submitted_at"] for row in receipts(into, ID)}
    for row in rows:
        person = known[row.number]
        assert (person.name, person.email) == (row.name, row.email)
        granted = row.extension and utc(row.extension)
        assert person.granted_until == granted
        if row.status == "submitted":
            assert times[person.student] == utc(row.submitted_at), row.name
            if "Tom" not in row.name:
                stamp = timestamp(into, person.student)
                assert stamp == f"{utc(row.submitted_at):%F %T} UTC"
        else:
            assert person.student not in standing(into), "a draft, or nothing"
    drafts = [row for row in rows if row.status == "draft"]
    assert len(drafts) == 2 and "Drafts, which are not graded" in said


def test_own_due_dates_are_granted(collect, into):
    words = ["--worksheet", sheet("en-overrides")]
    collect(real_zip("individual"), words=words, zone=BERLIN)
    for row in read_worksheet(sheet("en-overrides")).participants:
        dates = [utc(when) for when in (row.extension, row.due) if when]
        assert people(into)[row.number].granted_until == max(dates)


def test_times_of_a_profile_elsewhere_are_the_same(collect, into):
    words = ["--worksheet", sheet("en-newyork")]
    collect(real_zip("individual"), words=words, zone="America/New_York")
    there = {row["student"]: row["submitted_at"] for row in receipts(into, ID)}
    collect(real_zip("individual"), words=["--worksheet", sheet("en-individual")], zone=BERLIN)
    assert {row["student"]: row["submitted_at"] for row in receipts(into, ID)} == there


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
def test_teams_have_the_members_of_the_worksheet(collect, into, kind, name):
    rows = read_worksheet(sheet(name)).participants
    status, said = collect(real_zip(kind), words=["--worksheet", sheet(name)], zone=BERLIN)
    assert status == 0, said
    teams = {row.group for row in rows if row.group}
    assert len(standing(into)) == 7 and DEFAULT_GROUP in teams
    with open_records(into) as records:
        members = records.scalars(select(GroupMember).where(GroupMember.assignment == ID)).all()
    of_team = {team: {row.name for row in rows if row.group == team} for team in teams}
    names = {person.student: person.name for person in people(into).values()}
    recorded = {}
    for member in members:
        recorded.setdefault(member.name, set()).add(names[member.student])
    assert {team: found for team, found in recorded.items() if found} == of_team
    assert {*standing(into)} <= {member.group for member in members}
    submitted = {row.group: row.submitted_at for row in rows if row.submitted_at}
    stamps = {member.group: member.name for member in members}
    for group in standing(into):
        assert timestamp(into, group) == f"{utc(submitted[stamps[group]]):%F %T} UTC"


@pytest.mark.parametrize(("kind", "name"), [("blind", "en-blind"), ("blind, German", "de-blind")])
def test_hidden_people_are_one_in_every_language(collect, into, kind, name):
    collect(real_zip(kind), words=["--worksheet", sheet(name)], zone=BERLIN)
    students = set(standing(into))
    assert "participant-1810179" in students and not any("teil" in id for id in students)


def test_the_same_class_in_the_next_assignment_is_the_same_people(tmp_path, capfd):
    """Every number is another one there."""
    into, found = tmp_path / "submitted", []
    for meant, kind, name in zip(
        OURS,
        ("individual", "second assignment"),
        ("en-individual", "en-second-assignment"),
        strict=False,
    ):
        folders = {}
        for info, _ in real_zip(kind):
            folder = info.filename.rpartition("/")[0]
            info.filename = f"{folder}/{meant.id}.ipynb"
            folders.setdefault(folder, (info, meant.source.read_bytes()))
        (tmp_path / "moodle.zip").write_bytes(zipped([*folders.values()]))
        words = ["--into", into, "--course", meant.course.root, "--assignment", meant.id]
        words += ["--worksheet", sheet(name), "--timezone", BERLIN]
        assert main(["collect", str(tmp_path / "moodle.zip"), *map(str, words)]) == 0, (
            capfd.readouterr()
        )
        found.append({person.email: person for person in read_remembered(into, meant.id)})
    first, second = found
    assert len(first) == 24 and {*first} == {*second}
    assert all(first[email].student == second[email].student for email in first)
    assert all(first[email].number != second[email].number for email in first)


def test_a_draft_that_was_submitted_late_has_the_time_of_its_submission(collect, into):
    """The file in the zip is of 17:30; it was submitted at 18:40, as Moodle's worksheet knows."""
    collect(real_zip("draft, then submitted late"), zone=BERLIN)
    (student,) = standing(into)
    assert timestamp(into, student) == "2026-11-18 16:30:00 UTC"
    words = ["--worksheet", sheet("en-draft-then-submitted-late")]
    collect(real_zip("draft, then submitted late"), words=words, zone=BERLIN)
    assert timestamp(into, student) == "2026-11-18 17:40:00 UTC" and BOOK
