"""A library that answers for a layer is seen, by whatever road; a comparison beside an answer is none."""

from functools import partial

import pytest
from ready_made import AS_CONVOLUTIONS, ATTENTIONS, HIDDEN_LAYERS, LAYER_NORMS

from autograder.engine import Submission, find_assignment
from autograder.engine.examiner import Candidate, InProcessCandidate, run_cells, run_checks
from autograder.engine.notebooks import Cell
from autograder.engine.notes import find

pytestmark = pytest.mark.slow

IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"


def look_at(assignment, cells: dict[str, str], exercise: str) -> tuple[dict[str, float], list[str]]:
    """Put its checks to one exercise; return the points lost, by check, and the notes."""
    written = assignment.solved_cells() | cells
    made = [Cell(p.id, p.kind, written.get(p.id, p.source), p) for p in assignment.cells]
    defined = run_cells([compile(source, name, "exec") for name, source in written.items()])
    candidate = Candidate(InProcessCandidate(defined), assignment.aliases, assignment.signature)
    exercises = [one for one in assignment.exercises if one.id == exercise]
    runs = run_checks(exercises, candidate, 5, assignment.look_around)
    lost = {run.id: run.max_points - run.points for run in runs if run.points < run.max_points}
    return lost, find.find_notes(assignment, Submission(made), runs, [])


@pytest.fixture
def look(assignment):
    return partial(look_at, assignment)


@pytest.fixture
def layer_norm(course):
    return find_assignment("layer-norm", course)


@pytest.mark.parametrize("cell", LAYER_NORMS.values(), ids=LAYER_NORMS)
def test_a_norm_of_torchs_is_noted_by_whatever_road_and_costs_a_quarter(cell, layer_norm):
    lost, (note, *_) = look_at(layer_norm, {"layer_norm": cell}, "layer_norm")
    assert lost == {"test_norm_is_your_own": 0.25}
    assert note.startswith("`layer_norm` uses `") and note.endswith("was an own one asked for?")


@pytest.mark.parametrize("cell", ATTENTIONS.values(), ids=ATTENTIONS)
def test_an_attention_of_torchs_is_noted_by_whatever_road_and_costs_nothing(cell, look):
    lost, notes = look({"attention": cell}, "attention")
    assert not lost
    assert "`attention` uses `F.scaled_dot_product_attention`: was an own one asked for?" in notes


@pytest.mark.parametrize("cell", AS_CONVOLUTIONS.values(), ids=AS_CONVOLUTIONS)
def test_linear_layers_in_place_of_convolutions_are_noted_wherever_they_are(cell, layer_norm):
    """They need not be registered in the convolution that calls them."""
    _, notes = look_at(layer_norm, {"as_convolution": f"{IMPORTS}{cell}"}, "as_convolution")
    assert any(note.startswith("`as_convolution` uses `") for note in notes)


@pytest.mark.parametrize("exercise", HIDDEN_LAYERS)
def test_a_layer_of_torchs_is_noted_that_is_registered_nowhere(exercise, look, layer_norm):
    """Also where the check that asks for it fails."""
    of = partial(look_at, layer_norm) if exercise == "layer_norm" else look
    _, notes = of({exercise: f"{IMPORTS}{HIDDEN_LAYERS[exercise]}"}, exercise)
    assert any(note.startswith(f"`{exercise}` uses `nn.") for note in notes)


def test_a_comparison_with_the_library_beside_an_answer_is_no_note(look, solved, layer_norm):
    compare = """
import torch.nn.functional as G
q, k, v = torch.randn(3, 2, 4, 8)
print(torch.allclose(Attention()(q, k, v), G.scaled_dot_product_attention(q, k, v)))
"""
    for behind in (
        compare,
        compare.replace("\nq", "\ndef compare():\n  q").replace("\nprint", "\n  print"),
    ):
        assert look({"attention": solved["attention"] + behind}, "attention") == ({}, [])
    own = (
        layer_norm.solutions["layer_norm"]
        + "\nassert F.layer_norm(torch.ones(2, 3), (3,)).sum() == 0"
    )
    assert look_at(layer_norm, {"layer_norm": own}, "layer_norm") == ({}, [])
