"""The graders of the assignment `encoder-layer`.

ALIASES: what students call the layers that the statement calls so, as patterns, for weights that are
loaded by role. `look_around`: what is asked before the first check, see `layouts.py`.
"""

from .layouts import look_around

__all__ = ["ALIASES", "look_around"]

_WORD = r"(?:w|to|lin|linear|proj|project|projection|fc|dense|layer|transform|map|weights?)"
_AROUND = rf"(?:{_WORD}_?)?(?:{{}})s?(?:_?{_WORD})?"
ALIASES = {
    "query_transform": _AROUND.format(r"q|query|queries"),
    "key_transform": _AROUND.format(r"k|key|keys"),
    "value_transform": _AROUND.format(r"v|val|value|values"),
    "output_transform": _AROUND.format(
        r"o|out|output|concat|merge|combine|unify(?:_?heads)?|final"
    ),
    "layer_norm_1": r"(?:layer_?)?(?:norm|ln)_?(?:1|one|a|attention|attn|self_attention)",
    "layer_norm_2": r"(?:layer_?)?(?:norm|ln)_?(?:2|two|b|ffn?|feed_?forward|mlp)",
}
