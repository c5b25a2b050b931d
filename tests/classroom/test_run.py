"""A class run: what is graded, what is kept, and what happens to those that fail."""

import mmap
import os
import weakref
from pathlib import Path
from types import SimpleNamespace

import pytest
from submissions import edit

from autograder import write_verdict
from autograder.classroom.pool import outcome_of
from autograder.classroom.worker import LostWorkers
from autograder.engine import Graded, Submission
from autograder.engine.grading import results
from autograder.engine.grading.graded import empty
from autograder.engine.limits import NoAnswer
from autograder.engine.notebooks import file_cache as files
from autograder.engine.notebooks import submission as engine_submission
from autograder.engine.verdicts import fingerprint, read_dated_history
from autograder.gradebook.table import write_table

pytestmark = pytest.mark.slow

ODD = [
    UnicodeEncodeError("utf-8", "\udcff", 0, 1, "odd"),
    RecursionError(),
    MemoryError(),
    KeyError(),
]
ALL = {"s001": "graded", "odd": "graded", "s002": "graded"}


def students(summaries) -> list[str]:
    return [one.student for one in summaries]


def answer(notebook: Path, text: str = "better") -> None:
    """Hand in again, with another text."""
    before = notebook.read_text()
    notebook.write_text(before.replace(f'"# {notebook.parents[1].name}"', f'"# {text}"'))


def save_outputs(notebook) -> None:
    """Save it from Jupyter after it was run."""
    edit(notebook, lambda content: content["metadata"].update(saved="again"))


@pytest.fixture
def other_graders(monkeypatch):
    """Have the graders be another version."""
    return lambda: monkeypatch.setattr(fingerprint, "grader_hash", lambda _: "later")


@pytest.fixture
def undated(monkeypatch) -> None:
    """The file system dates no change, as a memory file system does of what is mapped."""
    real = os.fstat

    def fstat(descriptor: int) -> SimpleNamespace:
        info = real(descriptor)
        same = dict.fromkeys(("st_mtime", "st_ctime", "st_mtime_ns", "st_ctime_ns"), 1)
        return SimpleNamespace(
            st_mode=info.st_mode, st_size=info.st_size, st_ino=info.st_ino, **same
        )

    monkeypatch.setattr("autograder.engine.files.reading.os.fstat", fstat)


def test_a_second_run_is_free(group, pool):
    first = group.grade()
    assert sorted(pool.graded) == sorted(ALL) and group.states == ALL
    kept = {file: file.stat().st_mtime_ns for file in group.results.folder.rglob("*.json")}
    second = group.grade()
    assert pool.read == [] and students(second.unchanged) == list(group.notebooks)
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    assert first.count == second.count == 3 and not (second.written or second.proposed)


def test_of_a_long_run_that_is_killed_most_files_are_known(group, pool, monkeypatch):
    monkeypatch.setattr(files, "BATCH", 2)
    group.grade(killed=True)
    assert len(group.grade().unchanged) == 3
    assert pool.read == ["s002"] and pool.graded == []


