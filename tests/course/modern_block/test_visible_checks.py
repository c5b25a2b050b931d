"""What the visible checks of `modern-block` do with code that changes what it is handed."""

import warnings

from autograder.authoring.edited import as_edited, find_source
from autograder.authoring.visible_checks import VisibleChecks

ASKS_X_FOR_A_GRADIENT = """
def gradient_by_layer(blocks, x, upstream):
    return solved(blocks, x.requires_grad_(), upstream)
"""


def test_an_x_that_is_changed_is_not_asked_about_again(course):
    """Of an x that is no leaf any more torch would warn, above the question of the check."""
    checks = VisibleChecks(as_edited(find_source("modern-block", course)))
    name = "gradient_by_layer"
    solved = checks.solutions[name].replace(name, "solved")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = checks.run({name: solved + ASKS_X_FOR_A_GRADIENT}, name)[name]
    assert result.state == "failing"
    assert result.question.startswith("Are x and upstream afterwards what they were")
