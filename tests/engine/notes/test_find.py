"""What the code of a submission makes staff look at; and what honest code does not."""

from unittest.mock import patch

import pytest

from autograder.authoring.variants import variants
from autograder.engine import Submission
from autograder.engine.examiner import CheckRun
from autograder.engine.notebooks import Cell
from autograder.engine.notes import answers, find

pytestmark = pytest.mark.slow

REACHES = "`attention` reaches beyond its exercise: `exec` (line 8)."
ATTENTION = """
class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()

    def forward(self, query, key, value, attention_mask=None):
        {before}
        return {call}
"""


@pytest.fixture(scope="module")
def notes(assignment):
    """The notes on the solution with these cells in place of its own, and one that was added."""

    def find(added: str = "", **cells: str) -> list[str]:
        return notes_on(assignment, added, **cells)

    return find


def notes_on(assignment, added="", runs=(), **cells) -> list[str]:
    written = assignment.solved_cells() | cells
    made = [Cell(p.id, p.kind, written.get(p.id, p.source), p) for p in assignment.cells]
    own = [Cell("your-cell-7", "code", added)] if added else []
    return find.find_notes(assignment, Submission([*own, *made]), runs, [])


REACHING = {
    "import sys\nf = sys._getframe().f_back": "`f_back` (line 2), `sys._getframe` (line 2)",
    "import sys as s\nfor m in s.modules: print(m)": "`sys.modules` (line 2)",
    "print(open('/proc/self/maps').read())": "`open` (line 1), `/proc` (line 1)",
    "from os import environ as e\nprint(e)": "`os.environ` (lines 1, 2)",
    "import gc\nprint(gc.get_objects())": "`gc.get_objects` (line 2)",
    "import ctypes as c\nc.string_at(0)": "`ctypes.string_at` (line 2)",
    "exec('x = 1')": "`exec` (line 1)",
    "e = eval\ne('1')": "`eval` (line 1)",
    "getattr(__builtins__, 'open')('x')": "`__builtins__.open` (line 1), `__builtins__` (line 1)",
    "getattr(__builtins__, 'op' + 'en')": "`a name built at run time` (line 1), `__builtins__` (line 1)",
    "import builtins\nbuiltins.abs = None": "`builtins.abs =` (line 2)",
    "import torch\ntorch.nn.Linear.forward = None": "`torch.nn.Linear.forward =` (line 2)",
    "import torch\nsetattr(torch, 'allclose', 0)": "`torch.allclose =` (line 2)",
    "x = []\nx.__class__ = dict": "`__class__ =` (line 2)",
    "import importlib\nimportlib.import_module('os').fork()": "`importlib.import_module` (line 2)",
    "import threading, atexit, signal\natexit.register(print)": "`atexit.register` (line 2)",
    "from pathlib import Path\nPath('x').read_text()": "`pathlib.Path` (lines 1, 2)",
    "import torch\ntorch.ops.aten.mm": "`torch.ops` (line 2)",
    "if True:\n    with open('x') as f: pass": "`open` (line 2)",
    "class A:\n    def named_modules(self): pass": "`named_modules` (line 2)",
    "Attention.state_dict = lambda self: {}": "`state_dict =` (line 1)",
    "setattr(Attention, 'named_parameters', f)": "`named_parameters =` (line 1)",
    "class A:\n    forward = __call__ = None\n    def forward(self): pass\n    def __call__(self): pass": "`__call__` (line 1)",
    "layer = Attention()\nlayer.register_forward_hook(print)": "`register_forward_hook` (line 2)",
}


@pytest.mark.parametrize("source", REACHING)
def test_code_that_reaches_beyond_its_exercise_is_noted_with_its_lines(source, notes):
    assert notes(source) == [f"`your-cell-7` reaches beyond its exercise: {REACHING[source]}."]


