"""Checks in steps: how they end, what is said, and that the cells below run on."""

from types import SimpleNamespace

import pytest
import torch

from autograder.authoring.toolbox_file import import_text

pytestmark = pytest.mark.slow

CHECK = """
import torch
from toolbox import same, steps, student

@steps("attention")
def attention():
    yield "Is it built?"
    layer = student.Attention()
    yield "Does it double?"
    same(layer(torch.ones(2, 3)), 2 * torch.ones(2, 3), "batch seq")
"""
RIGHT = """
import torch

class Attention(torch.nn.Module):
    def forward(self, x):
        return 2 * x
"""


@pytest.fixture
def checked(notebook, toolbox):
    toolbox.EXERCISES["attention"] = toolbox.ExerciseHeading(
        "3a", "Attention", 4, 40, ("Attention",)
    )
    toolbox.EXERCISES["heads"] = toolbox.ExerciseHeading("3b", "Heads", 6, 40, ("Heads",))

    def run(solution: str, check: str = CHECK):
        import_text("sheet_checks", check, "sheet_checks.py")
        notebook.cell("attention", solution)
        notebook.cell("check_attention", "import toolbox\n\ntoolbox.check('attention')")
        return toolbox.RESULTS["attention"]

    return run


def test_a_right_solution_passes_every_step(checked, shown):
    assert checked(RIGHT) == ("done", ("Is it built?", "Does it double?"), "", "")
    assert "Exercise 3a: all 2 steps of the check pass." in shown.said()


def test_the_first_step_that_fails_is_asked_about_and_drawn(checked, shown):
    result = checked(RIGHT.replace("2 * x", "3 * x"))
    assert result[:3] == ("failing", ("Is it built?",), "Does it double?")
    assert "batch 0, seq 0: yours 3, should be 2." in result.message
    assert "step 2 of the check: Does it double?" in shown.said()
    assert "the difference" in shown.pages()


STUB = RIGHT.replace("return 2 * x", "raise NotImplementedError()")


def test_an_exercise_is_open_as_long_as_its_line_raises(checked, toolbox, shown):
    toolbox.Begun.released = toolbox.Released(
        {}, [toolbox.ReleasedCell("attention", "code", toolbox.fingerprint(STUB))]
    )
    assert checked(STUB).state == "open"
    assert shown.said() == "Exercise 3a is still open."


@pytest.mark.parametrize(
    "body",
    [
        "x = 2 * x\n        raise NotImplementedError()",
        "return 2 * x\n\n    def forward(self, x):\n        raise NotImplementedError",
        "if x.dim() > 1:\n            raise NotImplementedError()\n        return 2 * x",
    ],
)
def test_where_the_line_still_stands_in_code_of_ones_own_is_said(checked, toolbox, shown, body):
    toolbox.Begun.released = toolbox.Released(
        {}, [toolbox.ReleasedCell("attention", "code", toolbox.fingerprint(STUB))]
    )
    assert checked(RIGHT.replace("return 2 * x", body)).state == "open"
    assert "This line is still there, in `Attention.forward`, line" in shown.said()


def test_a_picture_says_as_well_where_the_line_still_stands(notebook, toolbox, shown):
    toolbox.EXERCISES["attention"] = toolbox.ExerciseHeading(
        "3a", "Attention", 1, 1, ("Attention",)
    )
    toolbox.Begun.released = toolbox.Released(
        {}, [toolbox.ReleasedCell("attention", "code", toolbox.fingerprint(STUB))]
    )
    picture = "def picture():\n    Attention()(1)"
    for source, left in (STUB, False), (STUB.replace("raise", "x = 2 * x\n        raise"), True):
        shown.clear()
        notebook.cell("attention", source)
        notebook.cell("picture", picture)
        toolbox.try_it(notebook.picture)
        assert shown.said().startswith("Exercise 3a is still open: no picture yet.")
        assert ("This line is still there, in `Attention.forward`" in shown.said()) == left


def test_an_exercise_waits_for_another_that_is_open(checked, shown):
    heads = RIGHT.replace("Attention", "Heads").replace("return 2 * x", "raise NotImplementedError")
    user = RIGHT.replace("2 * x", "Heads()(x)")
    assert checked(heads + user).state == "open"
    assert shown.said().startswith("Exercise 3a is still open. It waits for Exercise 3b.")


def test_a_cell_that_was_not_run_is_named(checked):
    message = checked("").message
    assert (
        "`Attention` comes from the cell of Exercise 3a: has it been run, and does it define that?"
        in message
    )
    message = checked(RIGHT.replace("2 * x", "2 * y")).message
    assert "Is `y` spelt as where it was made" in message and "return 2 * y" in message


