"""An assignment is read from its two folders, whatever else there is in the process."""

import pickle
import shutil
import sys

import pytest

from autograder.engine import Assignment, CourseError, GraderError, find_assignment


def test_exercises_are_those_with_a_check_cell(small):
    assert [(one.id, one.points) for one in small.exercises] == [
        ("rms_norm", 4),
        ("softmax", 2),
        ("prediction", 1),
    ]
    assert all(exercise.grader.is_file() for exercise in small.exercises)


def test_solutions_are_the_source_without_nbgraders_marks(small):
    assert set(small.solutions) == {"rms_norm", "softmax", "prediction"}
    assert "###" not in small.solutions["softmax"]
    assert "demo" not in small.solved_cells() and "imports" in small.solved_cells()


def test_an_unknown_assignment_is_told_with_those_that_there_are(small_course):
    with pytest.raises(CourseError, match="There is: small-sheet"):
        find_assignment("decoder", small_course)


def test_signatures_are_read_from_the_reference(small):
    assert small.signature("RMSNorm") == (["features", "eps"], ["x"], False)
    assert small.signature("softmax") == ([], ["scores"], True)
    with pytest.raises(GraderError, match=r"reference\.py` has no `Attention`"):
        small.signature("Attention")


def test_two_courses_in_one_process_keep_their_graders_apart(small, copied):
    reference = copied.graders / "reference.py"
    reference.write_text(reference.read_text() + "\nOF_THE_COPY = True\n")
    assert not hasattr(small.module("reference"), "OF_THE_COPY")
    assert copied.module("reference").OF_THE_COPY
    assert not hasattr(small.module("reference"), "OF_THE_COPY")


def test_a_folder_named_like_a_module_of_python_is_refused(copied):
    folder = copied.graders.rename(copied.graders.with_name("json"))
    with pytest.raises(GraderError, match="name the assignment otherwise"):
        Assignment("json", copied.course).module()
    assert "json" in sys.modules and folder.exists()


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\xff", b"", b"[]", b'{"cells": [1]}', b'{"cells": [{"id": "a", "metadata": []}]}'],
)
def test_a_source_that_is_no_notebook_is_named(copied, content):
    copied.source.write_bytes(content)
    with pytest.raises(GraderError, match="small-sheet.ipynb` cannot be read as a notebook"):
        _ = Assignment(copied.id, copied.course).solutions


def test_a_grader_that_does_not_import_is_a_fault_of_ours(copied):
    (copied.graders / "reference.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(GraderError, match="reference"):
        copied.module("reference")


def test_without_a_package_there_is_no_module(copied):
    shutil.rmtree(copied.graders)
    assert copied.module() is None and copied.module("reference") is None
    assert copied.aliases == {}


def test_where_the_course_is_not_there_a_process_takes_the_one_that_it_is_in(
    copied, small_course, monkeypatch
):
    packed = pickle.dumps(copied)
    shutil.rmtree(copied.course.root)
    monkeypatch.chdir(small_course.root)
    assert pickle.loads(packed).course == small_course
