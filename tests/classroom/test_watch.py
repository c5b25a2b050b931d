"""A class that is graded while it hands in: who is taken when, what is kept, and how it ends."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from submissions import hand_in_comments

from autograder.classroom import watch as module
from autograder.classroom.pool import WorkItem, outcome_of
from autograder.classroom.watch import (
    LARGEST_SHARE,
    QUIET_SECONDS,
    RETRY_SECONDS,
    SCAN_SECONDS,
    NowAndThen,
    Watch,
)

pytestmark = pytest.mark.slow

SECONDS = QUIET_SECONDS + SCAN_SECONDS
STUDENTS = "s001", "s002", "s003"


class Watched:
    """A class that is watched, on a clock of the test's own."""

    def __init__(self, group):
        self.group = group
        self.place = group.folder / "submitted"
        self.id = group.settings.assignment.id
        self.now = 0.0
        self.text = "{}"
        self.start()

    def start(self) -> None:
        """As a new process would: it knows only what is written."""
        self.run = self.group.run(keeps=True)
        self.sentences: list[str] = []
        self.watch = Watch(self.run, self.place, self.sentences.append, clock=lambda: self.now)
        self.items = self.watch.items()

    def path(self, student: str) -> Path:
        return self.place / student / self.id / f"{self.id}.ipynb"

    def write(self, student: str, text: str | None = None, file_time: float = 100) -> Path:
        path = self.path(student)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text.replace("SOLUTION", student) if text is None else text)
        os.utime(path, (file_time, file_time))
        return path

    def write_all(self) -> None:
        for student in STUDENTS:
            self.write(student)

    def take(self, most: int = 99, seconds: float = SECONDS) -> list[WorkItem]:
        """What workers are given within so many seconds, in which they have room for so much."""
        taken: list[WorkItem] = []
        until = self.now + seconds
        while True:
            while len(taken) < most and (item := next(self.items, None)):
                taken.append(item)
            if not most:
                self.watch.poll.do_if_due()
            if self.now >= until:
                return taken
            self.now += 1

    def names(self, most: int = 99, seconds: float = SECONDS) -> list[str]:
        return [item.student for item in self.take(most, seconds)]

    def grade(self, *items: WorkItem) -> None:
        for item in items:
            future = self.group.pool.submit(item.function, *item.arguments)
            self.watch.record(item, outcome_of(item, future.exception() or future.result()))

    @property
    def written(self) -> list[tuple[str, str]]:
        return [(summary.student, summary.state) for summary in self.run.written]


@pytest.fixture
def watched(group, small, tmp_path, monkeypatch) -> Watched:
    shutil.rmtree(tmp_path / "submitted")
    (path,) = hand_in_comments(small, tmp_path / "made", ["SOLUTION"]).values()
    (tmp_path / "submitted").mkdir()
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: 0.0))  # no file is old
    watched = Watched(group)
    watched.text = path.read_text()
    return watched


def test_those_there_at_once_are_ordered_by_file_time_and_later_ones_are_behind(watched):
    for student, file_time in (("s003", 1), ("s001", 3), ("s002", 3)):
        watched.write(student, file_time=file_time)
    watched.grade(*watched.take(most=1))
    assert watched.written == [("s003", "graded")]
    watched.write("s000", file_time=-(10**9))
    watched.take(most=0)
    assert len(watched.watch.waiting) == 3
    watched.write("s003", watched.text + "\n")
    assert watched.names() == ["s001", "s002", "s000", "s003"]
    assert len(watched.watch.grading) == 4 and not watched.watch.waiting


def test_a_file_that_was_changed_long_ago_is_taken_at_once(watched, monkeypatch):
    watched.write("s001")
    assert watched.names(seconds=QUIET_SECONDS - 1) == []
    watched.write("s002")
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: 1e12))
    assert watched.names(seconds=SCAN_SECONDS) == ["s001", "s002"]


def test_what_programs_write_meanwhile_has_not_arrived(watched):
    for ending in (".{}.Xa81cd", "{}.part", "{}.filepart", ".~{}"):
        path = watched.write("s001", f"{ending} {watched.now}")
        temporary = path.rename(path.with_name(ending.format(path.name)))
        assert watched.names(seconds=60) == []
        temporary.rename(path)
        assert watched.names() == ["s001"]
        watched.watch.grading.clear()


