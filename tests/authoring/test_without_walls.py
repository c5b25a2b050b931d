"""Code of our own is asked here as behind the walls, in the precisions and by the checks that are named."""

from dataclasses import replace

from autograder.authoring.without_walls import examine_without_walls, same_ways
from autograder.engine.course.mistake import mistakes


def test_the_solution_passes_every_check(small):
    runs = examine_without_walls(small, small.solved_cells(), seed=1)
    assert {run.exercise for run in runs} == {one.id for one in small.exercises}
    assert all(run.passed for run in runs)


def test_a_mistake_fails_its_checks_with_their_sentences(small):
    wrong = small.solutions["softmax"].replace("sum(-1, keepdim=True)", "sum(0, keepdim=True)")
    runs = examine_without_walls(small, small.solved_cells() | {"softmax": wrong}, seed=1)
    failed = [run for run in runs if not run.passed]
    assert {run.exercise for run in failed} == {"softmax"}
    assert failed[0].message == "Over which axis do your weights add up to 1?"


def test_only_the_exercises_that_are_named_are_asked_for(small):
    (exercise,) = (one for one in small.exercises if one.id == "prediction")
    runs = examine_without_walls(small, {"prediction": "prediction = 3"}, 1, [exercise])
    assert [(run.id, run.kind) for run in runs] == [("test_prediction_is_right", "wrong")]


def test_a_precision_may_be_left_out(small):
    for double in (True, False):
        runs = examine_without_walls(small, small.solved_cells(), 1, precisions=(double,))
        tried = {run.recording.double for run in runs}
        assert tried == {double} and all(run.passed for run in runs)


def test_ways_with_the_same_answers_are_told_by_their_numbers(small):
    mistake = next(one for one in mistakes(small) if one.id == "another_axis")
    cell = mistake.cells[0]
    solution = small.solutions["softmax"]
    ways = (cell, solution, f"{cell}\n# the same", f"{solution}\n", f"{cell}\nx = 1")
    assert same_ways(small, replace(mistake, cells=ways)) == [[1, 3, 5], [2, 4]]
    assert same_ways(small, replace(mistake, cells=(cell, solution))) == []
