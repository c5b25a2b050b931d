"""Cells run in a process of their own, and how each ended is told."""

import os

import pytest

from autograder.authoring.toolbox_file import toolbox_module

TOOLBOX = toolbox_module()  # as it is released
Result = TOOLBOX.Result
FRESH = TOOLBOX.FRESH
run_fresh = TOOLBOX.run_fresh

pytestmark = pytest.mark.slow  # processes that import IPython


def test_each_cell_says_how_it_ended_and_stops_no_other(tmp_path):
    results = "{'a': ('failing', ('Is it?',), 'Why?', 'So.'), 'b': ('done', ())}"
    (tmp_path / "toolbox.py").write_text(f"RESULTS = {results}")
    run = run_fresh(
        [
            "import os, pathlib\nx = 1",
            "print(x); helper()",
            "if:",
            "%time y = x",
            "assert y == 1, 'gone'\npathlib.Path('here').touch()",
            f"assert os.environ['{FRESH}']",
            "import toolbox",
        ],
        tmp_path,
    )
    assert run.errors[1] == "NameError: name 'helper' is not defined"
    assert run.errors[2].startswith("SyntaxError")
    assert [error for i, error in enumerate(run.errors) if i not in (1, 2)] == [""] * 5
    assert run.results["a"] == Result("failing", ("Is it?",), "Why?", "So.")
    assert run.trouble == "" and (tmp_path / "here").exists() and FRESH not in os.environ


@pytest.mark.parametrize(
    ("source", "said"),
    [("while True: pass", "longer than 3 seconds"), ("import os; os._exit(3)", "ended before")],
)
def test_a_process_without_end_or_with_a_sudden_one_is_told(source, said, tmp_path):
    run = run_fresh(["x = 1", source, "y = 2"], tmp_path, seconds=3)
    assert run.errors == [""] and said in run.trouble and run.results == {}