HONEST = """
%matplotlib inline
!pip install einops
import copy, gc, inspect, os, random, re, sys, time
import matplotlib.pyplot as plt
import numpy as np
import torch
os.environ["KMP_DUPLICATE_LIB_OK"] = "True"
os.environ.setdefault("OMP_NUM_THREADS", "1")
path = os.path.join("figures", "a.svg")
sys.path.append("..")
sys.setrecursionlimit(2000)
torch.backends.cudnn.deterministic = True
plt.rcParams["figure.figsize"] = (4, 3)
pattern = re.compile("a+")
layer = copy.deepcopy(Attention()).eval()
for name in ("query", "key"):
    print(getattr(layer, f"{name}_transform", None), getattr(torch, "float32"), vars(layer))
x = torch.randn(2, 3, requires_grad=True)
x.grad = None
with torch.no_grad():
    print(layer.__class__.__name__, x.detach().numpy(), inspect.signature(layer.forward))
begin = time.perf_counter()
gc.collect()
model = torch.compile(layer)
"""


def test_what_honest_code_does_is_no_note(notes):
    assert notes(HONEST) == []


def test_right_answers_reach_for_nothing_beyond_their_exercise(assignment, small):
    for one in (assignment, small):
        assert not any(notes_on(one, **v.cells) for v in variants(one))


PARTS = {"attention": ("torch.nn.functional.softmax", "torch.nn.Softmax", "torch.native_dropout")}
CALLED = {
    "F.softmax": {"softmax", "Softmax", "matmul"},
    "nn.Softmax": {"Softmax", "softmax_"},
    "torch.native_dropout": {"native_dropout"},
}


@pytest.mark.parametrize(("part", "names"), CALLED.items())
def test_the_first_part_of_the_library_that_was_called_is_noted(part, names, assignment):
    def calling(*called):
        return [
            CheckRun("test_x", exercise, 1.0, library=frozenset(called))
            for exercise in ("attention", "encoder")
        ]

    with patch.dict(assignment.library_parts, PARTS, clear=True):
        (note,) = notes_on(assignment, runs=calling(*names))
        assert note == f"`attention` uses `{part}`: was an own one asked for?"
        assert notes_on(assignment, runs=calling("matmul", "_softmax", "F.softmax")) == []


def test_a_released_cell_is_no_students(notes, assignment):
    code = (cell for cell in assignment.cells if cell.kind == "code" and not cell.skipped)
    provided = next(cell for cell in code if not (cell.solution or cell.check))
    assert notes(**{provided.id: provided.source}) == []
    (note,) = notes(**{provided.id: provided.source + "\nexec('')"})
    assert note.startswith(f"`{provided.id}` reaches beyond its exercise: `exec` (line")


ODD = {
    "deep brackets": "(" * 5000 + ")" * 5000,
    "deep minus": "-" * 50_000 + "1",
    "deep attributes": "x = a" + ".a" * 50_000,
    "a long sum": "import torch\n"
    + "x = 'a'\n" * 9
    + "getattr(torch, "
    + "+".join("x" * 40_000)
    + ")",
    "many meanings": "import torch\n"
    + "\n".join(f"x = torch.a{i}" for i in range(2500))
    + "\nx.y" * 2500,
    "many stars": "\n".join(f"from m{i} import *" for i in range(1500)) + "\nfoo" * 2500,
    "one statement of many names": ", ".join(f"a{i}" for i in range(25_000)) + " = Attention, 1",
    "names in a ring": "\n".join(f"b{i} = b{i + 1}.c" for i in range(2500)),
    "a null byte": "x = 1\0",
    "half a surrogate": "x = '\ud800'",
    "no Python": "def (:",
}


@pytest.mark.parametrize("source", ODD.values(), ids=ODD)
def test_odd_code_costs_no_note_on_other_cells(source, notes, assignment):
    assert REACHES in notes(source, attention=ATTENTION.format(before="pass", call="exec('1')"))


def test_a_cell_that_is_too_long_is_noted_and_hides_no_other(notes):
    long = "x = 1\n" * (answers.MAX_CODE // 6 + 1)
    found = notes(long, attention=ATTENTION.format(before="pass", call="exec('1')"))
    assert found == [REACHES, "`your-cell-7` is too long to be looked through."]
