"""Whatever goes wrong with one submission is that student's state, and the others go on."""

import json
from concurrent.futures import Future
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields
from submissions import hand_in_comments

from autograder.classroom import run as class_run
from autograder.classroom.run import ClassRun
from autograder.classroom.scheduler import Scheduler
from autograder.classroom.store import ResultStore
from autograder.classroom.workers import Assigned
from autograder.cli.main import main
from autograder.engine import submission as engine_submission
from autograder.engine.examiner.outputs import as_notebook_outputs, read_outputs
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import LONGEST_REASON, Graded, describe_error, empty
from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict, read_verdict

ODD = [
    UnicodeEncodeError("utf-8", "\udcff", 0, 1, "odd"),
    RecursionError(),
    MemoryError(),
    KeyError(),
]


class Writer:
    """A gradebook writer that raises at one student, if it is to."""

    def __init__(self, odd: str = ""):
        self.odd = odd

    def agrees_with(self, verdict: Verdict) -> bool:
        if verdict.student == self.odd:
            raise RuntimeError("odd")
        return True

    def add(self, verdict: Verdict, submission: Submission, outputs: dict) -> None:
        if verdict.student == self.odd:
            raise RuntimeError("odd")


@pytest.fixture
def notebooks(small, tmp_path) -> dict[str, Path]:
    """Three submissions, each with other text."""
    return hand_in_comments(small, tmp_path / "submitted", ("s001", "odd", "s002"))


@pytest.fixture
def run(small, tmp_path):
    """Make a run over the results of the runs before."""

    def make(writer: Writer | None = None) -> ClassRun:
        store = ResultStore(tmp_path / "results", small.id)
        settings = RunSettings(small, seed=1)
        return ClassRun(settings, tmp_path / "results", store, writer or Writer())  # type: ignore

    return make


def settle(run: ClassRun, notebooks: dict[str, Path], **odd: object) -> dict[str, str]:
    """Read and grade; `odd` are fields of the result of the odd one. Return the states by student."""
    waiting = list(run.settle_known(notebooks))
    results = []
    for one in waiting:
        more = odd if one.student == "odd" else {}
        results.append(Graded(empty(run.settings, one, "graded"), **more))
    list(run.grade(results))
    run.write_proposed()
    return states(run)


def states(run: ClassRun) -> dict[str, str]:
    """What is written, by student."""
    files = (run.results / run.settings.assignment.id).glob("*.json")
    return {file.stem: verdict.state for file in files if (verdict := read_verdict(file))}


ALL = {"s001": "graded", "odd": "graded", "s002": "graded"}


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
def test_what_reading_raises_makes_one_submission_unreadable(run, notebooks, monkeypatch, error):
    def repair(assignment, cells):
        if any(cell.source == "# odd" for cell in cells):
            raise error
        return really_repair(assignment, cells)

    really_repair = engine_submission.repair
    monkeypatch.setattr(engine_submission, "repair", repair)
    assert settle(run(), notebooks) == ALL | {"odd": "unreadable"}


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
def test_what_writing_raises_makes_one_submission_not_graded(run, notebooks, monkeypatch, error):
    def write(path, verdict):
        if path.stem == "odd" and verdict.state == "graded":
            raise error
        really_write(path, verdict)

    really_write = class_run.write_verdict
    monkeypatch.setattr(class_run, "write_verdict", write)
    first = run()
    assert settle(first, notebooks) == ALL | {"odd": "not_graded"}
    (verdict,) = (one for one in first.written if one.student == "odd")
    assert type(error).__name__ in verdict.reason
    monkeypatch.undo()
    assert settle(run(), notebooks) == ALL, "it is tried again"


def test_a_result_that_cannot_be_kept_makes_one_submission_not_graded(run, notebooks):
    odd = {"cell": [{"output_type": "stream", "text": object()}]}
    assert settle(run(), notebooks, outputs=odd) == ALL | {"odd": "not_graded"}


@pytest.mark.parametrize("kind", ["before", "after"])
def test_what_the_gradebook_raises_makes_one_submission_not_graded(run, notebooks, kind):
    if kind == "before":
        settle(run(), notebooks)
        second = run(Writer("odd"))
        list(second.settle_known(notebooks))
        assert [one.student for one in second.failed] == ["odd"], "the verdict stays"
        assert len(second.unchanged) == 2 and states(second) == ALL
    else:
        assert settle(run(Writer("odd")), notebooks) == ALL | {"odd": "not_graded"}


def test_a_full_disk_ends_the_run(run, notebooks, monkeypatch):
    def write(path, verdict):
        if verdict.state == "graded":
            raise OSError(28, "No space left on device")
        really_write(path, verdict)

    really_write = class_run.write_verdict
    monkeypatch.setattr(class_run, "write_verdict", write)
    with pytest.raises(OSError, match="No space left"):
        settle(run(), notebooks)


