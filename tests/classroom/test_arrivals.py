"""What counts as arrived, when, and in which order, while others write into the folder."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.classroom import arrivals
from autograder.classroom.arrivals import SETTLE_SECONDS, UNREADABLE_SECONDS, Arrivals
from autograder.engine.submission import Submission

STUDENTS = "s001", "s002", "s003"


class Watched:
    """A folder that is polled every second, by a clock of the test's own."""

    def __init__(self, place: Path, assignment, judged=()):
        self.place = place
        self.id = assignment.id
        self.now = 0.0
        self.arrivals = Arrivals(place, assignment, judged, clock=lambda: self.now)

    def path(self, student: str) -> Path:
        return self.place / student / self.id / f"{self.id}.ipynb"

    def write(self, student: str, text: str = "{}", file_time: float | None = None) -> Path:
        path = self.path(student)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if file_time is not None:
            os.utime(path, (file_time, file_time))
        return path

    def poll(self, seconds: float = 0.0) -> list[str]:
        """Poll now and each second for so long; return who waits."""
        until = self.now + seconds
        self.arrivals.scan()
        while self.now < until:
            self.now += 1
            self.arrivals.scan()
        return list(self.arrivals.waiting)

    def take(self) -> Submission | None:
        arrival = self.arrivals.ready()
        return arrival and self.arrivals.read(arrival)


@pytest.fixture
def watched(small, tmp_path) -> Watched:
    (tmp_path / "submitted").mkdir()
    return Watched(tmp_path / "submitted", small)


@pytest.fixture
def readable(small) -> str:
    """A notebook of the assignment."""
    return small.release.read_text()


def test_those_there_at_the_start_are_ordered_by_file_time_and_then_by_name(watched):
    for student, file_time in (("s001", 300), ("s003", 200), ("s002", 200)):
        watched.write(student, file_time=file_time)
    assert watched.poll(SETTLE_SECONDS) == ["s002", "s003", "s001"]


def test_those_who_come_later_are_behind_whatever_their_files_say(watched):
    watched.write("s001")
    watched.poll(SETTLE_SECONDS)
    watched.write("s002", file_time=1)
    watched.poll(1)
    watched.write("s003", file_time=-(10**9))
    assert watched.poll(SETTLE_SECONDS) == ["s001", "s002", "s003"]


def test_a_file_that_is_being_written_has_not_arrived(watched):
    for size in range(1, 9):
        watched.write("s001", "{" * size)
        assert watched.poll(SETTLE_SECONDS - 1) == []
    assert watched.poll(SETTLE_SECONDS) == ["s001"]


def test_a_file_of_the_same_size_and_time_is_seen_to_be_another_one(watched, readable):
    watched.write("s001", readable, file_time=100)
    watched.poll(SETTLE_SECONDS)
    assert watched.take() and watched.poll(10) == []
    new = watched.write("s002", readable.replace("1", "2", 1), file_time=100)
    new.rename(watched.path("s001"))
    os.utime(watched.path("s001"), (100, 100))
    assert watched.poll(SETTLE_SECONDS) == ["s001"]


@pytest.mark.parametrize(
    "name", [".{id}.ipynb.Xa81cd", "{id}.ipynb.part", "{id}.ipynb.filepart", ".~{id}.ipynb"]
)
def test_what_programs_write_meanwhile_has_not_arrived(watched, name):
    path = watched.write("s001")
    temporary = path.rename(path.with_name(name.format(id=watched.id)))
    assert watched.poll(60) == []
    temporary.rename(path)
    assert watched.poll(SETTLE_SECONDS) == ["s001"]


def test_a_folder_without_a_notebook_is_waited_for(watched):
    watched.path("s001").parent.mkdir(parents=True)
    assert watched.poll(600) == []
    watched.write("s001")
    assert watched.poll(SETTLE_SECONDS) == ["s001"]


def test_who_hands_in_again_keeps_the_place_and_the_newest_is_read(watched, readable):
    for student in STUDENTS:
        watched.write(student, readable, file_time=100)
    watched.poll(SETTLE_SECONDS)
    newest = readable.replace("NotImplementedError", "ValueError")
    watched.write("s001", newest)
    assert watched.poll() == list(STUDENTS)
    assert watched.arrivals.ready().student == "s002"  # until the other one is complete
    watched.poll(SETTLE_SECONDS)
    taken = watched.take()
    assert taken.student == "s001" and any("ValueError" in one.source for one in taken.cells)


def test_who_hands_in_again_after_being_taken_is_behind_the_others(watched, readable):
    for student in STUDENTS:
        watched.write(student, readable, file_time=100)
    watched.poll(SETTLE_SECONDS)
    assert watched.take().student == "s001"
    watched.write("s001", readable + "\n")
    assert watched.poll(SETTLE_SECONDS) == ["s002", "s003", "s001"]