def test_bytes_say_whether_a_file_is_another_one(group, pool, undated):
    """One is only touched, another is changed in place through a memory mapping."""
    group.grade()
    os.utime(group.notebooks["s001"], (7, 7))
    with open(group.notebooks["odd"], "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        place = mapped.find(b"# odd")
        mapped[place : place + 5] = b"# new"
    assert students(group.grade().written) == ["odd"] == pool.read
    assert group.verdicts["odd"].stamp.submission != group.verdicts["s001"].stamp.submission


def test_outputs_that_are_saved_anew_cost_reading_only(group, pool):
    group.grade()
    save_outputs(group.notebooks["s001"])
    assert students(group.grade().unchanged) == ["odd", "s002", "s001"]
    assert pool.read == ["s001"] and pool.graded == []
    group.grade()
    assert pool.read == []


@pytest.mark.parametrize("damage", ["{", "[]", "\xff", "[" * 100_000, None])
def test_what_is_damaged_or_gone_is_made_again(group, pool, small, damage):
    def harm(name: str) -> None:
        path = group.results.folder / name
        path.unlink() if damage is None else path.write_text(damage)

    group.grade()
    harm(files.NAME)
    assert len(group.grade().unchanged) == 3
    assert len(pool.read) == 3 and pool.graded == [], "it costs reading only"
    harm("odd.json")
    assert write_table(group.results.results, small).read_text().count("\n") == 3
    assert students(group.grade().written) == ["odd"] == pool.graded and group.states == ALL


def test_who_hands_in_again_has_the_new_verdict_and_the_old_one_in_the_history(group, pool, small):
    stamped = group.notebooks["s001"].with_name("timestamp.txt")
    stamped.write_text("2026-11-02 09:30:00 UTC")
    group.grade()
    before = group.verdicts["s001"]
    answer(group.notebooks["s001"])
    stamped.write_text("2026-11-03 09:30:00 UTC")
    pool.points = 2.0
    run = group.grade()
    assert students(run.written) == ["s001"] == pool.graded and not run.proposed
    assert group.verdicts["s001"].points == 2.0
    ((had, submitted),) = read_dated_history(group.results.results, small.id, "s001")
    assert had == before and submitted.isoformat() == "2026-11-02T09:30:00"


def test_a_class_has_one_seed_and_one_that_was_said_is_kept(group, pool):
    group.grade()
    (seed,) = {verdict.stamp.seed for verdict in group.verdicts.values()}
    assert group.grade(seed=seed).count == 3 and pool.read == []
    run = group.grade(seed=seed + 1)
    assert len(run.proposed) == 3 == len(pool.graded), "another seed is another verdict"


@pytest.mark.parametrize("why", ["regrade", "other graders"])
def test_a_regrade_takes_the_stamps_seed_and_is_proposed_until_it_is_accepted(
    group, pool, other_graders, why
):
    group.grade(seed=7)
    before = group.verdicts
    pool.points = 0.5
    if why == "other graders":
        other_graders()
    run = group.grade(regrade=why == "regrade")
    assert run.proposed == list(group.notebooks) and not run.written
    assert group.verdicts == before and len(run.changes) == 3
    if why == "other graders":
        again = group.grade()
        assert pool.read == [] and again.changes == run.changes and len(again.proposed) == 3
        run = again
    run.accept()
    assert {(one.points, one.stamp.seed) for one in group.verdicts.values()} == {(0.5, 7)}
    assert students(run.written) == list(group.notebooks) and run.count == 3
    assert group.grade().count == 3 and pool.read == []


def test_a_proposal_on_an_earlier_submission_is_gone_with_a_new_one(group, other_graders):
    group.grade()
    other_graders()
    group.grade()
    answer(group.notebooks["s001"])
    run = group.grade()
    assert "s001" not in run.proposed and group.results.proposed("s001") is None
    assert students(run.written) == ["s001"]


def test_what_keeps_keeps_verdicts_on_the_same_submission(group, pool, other_graders):
    group.grade(keeps=True)
    other_graders()
    save_outputs(group.notebooks["s001"])
    answer(group.notebooks["odd"])
    run = group.grade(keeps=True)
    assert pool.graded == ["odd"] == students(run.written) and not run.proposed
    assert sorted(students(run.unchanged)) == ["s001", "s002"]


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
def test_what_reading_raises_makes_one_submission_unreadable(group, monkeypatch, error):
    def repair(assignment, cells):
        if any(cell.source == "# odd" for cell in cells):
            raise error
        return really_repair(assignment, cells)

    really_repair = engine_submission.repair
    monkeypatch.setattr(engine_submission, "repair", repair)
    group.grade()
    assert group.states == ALL | {"odd": "unreadable"}


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("state", ["graded", "unreadable", "a link"])
def test_what_writing_raises_makes_one_submission_not_graded(group, monkeypatch, error, state):
    notebook = group.notebooks["odd"]
    if state == "unreadable":
        notebook.write_text("{")
    elif state == "a link":
        notebook.rename(notebook.with_suffix(".txt"))
        notebook.symlink_to(notebook.with_suffix(".txt"))

    def write(path, verdict):
        if path.stem == "odd" and verdict.state != "not_graded":
            raise error
        write_verdict(path, verdict)

    with monkeypatch.context() as patched:
        patched.setattr(results, "write_verdict", write)
        group.grade()
    assert group.states == ALL | {"odd": "not_graded"}
    assert type(error).__name__ in group.verdicts["odd"].reason
    group.grade()
    assert group.states["odd"] == ("graded" if state == "graded" else "unreadable")


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (NoAnswer("the machine ended it"), "a worker failed: NoAnswer: the machine ended it"),
        (LostWorkers(3), "3 workers were lost"),
        (ZeroDivisionError("odd"), "a worker failed: ZeroDivisionError: odd"),
        (3, "a worker failed: its result is of another form"),
        ("another's", "a worker failed: its result is of another form"),
        ("outputs", "a fault of the grader (TypeError"),
        ("bug", "a fault of the grader (KeyError"),
    ],
    ids=str,
)
def test_a_fault_is_one_students_takes_no_verdicts_place_and_is_tried_again(
    group, pool, small, outcome, reason
):
    def fail() -> None:
        if outcome == "bug":
            pool.faults["odd"] = KeyError("odd")
        elif outcome == "outputs":
            pool.outputs = {"cell": [{"text": object()}]}
        elif outcome == "another's":
            verdict = empty(group.settings, Submission([], "s001"), "graded")
            pool.instead["odd"] = Graded(verdict)
        else:
            pool.instead["odd"] = outcome

    def mend() -> None:
        pool.instead, pool.outputs, pool.faults = {}, {}, {}

    fail()
    run = group.grade()
    assert group.states == ALL | {"odd": "not_graded"} and run.count == 3 and not run.failed
    assert reason in group.verdicts["odd"].reason
    assert pool.walls_closed == (outcome == "bug"), "then they are built anew"
    table = write_table(group.results.results, small).read_text()
    assert "\nodd,not_graded,,7.0,,,\n" in table and "\ns001,graded,1.0,7.0," in table
    mend()
    assert students(group.grade().written) == ["odd"] and group.states == ALL
    for again in (lambda: None, lambda: answer(group.notebooks["odd"])):
        before = group.verdicts
        again()
        fail()
        run = group.grade(regrade=True)
        assert group.verdicts == before and list(run.failed) == ["odd"] and run.count == 3
        assert reason in run.failed["odd"].reason and "odd" not in run.proposed
        mend()
    assert students(group.grade().written) == ["odd"]


