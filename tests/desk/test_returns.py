"""Feedback that goes back by itself: to whom, when, and what it says."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from invented_class import STAMP
from msgspec.structs import replace
from nbgrader.api import Gradebook
from nbgrader.utils import notebook_hash
from repositories import commit, git

from autograder import CheckResult, ExerciseResult, NamedMistake, Verdict, write_verdict
from autograder.classroom.newest_files import ReceivedFile
from autograder.classroom.records import read_records
from autograder.classroom.run import ClassRun
from autograder.classroom.watch import Arrival
from autograder.desk import returns as module
from autograder.desk.returns import AT_ONCE, Return, Returns
from autograder.engine import ResultsFolder, RunSettings
from autograder.engine.files import SECRET
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse
from autograder.platforms import git_fetch
from autograder.platforms.git_fetch import push_text
from autograder.platforms.git_objects import CloneRefused

pytestmark = [
    pytest.mark.database,  # imports nbgrader
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # nbgrader leaves timestamp.txt open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ELEVEN = "2026-11-20 11:00:00"
WHY = "Is it the row that is summed over?"


def result(id: str, points: float, state: str = "answered") -> ExerciseResult:
    check = CheckResult(f"test_{id}_is_right", points, 2.0, points == 2, f"{WHY} ({id})")
    return ExerciseResult(id, state, points, 2.0, [check], [NamedMistake("odd", f"Odd {id}.")])


class Class:
    """A class that is watched, on a clock of the test's own; its exchange is a folder."""

    def __init__(self, assignment, top: Path):
        self.assignment, self.top, self.now = assignment, top, NOON
        (top / "exchange").mkdir(mode=0o777)
        (top / "exchange").chmod(0o777)
        self.course = NbgraderCourse(assignment.course)
        self.course.config.Exchange.root = str(top / "exchange")
        self.submitted = top / "course" / "submitted"
        self.results = ResultsFolder(top / "results", assignment)
        run = ClassRun(RunSettings(assignment), self.results, self.submitted)
        self.said: list[str] = []
        self.watch = SimpleNamespace(
            run=run, arrivals={}, place=self.submitted, tell=self.said.append
        )
        self.addresses: dict[str, str] = {}
        self.restart()

    def restart(self) -> None:
        self.returns = Returns(self.watch, self.course, self.addresses, lambda: self.now)

    def recorded(self) -> list[Return]:
        return read_records(self.results.results, self.results.assignment.id, Return)

    def hand_in(
        self, student: str, text: str, *results: ExerciseResult, secret=True, at=ELEVEN
    ) -> Path:
        """Have a file arrive, with a verdict on it."""
        folder = self.submitted / student / self.assignment.id
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.assignment.id}.ipynb"
        path.write_text(text)
        if secret:
            (folder / SECRET).write_text(self.secret(student, at))
            (folder / "timestamp.txt").write_text(f"{at} UTC")
        exercises = list(results) or [result("softmax", 1.0)]
        points = sum(one.points for one in exercises)
        stamp = replace(STAMP, submission=f"hash of {student}'s {text}")
        most = 2.0 * len(exercises)
        args = points, most, exercises, [], 0.1, stamp
        verdict = Verdict(student, self.assignment.id, "graded", *args)
        write_verdict(self.results.folder / f"{student}.json", verdict)
        file = self.watch.run.seen.file(student, path, self.submitted)
        self.watch.run.seen.note(student, file, stamp.submission)
        self.watch.arrivals[student] = Arrival(path, (), 0.0)
        return path

    def send(self, minutes: float = 0) -> list[str]:
        self.now += timedelta(minutes=minutes)
        self.said.clear()
        self.returns.send()
        return self.said

    @staticmethod
    def secret(student: str, at: str) -> str:
        return f"secret of {student} at {at}"

    def page(self, student: str, at: str = ELEVEN) -> str:
        name = notebook_hash(secret=self.secret(student, at), notebook_id=self.assignment.id)
        return (self.top / "exchange" / "small-course" / "feedback" / f"{name}.html").read_text()

    def due(self, when: datetime, **submissions: timedelta) -> None:
        """Have the gradebook know a due date, and these students with their extensions."""
        id = self.assignment.id
        with Gradebook(self.course.db_url, "small-course") as gradebook:
            gradebook.update_or_create_assignment(id, duedate=when.replace(tzinfo=None))
            gradebook.update_or_create_notebook(id, id)
            for student, extension in submissions.items():
                gradebook.add_student(student)
                one = gradebook.update_or_create_submission(id, student)
                one.extension = extension
                gradebook.db.commit()


