"""A class that is graded while it hands in: what goes to workers, what is kept, and how it ends."""

import os
import shutil
from pathlib import Path

import pytest

from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.classroom.arrivals import SETTLE_SECONDS, UNREADABLE_SECONDS, Arrivals
from autograder.classroom.arriving_run import ArrivingRun
from autograder.classroom.store import ResultStore
from autograder.classroom.watch import FINISH_SECONDS, SCAN_SECONDS, NotFinished, Watch
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty, ungraded
from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict, read_verdict


class NoGradebook:
    """Takes everything, and agrees with everything."""

    def expect(self, student: str, folder: Path) -> None:
        pass

    def agrees_with(self, verdict: Verdict) -> bool:
        return True

    def add(self, verdict: Verdict, submission: Submission, outputs: dict) -> None:
        pass


class Class:
    """A class that hands in while it is watched, on a clock of the test's own."""

    def __init__(self, assignment, folder: Path):
        self.assignment = assignment
        self.folder = folder
        self.solved = solutions(assignment)
        self.now = 0.0
        (folder / "submitted").mkdir()
        self.start()

    def start(self) -> None:
        """As a new process would: it knows only what is written."""
        results, id = self.folder / "results", self.assignment.id
        settings = RunSettings(self.assignment)
        self.run = ArrivingRun(settings, results, ResultStore(results, id), NoGradebook())
        judged = {file.stem for file in (results / id).glob("*.json")}
        place = self.folder / "submitted"
        arrivals = Arrivals(place, self.assignment, judged, clock=lambda: self.now)
        self.told: list[str] = []
        self.watch = Watch(
            self.run,
            arrivals,
            told=lambda verdict: self.told.append(verdict.student),
            turn=lambda: None,
            clock=lambda: self.now,
        )

    def hand_in(self, student: str, text: str = "", file_time: int = 100) -> Path:
        """Hand in the solution with this comment in its first exercise."""
        first = self.assignment.exercises[0].id
        cells = self.solved | {first: f"{self.solved[first]}\n# {text}"}
        folder = self.folder / "submitted" / student / self.assignment.id
        shutil.rmtree(folder, ignore_errors=True)
        path = write_submission(self.assignment, folder, SampleSubmission(cells, ""))
        os.utime(path, (file_time, file_time))
        return path

    def take(self, most: int = 99, seconds: float = SETTLE_SECONDS + SCAN_SECONDS) -> list:
        """What workers are given, so many seconds later."""
        taken = []
        until = self.now + seconds
        while self.now <= until:
            taken += self.watch.take(most - len(taken))
            self.now += 1
        return taken

    def grade(self, submission: Submission, state: str = "graded") -> None:
        """A worker is done with it."""
        if state == "graded":
            result = Graded(empty(self.run.settings, submission, "graded"))
        else:
            result = ungraded(self.run.settings, submission, "no memory")
        self.watch.keep(result)

    def verdict(self, student: str) -> Verdict | None:
        return read_verdict(self.folder / "results" / self.assignment.id / f"{student}.json")


@pytest.fixture
def group(small, tmp_path) -> Class:
    return Class(small, tmp_path)


def names(submissions: list[Submission]) -> list[str]:
    return [one.student for one in submissions]


def test_workers_get_what_they_have_room_for_in_the_order_of_arrival(group):
    for number, student in enumerate(("s003", "s001", "s002")):
        group.hand_in(student, student, file_time=number)
    assert names(group.take(most=2)) == ["s003", "s001"]
    assert group.watch.words() == "1 waits: no estimate yet"
    assert names(group.take(most=1)) == ["s002"]
    assert group.watch.words() == "3 being graded, nobody waits"


def test_identical_submissions_are_graded_once_and_both_are_told(group):
    group.hand_in("s001", "same")
    group.hand_in("s002", "same")
    (one,) = group.take()
    group.grade(one)
    assert group.told == ["s001", "s002"] and group.watch.grading == set()
    group.hand_in("s003", "same")
    assert group.take() == [] and group.told == ["s001", "s002", "s003"]