def test_who_hands_in_again_while_waiting_keeps_the_place_and_the_newest_counts(watched):
    watched.write_all()
    watched.take(most=0)
    watched.write("s001", watched.text.replace("SOLUTION", "newest"))
    assert watched.names(most=1, seconds=1) == ["s002"], "until the other one is complete"
    watched.take(most=0)
    (item, *_) = watched.take()
    assert item.student == "s001" and b"newest" in item.arguments[1].data


def test_who_hands_in_again_while_being_graded_is_graded_again_after_that(watched):
    watched.write("s001")
    old = watched.take()
    watched.write("s001", watched.text.replace("SOLUTION", "new"))
    watched.write("s002")
    assert watched.names() == ["s002"] and list(watched.watch.waiting) == ["s001"]
    watched.grade(*old)
    watched.grade(*watched.take())
    first, second = watched.run.written
    assert first.student == second.student == "s001" and first.submission != second.submission
    assert watched.names() == []


def test_who_is_gone_waits_no_more_and_is_named(watched):
    watched.write_all()
    (item,) = watched.take(most=1)
    watched.take(most=0)
    shutil.rmtree(watched.place / "s002")
    watched.path("s001").unlink()
    assert watched.names() == ["s003"]
    assert watched.sentences == ["s002 is gone, and was not graded."]
    watched.grade(item)
    assert watched.written == [("s001", "graded")], "what is being graded is finished"


def test_a_folder_without_a_notebook_is_waited_for_and_one_that_is_no_id_is_named(watched):
    watched.path("s001").parent.mkdir(parents=True)
    watched.write("a b; rm")
    assert watched.names(seconds=600) == []
    assert "`a b; rm` cannot be" in watched.watch.refused[0]
    assert watched.watch.refused[0] in watched.sentences
    watched.write("s001")
    (watched.place / "a b; rm").rename(watched.place / "s002")
    assert watched.names() == ["s001", "s002"] and not watched.watch.refused


def test_a_folder_that_cannot_be_listed_for_a_while_costs_nothing(watched, tmp_path):
    watched.write("s001")
    watched.take(most=0)
    watched.place.rename(tmp_path / "unmounted")
    watched.take(most=0)
    assert "cannot be listed now: No such file or directory" in watched.sentences[-1]
    (tmp_path / "unmounted").rename(watched.place)
    assert watched.names() == ["s001"] and not any(
        "gone" in sentence for sentence in watched.sentences
    )


def test_the_next_start_goes_on_with_what_has_no_verdict(watched, monkeypatch):
    watched.write_all()
    first, *_ = watched.take()
    watched.grade(first)  # and then the process is killed
    watched.start()
    watched.grade(*watched.take())
    assert watched.group.pool.graded == [*STUDENTS]
    assert [summary.student for summary in watched.run.unchanged] == ["s001"]
    monkeypatch.setattr("autograder.engine.verdicts.fingerprint.grader_hash", lambda _: "later")
    watched.start()
    watched.grade(*watched.take())
    assert watched.written == [] == watched.run.proposed, "whichever graders made them"
    watched.write("s001", watched.text.replace("SOLUTION", "new"))
    watched.grade(*watched.take())
    assert watched.written == [("s001", "graded")]
    assert watched.group.pool.graded == [*STUDENTS, "s001"]


@pytest.mark.parametrize("state", ["not_graded", "unreadable"])
def test_what_has_no_points_is_tried_once_more_behind_the_others(watched, state):
    attempts = 2 if state == "not_graded" else 1
    if state == "not_graded":
        watched.group.pool.faults["s001"] = KeyError("odd")
    watched.write("s001", "{" if state == "unreadable" else None)
    watched.write("s002")
    first, second = watched.take()
    watched.write("s003")
    watched.grade(first, second)
    assert watched.written == [("s002", "graded")]
    third, again = watched.take(seconds=RETRY_SECONDS)
    assert [third.student, again.student] == ["s003", "s001"]
    watched.grade(third, again)
    assert watched.names(seconds=100) == [] and watched.group.states["s001"] == state
    watched.write("s001", watched.text.replace("SOLUTION", "new"))
    for _ in range(attempts):  # which are a submission's
        (item,) = watched.take(seconds=RETRY_SECONDS)
        watched.grade(item)
    assert watched.names(seconds=100) == []
    watched.start()
    watched.group.pool.mend()
    watched.grade(*watched.take())
    assert watched.group.states["s001"] == "graded"


