"""The equations of `modern-block`, evaluated: what each gives is what the reference computes."""

import re

import pytest
import torch
from notebook_cells import checks_of
from torch.nn import functional as F

from autograder import find_course
from autograder.graders.modern_block import reference

COURSE = find_course()
TO_PYTHON = {
    r"\\(?:mathrm|text)\{(\w+)\}": r"\1",
    r"\\left|\\right": "",
    r"\\(gamma|epsilon|mu)\b": r"\1",
    r"\\odot": "*",
    r"\(x\)\\,": "(x)",
    r"\\max\(0,\\; (.*?)\)\\,": r"relu(\1)",
    r"e\^\{(.*?)\}": r"exp(\1)",
    r"\\sum_\{i\} x_i\^2": "total(x**2)",
    r"\\sum_\{i\} W_\{oi\}\\, x_i": "x @ W.T",
    r"\\sum_\{k\} ([Wb])_\{?(\w+)\}?": lambda found: f"{found[1]}.sum({found[2].index('k')})",
    r"\b([Wb])'?_(?:\{oi\}|o\b)": r"\1",
    r"\b(\w+) (W_\{?\w+\}?)": r"(\1 @ \2)",
    r"\) (W_\{?\w+\}?)": r") @ \1",
    r"_\{(\w+)\}": r"_\1",
}
INNERMOST = {  # without braces inside
    r"\\frac\{([^{}]*)\}\{([^{}]*)\}": r"((\1) / (\2))",
    r"\\sqrt\{([^{}]*)\}": r"sqrt(\1)",
}


def python_of(tex: str) -> str:
    """An equation's right side as Python."""
    for pattern, code in TO_PYTHON.items():
        tex = re.sub(pattern, code, tex)
    for pattern, code in [*INNERMOST.items()] * 2:
        tex = re.sub(pattern, code, tex)
    return re.sub(r"\) (?=[a-zA-Z])", ") * ", tex).strip()


def equations_of(text: str, separator: str = r"\$\$\n\$\$|\\qquad|, \\quad") -> list[str]:
    """The right sides of the equations in `$$`, or in a text of TeX alone, as Python."""
    tex = text.split("$$", 1)[-1].rpartition("$$")[0] or text
    parts = [one.strip(" ,\n") for one in re.split(separator, tex)]
    return [python_of(one.partition(" = ")[2] or one) for one in parts if one]


@pytest.fixture(scope="module")
def built(checks):
    """The equations beside which a student's own lines are shown."""
    equations = checks.EQUATIONS
    return {name.partition(".")[0]: tex for name, (_, tex) in equations.items()}


@pytest.fixture(scope="module")
def space():
    """What equations speak of: x, a sub-layer, norms, matrices and vectors."""
    torch.manual_seed(1)
    x, block = torch.randn(2, 3, 4), reference.ModernBlock(4, 2, 6)
    layers = reference.PreNormFeedForward(4, 6), reference.SwiGLU(4, 6)
    (_, _, w1, b1, w2, b2), (gate, up, down) = (list(one.parameters()) for one in layers)
    linear = torch.nn.Linear(4, 5)
    norm = reference.RMSNorm(4)
    norm.gamma = torch.nn.Parameter(torch.randn(4))
    return {
        "x": x, "d": 4, "epsilon": 1e-5, "gamma": norm.gamma, "norm": norm, "linear": linear,
        "W": linear.weight, "b": linear.bias, "block": block, "pre_norm": layers[0],
        "swiglu": layers[1], "W_1": w1.T, "b_1": b1, "W_2": w2.T, "b_2": b2, "W_gate": gate.T,
        "W_up": up.T, "W_down": down.T, "f": lambda x: 0.1 * x.cumsum(1).relu(), "relu": F.relu,
        "N": lambda x: F.layer_norm(x, (4,)), "LayerNorm": lambda x: F.layer_norm(x, x.shape[-1:]),
        "RMSNorm": lambda x: F.rms_norm(x, x.shape[-1:], eps=1e-5), "RMSNorm_1": block.norm_1,
        "RMSNorm_2": block.norm_2, "Attention": lambda x: block.attention(x, x, x),
        "SwiGLU": block.feed_forward, "SiLU": F.silu, "sigmoid": torch.sigmoid, "exp": torch.exp,
        "sqrt": torch.sqrt, "total": lambda x: x.sum(-1, keepdim=True),
        "mu": lambda x: x.mean(-1, keepdim=True), "FFN": layers[0].linear2,
    }  # fmt: skip