@pytest.mark.parametrize(
    ("use", "line"),
    [("np.zeros(3)", "import numpy as np"), ("F.relu(x)", "from torch.nn import functional as F")],
)
def test_an_import_that_is_missing_is_said(checked, use, line):
    assert f"A line is missing: `{line}`." in checked(RIGHT.replace("2 * x", use)).message


@pytest.mark.parametrize("name", ["Atention", "attention", "Attentions"])
def test_a_class_with_a_similar_name_is_named(checked, name):
    message = checked(RIGHT.replace("Attention", name)).message
    assert f"There is `{name}`: is one of the two misspelt?" in message
    assert "`Attention` comes from the cell of Exercise 3a" in message


FLOAT, MADE, MANY = "`//` a whole number", "are brackets missing", "`is not None` meant?"


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("return torch.nn.Linear(3, 6 / 2)(x)", FLOAT),
        ("return x.view(2, 6 / 2)", FLOAT),
        ("return x[: 4 / 2]", FLOAT),
        ("return [x for _ in range(4 / 2)]", FLOAT),
        ("return x.chunk(4 / 2)", FLOAT),
        ("return torch.randn(4 / 2, 3)", FLOAT),
        ("return torch.nn.LayerNorm(4 / 2)(x)", FLOAT),
        ("return x[4 / 2]", FLOAT),
        ("return x.long() @ torch.ones(3, 3)", "Two tensors have different types"),
        ("return torch.nn.Sequential(torch.nn.Tanh)(x)", MADE),
        ("return torch.relu(torch.nn.ReLU(x))", MADE),
        ("return torch.nn.LayerNorm(x)", MADE),
        ("return torch.nn.Dropout(x)", MADE),
        ("return torch.nn.LayerNorm()(x)", "leaves out what the message names"),
        ("return x.softmax()", "leaves out what the message names"),
        ("return x if x else 2 * x", MANY),
        ("return x and 2 * x", MANY),
        ("return torch.nn.linear(3, 3)(x)", "Is `Linear` meant?"),
        ("return x.tranpose(0, 1)", "Is `transpose` meant?"),
        ("return 2 * X", "There is `x`"),
        ("return x.size[-1]", "Round brackets call"),
        ("return torch.sqrt(x.size(0))", "for numbers there is `math`"),
        ("first, second = print()", "was `return` forgotten"),
    ],
)
def test_a_frequent_slip_has_a_hint(checked, line, hint):
    result = checked(RIGHT.replace("return 2 * x", line))
    assert result.state == "failing" and hint in result.message


@pytest.mark.parametrize(
    "line", ["list(x)['a']", "self.nothing", "[].shape", "torch.nn.Linear(3)[0]"]
)
def test_an_unknown_error_has_no_wrong_hint(checked, line):
    message = checked(RIGHT.replace("return 2 * x", f"return {line}")).message
    assert not any(hint in message for hint in (FLOAT, MADE, MANY, "Is `"))


@pytest.mark.parametrize(
    "member", ["torch.nn.Linear(2, 2)", "3", "torch.nn.Parameter(torch.ones(1))"]
)
def test_a_missing_call_of_super_is_named(checked, member):
    init = f"    def __init__(self):\n        self.member = {member}\n"
    message = checked(RIGHT.replace("    def forward", f"{init}    def forward")).message
    assert "`super().__init__()` has to come before the first member." in message


def test_a_shape_that_does_not_fit_shows_the_students_own_line(checked):
    message = checked(RIGHT.replace("2 * x", "x @ x")).message
    assert "in `Attention.forward`, line 6 of its cell:  return x @ x" in message
    assert "write the shape behind each line" in message


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("torch.nn.functional.no_such_norm(layer)", "unchecked"),
        ("torch.nn.NoSuchNorm(3)", "unchecked"),
        ("import no_such_module", "unchecked"),
        ("layer.no_such_member", "failing"),
        ("layer(torch.ones(3)).no_such_method()", "failing"),
    ],
)
def test_a_part_of_a_library_that_the_check_misses_is_not_the_students_fault(
    checked, shown, line, state
):
    result = checked(RIGHT, f"{CHECK}    {line}\n")
    assert result.state == state and result.passed == ("Is it built?",)
    assert ("Your code has no part in it." in shown.said()) == (state == "unchecked")


@pytest.mark.parametrize("end", ["raise SystemExit", "exit(1)", "return forward()"])
def test_whatever_the_code_raises_the_cells_below_run_on(checked, end):
    assert checked(RIGHT.replace("return 2 * x", end)).state == "failing"


def test_a_person_can_stop_a_check(checked):
    with pytest.raises(KeyboardInterrupt):
        checked(RIGHT.replace("return 2 * x", "raise KeyboardInterrupt"))


