"""Ways to have torch answer where a layer of one's own is asked for: right answers, each with a note."""

LAYER_NORM = """
import functools, operator, sys, types
import torch
from torch import nn
from torch.nn import functional as F
{beside}

class LayerNorm({base}):
    def __init__(self, d_model, eps=1e-6{argument}):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps, self.d_model = eps, d_model
        {built}

    def forward(self, x{argument}):
        shape, rows = x.shape[-1:], x.reshape(-1, x.size(-1))
        {before}
        return self.gamma * ({answer}).view_as(x) + self.beta
"""


def layer_norm(answer, beside="", built="pass", before="pass", argument="", base="nn.Module"):
    """A layer whose normalised tokens are this expression."""
    return LAYER_NORM.format(
        answer=answer, beside=beside, built=built, before=before, argument=argument, base=base
    )


LAYER_NORMS = {
    "F.layer_norm": layer_norm("F.layer_norm(x, shape, eps=self.eps)"),
    "torch.layer_norm": layer_norm("torch.layer_norm(x, shape, eps=self.eps)"),
    "torch.native_layer_norm": layer_norm(
        "torch.native_layer_norm(x, shape, None, None, self.eps)[0]"
    ),
    "nn.LayerNorm": layer_norm(
        "self.norm(x)", built="self.norm = nn.LayerNorm(d_model, eps, elementwise_affine=False)"
    ),
    "nn.LayerNorm as a plain attribute": layer_norm(
        "self.norms[0](x)", built="self.norms = [nn.LayerNorm(d_model, eps, False)]"
    ),
    "nn.LayerNorm in forward": layer_norm(
        "nn.LayerNorm(shape, self.eps, False).to(x.dtype)(x)"
    ),
    "nn.LayerNorm.forward": layer_norm(
        "nn.LayerNorm.forward(self.held, x)",
        built="self.held = types.SimpleNamespace(normalized_shape=(d_model,), weight=None, bias=None, eps=eps)",
    ),
    "a class that inherits": """
from torch import nn

class LayerNorm(nn.LayerNorm):
    def __init__(self, d_model, eps=1e-6):
        super().__init__(d_model, eps)
""",
    "a default argument": layer_norm("f(x, shape, eps=self.eps)", argument=", f=F.layer_norm"),
    "an attribute that is the module": layer_norm(
        "self.f.layer_norm(x, shape, eps=self.eps)", built="self.f = F"
    ),
    "an attribute that is the function": layer_norm(
        "self.f(x, shape, eps=self.eps)", built="self.f = F.layer_norm"
    ),
    "partial(getattr, F)": layer_norm(
        "find('layer' + '_norm')(x, shape, eps=self.eps)", beside="find = functools.partial(getattr, F)"
    ),
    "partial of the function": layer_norm(
        "norm(x, eps=self.eps, normalized_shape=shape)", beside="norm = functools.partial(F.layer_norm)"
    ),
    "attrgetter": layer_norm(
        "operator.attrgetter('nn.functional.layer_norm')(torch)(x, shape, eps=self.eps)"
    ),
    "methodcaller": layer_norm(
        "operator.methodcaller('layer_norm', x, shape, eps=self.eps)(torch.nn.functional)"
    ),
    "a name that is joined": layer_norm("getattr(F, '_'.join(['layer', 'norm']))(x, shape, eps=self.eps)"),
    "vars": layer_norm("vars(F)['layer_norm'](x, shape, eps=self.eps)"),
    "sys.modules": layer_norm(
        "sys.modules['torch.nn.functional'].layer_norm(x, shape, eps=self.eps)"
    ),
    "everything of a module": layer_norm(
        "layer_norm(x, shape, eps=self.eps)", beside="from torch.nn.functional import *"
    ),
    "a loop over what a module has": layer_norm(
        "found(x, shape, eps=self.eps)",
        beside="found = next(f for n, f in vars(F).items() if n[::-1] == 'mron_reyal')",
    ),
    "a dict of norms": layer_norm(
        "NORMS['own'](x, shape, eps=self.eps)", beside="NORMS = {'own': F.layer_norm}"
    ),
    "another cell's function": layer_norm(
        "helper(x, self.eps)", beside="def helper(x, eps, g=F):\n    return g.layer_norm(x, x.shape[-1:], eps=eps)"
    ),
    "a staticmethod": layer_norm(
        "Norms.of(x, shape, eps=self.eps)", beside="class Norms:\n    of = staticmethod(F.layer_norm)"
    ),
    "torch._C": layer_norm("torch._C._VariableFunctions.layer_norm(x, shape, eps=self.eps)"),
    "torch.ops": layer_norm("torch.ops.aten.layer_norm(x, shape, None, None, self.eps)"),
    "an overload": layer_norm("torch.ops.aten.layer_norm.default(x, shape, None, None, self.eps)"),
    "compiled code": layer_norm(
        "compiled(x, self.eps)",
        beside="compiled = torch.jit.CompilationUnit('def f(x, eps: float):\\n    return "
        "torch.layer_norm(x, [x.size(-1)], None, None, eps)\\n').f",
    ),
    "vmap": layer_norm("torch.vmap(lambda row: F.layer_norm(row, shape, eps=self.eps))(rows)"),
    "F.rms_norm": layer_norm("F.rms_norm(x - x.mean(-1, keepdim=True), shape, eps=self.eps)"),
    "torch.rms_norm": layer_norm("torch.rms_norm(x - x.mean(-1, keepdim=True), shape, eps=self.eps)"),
    "nn.RMSNorm": layer_norm(
        "nn.RMSNorm(shape, self.eps, False)(x - x.mean(-1, keepdim=True))"
    ),
    "F.instance_norm": layer_norm("F.instance_norm(rows[None], eps=self.eps)"),
    "nn.InstanceNorm1d": layer_norm("nn.InstanceNorm1d(len(rows), self.eps)(rows[None])"),
    "F.group_norm": layer_norm("F.group_norm(rows, 1, eps=self.eps)"),
    "nn.GroupNorm": layer_norm("nn.GroupNorm(1, self.d_model, self.eps, False)(rows)"),
    "torch.native_group_norm": layer_norm(
        "torch.native_group_norm(rows, None, None, len(rows), rows.size(1), 1, 1, self.eps)[0]"
    ),
    "F.batch_norm": layer_norm(
        "F.batch_norm(rows.mT, None, None, None, None, True, 0.1, self.eps).mT"
    ),
    "the norm of another layer": layer_norm(
        "self.others[0].norm1(x)",
        built="self.others = [nn.TransformerEncoderLayer(d_model, 1, layer_norm_eps=eps)]; "
        "self.others[0].norm1.elementwise_affine = False",
    ),
    "a property": layer_norm(
        "self.norm(x)",
        base="Normed",
        beside="class Normed(nn.Module):\n    norm = property(lambda s: lambda x: F.layer_norm(x, x.shape[-1:], eps=s.eps))",
    ),
    "an own autograd function": layer_norm(
        "Own.apply(x, self.eps)",
        beside="""
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        answer, mean, rstd = torch.native_layer_norm(x, x.shape[-1:], None, None, eps)
        ctx.save_for_backward(x, mean, rstd)
        return answer
    @staticmethod
    def backward(ctx, upstream):
        x, mean, rstd = ctx.saved_tensors
        way = torch.ops.aten.native_layer_norm_backward
        return way(upstream, x, x.shape[-1:], mean, rstd, None, None, [True, False, False])[0], None
""",
    ),
}  # fmt: skip

