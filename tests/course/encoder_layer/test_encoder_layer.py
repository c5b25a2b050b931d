"""The graders, graded: right solutions keep all points, wrong ones lose them in the right place."""

import pytest
from idle_answers import BORROWED, NOTHING, returning
from submissions import SHORT, edit, exercise, lost

from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises

pytestmark = pytest.mark.slow


def test_query_key_and_value_in_one_matrix_have_no_other_matrix_shape(assignment):
    """Where d_ff was three times d_model, right layers that keep them so lost points by chance."""
    draw_sizes = assignment.module("reference").draw_sizes
    for sizes in [draw_sizes() for _ in range(300)]:
        assert sizes.d_ff % sizes.d_model and sizes.vocab % sizes.d_model


@pytest.fixture
def earned(assignment):
    """The share of an exercise's points that a cell earns in place of the solution's, on its own."""

    def ask(name: str, cell: str) -> float:
        asked = [one for one in assignment.exercises if one.id == name]
        cells = assignment.solved_cells() | {name: cell}
        runs = examine_without_walls(assignment, cells, 1, asked)
        return sum(run.points for run in runs) / sum(run.max_points for run in runs)

    return ask


def in_short(table: dict, kept: int) -> list:
    """A case for each answer: of each exercise so many in `make test`, all of them in `make test-long`."""
    return [
        pytest.param(name, one, id=f"{name}: {one}", marks=[pytest.mark.long] * (place >= kept))
        for name, answers in table.items()
        for place, one in enumerate(answers)
    ]


@pytest.mark.parametrize(("name", "returned"), in_short(NOTHING, 1))
def test_an_answer_that_does_nothing_of_the_exercise_earns_at_most_a_tenth(earned, name, returned):
    most = 0 if returned in ("x", "torch.zeros_like(x)", "torch.ones_like(x)") else 1 / 10
    assert earned(name, returning(name, returned)) <= most


@pytest.mark.parametrize(("name", "borrowed"), in_short(BORROWED, 1))
def test_an_answer_that_has_nothing_of_its_own_earns_at_most_a_third(earned, name, borrowed):
    assert earned(name, BORROWED[name][borrowed]) <= 1 / 3


@pytest.mark.parametrize(
    "idle",
    ["query", *(pytest.param(one, marks=pytest.mark.long) for one in ("query.clone()", "value"))],
)
def test_what_is_built_and_not_used_earns_what_building_is_worth(earned, solved, idle):
    forward = f"return {idle}\n        x = self.query_transform(query)"
    heads = solved["multi_head_attention"].replace("x = self.query_transform(query)", forward)
    chain = "\n    def forward(self, x):\n        return x\n"
    layers = solved["encoder"].replace("x = layer(x, attention_mask)", "layer")
    assert earned("multi_head_attention", heads) == 0
    assert earned("feed_forward", solved["feed_forward"] + chain) == 0.5 / 4
    assert earned("encoder", layers) == 1 / 4


def test_a_seed_repeats_a_verdict(grade_cells):
    one, other = grade_cells(seed=7), grade_cells(seed=7, student="s002")
    assert one.stamp.seed == 7 and one.exercises == other.exercises


def test_of_two_definitions_the_last_one_counts(grade_cells, solved):
    wrong = solved["attention"].replace(" / math.sqrt(query.size(-1))", "")
    assert lost(grade_cells(attention=wrong + "\n\n" + solved["attention"])) == {}
    assert list(
        lost(grade_cells(attention=solved["attention"] + "\n\n" + wrong, student="s002"))
    ) == ["attention"]


def test_a_class_may_be_written_in_a_cell_of_ones_own(assignment, walls, hand_in, solved):
    def move(content):
        stub = next(cell for cell in content["cells"] if cell["id"] == "attention")
        own = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        index = content["cells"].index(stub) + 1
        content["cells"].insert(index, own | {"id": "mine", "source": solved["attention"]})

    path = edit(hand_in(only=True), move)
    verdict = (
        Grader(assignment, walls, SHORT, explain=diagnose_exercises).grade("s001", path).verdict
    )
    assert verdict.points == exercise(verdict, "attention").points == 4


def test_nothing_left_at_module_level_breaks_a_check(grade_cells, solved):
    clutter = """
x = layer = mask = tensors_agree = candidate = None
nn.Linear.reset_parameters = lambda self: nn.init.zeros_(self.weight)
torch.set_grad_enabled(False)
torch.set_default_dtype(torch.float64)
"""
    assert lost(grade_cells(encoder=solved["encoder"] + clutter)) == {}


def test_a_default_that_is_wrong_costs_the_exercise_that_has_it(grade_cells, solved):
    """An encoder layer that leaves `mask_future` out has asked for nothing wrong."""
    wrong = solved["multi_head_attention"].replace("mask_future: bool = False", "mask_future=True")
    assert wrong != solved["multi_head_attention"]
    assert set(lost(grade_cells(multi_head_attention=wrong))) == {"multi_head_attention"}
