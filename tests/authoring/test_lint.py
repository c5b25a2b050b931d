"""`release --check` names each missing piece in one line. One piece at a time is taken from a whole assignment."""

import json
import shutil
from pathlib import Path

import pytest
from submissions import edit

from autograder import Assignment
from autograder.authoring.lint import missing_pieces
from autograder.authoring.skeleton import KINDS
from autograder.authoring.visible_checks import checks_file

pytestmark = pytest.mark.slow


def rewrite(file: Path, *changes: tuple[str, str]) -> None:
    text = file.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


def without_cell(name: str):
    """A change of the source that takes a cell away."""

    def change(assignment: Assignment) -> None:
        def take(content: dict) -> None:
            content["cells"] = [cell for cell in content["cells"] if cell["id"] != name]

        edit(assignment.source, take)

    return change


def with_points(points: float):
    """A change of the source that gives a check cell these points."""

    def change(assignment: Assignment) -> None:
        def give(content: dict) -> None:
            (cell,) = (cell for cell in content["cells"] if cell["id"] == "check_one_value")
            cell["metadata"]["nbgrader"]["points"] = points

        edit(assignment.source, give)

    return change


def in_solution(old: str, new: str):
    """A change of the solutions in the source."""
    words = [json.dumps(text)[1:-1] for text in (old, new)]
    return lambda assignment: rewrite(assignment.source, tuple(words))  # type: ignore[arg-type]


def in_graders(name: str, *changes: tuple[str, str]):
    """A change of a file of the graders."""
    return lambda assignment: rewrite(assignment.graders / name, *changes)


def in_checks(old: str, new: str):
    """A change of the file of visible checks."""
    return lambda assignment: rewrite(checks_file(assignment), (old, new))


def without(name: str):
    """A change that takes a file or a folder of the graders away."""

    def change(assignment: Assignment) -> None:
        path = assignment.graders / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return change


def another_file(name: str, text: str = ""):
    """A change that adds a file to the graders."""

    def change(assignment: Assignment) -> None:
        path = assignment.graders / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return change


def overview(id: str, said: str):
    """A change that adds an overview figure, in which each exercise has its box."""

    def change(assignment: Assignment) -> None:
        boxes = {f"one_{kind}": "1 point · 10 min" for kind in KINDS} | {id: said}
        drawn = (f'<text data-exercise="{one}">{text}</text>' for one, text in boxes.items())
        figure = assignment.source.parent / "figures" / "overview.svg"
        figure.parent.mkdir()
        figure.write_text(f"<svg>{''.join(drawn)}<rect/><text>of none</text></svg>")

    return change


