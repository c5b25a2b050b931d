"""The modules become one cell: no name may stand for two things in it."""

import ast
from collections import Counter

from autograder.authoring.toolbox_cell import FOR_CHECKING, MODULES, TOP, toolbox_source


def test_no_two_modules_define_one_name():
    names = Counter()
    for module in MODULES:
        for node in ast.parse((TOP / f"{module}.py").read_text()).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names[node.name] += 1
            for target in getattr(node, "targets", [getattr(node, "target", None)]):
                names[getattr(target, "id", None)] += 1
    del names[None]
    assert len(names) > 40 and names.most_common(1)[0][1] == 1


def test_every_module_is_in_the_cell():
    files = {path.stem for path in TOP.glob("*.py")} - {"__init__"}
    assert set(MODULES) == files and len(MODULES) == len(files)


def test_what_goes_into_the_check_by_itself_needs_nothing_but_python():
    names: dict = {"__name__": "check"}
    exec(compile(toolbox_source(FOR_CHECKING), "check", "exec"), names)
    assert "torch" not in toolbox_source(FOR_CHECKING).split("\n\n\n")[0]
    assert callable(names["report_on"]) and callable(names["run_fresh"])
