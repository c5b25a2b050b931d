"""A class run: what is graded, what is kept, and what happens to those that fail."""

import mmap
import os
import weakref
from pathlib import Path

import pytest
from submissions import edit

from autograder import write_verdict
from autograder.classroom.pool import outcome_of
from autograder.classroom.worker import LostWorkers
from autograder.engine import Graded, RunSettings, Submission, limits, verdicts
from autograder.gradebook.table import write_table

pytestmark = pytest.mark.slow

ODD = [
    UnicodeEncodeError("utf-8", "\udcff", 0, 1, "odd"),
    RecursionError(),
    MemoryError(),
    KeyError(),
]
ALL = {"s001": "graded", "odd": "graded", "s002": "graded"}
CACHE = ".files"


def students(summaries) -> list[str]:
    return [summary.student for summary in summaries]


def answer(notebook: Path, text: str = "better") -> None:
    """Submit again, with another text."""
    before = notebook.read_text()
    notebook.write_text(before.replace(f'"# {notebook.parents[1].name}"', f'"# {text}"'))


def answer_half_a_character(notebook: Path) -> None:
    answer(notebook, "\\ud800")


def touch(notebook: Path) -> None:
    os.utime(notebook, (7, 7))


def save_outputs(notebook: Path) -> None:
    """Save it from Jupyter after it was run."""
    edit(notebook, lambda content: content["metadata"].update(saved="again"))