ATTENTION = """
import torch
from torch import nn
from torch.nn import functional as F

class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool)
        if self.mask_future:
            mask = mask.tril()
        if attention_mask is not None:
            while attention_mask.dim() < query.dim():
                attention_mask = attention_mask.unsqueeze(-2)
            mask = mask & attention_mask.bool()
        return {call}(query, key, value, mask)
"""
SDPA = "scaled_dot_product_attention"
ATTENTIONS = {
    name: ATTENTION.format(call=call)
    for name, call in {
        "F": f"F.{SDPA}",
        "torch._C": f"torch._C._nn.{SDPA}",
        "torch.ops": f"torch.ops.aten.{SDPA}",
        "an overload": f"torch.ops.aten.{SDPA}.default",
        "a name that is turned round": f"getattr(F, {SDPA[::-1]!r}[::-1])",
        "a lambda": f"(lambda *a, g=F.{SDPA}: g(*a))",
    }.items()
}


AS_CONVOLUTION = """
def as_convolution(linear1, linear2):
    class Hidden(nn.Conv1d):
        def forward(self, x):
            return {answer}

    def made(linear):
        convolution = {kind}(linear.in_features, linear.out_features, 1)
        with torch.no_grad():
            convolution.weight.copy_(linear.weight[..., None])
            convolution.bias.copy_(linear.bias)
        {hide}
        return convolution

    return nn.Sequential(made(linear1), nn.ReLU(), made(linear2))
"""