def test_half_a_surrogate_pair_is_kept_and_read_again(run, notebooks):
    odd = {"cell": [{"output_type": "error", "ename": "\ud800", "evalue": "", "traceback": []}]}
    first = run()
    assert settle(first, notebooks, outputs=odd) == ALL
    verdict = empty(first.settings, Submission([], "odd"), "not_graded", "because of \ud800")
    class_run.write_verdict(first._path("odd"), verdict)
    assert read_verdict(first._path("odd")) == verdict


def test_a_damaged_result_is_graded_again(run, notebooks):
    first = run()
    settle(first, notebooks)
    assert list(run().settle_known(notebooks)) == []
    for content in (b"[]", b"\xff", b"[" * 100_000, b'{"verdict": 1, "outputs": 2}'):
        for file in first.store.folder.glob("*.json"):
            file.write_bytes(content)
        again = run()
        assert {one.student for one in again.settle_known(notebooks)} == set(notebooks)
        assert settle(run(), notebooks) == ALL and list(run().settle_known(notebooks)) == []


def test_an_error_is_named_in_a_line_that_can_be_written():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    assert describe_error(Mute()) == "Mute"
    assert describe_error(ValueError("one\ntwo")) == "ValueError: one"
    long = describe_error(ValueError("\x1b\ud800" * 1_000))
    assert long.startswith(r"ValueError: \x1b\ud800") and len(long) == LONGEST_REASON


def test_an_outputs_error_has_a_name_that_can_be_written():
    received = [
        {"kind": "error", "type": "\ud800\udcff", "text": b"\xff", "traceback": b"\xff\n\xfe"}
    ]
    (output,) = as_notebook_outputs({"a": read_outputs(received, 1_000)})["a"]
    json.dumps(output, ensure_ascii=False).encode()
    assert output["ename"] == "??"


@pytest.fixture
def scheduler(small) -> Scheduler:
    return Scheduler(client=None, settings=RunSettings(small, seed=1))  # type: ignore[arg-type]


class Result(Future):
    """A future of Dask's that is done."""

    status = "finished"
    key = "key"


@pytest.mark.parametrize("kind", ["unreadable", "another's", "none", "of another type"])
def test_an_odd_result_of_a_worker_is_one_students(scheduler, kind):
    submission, other = Submission([], "odd"), Submission([], "s001")
    future = Result()
    match kind:
        case "unreadable":
            future.set_exception(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "odd"))
        case "another's":
            future.set_result(Graded(empty(scheduler.settings, other, "graded")))
        case "none":
            future.set_result(None)
        case _:
            future.set_result(with_fields(empty(scheduler.settings, submission, "graded")))
    scheduler.workers.add("tcp://worker:4001")
    (worker,) = scheduler.workers.by_address.values()
    assigned = Assigned(submission, future)  # type: ignore[arg-type]
    scheduler.workers.give(worker, assigned, now=0.0)
    (graded,) = scheduler._fetch(assigned, {})
    assert (graded.verdict.student, graded.verdict.state) == ("odd", "not_graded")
    assert "a worker failed" in graded.verdict.reason and not worker.assigned


def test_what_cannot_be_sent_to_a_worker_is_one_students(scheduler, monkeypatch):
    def pack(task, settings, submission):
        if submission.student == "odd":
            raise TypeError("cannot pickle")
        return b""

    monkeypatch.setattr("autograder.classroom.scheduler.pack", pack)
    monkeypatch.setattr(scheduler, "_submit", lambda *_: Result())
    scheduler.workers.add("tcp://worker:4001")
    scheduler.waiting.submissions.extend(Submission([], name) for name in ("odd", "s001", "s002"))
    (graded,) = scheduler._assign()
    assert (graded.verdict.student, graded.verdict.state) == ("odd", "not_graded")
    (worker,) = scheduler.workers.by_address.values()
    assert [one.submission.student for one in worker.assigned] == ["s001"]
    assert [one.student for one in scheduler.waiting.submissions] == ["s002"]


def test_the_command_grades_no_others_work_through_a_link(notebooks, small, tmp_path):
    theirs, place = notebooks["s001"], tmp_path / "of-eve"
    (place / "eve").mkdir(parents=True)
    (place / "eve" / small.id).symlink_to(theirs.parent)
    (place / "mallory").symlink_to(theirs.parents[1])
    (tmp_path / "named-by-staff").symlink_to(place)
    words = ["--assignment", small.id, "--course", str(small.course.root), "--no-gradebook"]
    for named in (place, tmp_path / "named-by-staff", place / "eve" / small.id / theirs.name):
        results = tmp_path / f"results-{named.name}"
        assert main(["grade", str(named), *words, "--results", str(results)]) == 0
        found = {file.stem: read_verdict(file) for file in (results / small.id).glob("*.json")}
        assert "eve" in found and {verdict.state for verdict in found.values()} == {"unreadable"}
