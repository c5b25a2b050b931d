"""Which layer of a check is looked at when the checks are over."""

from autograder.engine.examiner.making import Making


def test_a_layer_of_torchs_that_was_handed_over_is_not_the_students():
    making = Making()
    for operation in ("build_torch", "build"):
        making.answered(operation, {}, [])
    call = {"calls": [[]]}
    making.answered("call", {"handle": 0, **call}, [])
    assert making.called is None
    making.answered("call", {"handle": 1, **call}, [])
    assert making.called.call == {"handle": 1, "args": []} and len(making.called.steps) == 2
