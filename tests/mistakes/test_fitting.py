"""A number or an order that no way lists is found from the answers, and named if it explains them."""

import pytest
from sampling import every

from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.courses.assignment import find_assignment
from autograder.mistakes.mutants import mutants_of
from autograder.mistakes.search import diagnose

SCALE, AVERAGE = "/ math.sqrt(query.size(-1))", "scores.softmax(dim=-1) @ value"
HIDDEN, LATER, LAST = "~hidden", "~past, -torch.inf", "self.output_transform(merged)"
EMBEDDED, NORM = "* math.sqrt(self.embedding.embedding_dim)", "nn.LayerNorm(d_model)"
DROPPED, ROOT = "self.dropout(sublayer_output)", "torch.sqrt(variance + self.eps)"
SUBLAYER = f"x + {DROPPED}"
SECOND, AFFINE = "z + self.dropout(self", "self.gamma * normalised + self.beta"
FILL = "hidden, -torch.inf"
LAYER, NORMS = "encoder-layer", "layer-norm"

NUMBERS = [
    (LAYER, "attention", SCALE, "/ 7.3", "wrong_scale"),
    (LAYER, "attention", SCALE, "* 0.0371", "wrong_scale"),
    (LAYER, "attention", FILL, "hidden, -37.0", "weak_fill"),
    (LAYER, "attention", LATER, "~past, -6.2", "future_weak_fill"),
    (LAYER, "attention", AVERAGE, f"1.37 * ({AVERAGE})", "answer_is_scaled"),
    (LAYER, "attention", AVERAGE, f"{AVERAGE} - 0.42", "answer_is_shifted"),
    (LAYER, "encoder", EMBEDDED, "* 3.7", "embedding_scaled_by_another_number"),
    (LAYER, "encoder_layer", NORM, "nn.LayerNorm(d_model, 0.037)", "norm_is_no_layer_norm"),
    (LAYER, "multi_head_attention", LAST, f"-0.61 * {LAST}", "answer_is_scaled"),
    (NORMS, "layer_norm", "eps: float = 1e-6", "eps: float = 4e-4", "another_default_eps"),
    (NORMS, "layer_norm", "self.eps = eps", "self.eps = 0.4", "eps_argument_ignored"),
    (NORMS, "add_and_norm", SUBLAYER, f"x + 0.77 * {DROPPED}", "sum_of_another_size"),
    (NORMS, "twelve_tokens", "variance + 1e-6", "variance + 2e-4", "another_eps"),
    (LAYER, "attention", AVERAGE, f"({AVERAGE}).roll(3, -1)", "answer_is_permuted"),
    (LAYER, "multi_head_attention", LAST, f"{LAST}.roll(4, -1)", "answer_is_permuted"),
    (NORMS, "layer_norm", AFFINE, f"({AFFINE}).roll(2, -1)", "answer_is_permuted"),
]
OTHERS = [
    (LAYER, "attention", AVERAGE, f"({AVERAGE}).tanh()"),
    (LAYER, "attention", AVERAGE, f"({AVERAGE}) * value.mean()"),
    (LAYER, "attention", AVERAGE, f"1.1 * ({AVERAGE}) + 0.2"),
    (LAYER, "attention", AVERAGE, "(scores.softmax(dim=-1) + 0.01) @ value"),
    (LAYER, "attention", AVERAGE, "(scores**2).softmax(dim=-1) @ value"),
    (LAYER, "attention", AVERAGE, f"torch.zeros_like({AVERAGE})"),
    (LAYER, "attention", AVERAGE, f"torch.full_like({AVERAGE}, 0.3)"),
    (LAYER, "attention", AVERAGE, f"torch.randn_like({AVERAGE})"),
    (LAYER, "attention", AVERAGE, f"({AVERAGE}).sort(-1).values"),
    (LAYER, "attention", SCALE, "/ (1 + query.norm(dim=-1, keepdim=True))"),
    (LAYER, "attention", SCALE, f"{SCALE} + 0.3 * torch.arange(key.size(-2))"),
    (LAYER, "attention", FILL, "hidden, 3.7"),
    (LAYER, "attention", FILL, "hidden, scores.min()"),
    (LAYER, "encoder_layer", SECOND, "z + 0.9 * self.dropout(self"),
    (LAYER, "encoder_layer", f"2 = {NORM}", "2 = nn.LayerNorm(d_model, 0.3)"),
    (LAYER, "encoder", EMBEDDED, f"{EMBEDDED} * 1.2 + 0.1"),
    (LAYER, "multi_head_attention", LAST, f"{LAST}.tanh()"),
    (NORMS, "layer_norm", ROOT, "(variance + self.eps) ** 0.4"),
    (NORMS, "layer_norm", AFFINE, AFFINE.replace("d +", "d.clamp(-1, 1) +")),
    (NORMS, "add_and_norm", SUBLAYER, f"x + {DROPPED}.sin()"),
    (NORMS, "add_and_norm", SUBLAYER, "x + 0.77 * sublayer_output"),  # and nothing is dropped
]


@pytest.fixture
def named(course):
    """The ids that are named where a piece of an exercise's solution stands otherwise."""

    def run(assignment_id: str, exercise: str, old: str, new: str) -> list[str]:
        assignment = find_assignment(assignment_id, course)
        assert old in assignment.solutions[exercise]
        cell = assignment.solutions[exercise].replace(old, new)
        (asked,) = (one for one in assignment.exercises if one.id == exercise)
        runs = examine_without_walls(
            assignment, assignment.solved_cells() | {exercise: cell}, 1, [asked]
        )
        assert not all(check.passed for check in runs)
        return [mistake.id for mistake in diagnose(assignment, runs)]

    return run


@pytest.mark.parametrize(
    ("assignment", "exercise", "old", "new", "mistake"),
    every(4, NUMBERS),
)
def test_a_number_of_ones_own_is_named(named, assignment, exercise, old, new, mistake):
    assert named(assignment, exercise, old, new) == [mistake]


@pytest.mark.parametrize(("assignment", "exercise", "old", "new"), every(7, OTHERS))
def test_what_no_number_explains_gets_no_name(named, assignment, exercise, old, new):
    assert named(assignment, exercise, old, new) == []


def test_what_is_right_with_a_number_of_its_own_is_not_searched(course):
    assignment = find_assignment(LAYER, course)
    cell = assignment.solutions["attention"].replace(FILL, "hidden, -1e9")
    (asked,) = (one for one in assignment.exercises if one.id == "attention")
    cells = assignment.solved_cells() | {"attention": cell}
    runs = examine_without_walls(assignment, cells, 1, [asked])
    assert all(check.passed for check in runs) and diagnose(assignment, runs) == []


def test_an_open_number_is_in_no_listed_way(course):
    catalogue = mutants_of(find_assignment(LAYER, course))
    (way,) = (one for one in catalogue.fits["attention"] if one.mistakes[0].id == "wrong_scale")
    assert way.cell not in {one.cell for one in catalogue.singles["attention"]}
