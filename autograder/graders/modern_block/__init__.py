"""The graders of the assignment `modern-block`.

ALIASES: what students call the layers that the statement calls so, as patterns, for weights that are
loaded by role. LIBRARY_PARTS: what torch has ready-made of what an exercise asks for; a note tells
staff where it is called, and `rms_norm` has a check for it, because its statement says "without".
"""

_WORD = r"(?:w|to|lin|linear|proj|projection|fc|dense|layer|transform|map|weights?)"
_AROUND = rf"(?:{_WORD}_?)?(?:{{}})s?(?:_?{_WORD})?"
ALIASES = {
    "gate": _AROUND.format(r"g|gate|gated|gating|swish|silu|act|activation"),
    "up": _AROUND.format(r"u|up|value|content|signal"),
    "down": _AROUND.format(r"d|down|o|out|output|back"),
    "linear1": _AROUND.format(r"_?1|one|in|inner|first|expand"),
    "linear2": _AROUND.format(r"_?2|two|out|outer|second|contract"),
    "query_transform": _AROUND.format(r"q|query|queries"),
    "key_transform": _AROUND.format(r"k|key|keys"),
    "value_transform": _AROUND.format(r"v|val|values?"),
    "output_transform": _AROUND.format(r"o|out|output|concat|merge|combine"),
    "norm_1": r"(?:rms_?)?(?:norm|ln|n)_?(?:1|one|a|attn|attention|input)",
    "norm_2": r"(?:rms_?)?(?:norm|ln|n)_?(?:2|two|b|ffn?|feed_?forward|mlp|post)",
}

LIBRARY_PARTS = {
    "rms_norm": (
        "torch.nn.RMSNorm",
        "torch.nn.functional.rms_norm",
        "torch.rms_norm",
        "torch._fused_rms_norm",
    ),
}