def test_after_a_stop_nothing_is_taken_and_what_is_being_graded_is_finished(watched):
    watched.write("s001")
    items = watched.take()
    watched.write("s002")
    watched.take(most=0)
    watched.watch.stopped = True
    assert watched.names(seconds=60) == []
    watched.grade(*items)
    assert watched.written == [("s001", "graded")]


def test_work_that_is_done_now_and_then_takes_a_small_share_of_all_time_also_if_it_fails():
    now, times = [0.0], []

    def work() -> None:
        times.append(now[0])
        now[0] += 10
        raise OSError("full")

    regularly = NowAndThen(work, 2.0, lambda: now[0])
    with pytest.raises(OSError, match="full"):
        regularly.do_if_due()
    for _ in range(10_000):
        with suppress(OSError):
            regularly.do_if_due()
        now[0] += 0.1
    assert len(times) * 10 / now[0] == pytest.approx(LARGEST_SHARE, rel=0.1)


def test_quick_work_that_is_done_now_and_then_waits_for_its_seconds():
    now, times = [0.0], []
    regularly = NowAndThen(lambda: times.append(now[0]), 2.0, lambda: now[0])
    for now[0] in range(6):
        regularly.do_if_due()
    assert times == [0, 2, 4]


ACTIONS = "write append replace rewrite remove touch wait take".split()
STEPS = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.sampled_from(STUDENTS), st.integers(1, 4)), max_size=25
)
REWRITTEN = [("write", "s001", 1), *[("take", "s001", 4)] * 2, ("rewrite", "s001", 1)]


@given(STEPS, st.booleans())
@example(REWRITTEN, False)
def test_whatever_happens_the_last_version_is_taken_and_none_that_is_being_written(
    small, tmp_path_factory, steps, has_times
):
    """The run is one that notes what it is asked for, and has nothing to be graded. `has_times`:
    the file system dates changes, as it need not do for those through a memory mapping.
    """
    folder = tmp_path_factory.mktemp("class")
    (folder / "submitted").mkdir()
    changed: dict[str, float] = {}  # when the content was last changed, by student
    taken: dict[str, list[str]] = {student: [] for student in STUDENTS}

    def item(student: str, notebook: Path) -> None:
        assert watched.now >= changed[student] + QUIET_SECONDS
        taken[student].append(notebook.read_text())

    run = SimpleNamespace(settings=SimpleNamespace(assignment=small), item=item)
    watched = Watched(SimpleNamespace(folder=folder, settings=run.settings, run=lambda **_: run))

    def act(action: str, student: str, number: int) -> None:
        path, text = watched.path(student), f"{len(steps)} {watched.now:04} {number}"
        if action in ("wait", "take"):
            watched.take(most=action == "take", seconds=number)
            return
        if action == "touch":
            if path.exists():
                os.utime(path, (number, number))
            return
        if action == "write":
            watched.write(student, text, file_time=number)
        elif action == "replace":  # as rsync does, with a time of long ago
            path.parent.mkdir(parents=True, exist_ok=True)
            hidden = path.with_name(".new")
            hidden.write_text(text)
            os.utime(hidden, (1, 1))
            hidden.rename(path)
        elif path.exists():
            if action == "append":
                path.write_text(path.read_text() + ".")
            elif action == "rewrite":  # of the same size
                path.write_text(path.read_text()[::-1])
            else:
                path.unlink()
        changed[student] = watched.now

    def lstat(path: Path) -> os.stat_result:
        info = real_lstat(path)
        dates = {"st_mtime_ns": 1, "st_ctime_ns": 1}
        return info if has_times else os.stat_result((*info[:7], 1, 1, 1), dates)

    real_lstat = os.lstat
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "time", SimpleNamespace(time=lambda: 0.0))
        patched.setattr(module.os, "lstat", lstat)
        for step in steps:
            act(*step)
        watched.take()
        watched.take()
    for student in STUDENTS:
        if watched.path(student).exists():
            assert taken[student][-1] == watched.path(student).read_text()
    assert watched.watch.waiting == {}
