"""The public API: what `autograder` exports does what its docstrings say, and leaves no trace."""

import json
import subprocess
import sys

import pytest

import autograder
from autograder import (
    AutograderError,
    CourseError,
    Verdict,
    assignments,
    find_assignment,
    find_course,
    grade,
    read_verdict,
    write_verdict,
)

LOOK = """
import gc, json, os, resource, signal, sys, threading, warnings
def look():
    import torch
    return {
        "dtype": str(torch.get_default_dtype()), "threads": torch.get_num_threads(),
        "random": torch.random.get_rng_state().sum().item(), "frozen": gc.get_freeze_count(),
        "limits": [resource.getrlimit(number) for number in range(16)],
        "signals": [str(signal.getsignal(number)) for number in range(1, 32)],
        "environment": dict(os.environ), "path": sys.path[:], "filters": len(warnings.filters),
        "hidden": sorted(name for name, module in sys.modules.items() if module is None),
        "running": threading.active_count(), "processors": sorted(os.sched_getaffinity(0)),
        "folder": os.getcwd(), "files": sorted(os.listdir("/proc/self/fd")), "mask": os.umask(18),
    }
"""


def test_it_exports_at_most_15_names_each_with_a_docstring():
    assert len(autograder.__all__) <= 15
    for name in autograder.__all__:
        assert getattr(autograder, name).__doc__, name
    with pytest.raises(AttributeError):
        _ = autograder.nothing


@pytest.mark.walls
def test_grading_changes_nothing_in_the_process_that_asks(hand_in, course):
    """Threads, random numbers, limits, signals, environment and modules are as before."""
    notebook = hand_in(feed_forward="x = 1")
    code = f"""{LOOK}
import torch
before = look()
from autograder import find_assignment, find_course, grade
verdict = grade(find_assignment("encoder-layer", find_course()), {str(notebook)!r}, "ada", seed=3)
print(json.dumps([before, look(), verdict.state, verdict.points]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=course.root, capture_output=True, text=True, check=True
    )
    before, after, state, points = json.loads(done.stdout)
    assert (after, state) == (before, "graded")
    assert points > 0


@pytest.mark.walls
def test_a_verdict_is_that_of_the_command(hand_in, assignment, tmp_path):
    """The same notebook with the same seed; written and read, it is the same verdict."""
    verdict = grade(assignment, hand_in("s001"), "s001", seed=5)
    assert (verdict.state, verdict.student, verdict.stamp.seed) == ("graded", "s001", 5)
    assert verdict.points == sum(one.points for one in verdict.exercises)
    write_verdict(tmp_path / "s001.json", verdict)
    assert read_verdict(tmp_path / "s001.json") == verdict


@pytest.mark.walls
def test_what_is_no_notebook_is_unreadable(assignment, tmp_path):
    file = tmp_path / "hw.ipynb"
    file.write_text("nothing")
    verdict = grade(assignment, file)
    assert (verdict.state, verdict.points) == ("unreadable", 0)
    assert verdict.reason


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"student": "../ada"}, "student's id"),
        ({"sandbox": "none"}, "require, namespaces, off"),
        ({"notebook": "missing.ipynb"}, "There is no notebook"),
    ],
)
def test_an_argument_that_cannot_be_used_is_refused_in_a_sentence(
    assignment, tmp_path, changed, told
):
    notebook = tmp_path / "hw.ipynb"
    notebook.write_text("{}")
    with pytest.raises(AutograderError, match=told):
        grade(assignment, **{"notebook": notebook, **changed})


def test_a_course_and_its_assignments_are_found_by_name(course, tmp_path):
    assert "encoder-layer" in assignments(find_course(course.root))
    with pytest.raises(CourseError, match="There is no assignment"):
        find_assignment("nothing", course)
    with pytest.raises(CourseError):
        find_course(tmp_path)


def test_a_verdict_of_an_earlier_release_is_read_as_it_was(tmp_path):
    assert read_verdict(tmp_path / "missing.json") is None
    (tmp_path / "s.json").write_text('{"schema": 99}')
    assert read_verdict(tmp_path / "s.json") is None
    assert Verdict.__struct_fields__[:5] == (
        *("student", "assignment", "state", "points", "max_points"),
    )