def agree(code: str, space: dict, target: torch.Tensor) -> None:
    assert torch.allclose(eval(code, {}, space), target, atol=1e-5), code


def test_rms_norm(cells, built, space):
    for text in (cells["rms_norm_equation"], built["RMSNorm"]):
        agree(equations_of(text)[0], space, space["norm"](space["x"]))


def test_folded_weights_take_the_mean_away(cells, built, space):
    layer_norm, y = equations_of(cells["fold_centering_equation"])
    space = space | {"y": eval(y, {}, space)}
    agree("y", space, space["linear"](space["x"]))
    agree(layer_norm, space, space["LayerNorm"](space["y"]))
    for code, target in zip(
        equations_of(built["fold_centering"]),
        reference.fold_centering(space["linear"]).parameters(),
        strict=True,
    ):
        space["d"] = 5  # features of y
        agree(code, space, target)


def test_swiglu(cells, built, space):
    for text in (cells["swiglu_equation"], built["SwiGLU"]):
        agree(equations_of(text)[0], space, space["swiglu"](space["x"]))
    z = space | {"z": space["x"]}
    agree(equations_of(cells["swiglu_equation"])[1], z, F.silu(space["x"]))
    (silu,) = re.findall(r"\$(z .*?)\$", cells["swiglu_functions_text"])
    agree(python_of(silu.replace(r"\cdot", r"\odot")), z, F.silu(space["x"]))


def test_pre_norm_stands_on_the_left_and_post_norm_on_the_right(cells, built, space):
    (inside,) = re.findall(r"FFN\}\(z\) = (.*?)\$", cells["pre_norm_feed_forward_equation"])
    code = python_of(inside)
    space = space | {"FFN": lambda z: eval(code, {}, space | {"z": z})}
    x, answer = space["x"], space["pre_norm"](space["x"])
    left, right = equations_of(cells["pre_norm_feed_forward_equation"].split("\n\nwith")[0])
    agree(left, space, answer)
    agree(right, space, space["LayerNorm"](x + space["FFN"](x)))
    agree(python_of(built["PreNormFeedForward"]), space, answer)


def test_the_block(cells, built, space):
    for text in (cells["modern_block_equation"], built["ModernBlock"]):
        h, output = equations_of(text.split("\n\n$x$")[0])
        agree(output, space | {"h": eval(h, {}, space)}, space["block"](space["x"]))


@pytest.mark.parametrize("cell", ["find_the_block_equation", "depth_equation"])
def test_kinds_of_blocks(cells, space, cell):
    played = checks_of("modern-block", COURSE).played
    kinds = [reference.KINDS[i] for i in ((0, 1, 2, 3) if "find" in cell else (0, 1, 3))]
    text = re.sub(r"\\text\{[\w ]+: ", "{", cells[cell]).replace("{} ", "")
    for code, kind in zip(equations_of(text), kinds, strict=True):
        agree(code, space, played(kind, space["f"])(space["x"]))


def test_the_norm_is_taken_of_what_leaves_the_last_block(cells, built):
    stack, x = reference.ModernStack(4, 2, 6, 3), torch.randn(2, 3, 4)
    behind = [x]
    for block in stack.blocks:
        behind.append(block(behind[-1]))
    for text in (cells["modern_stack_equation"], built["ModernStack"]):
        (place,) = re.findall(r"RMSNorm\}\(x_\{?(\w+)\}?\)", text)
        (enters,) = re.findall(r"Block\}_l\(x_\{(.*?)\}\)", text)
        assert eval(enters, {"l": 1}) == 0
        assert torch.allclose(stack.norm(behind[eval(place, {"L": 3})]), stack(x))


def test_gradient_is_that_of_what_enters_a_block(cells, built):
    factors, upstream = (2.0, 3.0, 5.0), torch.randn(2, 3, 4)
    blocks = [lambda x, factor=factor: factor * x for factor in factors]
    measured = reference.gradient_by_layer(blocks, torch.randn(2, 3, 4), upstream)
    at = [upstream.norm() * torch.tensor(factors[i:]).prod() for i in range(4)]
    assert "with respect to what enters each block" in cells["gradient_by_layer"]
    for text in (cells["gradient_by_layer_equation"], built["gradient_by_layer"]):
        (place,) = re.findall(r"\\partial x_\{(.*?)\}", text)
        assert torch.allclose(measured, torch.stack([at[eval(place, {"l": i})] for i in (1, 2, 3)]))
