"""`student`: what a group handed in is each member's, until the last one goes."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from exports import ADA, ID, keep, keep_earlier, verdict
from planted_student import MAIL, NAME, WORDS, ZEB, naming, student, write
from recorded import (
    everything_received,
    plant_members,
    plant_submission,
    receipts,
    recorded_rows,
)
from typed_commands import refused

from autograder.classroom.groups import CourseGroups
from autograder.classroom.records import add_records, open_records, read_records
from autograder.classroom.records.received import Choice, Owner, Placement, Submission
from autograder.classroom.roster import Person
from autograder.desk.returns import Return
from autograder.desk.student_data.traces import delete_traces
from autograder.engine.files import read_table

pytestmark = pytest.mark.database
GROUP = "group-1"
SUBMITTED, RESULTS = Path("submitted"), Path("results")
MATE = Person(ADA, "Ada Softmax", "ada@uni.example", "moodle", "4711")
SENT = Person(ZEB, NAME, MAIL, "moodle", "77")
FIRST, LAST = datetime(2026, 11, 2, 1, 30), datetime(2026, 11, 2, 2, 30)


@pytest.fixture
def group(planted_course) -> Path:
    """The planted course, in which the student and another one are a group, too."""
    write("groups.csv", f"student,group,assignment\n{ZEB},Group 1,{ID}\n{ADA},Group 1,{ID}\n")
    plant_members(SUBMITTED, ID, {ZEB: GROUP, ADA: GROUP})
    plant_submission(SUBMITTED, ID, MATE, b"of the group, 0", GROUP, ADA, FIRST)
    plant_submission(SUBMITTED, ID, SENT, b"of the group, 1", GROUP, ZEB, LAST)
    data = b"of the group, 1"
    write(f"submitted/{GROUP}/{ID}/{ID}.ipynb", data)
    write(f"results/{ID}/cells/{GROUP}.00ff.json", "{}")
    write(f"submitted/{GROUP}/other-sheet/x.ipynb", "of others, in another sheet")
    keep_earlier(verdict(GROUP, 6.0))
    keep(verdict(GROUP, 9.0))
    sent = Return(ZEB, GROUP, "h", datetime(2026, 11, 2, 9, 30, tzinfo=UTC))
    add_records(RESULTS, ID, [sent])
    with Path("extensions.csv").open("a") as file:
        file.write(f"{GROUP},{ID},2026-12-03,of both\r\n")
    return planted_course


def of_group() -> list[dict]:
    """What is recorded of the group's submissions."""
    return receipts(SUBMITTED, ID, GROUP)


def killed_after(name: str):
    """Delete as the command does, until a file of this name is gone."""

    def delete(*arguments):
        for trace in delete_traces(*arguments):
            yield trace
            if trace.file and trace.file.path.name == name:
                raise KeyboardInterrupt

    return delete


def test_a_member_is_given_what_the_group_handed_in_and_nobody_elses_name(group, tmp_path):
    status, said = student("export", ZEB, "--to", str(tmp_path / "z.zip"), "--yes")
    assert status == 0, said
    with zipfile.ZipFile(tmp_path / "z.zip") as packed:
        files = {name: packed.read(name).decode() for name in packed.namelist()}
    assert files[f"submitted/{GROUP}/{ID}/{ID}.ipynb"] == "of the group, 1"
    assert "total: 9 of 10" in files[f"results/{ID}/{GROUP}.md"]
    assert "total: 6 of 10" in files[f"results/{ID}/history/{GROUP}.md"]
    assert f"results/{ID}/{ZEB}.md" in files, "what was handed in alone as well"
    records = json.loads(files["received/records.json"])
    sent = [row for row in records["received_submissions"] if row["label"] == f"{NAME}_77"]
    assert {row["name"] for row in sent} == {NAME}
    received = {text for name, text in files.items() if name.startswith(f"received/{ID}/")}
    assert "of the group, 1" in received
    assert (
        f"{ZEB},Group 1,{ID}" in files["groups.csv"]
        and "under the group's id" in files["README.txt"]
    )
    assert f"{GROUP},{ID},2026-12-03\r\n" in files["extensions.csv"]
    assert not any("other-sheet" in name for name in files), "in which it is other people's"
    text = "\n".join([*files, *files.values()])
    words = ADA, "of both", "of the group, 0", MATE.name, MATE.email, MATE.number
    assert not any(word in text for word in words)