VALUE_TEST = "test_one_value.py"
ANOTHER_CHECK = """
@pytest.mark.points(1)
def test_another(candidate):
    assert candidate.value("one_value")
"""
ONE_PIECE = [
    (
        with_points(0),
        "the checks of `test_one_value.py` are worth 1, and the cell `check_one_value` 0.",
    ),
    (
        in_graders(VALUE_TEST, ("@pytest.mark.points(1)\n", "")),
        "`test_one_value.py`: the check `test_weights_and_biases_are_counted` has no points.",
    ),
    (
        in_graders(VALUE_TEST, ("test_weights_and_biases_are_counted", "helper")),
        "the checks of `test_one_value.py` are worth 0, and the cell `check_one_value` 1.",
    ),
    (
        without("mistakes/one_value.md"),
        "`mistakes/one_value.md` has no mistake for `test_weights_and_biases_are_counted` to catch.",
    ),
    (
        in_graders("mistakes/one_value.md", ("## biases_forgotten", "biases_forgotten")),
        "`mistakes/one_value.md` has no mistake for `test_weights_and_biases_are_counted` to catch.",
    ),
    (
        in_graders("mistakes/one_value.md", ("count: ", "number: ")),
        "`mistakes/one_value.md`, line 7: there is no hole `number`; there are: count, line count.",
    ),
    (
        in_graders("mistakes/one_value.md", ("3 * 5", "3 * (")),
        "`mistakes/one_value.md`, line 5: `biases_forgotten` is no Python in its way 1: '(' was never",
    ),
    (
        in_graders("mistakes/one_value.md", ("3 * 5", "4 * 5")),
        "the mistake `one_value: biases_forgotten` passes `test_weights_and_biases_are_counted`",
    ),
    (
        in_graders("mistakes/one_function.md", ("mean: x.mean(dim=0, keepdim=True)", "answer: y")),
        None,  # it raises, and so fails its check
    ),
    (
        without("variants/one_value.py"),
        "the exercise `one_value` has no variant in `variants/one_value.py`.",
    ),
    (
        another_file("variants/other.py", "# %% one\n"),
        "`variants/` has cells of `other`, which is no exercise.",
    ),
    (
        another_file("variants/together/all.py", "# %% other\n"),
        "`variants/` has cells of `other`, which is no exercise.",
    ),
    (another_file("variants/together/all.py", "# %% one_value\none_value = 20"), None),
    (another_file("mistakes/other.md", "# Other"), "`mistakes/other.md` is of no exercise."),
    (
        another_file("mistakes/in_variants.md", "# Prose\n\n## one_value in nothing\n- a\n+ b"),
        "`mistakes/in_variants.md`, line 3: there is no variant `nothing`.",
    ),
    (
        in_graders("mistakes/one_value.md", ("count: ", "beside: one_value/b\ncount: ")),
        "`mistakes/one_value.md`, line 5: there is no mistake `one_value/b`.",
    ),
    (in_solution("3 * 5 + 5", "3 * 5 + 5 + 0 * 1"), None),
    (
        in_graders("reference.py", ("20", "20  # TODO(author)")),
        "`reference.py` still says TODO(author).",
    ),
    (in_solution("one_value = ...", "one_value = ...  # TODO"), None),  # it is for students
    (
        in_solution("one_value = ...", "one_value = ...  # TODO(author)"),
        "the cell `one_value` still says TODO(author).",
    ),
    (
        in_checks("isinstance(answer, int)", "answer > 20"),
        "the cell `check_one_value` fails on the solution: Is it one whole number? It is 20.",
    ),
    (
        in_checks("isinstance(answer, int)", "no_such_name"),
        "the cell `check_one_value` fails on the solution: Is it one whole number? NameError: name",
    ),
    (
        in_checks("import toolbox\n", "import toolbocks\n"),
        "`my_sheet_checks.py` cannot be imported: ModuleNotFoundError(\"No module named 'toolbocks'\")",
    ),
    (overview("one_value", "1 point · 10 min"), None),
    (
        overview("one_value", "9 points · 10 min"),
        "figures/overview.svg says ['9 points · 10 min'] of `one_value`, not `1 point · 10 min`.",
    ),
    (
        overview("decoder", "1 point · 10 min"),
        "`decoder` is in one of figures/overview.svg and the notebook, not in both.",
    ),
    (in_solution('toolbox.check("one_value")', "%time False"), None),  # for Jupyter alone
    (in_solution("One value (1 point)", "One value"), None),
    (
        in_graders("variants/one_value.py", ("# %% w", "# %% wrong\none_value = 21\n\n\n# %% w")),
        "`variants/one_value.py: wrong` fails `test_weights_and_biases_are_counted` of `one_value`: How",
    ),
    (
        in_graders(
            "variants/one_value.py", ("# %% w", "# %% broken\none_value = 1 / 0\n\n\n# %% w")
        ),
        "`variants/one_value.py: broken` cannot be graded in `one_value`: division by zero.",
    ),
]
SEVERAL_PIECES = [
    (
        in_solution("*10 minutes", "*some minutes"),
        [f"no card above `one_{kind}` says how many minutes it takes." for kind in KINDS],
    ),
    (
        in_checks('@toolbox.steps("one_value")', '@toolbox.steps("one_valve")'),
        [
            "the cell `check_one_value` asks for a check `one_value`, which nothing declares.",
            "a visible check is declared for `one_valve`, which is no exercise.",
        ],
    ),
    (
        in_graders("mistakes/one_value.md", ("  fails: weights_and_biases_are_counted", "")),
        ["`mistakes/one_value.md`, line 5: `biases_forgotten` names no check that fails"],
    ),
    (
        in_graders("mistakes/one_value.md", ("count: 3 * 5\n", "")),
        ["`mistakes/one_value.md`, line 5: `biases_forgotten` is made in no way."],
    ),
    (
        in_solution("One value (1 point)", "One value (2 points)"),
        [
            "the heading `Exercise 3 · One value (2 points)` says 2, and the cells below it are worth",
        ],
    ),
    (
        with_points(2.5),
        [
            "the heading `Exercise 3 · One value (1 point)` says 1, and the cells below it are worth 2.5",
            "the checks of `test_one_value.py` are worth 1, and the cell `check_one_value` 2.5.",
        ],
    ),
    (
        without_cell("check_one_value"),
        [
            "the solution cell `one_value` has no check cell `check_one_value`.",
            "the grader `test_one_value.py` has no check cell `check_one_value`.",
        ],
    ),
    (
        without_cell("one_value"),
        ["the check cell `check_one_value` has no solution cell `one_value`."],
    ),
    (
        without(VALUE_TEST),
        ["the check cell `check_one_value` has no grader `test_one_value.py`."],
    ),
    (
        in_graders("mistakes/one_value.md", ("weights_and_biases_are_counted", "all_is_counted")),
        [
            "`mistakes/one_value.md`, line 5: `biases_forgotten` fails `all_is_counted`, and there is",
            "`mistakes/one_value.md` has no mistake for `test_weights_and_biases_are_counted` to",
        ],
    ),
    (
        in_graders(VALUE_TEST, ("@pytest.mark", f"{ANOTHER_CHECK}\n\n@pytest.mark")),
        [
            "the checks of `test_one_value.py` are worth 2, and the cell `check_one_value` 1.",
            "`mistakes/one_value.md` has no mistake for `test_another` to catch.",
        ],
    ),
    (
        in_solution("3 * 5 + 5", "3 * 5 + 5 + 1"),
        ["the solution fails `test_weights_and_biases_are_counted` of `one_value`: How many"],
    ),
    (
        in_graders("test_one_module.py", ("= 3, 5", "= 3, 5 / 0")),
        ["the solution cannot be graded in `one_module`: test_answer_is_twice_that_of_the_linear"],
    ),
    (
        in_graders(VALUE_TEST, ("import pytest", "import pytest\nimport no_such_module")),
        ["`test_one_value.py` cannot be collected: ModuleNotFoundError: No module named"],
    ),
    (
        without("__init__.py"),
        ["there is no `my_sheet/__init__.py`, which makes the graders a package."],
    ),
]


