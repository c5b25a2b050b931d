"""What a student reads about code that raises, returns something odd or defines nothing, through the walls."""

import pytest
from sampling import every
from submissions import UNDIAGNOSED, exercise

pytestmark = pytest.mark.walls

SUPER = "        super().__init__()\n"
PARTS = "nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)"
LIST_OF_LAYERS = f"""
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff):
        super().__init__([{PARTS}])
"""
NO_RETURN = f"def PositionWiseFeedForward(d_model, d_ff):\n    nn.Sequential({PARTS})"
FINISHED = "PositionWiseFeedForward = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))"
ITS_OWN_PARTS = f"""
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff):
        super().__init__({PARTS.replace("nn.Linear(d_ff", "nn.Linear(d_model")})
"""
LEFT_OVER = "        raise NotImplementedError()"
READ = [  # cell, what is changed in it (or all of it), what the student reads
    ("encoder_layer", ("def forward", "def foward"), "`EncoderLayer` was called. `EncoderLayer` has no `forward`."),
    ("encoder_layer", ("def forward", "def foward"), "Your cells define `foward`."),
    ("encoder_layer", ("def __init__", "def _init_"), "Your cells define `_init_`."),
    ("encoder_layer", ("class EncoderLayer", "class Encoderlayer"), "Your cells define `Encoderlayer`."),
    ("encoder_layer", ("(nn.Module)", ""), "does it inherit from that?"),
    ("encoder_layer", ("self.dropout = nn", "dropout = nn"), "`EncoderLayer` has no `dropout`."),
    ("encoder_layer", ("return self", "x = self"), "`forward` returns nothing (`None`)."),
    ("encoder_layer", (", dropout: float = 0.1", ""), "`EncoderLayer` was built. `EncoderLayer.__init__` gets more"),
    ("multi_head_attention", (SUPER, ""), "Does `__init__` begin with `super().__init__()`?"),
    ("multi_head_attention", ("!= 0", "== 0"), "You raise it yourself there."),
    ("multi_head_attention", ("return self.output_transform(merged)", "return self.forward(query, key, value)"), "Does a method call itself"),
    ("attention", (SUPER, ""), "`Attention` was built. `nn.Module` is not set up"),
    ("attention", ("-torch.inf", "-np.inf"), "`np` is not imported."),
    ("attention", ("@ value", "@ value, scores"), "`forward` returns several things."),
    ("attention", ("return scores.softmax(dim=-1) @ value", "return self"), "something that is no tensor."),
    ("attention", ("~attention_mask.bool()", "(1 - attention_mask)"), "`-` does not work on booleans."),
    ("attention", ("        scores = query", f"{LEFT_OVER}\n        scores = query"), "in place of that line."),
    ("feed_forward", LIST_OF_LAYERS, "How is a list handed over as single arguments?"),
    ("feed_forward", NO_RETURN, "does it return the layer that it makes?"),
    ("feed_forward", FINISHED, "Is it a finished layer"),
    ("feed_forward", ITS_OWN_PARTS, "`PositionWiseFeedForward` was called. Two shapes do not fit"),
]  # fmt: skip


@pytest.mark.parametrize(("cell", "change", "read"), every(3, READ))
def test_what_is_wrong_is_said(grade_cells, solved, cell, change, read):
    source = change if isinstance(change, str) else solved[cell].replace(*change)
    assert source != solved[cell]
    verdict = grade_cells(UNDIAGNOSED, **{cell: source})
    messages = [check.message or "" for check in exercise(verdict, cell).checks]
    assert any(read in message for message in messages), messages
