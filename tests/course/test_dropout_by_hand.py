"""Dropout that is written by hand earns everything where it is right, and has its name where it is not."""

import pytest
from courses import ASSIGNMENTS

from autograder.authoring.without_walls import examine_without_walls, quiet
from autograder.engine.examiner import CheckRun
from autograder.mistakes.search import diagnose

pytestmark = pytest.mark.slow

DROPS = {
    "a mask": "t * (torch.rand_like(t) >= self.p) / (1 - self.p)",
    "bernoulli": "t * (torch.empty_like(t).bernoulli_(1 - self.p) / (1 - self.p))",
    "filled": "t.masked_fill(torch.rand(t.shape) < self.p, 0).div(1 - self.p)",
    "a rate in float32": "t * (torch.rand_like(t) >= (p := torch.tensor(self.p).float())) / (1 - p)",
}
PART = """
    def drop(self, t):
        if not self.training or self.p == 0:
            return t
        return {drop}
"""
SOLVED = {one.id: one for one in ASSIGNMENTS}
EXERCISES = {
    "add_and_norm": "layer-norm",
    "encoder_layer": "encoder-layer",
    "encoder": "encoder-layer",
}


def by_hand(name: str, drop: str) -> str:
    """The solution of an exercise with its dropout written by hand."""
    cell = SOLVED[EXERCISES[name]].solved_cells()[name]
    assert "nn.Dropout(dropout)" in cell
    cell = cell.replace("self.dropout = nn.Dropout(dropout)", "self.p = dropout")
    return cell.replace("self.dropout(", "self.drop(").rstrip() + "\n" + PART.format(drop=drop)


@pytest.mark.parametrize("name", EXERCISES)
@pytest.mark.parametrize("drop", DROPS)
def test_dropout_by_hand_earns_everything(name, drop, faults):
    assert faults(SOLVED[EXERCISES[name]], {name: by_hand(name, DROPS[drop])}) == []


def test_layers_inside_an_encoder_may_drop_by_hand():
    """No stand-in takes their place: they are asked themselves."""
    cells = (by_hand(name, DROPS["a mask"]) for name in ("encoder_layer", "encoder"))
    cell = "\n\n".join(cells).replace("EncoderLayer", "Inner")
    assert [run.id for run in runs_of("encoder", cell) if not run.passed] == []


def runs_of(name: str, cell: str) -> list[CheckRun]:
    assignment = SOLVED[EXERCISES[name]]
    asked = [one for one in assignment.exercises if one.id == name]
    with quiet():
        return examine_without_walls(assignment, assignment.solved_cells() | {name: cell}, 1, asked)


def named(name: str, cell: str) -> set[str]:
    runs = runs_of(name, cell)
    return {mistake.id for mistake in diagnose(SOLVED[EXERCISES[name]], runs)}


ON_THE_SUM = "self.norm(self.drop(x + sublayer_output))"
ON_BOTH = "self.norm(self.drop(x) + self.drop(sublayer_output))"
ON_X = "self.norm(self.drop(x) + sublayer_output)"
BEHIND = "self.drop(self.norm(x + sublayer_output))"
NOWHERE = "self.norm(x + sublayer_output)"
PLACES = {
    ON_THE_SUM: "dropout_on_the_sum",
    ON_BOTH: "dropout_on_the_sum",
    ON_X: "dropout_on_x",
    BEHIND: "dropout_behind_the_norm",
    NOWHERE: "no_dropout",
}
NORMS = (
    "LayerNorm(d_model)",
    "nn.LayerNorm(d_model)",
    "nn.LayerNorm(d_model, eps=1e-6)",
    "nn.LayerNorm(d_model, eps=1e-12)",
)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("answer", PLACES)
@pytest.mark.parametrize("hand", [False, True], ids=["of torch", "by hand"])
def test_dropout_in_a_wrong_place_is_named_whatever_the_norms_eps(answer, norm, hand):
    right = "self.norm(x + self.drop(sublayer_output))"
    cell = by_hand("add_and_norm", DROPS["a mask"]).replace(right, answer)
    cell = cell.replace("self.norm = LayerNorm(d_model)", f"self.norm = {norm}")
    if not hand:
        cell = cell[: cell.index("    def drop(")].replace("self.p = ", "self.drop = nn.Dropout(p=")
        cell = cell.replace("nn.Dropout(p=dropout", "nn.Dropout(p=dropout)")
    assert answer in cell and norm in cell
    assert named("add_and_norm", cell) == {PLACES[answer]}