def change_in_place(notebook: Path) -> None:
    with open(notebook, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        place = mapped.find(b"# s001")
        mapped[place : place + 6] = b"# s00x"


@pytest.fixture
def other_graders(monkeypatch):
    """Have the graders be another version."""
    name = "autograder.engine.verdicts.fingerprint.grader_hash"
    return lambda: monkeypatch.setattr(name, lambda _: "later")


@pytest.fixture
def undated(monkeypatch) -> None:
    """The file system dates no change, as a memory file system does of what is mapped."""

    def fstat(descriptor: int) -> os.stat_result:
        dates = {"st_mtime_ns": 1, "st_ctime_ns": 1}
        return os.stat_result((*real_fstat(descriptor)[:7], 1, 1, 1), dates)

    real_fstat = os.fstat
    monkeypatch.setattr("autograder.engine.files.reading.os.fstat", fstat)


@pytest.mark.parametrize(
    ("change", "read", "graded"),
    [
        (Path.exists, [], []),  # nothing changes
        (touch, [], []),
        (save_outputs, ["s001"], []),
        (change_in_place, ["s001"], ["s001"]),
        (answer, ["s001"], ["s001"]),
        (answer_half_a_character, ["s001"], ["s001"]),
    ],
)
@pytest.mark.usefixtures("undated")
def test_a_run_again_reads_and_grades_what_has_changed(group, pool, change, read, graded):
    first = group.grade()
    assert sorted(pool.graded) == sorted(ALL) and group.states == ALL
    before = {file: file.stat().st_mtime_ns for file in group.results.folder.rglob("*.json")}
    change(group.notebooks["s001"])
    second = group.grade()
    assert (pool.read, pool.graded) == (read, graded) and students(second.written) == graded
    assert first.count == second.count == 3 and not second.proposed
    assert sorted(students(second.unchanged)) == sorted(ALL.keys() - {*graded})
    assert group.states == ALL and group.results.answers(group.verdicts["s001"])
    if not graded:
        assert all(file.stat().st_mtime_ns == time for file, time in before.items())
    group.grade()
    assert pool.read == []


def test_of_a_long_run_that_is_killed_most_files_are_known(group, pool, monkeypatch):
    monkeypatch.setattr("autograder.engine.notebooks.file_cache.BATCH", 2)
    group.grade(killed=True)
    assert len(group.grade().unchanged) == 3
    assert pool.read == ["s002"] and pool.graded == []


@pytest.mark.parametrize("damage", ["{", "[]", "\xff", "[" * 100_000, None])
def test_what_is_damaged_or_gone_is_made_again(group, pool, small, damage):
    def harm(name: str) -> None:
        path = group.results.folder / name
        path.unlink() if damage is None else path.write_text(damage)

    group.grade()
    harm(CACHE)
    assert len(group.grade().unchanged) == 3
    assert len(pool.read) == 3 and pool.graded == [], "it costs reading only"
    harm("odd.json")
    assert write_table(group.results.results, small).read_text().count("\n") == 3
    assert students(group.grade().written) == ["odd"] == pool.graded and group.states == ALL


def test_who_submits_again_has_the_new_verdict_and_the_old_one_in_the_history(group, pool, small):
    timestamp = group.notebooks["s001"].with_name("timestamp.txt")
    timestamp.write_text("2026-11-02 09:30:00 UTC")
    group.grade()
    before = group.verdicts["s001"]
    answer(group.notebooks["s001"])
    timestamp.write_text("2026-11-03 09:30:00 UTC")
    pool.checks = {"values": 2.0}
    group.grade()
    assert group.verdicts["s001"].points == 2.0
    ((old, submitted),) = verdicts.read_dated_history(group.results.results, small.id, "s001")
    assert old == before and submitted.isoformat() == "2026-11-02T09:30:00"


def test_a_class_has_one_seed_and_one_that_is_named_is_kept(group, pool):
    group.grade()
    (seed,) = {verdict.stamp.seed for verdict in group.verdicts.values()}
    assert group.grade(seed=seed).count == 3 and pool.read == []
    run = group.grade(seed=seed + 1)
    assert len(run.proposed) == 3 == len(pool.graded), "another seed is another verdict"
    assert run.changes == [], "with the same checks"


OTHER_CHECKS = "rms norm: values -2\nrms norm: old (gone) +0\nrms norm: new one (new) +2"
REGRADES = [  # why, states and checks before, checks after, and the row that says what changes
    ("regrade", "graded", {"values": 1.0}, {"values": 0.5}, ("1", "0.5", "-0.5", "rms norm: values -0.5")),
    ("other graders", "graded", {"values": 2.0, "old": 0.0}, {"values": 0.0, "new_one": 2.0}, ("2", "2", "", OTHER_CHECKS)),
    ("other graders", "unreadable", {}, {}, ("unreadable", "0", "", "unreadable before, graded now")),
]  # fmt: skip


@pytest.mark.parametrize(("why", "state", "before", "after", "row"), REGRADES)
def test_a_regrade_takes_the_stamps_seed_and_is_proposed_until_it_is_accepted(
    group, pool, other_graders, why, state, before, after, row
):
    pool.state, pool.checks = state, before
    group.grade(seed=7)
    verdicts_before = group.verdicts
    pool.state, pool.checks = "graded", after
    if why == "other graders":
        other_graders()
    run = group.grade(regrade=why == "regrade")
    changes = [(student, *row) for student in group.notebooks]
    assert (run.proposed, run.written, run.changes) == (list(group.notebooks), [], changes)
    assert group.verdicts == verdicts_before
    if why == "other graders":
        run = group.grade()
        assert pool.read == [] and run.changes == changes and len(run.proposed) == 3
    run.accept()
    assert {verdict.stamp.seed for verdict in group.verdicts.values()} == {7}
    assert {verdict.points for verdict in group.verdicts.values()} == {sum(after.values())}
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


def test_a_run_that_keeps_keeps_verdicts_on_the_same_submission(group, pool, other_graders):
    group.grade(keeps=True)
    other_graders()
    save_outputs(group.notebooks["s001"])
    answer(group.notebooks["odd"])
    run = group.grade(keeps=True)
    assert pool.graded == ["odd"] == students(run.written) and not run.proposed
    assert sorted(students(run.unchanged)) == ["s001", "s002"]


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
def test_an_error_while_one_is_read_makes_that_submission_unreadable(group, monkeypatch, error):
    from autograder.engine.notebooks import submission

    def repair(assignment, cells):
        if any(cell.source == "# odd" for cell in cells):
            raise error
        return real_repair(assignment, cells)

    real_repair = submission.repair
    monkeypatch.setattr(submission, "repair", repair)
    group.grade()
    assert group.states == ALL | {"odd": "unreadable"}


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("state", ["graded", "unreadable", "a link"])
def test_an_error_while_one_is_written_makes_that_one_not_graded(group, monkeypatch, error, state):
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
        patched.setattr("autograder.engine.grading.results.write_verdict", write)
        group.grade()
    assert group.states == ALL | {"odd": "not_graded"}
    assert type(error).__name__ in group.verdicts["odd"].reason
    group.grade()
    assert group.states["odd"] == ("graded" if state == "graded" else "unreadable")


def comes_to(outcome: object):
    return lambda pool, small: pool.outcomes.update(odd=outcome)


def of_another(pool, small) -> None:
    pool.outcomes["odd"] = Graded(pool.verdict(RunSettings(small, seed=1), Submission([], "s001")))


def with_odd_outputs(pool, small) -> None:
    pool.outputs["odd"] = {"cell": [{"text": object()}]}


def with_a_bug(pool, small) -> None:
    pool.faults["odd"] = KeyError("odd")


FAULTS = [
    (comes_to(limits.NoAnswer("ended")), "a worker failed: NoAnswer: ended"),
    (comes_to(LostWorkers(3)), "3 workers were lost"),
    (comes_to(ZeroDivisionError("odd")), "a worker failed: ZeroDivisionError: odd"),
    (comes_to(3), "a worker failed: its result is of another form"),
    (of_another, "a worker failed: its result is of another form"),
    (with_odd_outputs, "a fault of the grader (TypeError"),
    (with_a_bug, "a fault of the grader (KeyError"),
]


@pytest.mark.parametrize(("spoil", "reason"), FAULTS)
def test_a_fault_is_one_students_takes_no_verdicts_place_and_is_tried_again(
    group, pool, small, spoil, reason
):
    spoil(pool, small)
    run = group.grade()
    assert group.states == ALL | {"odd": "not_graded"} and run.count == 3 and not run.failed
    assert reason in group.verdicts["odd"].reason
    assert pool.walls_closed == bool(pool.faults), "then they are built anew"
    table = write_table(group.results.results, small).read_text()
    assert "\nodd,not_graded,,7.0,,,\n" in table and "\ns001,graded,1.0,7.0," in table
    pool.mend()
    assert students(group.grade().written) == ["odd"] and group.states == ALL
    for text in ("odd", "better"):
        before = group.verdicts
        answer(group.notebooks["odd"], text)
        spoil(pool, small)
        run = group.grade(regrade=True)
        assert group.verdicts == before and list(run.failed) == ["odd"] and run.count == 3
        assert reason in run.failed["odd"].reason and "odd" not in run.proposed
        pool.mend()
    assert students(group.grade().written) == ["odd"]


def test_who_is_graded_after_a_fault_has_not_failed(group, pool):
    group.grade()
    run = group.run(regrade=True)
    for fails in (True, False):
        item = run.item("odd", group.notebooks["odd"])
        result = pool.submit(item.function, *item.arguments).result()
        run.record(item, outcome_of(item, ZeroDivisionError() if fails else result))
        assert list(run.failed) == ["odd"] * fails


@pytest.mark.parametrize("name", ["odd.json", CACHE])
def test_a_full_disk_ends_the_run_and_keeps_what_was_finished(group, pool, monkeypatch, name):
    def full(descriptor):
        if any(group.results.folder.glob(f".{name}*")) and "s001" in group.states:
            monkeypatch.setattr(os, "fsync", real_fsync)  # once
            raise OSError(28, "No space left on device")
        real_fsync(descriptor)

    real_fsync = os.fsync
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        group.grade()
    assert "s001" in group.states and not list(group.results.folder.rglob(".*.json.*"))


def test_links_are_not_followed(group, pool, small):
    notebook, top = group.notebooks["s001"], group.folder / "submitted"
    for student in ("eve", "bob", "cyd"):
        group.notebooks[student] = top / student / small.id / notebook.name
    group.notebooks["eve"].parents[1].symlink_to(notebook.parents[1])
    (top / "bob").mkdir()
    group.notebooks["bob"].parent.symlink_to(notebook.parent)
    group.notebooks["cyd"].parent.mkdir(parents=True)
    group.notebooks["cyd"].symlink_to(notebook)
    group.grade()
    assert group.states == ALL | dict.fromkeys(("eve", "bob", "cyd"), "unreadable")
    reasons = [group.verdicts[student].reason for student in ("eve", "bob", "cyd")]
    assert all("hand in the notebook itself" in reason for reason in reasons)
    assert sorted(pool.read) == sorted(ALL) and len(group.grade().unchanged) == 6


def test_few_submissions_are_in_memory_at_any_time(group, pool, monkeypatch):
    from autograder.engine.notebooks import file_cache

    alive: weakref.WeakSet = weakref.WeakSet()
    counts = []

    class Data(bytearray):
        __hash__ = object.__hash__

    def read(path, top):
        data = Data(real_read(path, top))
        alive.add(data)
        counts.append(len(alive))
        return data

    real_read = file_cache.notebook_bytes
    monkeypatch.setattr(file_cache, "notebook_bytes", read)
    group.hand_in(*(f"s{number:03}" for number in range(100, 112)))
    run = group.grade()
    assert len(run.written) == 12 == len(counts) and max(counts) <= 4 and not run.files