def test_who_hands_in_again_while_being_graded_is_graded_again_after_that(group):
    group.hand_in("s001", "old")
    (old,) = group.take()
    group.hand_in("s001", "new")
    assert group.take() == [] and group.watch.arrivals.count() == 1
    group.grade(old)
    (new,) = group.take()
    group.grade(new)
    assert group.verdict("s001").stamp.submission == new.hash != old.hash
    assert group.told == ["s001", "s001"] and group.take() == []


def test_a_file_that_is_only_touched_is_not_graded_again(group):
    path = group.hand_in("s001")
    (one,) = group.take()
    group.grade(one)
    os.utime(path, (7, 7))
    assert group.take() == [] and group.told == ["s001"]


def test_the_next_start_goes_on_with_what_has_no_verdict(group):
    for student in ("s001", "s002", "s003"):
        group.hand_in(student, student)
    first, *_ = group.take()
    group.grade(first)  # and then the process is killed
    group.start()
    assert names(group.take()) == ["s002", "s003"]
    assert [one.student for one in group.run.unchanged] == ["s001"] and group.told == []


def test_a_result_whose_verdict_was_not_written_is_not_made_again(group):
    group.hand_in("s001")
    (one,) = group.take()
    group.grade(one)
    (group.folder / "results" / group.assignment.id / "s001.json").unlink()
    group.start()
    assert group.take() == [] and group.verdict("s001").state == "graded"


def test_a_verdict_of_earlier_graders_stays(group, monkeypatch):
    group.hand_in("s001", "old")
    (one,) = group.take()
    group.grade(one)
    before = group.verdict("s001")
    monkeypatch.setattr("autograder.engine.fingerprint.grader_hash", lambda _: "later")
    group.start()
    assert group.take() == [] and group.verdict("s001") == before
    group.hand_in("s001", "new")
    assert names(group.take()) == ["s001"]


def test_what_is_not_graded_is_tried_once_more_behind_the_others(group):
    group.hand_in("s001", "1")
    group.hand_in("s002", "2")
    first, _ = group.take()
    group.hand_in("s003", "3")
    assert group.take(most=0) == []
    group.grade(first, "not_graded")
    third, again = group.take()
    assert names([third, again]) == ["s003", "s001"]
    group.grade(again, "not_graded")
    assert group.take() == [] and group.verdict("s001").state == "not_graded"
    group.start()
    assert "s001" in names(group.take())


def test_what_stays_unreadable_gets_its_sentence(group):
    group.hand_in("s001").write_text('{"cells": [')
    assert group.take() == [] and group.verdict("s001") is None
    assert group.take(seconds=UNREADABLE_SECONDS) == []
    assert group.told == ["s001"] and "JSON is damaged" in group.verdict("s001").reason
    group.hand_in("s001")
    assert names(group.take()) == ["s001"]


def test_a_folder_that_cannot_be_listed_for_a_while_costs_nothing(group):
    group.hand_in("s001")
    group.take(most=0)
    place = group.folder / "submitted"
    place.rename(group.folder / "unmounted")
    group.take(most=0)
    assert "cannot be listed now" in group.watch.trouble
    (group.folder / "unmounted").rename(place)
    assert names(group.take()) == ["s001"] and group.watch.trouble == ""


def test_after_a_stop_nothing_is_taken_and_it_ends_with_what_is_being_graded(group):
    group.hand_in("s001", "1")
    (one,) = group.take()
    group.hand_in("s002", "2")
    group.watch.stop()
    assert group.take() == [] and not group.watch.ended
    group.grade(one)
    assert group.take() == [] and group.watch.ended


def test_what_takes_too_long_after_a_stop_is_left(group):
    group.hand_in("s001")
    group.take()
    group.watch.stop()
    with pytest.raises(NotFinished):
        group.take(seconds=FINISH_SECONDS + 5)