def test_who_is_graded_after_a_fault_has_not_failed(group, pool):
    group.grade()
    run = group.run(regrade=True)
    item = run.item("odd", group.notebooks["odd"])
    run.record(item, outcome_of(item, ZeroDivisionError()))
    assert list(run.failed) == ["odd"]
    item = run.item("odd", group.notebooks["odd"])
    run.record(item, pool.submit(item.function, *item.arguments).result())
    assert not run.failed


@pytest.mark.parametrize("name", ["odd.json", files.NAME])
def test_a_full_disk_ends_the_run_and_keeps_what_was_finished(group, pool, monkeypatch, name):
    def full(descriptor):
        if any(group.results.folder.glob(f".{name}*")) and "s001" in group.states:
            monkeypatch.setattr(os, "fsync", really)  # once
            raise OSError(28, "No space left on device")
        really(descriptor)

    really = os.fsync
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        group.grade()
    assert "s001" in group.states and not list(group.results.folder.rglob(".*.json.*"))


def test_links_are_not_followed(group, pool, small):
    theirs, top = group.notebooks["s001"], group.folder / "submitted"
    (top / "eve").symlink_to(theirs.parents[1])
    (top / "bob").mkdir()
    (top / "bob" / small.id).symlink_to(theirs.parent)
    (top / "cyd" / small.id).mkdir(parents=True)
    (top / "cyd" / small.id / theirs.name).symlink_to(theirs)
    links = {name: top / name / small.id / theirs.name for name in ("eve", "bob", "cyd")}
    group.notebooks |= links
    group.grade()
    assert group.states == ALL | dict.fromkeys(links, "unreadable")
    assert all("hand in the notebook itself" in group.verdicts[who].reason for who in links)
    assert sorted(pool.read) == sorted(ALL) and len(group.grade().unchanged) == 6


def test_half_a_surrogate_pair_is_graded_and_kept(group):
    answer(group.notebooks["odd"], "\\ud800")
    group.grade()
    assert group.states == ALL and group.results.answers(group.verdicts["odd"])


def test_few_submissions_are_in_memory_at_any_time(group, pool, monkeypatch):
    alive: weakref.WeakSet = weakref.WeakSet()
    most = 0

    class Data(bytearray):
        __hash__ = object.__hash__

    def read(path, top):
        nonlocal most
        data = Data(really_read(path, top))
        alive.add(data)
        most = max(most, len(alive))
        return data

    really_read = files.notebook_bytes
    monkeypatch.setattr(files, "notebook_bytes", read)
    group.hand_in(*(f"s{number:03}" for number in range(100, 112)))
    run = group.grade()
    assert len(run.written) == 12 and 1 <= most <= 4 and not run.files