def test_who_goes_leaves_the_groups_work_to_the_other_and_is_named_nowhere(group):
    kept = {path: path.read_bytes() for path in Path().rglob(f"*{GROUP}*/**/*") if path.is_file()}
    had = of_group()
    status, said = student("delete", ZEB, "--yes")
    assert status == 0 and naming() == [], said
    assert f"stays with their other members: {GROUP}." in said
    assert kept and all(path.read_bytes() == data for path, data in kept.items())
    assert {one.stem for one in (RESULTS / ID).glob("*.json")} >= {GROUP, ADA}
    first, last = of_group()
    assert first == had[0] and not last["sender"]
    assert (last["name"], last["email"], last["number"], last["label"]) == ("", "", "", "")
    assert last["submitted_at"] == had[1]["submitted_at"]
    (placed,) = (row for row in recorded_rows(SUBMITTED, Placement) if row.student == GROUP)
    assert (placed.sender, placed.submitted_at) == ("", LAST)
    assert b"of the group, 1" in everything_received(SUBMITTED)
    (back,) = [one for one in read_records(RESULTS, ID, Return) if one.student == GROUP]
    assert (back.to, back.submission) == ("", "h")
    assert CourseGroups(Path.cwd(), SUBMITTED).of(ID).by_id == {GROUP: [ADA]}
    assert f"{GROUP},{ID}" in Path("extensions.csv").read_text()


def test_what_belongs_to_nobody_goes_with_who_sent_it(group):
    plant_submission(SUBMITTED, ID, SENT, b"set aside")
    assert student("delete", ZEB, "--yes")[0] == 0
    assert b"set aside" not in everything_received(SUBMITTED)
    assert {row.student for row in recorded_rows(SUBMITTED, Owner)} == {GROUP, ADA}


def test_what_staff_chose_for_who_goes_is_the_groups(group):
    id = plant_submission(SUBMITTED, ID, Person("", NAME), b"resolved", GROUP, ZEB)
    with open_records(SUBMITTED, write=True) as records:
        for who in (ZEB, ADA):
            records.add(Choice(records.get(Submission, id).run_id, ID, id, who, notebook="h"))
    assert student("delete", ZEB, "--yes")[0] == 0 and naming() == []
    assert [row.student for row in recorded_rows(SUBMITTED, Choice)] == [GROUP, ADA]
    assert recorded_rows(SUBMITTED, Submission)[-1].placed_as == GROUP


@pytest.mark.parametrize("verb", ["export", "delete"])
def test_a_group_is_no_student(group, tmp_path, verb):
    to = ["--to", tmp_path / "g.zip"] * (verb == "export")
    said = refused("student", verb, GROUP, *to, "--yes")
    assert "is a group: name one of its members" in said and of_group()


def test_the_last_member_takes_the_groups_work_along(group):
    student("delete", ZEB, "--yes")
    assert "stays with" not in student("delete", ADA, "--yes")[1]
    left = [str(path) for path in Path().rglob("*") if GROUP in str(path)]
    assert sorted(left) == [
        f"submitted/{GROUP}", f"submitted/{GROUP}/other-sheet",
        f"submitted/{GROUP}/other-sheet/x.ipynb",
    ]  # fmt: skip
    assert not of_group()
    assert not {b"of the group, 0", b"of the group, 1"} & everything_received(SUBMITTED)
    assert GROUP not in Path("extensions.csv").read_text()
    assert GROUP not in [one.student for one in read_records(RESULTS, ID, Return)]


def test_points_of_a_group_are_kept_for_each_member_once(group, monkeypatch):
    table = RESULTS / ID / "kept-points.csv"
    assert student("delete", ZEB, "--keep-points", "--yes")[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr("autograder.desk.commands.student.delete_traces", killed_after(f"{ADA}.json"))
        assert student("delete", ADA, "--keep-points", "--yes")[0] == 130
    assert not (RESULTS / ID / f"{ADA}.json").exists() and (RESULTS / ID / f"{GROUP}.json").exists()
    student("delete", ADA, "--keep-points", "--yes")
    header, zeb, ada = read_table(table).rows
    points = header.index("points")
    assert (zeb[points], ada[points]) == ("9.0", "10.0"), "the better of the two counts"


def test_two_members_have_a_pseudonym_each_that_does_not_come_from_their_ids(group):
    for who in (ZEB, ADA):
        (RESULTS / ID / f"{who}.json").unlink()
    table = RESULTS / ID / "kept-points.csv"
    rows = []
    for who in (ZEB, ADA):
        student("delete", who, "--keep-points", "--yes")
        rows = read_table(table).rows[1:]
    assert [row[2] for row in rows] == ["9.0", "9.0"] and rows[0][0] != rows[1][0]
    assert not any(word in table.read_text() for word in (*WORDS, ADA, GROUP))


def test_a_deletion_of_the_last_member_that_was_killed_is_done_again(group, monkeypatch):
    student("delete", ADA, "--yes")
    with monkeypatch.context() as patch:
        patch.setattr("autograder.desk.commands.student.delete_traces", killed_after("groups.csv"))
        assert student("delete", ZEB, "--yes")[0] == 130
    assert not Path("submitted", GROUP, ID).exists(), "the table of groups goes last"
    assert not (RESULTS / ID / f"{GROUP}.json").exists()
    student("delete", ZEB, "--yes")
    assert naming() == []
