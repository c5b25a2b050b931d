"""Ready-made layers of the library earn their points with a note to staff, in all exercises, or no points in
any: the course decides.
"""

from dataclasses import replace

import pytest
from submissions import UNDIAGNOSED, exercise, lost

from autograder.engine import Assignment, RunSettings
from autograder.engine.grading import Grader

pytestmark = pytest.mark.walls

HEADS = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("not divisible")
        self.inner = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        padding = None if attention_mask is None else attention_mask == 0
        future = torch.ones(query.size(1), key.size(1), dtype=torch.bool).triu(1)
        future = future if self.mask_future else None
        return self.inner(query, key, value, key_padding_mask=padding, attn_mask=future)[0]
"""
LAYER = """
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.inner = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, dropout, batch_first=True)

    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else attention_mask == 0
        return self.inner(x, src_key_padding_mask=padding)
"""
FUNCTION = """
class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        may = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool)
        may = may.tril() if self.mask_future else may
        if attention_mask is not None:
            shape = (len(attention_mask), *[1] * (query.dim() - 2), -1)
            may = may & (attention_mask.view(shape) == 1)
        return nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=may)
"""
CELLS = {"multi_head_attention": HEADS, "encoder_layer": LAYER, "attention": FUNCTION}


@pytest.fixture
def notebook(hand_in):
    return hand_in("s001", **CELLS)


def test_they_earn_all_points_with_a_note_each(assignment, walls, notebook):
    verdict = Grader(assignment, walls, UNDIAGNOSED).grade("s001", notebook).verdict
    assert lost(verdict) == {}
    assert [note for note in verdict.notes if "was an own one asked for?" in note] == [
        "`attention` uses `F.scaled_dot_product_attention`: was an own one asked for?",
        "`multi_head_attention` uses `nn.MultiheadAttention`: was an own one asked for?",
        "`encoder_layer` uses `nn.TransformerEncoderLayer`: was an own one asked for?",
    ]


def test_a_course_may_give_no_points_for_layers_and_still_does_for_functions(
    assignment, walls, notebook
):
    strict = Assignment(assignment.id, replace(assignment.course, takes_library_layers=False))
    verdict = Grader(strict, walls, UNDIAGNOSED).grade("s001", notebook).verdict
    points = {result.id: result.points for result in verdict.exercises}
    assert points["multi_head_attention"] == points["encoder_layer"] == 0
    assert points["attention"] == 4 and points["feed_forward"] == 4
    messages = {check.message for check in exercise(verdict, "encoder_layer").checks}
    assert messages == {
        "The statement asks for a layer of your own, and yours is made of "
        "`nn.TransformerEncoderLayer`: write its equations."
    }
    stamps = [RunSettings(one, seed=1).stamp("x") for one in (strict, assignment)]
    assert stamps[0] != stamps[1]
