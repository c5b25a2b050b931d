"""Do the visible checks name each axis of what they compare, so that a message says where?"""

import sys

import pytest
from courses import OURS

from autograder.authoring.edited import find_source
from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.visible_checks import VisibleChecks, checks_file


@pytest.mark.slow
@pytest.mark.parametrize("assignment", OURS, ids=lambda one: one.id)
def test_each_axis_has_a_name(assignment, monkeypatch):
    checks, nameless = VisibleChecks(find_source(assignment.id, assignment.course)), []

    def named(yours, target, axes="", atol=0.0):
        if len(axes.split()) < target.dim():
            nameless.append((axes, tuple(target.shape)))

    for module in (toolbox_module(), sys.modules[checks_file(assignment).stem]):
        monkeypatch.setattr(module, "same", named)
    states = [result.state for result in checks.run({}, *checks.exercises).values()]
    assert nameless == [] and set(states) == {"done"}
