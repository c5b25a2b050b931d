"""Code of our own is asked here as behind the walls, in the precisions and by the checks that are named."""

from autograder.authoring.without_walls import examine_without_walls


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
