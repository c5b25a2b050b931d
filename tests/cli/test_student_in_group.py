"""`student`: what a group handed in is each member's, until the last one goes."""

import json
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from exports import ADA, ID, keep, verdict
from planted_student import MAIL, NAME, WORDS, ZEB, naming, student, write
from typed_commands import refused

from autograder.classroom.returns import Return
from autograder.engine.verdict.history import add_to_history
from autograder.files.csv_text import read_table
from autograder.files.json_lines import read_records
from autograder.people.groups import CourseGroups
from autograder.people.not_placed import read_not_placed
from autograder.people.roster import Person
from autograder.platforms.collect.not_placed import ASIDE
from autograder.platforms.collect.receipts import Receipt, newest_receipt
from autograder.platforms.collect.store import ReceivedStore
from autograder.platforms.platform import HandedIn
from autograder.staff.student_data.traces import delete_traces

pytestmark = pytest.mark.database
GROUP = "group-1"
SUBMITTED, RESULTS = Path("submitted"), Path("results")
RETURNED = RESULTS / ID / ".returned.jsonl"
MATE = {"name": "Ada Softmax", "email": "ada@uni.example", "number": "4711"}
SENT = {"name": NAME, "email": MAIL, "number": "77"}


@pytest.fixture
def group(planted_course) -> Path:
    """The planted course, in which the student and another one are a group, too."""
    write("groups.csv", f"student,group,assignment\n{ZEB},Group 1,{ID}\n{ADA},Group 1,{ID}\n")
    CourseGroups(Path.cwd(), SUBMITTED).keep(ID)
    store = ReceivedStore(SUBMITTED, ID)
    for number, (who, person) in enumerate(((ADA, MATE), (ZEB, SENT))):
        data = f"of the group, {number}".encode()
        hash = sha256(data).hexdigest()
        file = store.keep(data, "sheet.ipynb", hash)
        store.add(
            Receipt(
                student=GROUP, sender=who, platform="moodle", **person, time_from="", clock=None,
                submitted_at=f"2026-11-02 0{number + 1}:30:00 UTC", sha256=hash, bytes=len(data),
                file=file, download="d.zip", member=f"{person['name']}_{person['number']}/x.ipynb",
                collected_at="2026-11-02T09:30:00+00:00", order=number,
            )
        )  # fmt: skip
    sender = HandedIn(Person(ZEB, platform="moodle", **SENT), f"{NAME}_77", files=())
    store.leave(sender, f"Of {NAME}.", [])
    store.settle([*store.records][-1], GROUP)
    write(f"submitted/{GROUP}/{ID}/{ID}.ipynb", data)
    write(f"results/{ID}/cells/{GROUP}.00ff.json", "{}")
    write(f"submitted/{GROUP}/other-sheet/x.ipynb", "of others, in another sheet")
    add_to_history(RESULTS, verdict(GROUP, 6.0))
    keep(verdict(GROUP, 9.0))
    with RETURNED.open("a") as file:
        sent = {"to": ZEB, "student": GROUP, "submission": "h", "at": "2026-11-02T09:30:00Z"}
        file.write(f"\n{json.dumps(sent)}\n")
    with Path("extensions.csv").open("a") as file:
        file.write(f"{GROUP},{ID},2026-12-03,of both\r\n")
    return planted_course


def receipts() -> list[Receipt]:
    """What the store has of the group."""
    return ReceivedStore(SUBMITTED, ID).receipts[GROUP]


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
    own = [json.loads(line) for line in files[f"submitted/received/{ID}/received.jsonl"].split("\n")
           if GROUP in line]  # fmt: skip
    assert [one["sender"] for one in own] == [ZEB]
    assert "of the group, 1" in [files[name] for name in files if "/files/" in name]
    assert (
        f"{ZEB},Group 1,{ID}" in files["groups.csv"]
        and "under the group's id" in files["README.txt"]
    )
    assert f"{GROUP},{ID},2026-12-03\r\n" in files["extensions.csv"]
    assert not any("other-sheet" in name for name in files), "in which it is other people's"
    text = "\n".join([*files, *files.values()])
    assert not any(word in text for word in (ADA, "of both", "of the group, 0", *MATE.values()))


