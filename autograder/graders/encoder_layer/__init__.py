"""The graders of the assignment `encoder-layer`.

ALIASES: what students call the layers that the statement calls so, as patterns, for weights that are
loaded by role. LIBRARY_PARTS: what torch has ready-made of what an exercise asks for; a note tells
staff where it is called. `look_around`: what is asked before the first check, see `layouts.py`.
"""

from .layouts import look_around

__all__ = ["ALIASES", "LIBRARY_PARTS", "look_around"]

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

_ATTENTION = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.MultiheadAttention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch._native_multi_head_attention",
    "torch._scaled_dot_product_attention_math",
    "torch._scaled_dot_product_flash_attention_for_cpu",
)
_LAYERS = (
    "torch.nn.TransformerEncoderLayer",
    "torch.nn.TransformerEncoder",
    "torch.nn.Transformer",
    "torch._transformer_encoder_layer_fwd",
)
LIBRARY_PARTS = {
    "attention": _ATTENTION,
    "multi_head_attention": _ATTENTION,
    "encoder_layer": (*_LAYERS, *_ATTENTION),
    "encoder": (*_LAYERS, *_ATTENTION),
}
