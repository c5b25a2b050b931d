"""Do a notebook's checks run in the fresh process, where the cell that imports them is not run?"""

import pytest

from autograder.authoring.release_files import released_text
from autograder.authoring.toolbox_file import toolbox_source
from autograder.toolbox.exercises import Exercise
from autograder.toolbox.fresh_run import run_fresh
from autograder.toolbox.released import Released
from autograder.toolbox.saved_notebook import fingerprint

pytestmark = pytest.mark.slow  # a process that imports IPython


def test_the_checks_are_imported_before_the_cells_wherever_the_notebook_is(tmp_path):
    beside, elsewhere = tmp_path / "sheet", tmp_path / "downloads"
    beside.mkdir()
    elsewhere.mkdir()
    (beside / "toolbox.py").write_text(toolbox_source(), encoding="utf-8")
    checks = beside / "some_checks.py"
    checks.write_text("import toolbox\ntoolbox.RESULTS['a'] = 'failing', ()")
    run = run_fresh(["x = 1"], elsewhere, checks)
    assert run.errors == [""]
    assert run.results["a"].state == "failing"


CHECKS = """from toolbox import steps, student


@steps("layer")
def layer_steps():
    yield "Is it built?"
    student.Layer()
"""
STUB = "class Layer:\n    def __init__(self):\n        raise NotImplementedError()"


@pytest.mark.parametrize(
    ("cell", "state", "said"),
    [
        (STUB, "open", ""),
        (STUB.replace("raise", "self.size = 3\n        raise"), "open", "This line is still there"),
        (STUB.replace("(self)", "(self"), "failing", "SyntaxError"),
        (STUB.replace("Layer", "Leyer"), "failing", "the cell of Exercise 2. There is `Leyer`"),
    ],
)
def test_a_check_says_there_what_it_says_in_the_notebook(tmp_path, cell, state, said):
    released = Released(
        {"layer": Exercise("2", "Layer", 4, 9, ("Layer",))}, {"layer": fingerprint(STUB)}
    )
    (tmp_path / "toolbox.py").write_text(toolbox_source(), encoding="utf-8")
    checks = tmp_path / "some_checks.py"
    checks.write_text(CHECKS + released_text(released), encoding="utf-8")
    run = run_fresh([cell, "import toolbox\n\ntoolbox.check('layer')"], tmp_path, checks)
    result = run.results["layer"]
    assert result.state == state and said in result.message and bool(said) == bool(result.message)
