"""Which answers are so plain that their layers need not be looked at: that takes a tenth of a verdict.

An answer is plain where all that it says is on these lists. Whatever is not on them, known or not,
makes its layer be looked at; and so does any line outside of answers that may change one.
"""

import ast
import builtins
from collections.abc import Collection, Iterable

import torch
from torch import nn

from autograder.engine.notes.code import Code, Statement

WORDS = frozenset(
    """
    Dropout Embedding GELU Identity LayerNorm Linear Module ModuleDict ModuleList Parameter RMSNorm
    ReLU SiLU Sequential Softmax Tensor FloatTensor abs add add_module all amax amin any append
    arange argmax astype attention baddbmm bmm bool broadcast_to cat chunk clamp clamp_min clip
    concat concatenate contiguous copy cos cuda cumsum dim div dot dropout dtype e einsum embedding
    empty eps exp expand expand_as expand_dims eye fill_ finfo flatten float float32 float64 fold
    forward from_numpy full full_like functional gelu index_select inf init int is_floating_point
    items keys layer_norm linear log log_ log_softmax logical_and logical_not logical_or long
    linspace mT manual_seed masked_fill masked_fill_ matmul max maximum mean min minimum movedim mul
    multiply nan_to_num ndim new_full new_ones new_zeros nn norm numel ones ones_like outer
    parameters permute pi pow power rand randn register_buffer relu repeat repeat_interleave reshape
    rms_norm rsqrt scaled_dot_product_attention shape sigmoid silu sin size softmax split sqrt square
    squeeze stack std sub sum swapaxes swapdims T tanh tensor tensor_split tile to training transpose
    tril tril_ triu triu_ type type_as uint8 unbind unflatten unsqueeze values var var_mean view
    view_as vmap vstack hstack where zeros zeros_like device get pop index insert extend update
    __init__
    """.split()
)  # of torch, numpy and Python; names that none of these has are a student's own
OF_PYTHON = frozenset(
    """
    super range len zip enumerate print int float bool str tuple list dict set sum min max abs any all
    map sorted reversed round isinstance issubclass hasattr property staticmethod classmethod
    slice divmod pow repr format iter next type object None True False NotImplemented
    """.split()
) | {
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
}
MODULES = frozenset(
    """
    torch math numpy typing einops copy collections dataclasses jaxtyping functools itertools random
    matplotlib time warnings enum abc string cmath numbers textwrap __future__
    """.split()
)
METHODS = frozenset("__init__ __repr__ __str__ __len__ __post_init__ forward extra_repr".split())
CHANGING = frozenset(
    "setattr delattr exec eval compile globals locals vars __import__ __builtins__ open".split()
)
THEIRS = frozenset(
    name
    for thing in (torch.Tensor, nn.Module, torch, nn, nn.functional, list, dict, str, tuple, int)
    for name in (*dir(thing), *vars(nn.Module()))
)
BASES = frozenset({"torch.nn.Module", "object", "typing.NamedTuple"})


def is_plain(code: Code, statements: Iterable[Statement], asked_for: Collection[str] = ()) -> bool:
    """Whether an answer that these statements make says nothing but what is on the lists.

    `asked_for`: paths of what torch has ready-made of the answer, which is on no list then.
    """
    parts = {_folded(path.rpartition(".")[2]) for path in asked_for}
    words = {word for word in WORDS if _folded(word) not in parts} if parts else WORDS
    return all(_plain(code, words, node) for statement in statements for node in statement.nodes)


def _folded(name: str) -> str:
    """`LayerNorm` and `layer_norm` -> `layernorm`: a layer calls the function of its name."""
    return name.replace("_", "").lower()


def may_change(statement: Statement) -> bool:
    """Whether a line outside of any answer may change what an answer does."""
    return any(_changing(node) for node in statement.nodes)


def _plain(code: Code, words: Collection[str], node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
            own = isinstance(owner, ast.Name) and owner.id == "self"
            return own and not name.startswith("__") and not hasattr(nn.Module, name)
        case ast.Attribute(attr=name):
            return name in words or not (name in THEIRS or name.startswith("__"))
        case ast.Name(id=name):
            paths = code.paths.get(name, ())
            if any(path.partition(".")[0] not in MODULES for path in paths):
                return False
            if not all(_known(path, words) for path in paths):
                return False
            return name in OF_PYTHON or name in code.bound or not hasattr(builtins, name)
        case ast.FunctionDef(name=name):
            return name in METHODS or not (name.startswith("__") or hasattr(nn.Module, name))
        case ast.ClassDef(bases=bases, keywords=keywords, body=body):
            forward = any(getattr(one, "name", "") == "forward" for one in body)
            known = BASES if forward else BASES | {"torch.nn.Sequential"}
            return not keywords and all(_is_base(code, base, known) for base in bases)
        case ast.Global() | ast.Nonlocal():
            return False
    return True


def _known(path: str, words: Collection[str]) -> bool:
    """Whether what is imported is on the lists, or no library's that could answer."""
    name = path.rpartition(".")[2]
    return name in words or name in MODULES or not (name in THEIRS or path.startswith("torch."))


def _is_base(code: Code, base: ast.expr, known: frozenset[str]) -> bool:
    if isinstance(base, ast.Name) and base.id in code.bound:
        return True  # a class of the student's own, which is looked through as well
    paths = code.resolved(base)
    return bool(paths) and all(path in known or path in OF_PYTHON for path in paths)


def _changing(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()):
            return not (isinstance(owner, ast.Name) and owner.id == "self")
        case ast.Attribute(attr=name):
            return name.startswith(("register_", "__")) and name != "__init__"
        case ast.Name(id=name):
            return name in CHANGING
        case ast.ImportFrom(names=names):
            return any(alias.name == "*" for alias in names)
    return False