def test_errors_that_cannot_be_said_or_are_long_stay_short(checked):
    own = "class Own(Exception):\n    def __str__(self): raise ValueError\n"
    assert checked(own + RIGHT.replace("return 2 * x", "raise Own")).message.startswith("Own\nin ")
    long = checked(RIGHT.replace("return 2 * x", "raise ValueError('x' * 10_000)")).message
    assert len(long) < 600 and " ..." in long


def test_what_a_student_wrote_is_data_on_the_page(checked, shown):
    checked(RIGHT.replace("return 2 * x", "raise ValueError('<script>alert(1)</script>')"))
    assert "<script>" not in shown.pages() and "&lt;script&gt;" in shown.pages()


def test_a_check_draws_the_same_numbers_each_time_and_leaves_chance_as_it_was(checked, notebook):
    check = CHECK.replace(
        "layer = student.Attention()",
        "layer = student.Attention(); student.drawn.append(torch.rand(1))",
    )
    notebook.drawn = []
    before = torch.random.get_rng_state()
    checked(RIGHT, check)
    checked(RIGHT.replace("2 * x", "x @ x"), check)
    assert notebook.drawn[0] == notebook.drawn[1]
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_picture_that_cannot_be_drawn_says_why(checked, notebook, shown):
    checked(RIGHT.replace("2 * x", "x @ x"))
    shown.clear()
    notebook.cell(
        "picture", "import toolbox\n@toolbox.try_it\ndef _():\n    Attention()(torch.ones(2, 3))"
    )
    assert shown.said().startswith("No picture yet.\n") and "return x @ x" in shown.said()


def test_a_picture_waits_for_what_a_picture_above_was_to_make(checked, notebook, shown):
    checked(STUB)
    shown.clear()
    for line in ("made = Attention()(1)", "print(made)", "print(never_made)"):
        picture = f"def _():\n    global made\n    {line}"
        notebook.cell("picture", f"import toolbox\n@toolbox.try_it\n{picture}")
    *waiting, failing = shown
    said = [data["text/plain"] for data in waiting]
    assert said == ["Exercise 3a is still open: no picture yet."] * 2
    assert failing["text/plain"].startswith("No picture yet.\n")


@pytest.mark.parametrize(
    ("cells", "state"),
    [
        ([(RIGHT, NameError("name 'true' is not defined"))], "failing"),
        ([(RIGHT, NameError("name 'true' is not defined")), (RIGHT, None)], "done"),
        ([("1 / 0", ZeroDivisionError())], "done"),
    ],
    ids=["it stopped", "it ran once more", "another cell stopped"],
)
def test_what_an_earlier_run_defined_is_no_new_answer(checked, notebook, toolbox, cells, state):
    checked(RIGHT)
    for source, error in cells:
        info = SimpleNamespace(raw_cell=source)
        toolbox.note_how_it_ended(
            SimpleNamespace(info=info, error_before_exec=None, error_in_exec=error)
        )
    notebook.cell("check_attention", "import toolbox\n\ntoolbox.check('attention')")
    result = toolbox.RESULTS["attention"]
    assert result.state == state and ("'true' is not defined" in result.message) == (
        state != "done"
    )


def test_a_part_is_replaced_for_a_moment_also_where_that_raises(notebook):
    notebook.cell("names", "part = 'own'")
    code = "import toolbox\nwith toolbox.replaced(part='other', new=1):\n    seen = part, new\n    del new\n    raise ValueError"
    with pytest.raises(ValueError, match="^$"):
        notebook.cell("use", code)
    assert notebook.seen == ("other", 1) and notebook.part == "own" and not hasattr(notebook, "new")


@pytest.mark.parametrize("lines", [1, 12, 500])
def test_what_is_printed_during_a_check_is_cut(checked, capsys, lines):
    printing = RIGHT.replace("return", f"print(*range({lines}), sep='\\n')\n        return")
    assert checked(printing).state == "done"
    printed = capsys.readouterr().out.splitlines()
    assert printed[:12] == [str(number) for number in range(min(lines, 12))]
    assert printed[12:] == (["... and 488 lines more"] if lines == 500 else [])


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = (1,\n", "is a bracket, a quotation mark, a comma or a colon missing?"),
        ("def f(:\n", "is a bracket, a quotation mark, a comma or a colon missing?"),
        ("if True:\n    x = 1\n  y = 2\n", "The lines of one block begin at one column"),
    ],
)
def test_a_cell_that_does_not_compile_gets_a_hint_by_its_kind(toolbox, source, said):
    with pytest.raises(SyntaxError) as caught:
        compile(source, "<cell>", "exec")
    assert said in toolbox.in_words(caught.value)