@pytest.fixture
def of_class(copied, tmp_path) -> Class:
    return Class(copied, tmp_path)


BOTH = result("softmax", 1.0), result("prediction", 2.0)


def test_each_gets_a_page_on_their_own_submission_that_says_which_it_is(of_class):
    of_class.hand_in("ada", "first", *BOTH)
    of_class.hand_in("ben", "other", result("softmax", 2.0))
    assert of_class.send() == ["ada: feedback went back.", "ben: feedback went back."]
    ada, ben = of_class.page("ada"), of_class.page("ben")
    assert "ada" in ada and "ben" not in ada and "Odd softmax" in ada
    assert "ben" in ben and "ada" not in ben
    assert (
        "automatic points only" in ada and "a7937b64b8ca" in ada and "small-sheet.ipynb" in ada
    )  # the SHA-256 of "first"
    assert of_class.send(60) == []
    of_class.restart()
    assert of_class.send(60) == []


def test_when_it_was_handed_in_is_said_in_the_zone_of_the_course(of_class):
    of_class.course.config.LatePolicy.timezone = "Europe/Berlin"
    of_class.hand_in("ada", "first", at="2026-11-20 23:30:00")
    of_class.send()
    assert ", handed in on 2026-11-21 00:30 CET" in of_class.page("ada", "2026-11-20 23:30:00")


def test_two_within_five_minutes_are_one_and_the_same_answers_have_a_page_of_their_own(of_class):
    of_class.hand_in("ada", "first")
    of_class.send()
    again = "2026-11-20 11:45:00"
    of_class.hand_in("ada", "first", at=again)
    assert of_class.send(4) == [] and of_class.send(1) == ["ada: feedback went back."]
    assert "11:00 UTC" in of_class.page("ada") and "11:45 UTC" in of_class.page("ada", again)
    of_class.restart()
    assert of_class.send(60) == []
    of_class.hand_in("ada", "second")
    of_class.send()
    of_class.hand_in("ada", "third")
    assert of_class.send(4) == [] and of_class.send(1) == ["ada: feedback went back."]


@pytest.mark.parametrize(
    ("due", "extension", "is_told"),
    [
        (None, 0, False),
        (NOON + timedelta(minutes=10), 0, False),
        (NOON - timedelta(hours=1), 0, True),
        (NOON - timedelta(hours=1), 2, False),
    ],
    ids=["no due date", "before it", "after it", "extended"],
)
def test_what_is_a_value_is_only_filled_or_open_until_the_deadline(
    of_class, due, extension, is_told
):
    if due:
        of_class.due(due, ada=timedelta(hours=extension))
    of_class.hand_in("ada", "first", *BOTH)
    of_class.send()
    page = of_class.page("ada")
    assert ("prediction is filled" in page) is not is_told
    assert ("Odd prediction" in page) is ("(prediction)" in page) is is_told
    assert ("total: 3 of 4" if is_told else "total: 1 of 2") in page
    of_class.hand_in("ada", "then", result("prediction", 0.0, "not_attempted"))
    of_class.send(6)
    assert ("prediction is open" in of_class.page("ada")) is not is_told


def test_staffs_files_that_cannot_be_read_hide_what_is_a_value_and_end_nothing(of_class):
    of_class.due(NOON - timedelta(hours=1), ada=timedelta())
    (of_class.course.root / "extensions.csv").write_text("student,assignment,until\nada,x,soon\n")
    of_class.hand_in("ada", "first", *BOTH)
    assert of_class.send() == ["ada: feedback went back."]
    assert "prediction is filled" in of_class.page("ada")


def test_at_most_four_an_hour_and_the_newest_goes_when_the_hour_is_over(of_class):
    for minutes in (0, 6, 6, 6):
        of_class.hand_in("ada", f"after {minutes} at {of_class.now}")
        assert of_class.send(minutes) == ["ada: feedback went back."]
    of_class.hand_in("ada", "fifth")
    of_class.hand_in("ben", "first")
    assert of_class.send(6) == ["ben: feedback went back."]
    of_class.restart()
    of_class.hand_in("ada", "sixth", result("softmax", 2.0))
    assert of_class.send(35) == []
    assert of_class.send(2) == ["ada: feedback went back."] and "2 of 2" in of_class.page("ada")
    assert len(of_class.recorded()) == 6


