"""Do a notebook's checks run in the fresh process, where the cell that imports them is not run?"""

import pytest

from autograder.authoring.release_files import released_text
from autograder.authoring.toolbox_file import toolbox_module, toolbox_source
from autograder.engine.placing import ANSWER, ReleasedCell, fingerprint

TOOLBOX = toolbox_module()  # as it is released
ExerciseHeading = TOOLBOX.ExerciseHeading
run_fresh = TOOLBOX.run_fresh
Released = TOOLBOX.Released

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


CHECK = """
@steps("{0}")
def {0}_steps():
    yield "Is it built?"
    student.{0}()
"""
STUB = "class {}:\n    def __init__(self):\n        raise NotImplementedError()"
CASES = {  # by exercise, which is called as its class: what is changed in its stub, and what is said
    "Layer": ("", "", "open", ""),
    "Mask": ("raise", "self.size = 3\n        raise", "open", "This line is still there"),
    "Position": ("(self)", "(self", "failing", "SyntaxError"),
    "Encoder": ("Enc", "Inc", "failing", "the cell of Exercise 4. There is `Incoder`"),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What the checks of one notebook say about its exercises."""
    folder = tmp_path_factory.mktemp("sheet")
    exercises = {
        name: ExerciseHeading(str(number), name, 4, 9, (name,))
        for number, name in enumerate(CASES, start=1)
    }
    stubs = {name: STUB.format(name) for name in CASES}
    cells = [
        ReleasedCell(name, "code", fingerprint(stub), ANSWER, (name,))
        for name, stub in stubs.items()
    ]
    released = Released(exercises, cells)
    (folder / "toolbox.py").write_text(toolbox_source(), encoding="utf-8")
    text = "from toolbox import steps, student\n" + "\n".join(map(CHECK.format, CASES))
    checks = folder / "some_checks.py"
    checks.write_text(f"{text}\n{released_text(released)}", encoding="utf-8")
    cells = [stubs[name].replace(old, new) for name, (old, new, *_) in CASES.items()]
    cells += [f"import toolbox\n\ntoolbox.check('{name}')" for name in CASES]
    return run_fresh(cells, folder, checks).results


@pytest.mark.parametrize("name", CASES)
def test_a_check_says_there_what_it_says_in_the_notebook(results, name):
    (*_, state, said), result = CASES[name], results[name]
    assert result.state == state and said in result.message and bool(said) == bool(result.message)