@pytest.mark.parametrize(("change", "piece"), ONE_PIECE)
def test_a_missing_piece_is_named_alone(change, piece, finished):
    change(finished)
    lines = list(missing_pieces(finished))
    assert len(lines) == (piece is not None), lines
    assert not piece or lines[0].startswith(piece)


DECLARED = (
    ("[]", "`LIBRARY_PARTS` is no dict: exercises, and for each a tuple of dotted paths."),
    ("{'other': ()}", "`LIBRARY_PARTS` names the exercise `other`, which there is not."),
    ("{'one_value': 'torch.nn.Linear'}", "`LIBRARY_PARTS` of `one_value` is no tuple of dotted"),
    ("{'one_value': ('torch.nn.Linea',)}", "`LIBRARY_PARTS` of `one_value` names `torch.nn.Linea`"),
    ("{'one_value': ('torch.nn.Linear',)}", None),
)


@pytest.mark.parametrize(("declared", "piece"), DECLARED)
def test_parts_of_a_library_are_declared_by_exercise_and_are_there(declared, piece, finished):
    file = finished.graders / "__init__.py"
    file.write_text(f"{file.read_text()}\nLIBRARY_PARTS = {declared}\n")
    lines = list(missing_pieces(finished))
    assert [line[: len(piece or "")] for line in lines] == [piece] * (piece is not None)


@pytest.mark.parametrize(("change", "pieces"), SEVERAL_PIECES)
def test_what_comes_with_a_missing_piece_is_named_too(change, pieces, finished):
    change(finished)
    lines = list(missing_pieces(finished))
    for piece in pieces:
        assert any(piece in line for line in lines), lines
    assert not any("\n" in line for line in lines)


def test_a_skeleton_lacks_what_is_marked_in_it_and_nothing_else(skeleton):
    lines = list(missing_pieces(skeleton))
    assert lines
    assert all(line.endswith("still says TODO(author).") for line in lines)


def test_a_solution_may_be_written_otherwise_and_its_mistakes_stand(finished):
    in_solution("2 * self.linear(x)", "self.linear(x) * 2")(finished)
    assert not list(missing_pieces(finished))
