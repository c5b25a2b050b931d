"""What costs a submission nothing, what it keeps when it dies, and what is nobody's fault."""

import itertools
import secrets
from pathlib import Path

import psutil
import pytest
import torch
from submissions import SHORT, exercise, lost

from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.engine import SandboxError, candidate, find_assignment
from autograder.engine.examiner import CheckRun, Supervisor
from autograder.engine.grading import Grader
from autograder.engine.limits import NAMESPACES, Limits
from autograder.engine.limits.process import ATTEMPTS
from autograder.engine.sandbox import ListeningParent
from autograder.engine.sandbox.walls import Walls
from autograder.mistakes.budget import OutOfTime
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = pytest.mark.walls


def test_a_flood_of_text_costs_nothing(grade_cells, solved):
    verdict = grade_cells(
        attention="for i in range(200_000): print('x' * 100)\n" + solved["attention"],
        feed_forward=solved["feed_forward"],
    )
    assert lost(verdict) == {}


def test_much_text_in_any_script_costs_nothing(grade_cells, solved):
    source = "print('\u2211' * 30_000)\n'\u2211' * 30_000\n" + solved["attention"]
    assert lost(grade_cells(attention=source)) == {}


def test_what_forward_prints_costs_nothing(grade_cells, solved):
    source = solved["attention"].replace(
        "scores = query @", "print(query)\n        scores = query @"
    )
    assert lost(grade_cells(attention=source)) == {}


def test_nothing_of_the_exam_is_to_be_found_on_the_disk(grade_cells, assignment, walls, hand_in):
    """The search runs to its end, and sees neither graders nor tests nor anybody's files."""
    search = """
import os, numpy, torch
tops = "/", "/usr/lib", *torch.__path__, *numpy.__path__  # behind Landlock, / cannot be listed
found = [(top, os.path.join(place, f)) for top in tops for place, _, files in os.walk(top) for f in files if not place.startswith("/proc")]
own = [f for top, f in found if "autograder" in f.removeprefix(top).replace("packages/nbgrader/", "") or f.startswith(("/app", "/workdir"))]
own = [f for f in own if os.path.isfile(f) and "tests" not in f]
files = [f for _, f in found if f.endswith(".py") and not os.path.islink(f) and os.path.isfile(f) and os.path.getsize(f) and os.access(f, os.R_OK)]
told = [f for f in files if SENTENCE in open(f, "rb").read()]
print(len(found) > 1000, told, sorted(own))
""".replace("SENTENCE", "b'Follow one ' + b'position through'")
    patient = Limits(cell_seconds=600, cells_seconds=600)  # every file is read, also by a slow disk
    graded = Grader(assignment, walls, patient, explain=diagnose_exercises).grade(
        "s001", hand_in(encoder=search)
    )
    (output,) = graded.outputs["encoder"]
    text = output["text"]
    code = sorted(file.name for file in Path(candidate.__file__).parent.glob("*.py"))
    own = ["__init__.py", "engine/__init__.py", *(f"engine/candidate/{name}" for name in code)]
    expected = sorted(f"/app/autograder/{name}" for name in own)
    files = [file for file in eval(text.split("[] ", 1)[1]) if not file.endswith(".pyc")]
    assert text.startswith("True [] ")
    assert files == (expected if walls.level == NAMESPACES else [])


def test_checks_asked_before_the_candidate_died_keep_their_result(grade_cells, solved):
    """It dies of a boolean mask: the sixth check. What comes after it has nobody to ask."""
    dies = "if attention_mask is not None and attention_mask.dtype == torch.bool: __import__('os')._exit(0)"
    first = "scores = query @"
    source = solved["attention"].replace(first, f"{dies}\n        {first}")
    result = exercise(grade_cells(attention=source), "attention")
    assert [check.passed for check in result.checks] == [True] * 5 + [False] * 3
    assert (result.state, result.points) == ("crashed", 2.75)


@pytest.fixture(scope="module")
def address(walls):
    """Where a warm parent forks others: to import torch for each of them would take seconds."""
    listening = ListeningParent(walls.level)
    yield listening.address
    listening.end()


class Shaky(Walls):
    """Walls that fail the first times that somebody leans on them."""

    def __init__(self, failures, harm, address):
        super().__init__(Path(address).name, address=address)
        self.failures = failures
        self.harm = harm
        self.started = 0

    def start(self, limits, needs=()):
        self.started += 1
        process = super().start(limits)
        if self.started <= self.failures:
            self.harm(process)
        return process


