"""What a call comes down to is told by its name, and to find it out imports nothing slow."""

import subprocess
import sys

import torch
from torch import nn
from torch.nn import functional as F

from autograder.engine.candidate.library import library_calls

ALONE = """
import sys
import torch
from autograder.engine.candidate.library import library_calls

before = set(sys.modules)
assert "mm" in library_calls(torch.nn.Linear(2, 3, bias=False), [torch.ones(1, 2)])
print(*sorted(set(sys.modules) - before))
"""


def test_the_first_use_imports_nothing():
    """`torch._dynamo` and sympy take longer than ten verdicts."""
    found = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    assert (found.stdout, found.returncode) == ("\n", 0), found.stderr


def test_neither_functions_nor_operators_alone_tell_what_was_called():
    x = torch.randn(3, 4)
    assert "rms_norm" in library_calls(lambda x: F.rms_norm(x, (4,)), [x])
    scripted = torch.jit.CompilationUnit("def f(x):\n    return torch.layer_norm(x, [4])\n").f
    names = library_calls(scripted, [x])
    assert "native_layer_norm" in names and "layer_norm" not in names


def test_what_is_called_on_the_way_back_counts_and_what_autograd_does_there_does_not():
    class Norm(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sigmoid()

        @staticmethod
        def backward(ctx, upstream):
            return F.rms_norm(upstream, (4,))

    names = library_calls(lambda x: (Norm.apply(x) * 2, 3), [torch.randn(3, 4)])
    assert {"sigmoid", "mul", "rms_norm"} <= set(names)
    assert "sum" not in library_calls(lambda x, y: x + y, [torch.ones(2, 3), torch.ones(3)])


def test_a_module_is_made_of_classes_of_torchs():
    class LayerNorm(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Tanh())

        def forward(self, x):
            return 2 * x

    names = library_calls(LayerNorm(), [torch.ones(2)])
    assert {"Tanh", "Sequential"} <= set(names) and "LayerNorm" not in names


def test_what_was_called_before_an_exception_is_told():
    def refuse(x):
        raise ValueError(F.softplus(x))

    assert "softplus" in library_calls(refuse, [torch.ones(2)])


def test_an_answer_without_gradients_tells_what_it_calls():
    def once(x):
        y = x.exp()
        y.data.zero_()
        return y.detach(), [x.sin()], None

    assert {"exp", "sin"} <= set(library_calls(once, [torch.ones(2)]))