def test_who_goes_leaves_the_groups_work_to_the_other_and_is_named_nowhere(group):
    kept = {path: path.read_bytes() for path in Path().rglob(f"*{GROUP}*/**/*") if path.is_file()}
    had = receipts()
    status, said = student("delete", ZEB, "--yes")
    assert status == 0 and naming() == [], said
    assert f"stays with their other members: {GROUP}." in said
    assert kept and all(path.read_bytes() == data for path, data in kept.items())
    assert {one.stem for one in (RESULTS / ID).glob("*.json")} >= {GROUP, ADA}
    first, last = receipts()
    assert first == had[0] and last.sha256 == had[1].sha256 and not last.sender
    assert (last.name, last.email, last.number, last.member) == ("", "", "", "")
    assert newest_receipt([first, last]) == last and last.submitted_at == had[1].submitted_at
    assert ReceivedStore(SUBMITTED, ID).read(last.file, last.sha256) == b"of the group, 1"
    assert [one.students for one in ReceivedStore(SUBMITTED, ID).records.values()] == [[GROUP]]
    assert not read_not_placed(SUBMITTED, ID), "it has its place"
    (back,) = [one for one in read_records(RETURNED, Return, RESULTS) if one.student == GROUP]
    assert (back.to, back.submission) == ("", "h")
    assert CourseGroups(Path.cwd(), SUBMITTED).of(ID).by_id == {GROUP: [ADA]}
    assert f"{GROUP},{ID}" in Path("extensions.csv").read_text()


def test_what_staff_set_aside_goes_with_who_sent_it(group):
    store = ReceivedStore(SUBMITTED, ID)
    store.leave(HandedIn(Person(ZEB, **SENT), "set aside", files=()), "No notebook.", [])
    store.settle([*store.records][-1], ASIDE)
    assert student("delete", ZEB, "--yes")[0] == 0
    assert [one.students for one in ReceivedStore(SUBMITTED, ID).records.values()] == [[GROUP]]


@pytest.mark.parametrize("verb", ["export", "delete"])
def test_a_group_is_no_student(group, tmp_path, verb):
    to = ["--to", tmp_path / "g.zip"] * (verb == "export")
    said = refused("student", verb, GROUP, *to, "--yes")
    assert "is a group: name one of its members" in said and receipts()


def test_the_last_member_takes_the_groups_work_along(group):
    student("delete", ZEB, "--yes")
    assert "stays with" not in student("delete", ADA, "--yes")[1]
    left = [str(path) for path in Path().rglob("*") if GROUP in str(path)]
    assert sorted(left) == [
        f"submitted/{GROUP}", f"submitted/{GROUP}/other-sheet",
        f"submitted/{GROUP}/other-sheet/x.ipynb",
    ]  # fmt: skip
    assert not receipts() and not list(SUBMITTED.glob(".received/*/files/*-sheet.ipynb"))
    assert GROUP not in Path("extensions.csv").read_text() + RETURNED.read_text()


def test_points_of_a_group_are_kept_for_each_member_once(group, monkeypatch):
    table = RESULTS / ID / "kept-points.csv"
    assert student("delete", ZEB, "--keep-points", "--yes")[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr("autograder.cli.student.delete_traces", killed_after(f"{ADA}.json"))
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
        patch.setattr("autograder.cli.student.delete_traces", killed_after("groups.csv"))
        assert student("delete", ZEB, "--yes")[0] == 130
    assert not Path("submitted", GROUP, ID).exists(), "the table of groups goes last"
    assert not (RESULTS / ID / f"{GROUP}.json").exists()
    student("delete", ZEB, "--yes")
    assert naming() == []