def test_a_file_that_has_changed_since_waits_for_its_own_verdict(of_class):
    path = of_class.hand_in("ada", "first")
    path.write_text("second")
    assert of_class.send() == [] and not list((of_class.top / "exchange").rglob("*.html"))
    path.unlink()
    path.symlink_to(of_class.hand_in("ben", "first"))
    assert of_class.send() == ["ben: feedback went back."]


def test_what_fails_is_told_and_tried_again_and_others_go(of_class, monkeypatch):
    def release(config, id, student, page):
        if student == "ada":
            raise OSError("the disk is full \x1b[31m")

    monkeypatch.setattr(module, "release_page", release)
    of_class.hand_in("ada", "first")
    of_class.hand_in("ben", "first")
    failed, went = of_class.send()
    assert "ada: feedback did not go back yet" in failed and "\x1b" not in failed
    assert went == "ben: feedback went back." and of_class.send(1) == []
    assert of_class.send(4)[0].startswith("ada: feedback did not go back yet")
    assert [one.student for one in of_class.recorded()] == ["ben"]


def test_whoever_has_no_way_back_is_told_once_and_a_linked_secret_is_none(of_class):
    path = of_class.hand_in("ada", "first", secret=False)
    of_class.hand_in("ben", "first")
    (path.parent / SECRET).symlink_to(of_class.submitted / "ben" / path.parent.name / SECRET)
    said = "ada: feedback has no way back by itself."
    assert of_class.send() == [said, "ben: feedback went back."] and of_class.send() == []


def test_a_batch_is_bounded_and_the_rest_goes_next(of_class):
    for number in range(AT_ONCE + 3):
        of_class.hand_in(f"s{number:02}", "text")
    assert len(of_class.send()) == AT_ONCE and len(of_class.send()) == 3


@pytest.fixture
def host(tmp_path, monkeypatch) -> str:
    """The address of a repository on a host that is reached by ssh."""
    commit(tmp_path / "work", {"main.txt": b"theirs"})
    git(tmp_path, "clone", "--quiet", "--bare", "work", "host.git")
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    return f"ssh://git@host{tmp_path}/host.git"


def test_a_team_gets_one_text_in_its_repository(of_class, host, monkeypatch, tmp_path):
    of_class.addresses["host+team"] = host
    files = {who: ReceivedFile("", "all/host+team/small-sheet.ipynb") for who in ("ada", "ben")}
    monkeypatch.setattr(module, "newest_files", lambda *_: files)
    for student in files:
        of_class.hand_in(student, "same", *BOTH, secret=False)
        verdict = of_class.results.verdict(student)
        stamp = replace(verdict.stamp, submission="same")
        write_verdict(of_class.results.folder / f"{student}.json", replace(verdict, stamp=stamp))
        seen = of_class.watch.run.seen
        seen.seen[student] = replace(seen.seen[student], submission="same")
    of_class.hand_in("cleo", "other", secret=False)
    assert sorted(of_class.send()) == [
        "ada: feedback went back.",
        "cleo: feedback has no way back by itself.",
    ]
    assert of_class.send(60) == []
    text = git(tmp_path / "host.git", "show", "autograder-feedback:small-sheet.md")
    assert "prediction is filled" in text and "Odd softmax" in text and "ben" not in text


def test_a_push_adds_a_commit_to_its_own_branch_and_loses_nothing(host, tmp_path):
    there = tmp_path / "host.git"
    main = git(there, "rev-parse", "main")
    push_text(host, "sheet.md", "first\n")
    push_text(host, "sheet.md", "second ä\n")
    push_text(host, "other.md", "")
    assert git(there, "rev-parse", "main") == main
    assert git(there, "show", "autograder-feedback:sheet.md") == "second ä"
    assert git(there, "show", "autograder-feedback~2:sheet.md") == "first"
    assert git(there, "ls-tree", "--name-only", "autograder-feedback") == "other.md\nsheet.md"


@pytest.mark.parametrize("protocol", ["file://", ""])
def test_no_push_goes_to_a_repository_on_this_machine_whose_hooks_would_run(
    host, tmp_path, protocol
):
    hook = tmp_path / "host.git" / "hooks" / "pre-receive"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    with pytest.raises(CloneRefused, match="transport 'file' not allowed"):
        push_text(f"{protocol}{tmp_path}/host.git", "sheet.md", "text")
    assert not (tmp_path / "ran").exists()
    assert git_fetch.FEEDBACK not in git(tmp_path / "host.git", "for-each-ref")