def refuses(process):
    process.end()
    raise SandboxError("the walls shook")


def loses_its_parent(process):
    psutil.Process(process.reader.pid).parent().kill()


def loses_its_candidate(process):
    """As the kernel does it, if memory runs out on the machine."""
    psutil.Process(process.reader.pid).kill()


@pytest.mark.parametrize(
    "harm",
    [
        loses_its_candidate,
        *(pytest.param(one, marks=pytest.mark.long) for one in (refuses, loses_its_parent)),
    ],
)
def test_a_fault_of_the_machine_is_tried_again(harm, assignment, hand_in, address):
    walls = Shaky(1, harm, address)
    verdict = (
        Grader(assignment, walls, SHORT, explain=diagnose_exercises)
        .grade("s001", hand_in())
        .verdict
    )
    assert verdict.state == "graded" and lost(verdict) == {} and walls.started == 2
    walls.close()


@pytest.mark.parametrize(
    "question", [30, *(pytest.param(one, marks=pytest.mark.long) for one in (5, 75))]
)
def test_a_fault_in_the_middle_of_an_exam_is_tried_again_and_harms_no_later_one(
    question, assignment, hand_in, walls, monkeypatch
):
    ask, asked, walls = Supervisor.ask, itertools.count(1), Walls(walls.level)

    def fatal(supervisor, *arguments, **more):
        if next(asked) == question:
            loses_its_parent(supervisor._process)
        return ask(supervisor, *arguments, **more)

    monkeypatch.setattr(Supervisor, "ask", fatal)
    grader = Grader(assignment, walls, SHORT, explain=diagnose_exercises)
    for _ in range(2):
        verdict = grader.grade("s001", hand_in(student=secrets.token_hex(4))).verdict
        assert verdict.state == "graded" and lost(verdict) == {}
    assert next(asked) > 2 * 75
    walls.close()


@pytest.mark.parametrize(
    "harm",
    [
        loses_its_candidate,
        *(pytest.param(one, marks=pytest.mark.long) for one in (refuses, loses_its_parent)),
    ],
)
def test_a_fault_of_the_machine_that_stays_is_not_graded(harm, assignment, hand_in, address):
    walls = Shaky(ATTEMPTS, harm, address)
    verdict = (
        Grader(assignment, walls, SHORT, explain=diagnose_exercises)
        .grade("s001", hand_in())
        .verdict
    )
    assert verdict.state == "not_graded" and verdict.reason and walls.started == ATTEMPTS
    walls.close()


def test_an_examiner_that_runs_out_of_memory_grades_the_next_submission(
    course, walls, tmp_path, monkeypatch
):
    """Here a bound of ours is missing: what the examiner computes for a played function is gibibytes."""
    asking = find_assignment("layer-norm", course)
    notebook = write_submission(asking, tmp_path / "s001", SampleSubmission(solutions(asking), ""))
    grader = Grader(asking, walls, SHORT, explain=diagnose_exercises)
    with monkeypatch.context() as patched:
        patched.setattr(
            "autograder.engine.examiner.asking.computed", lambda *_: torch.zeros(1 << 40)
        )
        hostile = grader.grade("s001", notebook).verdict
    assert hostile.state == "not_graded" and "limit of memory" in hostile.reason
    assert lost(grader.grade("s002", notebook).verdict) == {}


@pytest.mark.parametrize("end", [OutOfTime, ZeroDivisionError])
def test_staff_are_told_where_no_mistake_was_looked_for_to_the_end(
    assignment, walls, hand_in, unscaled, solved, monkeypatch, end
):
    """No point depends on it; a name that is missing because of a clock is no secret."""

    def diagnose(assignment: object, checks: list[CheckRun], seconds: float) -> list:
        if any(not check.passed for check in checks):
            raise end
        return []

    notebook = hand_in(attention=unscaled.cells[0])
    grader = Grader(assignment, walls, SHORT, seed=1, explain=diagnose_exercises)
    named = grader.grade("s001", notebook).verdict
    monkeypatch.setattr("autograder.mistakes.exercises.diagnose", diagnose)
    silent = grader.grade("s001", notebook).verdict
    assert exercise(named, "attention").mistakes and not exercise(silent, "attention").mistakes
    assert silent.points == named.points and named.notes == []
    (note,) = silent.notes
    assert note.startswith("`attention`: the search for known mistakes")
