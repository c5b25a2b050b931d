"""What costs a submission nothing, what it keeps when it dies, and what is nobody's fault."""

import itertools
import secrets
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from submissions import SHORT, UNDIAGNOSED, exercise, lost

from autograder.engine import SandboxError, candidate
from autograder.engine.examiner import Supervisor
from autograder.engine.grading import Grader
from autograder.engine.limits import NAMESPACES, Limits
from autograder.engine.sandbox import choose_walls
from autograder.mistakes import exercises
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = pytest.mark.walls
ATTEMPTS = 3  # at grading one submission


def test_a_flood_of_text_costs_nothing(grade_cells, solved):
    verdict = grade_cells(
        attention="for i in range(200_000): print('x' * 100)\n" + solved["attention"],
        feed_forward=solved["feed_forward"],
    )
    assert lost(verdict) == {}


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


class Shaky:
    """Walls that fail the first times that somebody leans on them."""

    def __init__(self, level, failures, harm):
        self.walls = choose_walls(level)
        self.failures = failures
        self.harm = harm
        self.started = 0

    def __getattr__(self, name):
        return getattr(self.walls, name)

    def start(self, limits, needs=()):
        self.started += 1
        process = self.walls.start(limits)
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
    ("failures", "state", "starts"), [(1, "graded", 2), (ATTEMPTS, "not_graded", ATTEMPTS)]
)
@pytest.mark.parametrize(
    "harm",
    [
        loses_its_candidate,
        *(pytest.param(one, marks=pytest.mark.long) for one in (refuses, loses_its_parent)),
    ],
)
def test_a_fault_of_the_machine_is_tried_again_and_one_that_stays_is_not_graded(
    harm, failures, state, starts, assignment, hand_in, walls
):
    shaky = Shaky(walls.level, failures, harm)
    verdict = Grader(assignment, shaky, UNDIAGNOSED).grade("s001", hand_in()).verdict
    shaky.close()
    assert (verdict.state, shaky.started) == (state, starts)
    assert verdict.reason if state == "not_graded" else lost(verdict) == {}


@pytest.mark.parametrize(
    "question", [30, *(pytest.param(one, marks=pytest.mark.long) for one in (5, 75))]
)
def test_a_fault_in_the_middle_of_an_exam_is_tried_again_and_harms_no_later_one(
    question, assignment, hand_in, walls, monkeypatch
):
    ask, asked, own_walls = Supervisor.ask, itertools.count(1), choose_walls(walls.level)

    def fatal(supervisor, *arguments, **more):
        if next(asked) == question:
            loses_its_parent(supervisor._process)
        return ask(supervisor, *arguments, **more)

    monkeypatch.setattr(Supervisor, "ask", fatal)
    grader = Grader(assignment, own_walls, UNDIAGNOSED)
    for _ in range(2):
        verdict = grader.grade("s001", hand_in(student=secrets.token_hex(4))).verdict
        assert verdict.state == "graded" and lost(verdict) == {}
    assert next(asked) > 2 * 75
    own_walls.close()


@pytest.mark.parametrize("breaks", [False, True], ids=["out of time", "breaks"])
def test_staff_are_told_where_no_mistake_was_looked_for_to_the_end(
    breaks, assignment, walls, hand_in, unscaled, monkeypatch
):
    """No point depends on it; a name that is missing because of a clock is no secret."""

    def diagnose(*_: object) -> list:
        raise ZeroDivisionError

    notebook = hand_in(attention=unscaled.cells[0])
    grader = Grader(assignment, walls, SHORT, seed=1, explain=diagnose_exercises)
    named = grader.grade("s001", notebook).verdict
    if breaks:
        monkeypatch.setattr(exercises, "diagnose", diagnose)
    else:
        grader = replace(grader, limits=UNDIAGNOSED)
    silent = grader.grade("s001", notebook).verdict
    assert exercise(named, "attention").mistakes and not exercise(silent, "attention").mistakes
    assert silent.points == named.points and named.notes == []
    assert any(note.startswith("`attention`: the search for known") for note in silent.notes)