def test_half_a_notebook_gets_more_time_and_keeps_nobody_waiting(watched, readable):
    watched.write("s001", readable[: len(readable) // 2], file_time=1)
    watched.write("s002", readable, file_time=2)
    assert watched.poll(SETTLE_SECONDS) == ["s001", "s002"]
    assert watched.take() is None and watched.take().student == "s002"
    watched.poll(UNREADABLE_SECONDS - SETTLE_SECONDS - 1)
    assert watched.take() is None
    watched.poll(1)
    assert watched.take().unreadable and watched.poll(5) == []


def test_a_file_that_changes_while_it_is_read_is_not_taken(watched, readable, monkeypatch):
    watched.write("s001", readable)
    watched.poll(SETTLE_SECONDS)

    def read_while_it_changes(*arguments) -> Submission:
        watched.write("s001", readable + " ")
        return Submission([], "s001")

    with monkeypatch.context() as patched:
        patched.setattr(arrivals, "read_submission", read_while_it_changes)
        assert watched.take() is None
    watched.poll(SETTLE_SECONDS)
    assert watched.take().student == "s001"


def test_a_folder_that_goes_away_waits_no_more(watched):
    for student in STUDENTS:
        watched.write(student, file_time=100)
    watched.poll(SETTLE_SECONDS)
    shutil.rmtree(watched.place / "s001")
    watched.path("s003").unlink()
    assert watched.poll(SETTLE_SECONDS) == ["s002"]
    assert watched.arrivals.withdrawn == ["s001", "s003"]


def test_a_file_that_is_removed_and_written_again_keeps_its_place(watched):
    for student in STUDENTS[:2]:
        watched.write(student, file_time=100)
    watched.poll(SETTLE_SECONDS)
    watched.path("s001").unlink()
    watched.poll(1)
    assert watched.arrivals.ready().student == "s002"
    watched.write("s001")
    assert watched.poll(SETTLE_SECONDS) == ["s001", "s002"] and not watched.arrivals.withdrawn


def test_a_folder_that_is_no_id_is_named_as_long_as_it_is_there(watched):
    watched.write("a b; rm")
    assert watched.poll(10) == [] and watched.arrivals.invalid == {"a b; rm"}
    (watched.place / "a b; rm").rename(watched.place / "s001")
    assert watched.poll(SETTLE_SECONDS) == ["s001"] and not watched.arrivals.invalid


def test_links_are_not_followed(watched, readable, tmp_path):
    watched.write("s001", readable)
    (watched.place / "s001").rename(tmp_path / "elsewhere")
    (watched.place / "s001").symlink_to(tmp_path / "elsewhere")
    watched.path("s002").parent.mkdir(parents=True)
    watched.path("s002").symlink_to(tmp_path / "elsewhere" / watched.id / f"{watched.id}.ipynb")
    assert sorted(watched.poll(UNREADABLE_SECONDS)) == ["s001", "s002"]
    assert watched.take().unreadable and watched.take().unreadable


def test_what_did_not_change_is_not_opened(watched, monkeypatch):
    for student in STUDENTS:
        watched.write(student)
    watched.path("s004").parent.mkdir(parents=True)
    watched.poll(SETTLE_SECONDS)
    monkeypatch.setattr(arrivals, "notebooks_in", pytest.fail)
    assert len(watched.poll(10)) == 3


def test_where_the_folder_cannot_be_listed_all_stays_as_it_is(watched):
    watched.write("s001")
    watched.poll(SETTLE_SECONDS)
    watched.place.rename(watched.place.with_name("unmounted"))
    with pytest.raises(FileNotFoundError):
        watched.poll()
    watched.place.with_name("unmounted").rename(watched.place)
    assert watched.poll() == ["s001"] and not watched.arrivals.withdrawn


def test_who_had_a_verdict_before_counts_once_the_file_changes(small, watched):
    watched = Watched(watched.place, small, judged={"s001", "s002"})
    for student in STUDENTS:
        watched.write(student)
    watched.poll(SETTLE_SECONDS)
    assert watched.arrivals.count() == 1
    watched.write("s001", "{ }")
    watched.poll(SETTLE_SECONDS)
    assert watched.arrivals.count() == 2


ACTIONS = st.sampled_from(["write", "append", "replace", "remove", "touch", "wait", "take"])
STEPS = st.lists(st.tuples(ACTIONS, st.sampled_from(STUDENTS), st.integers(1, 4)), max_size=25)


@given(STEPS)
def test_whatever_happens_the_last_version_is_taken_and_none_that_is_being_written(
    small, tmp_path_factory, steps
):
    place = tmp_path_factory.mktemp("submitted")
    watched = Watched(place, small)
    changed: dict[str, float] = {}  # when the content was last changed, by student
    taken: dict[str, list[str]] = {student: [] for student in STUDENTS}

    def read(assignment, student, notebook, top) -> Submission:
        return Submission([], student, file_hash=notebook.read_text())

    def take() -> None:
        while submission := watched.take():
            student = submission.student
            assert watched.now >= changed[student] + SETTLE_SECONDS
            taken[student].append(submission.file_hash)

    def act(action: str, student: str, number: int) -> None:
        path = watched.path(student)
        if action == "wait":
            watched.poll(number)
        elif action == "take":
            take()
        elif action == "write":
            watched.write(student, f"{len(changed)} {watched.now}", file_time=number)
        elif action == "replace":  # as rsync does, with a time of long ago
            new = watched.write(student, f"new {watched.now}") if not path.exists() else path
            hidden = new.with_name(".new")
            hidden.write_text(f"{number} {watched.now}")
            os.utime(hidden, (1, 1))
            hidden.rename(path)
        elif path.exists():
            if action == "append":
                path.write_text(path.read_text() + ".")
            elif action == "touch":
                os.utime(path, (number, number))
            else:
                path.unlink()
        if action not in ("wait", "take"):
            changed[student] = watched.now

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(arrivals, "read_submission", read)
        for step in steps:
            act(*step)
            watched.poll()
        watched.poll(SETTLE_SECONDS)
        take()
    for student in STUDENTS:
        if watched.path(student).exists():
            assert taken[student][-1] == watched.path(student).read_text()
        assert watched.arrivals.waiting == {}