def as_convolution(answer="super().forward(x)", hide="pass", kind="Hidden"):
    """Convolutions that do not compute what they answer."""
    return AS_CONVOLUTION.format(answer=answer, hide=hide, kind=kind)


AS_CONVOLUTIONS = {
    "a member past registration": as_convolution(
        "self.inner(x.mT).mT", "object.__setattr__(convolution, 'inner', linear)"
    ),
    "in a list": as_convolution("self.inner[0](x.mT).mT", "convolution.inner = [linear]"),
    "in a dict of the object": as_convolution(
        "self.inner(x.mT).mT", "vars(convolution)['inner'] = linear"
    ),
    "in a closure": as_convolution(
        hide="object.__setattr__(convolution, 'forward', lambda x: linear(x.mT).mT)",
        kind="nn.Conv1d",
    ),
    "a copy": as_convolution(
        "self.inner(x.mT).mT",
        "import copy; object.__setattr__(convolution, 'inner', copy.deepcopy(linear))",
    ),
    "in a hook": as_convolution(
        hide="convolution.register_forward_hook(lambda m, a, o: linear(a[0].mT).mT)",
        kind="nn.Conv1d",
    ),
    "in a global dict": as_convolution(
        "HIDDEN[id(self)](x.mT).mT", "globals().setdefault('HIDDEN', {})[id(convolution)] = linear"
    ),
    "beside the convolution": as_convolution(
        "0 * super().forward(x) + self.inner(x.mT).mT",
        "object.__setattr__(convolution, 'inner', linear)",
    ),
    "its forward alone": as_convolution(
        "nn.Linear.forward(self.inner, x.mT).mT", "object.__setattr__(convolution, 'inner', linear)"
    ),
    "F.linear": as_convolution("F.linear(x.mT, self.weight[..., 0], self.bias).mT"),
    "@": as_convolution("(x.mT @ self.weight[..., 0].T + self.bias).mT"),
    "einsum": as_convolution(
        "torch.einsum('bcs,dc->bds', x, self.weight[..., 0]) + self.bias[:, None]"
    ),
}  # fmt: skip

# layers of torch that no `named_modules` finds: each answers, and some lose a point
HIDDEN_LAYERS = {
    "layer_norm": """
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        object.__setattr__(self, "inner", nn.LayerNorm(d_model, eps, elementwise_affine=False))

    def forward(self, x):
        return self.gamma * self.inner(x) + self.beta
""",
    "multi_head_attention": """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError
        self.mask_future = mask_future
        for name in ("query", "key", "value", "output"):
            setattr(self, f"{name}_transform", nn.Linear(d_model, d_model, bias=False))
        made = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)
        object.__setattr__(self, "inner", made)

    def forward(self, query, key, value, attention_mask=None):
        parts = self.query_transform, self.key_transform, self.value_transform
        weight = torch.cat([part.weight for part in parts]).detach()
        self.inner.in_proj_weight = nn.Parameter(weight)
        self.inner.out_proj.weight = nn.Parameter(self.output_transform.weight.detach())
        hidden = None if attention_mask is None else ~attention_mask.bool()
        later = None
        if self.mask_future:
            later = torch.ones(query.size(1), key.size(1), dtype=torch.bool).triu(1)
        return self.inner(query, key, value, hidden, attn_mask=later, need_weights=False)[0]
""",
    "encoder_layer": """
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        made = nn.TransformerEncoderLayer(d_model, num_heads, d_ff, dropout, batch_first=True)
        object.__setattr__(self, "inner", made)
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        hidden = None if attention_mask is None else ~attention_mask.bool()
        return self.inner(x, src_key_padding_mask=hidden)
""",
}
