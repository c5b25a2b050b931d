"""Answers of `encoder-layer` that do nothing of their exercise, or nothing of their own.

NOTHING: by exercise, what `forward` returns. BORROWED: by exercise and name, cells that have only what the
statement gives or what belongs to earlier exercises.
"""

NAMES = {
    "feed_forward": "PositionWiseFeedForward",
    "attention": "Attention",
    "multi_head_attention": "MultiHeadAttention",
    "encoder_layer": "EncoderLayer",
    "encoder": "Encoder",
}
SAME_SHAPE = (
    "x",
    "x.clone()",
    "x * 2",
    "torch.zeros_like(x)",
    "torch.ones_like(x)",
    "torch.randn_like(x)",
    "x.mean(-2, keepdim=True).expand_as(x)",
    "x.cumsum(-2)",
    "x.softmax(-1)",
    "x.flip(-2)",
)
OF_VALUES = (
    "value",
    "value[..., : query.size(-2), :]",
    "value.mean(-2, keepdim=True).expand(*query.shape[:-1], value.size(-1))",
    "value[..., :1, :].expand(*query.shape[:-1], value.size(-1))",
    "value.sum(-2, keepdim=True).expand(*query.shape[:-1], value.size(-1))",
    "query.new_zeros(*query.shape[:-1], value.size(-1))",
    "query.new_ones(*query.shape[:-1], value.size(-1))",
)
OF_TOKENS = (
    "torch.zeros(*x.shape, self.sizes[1])",
    "torch.ones(*x.shape, self.sizes[1])",
    "torch.randn(*x.shape, self.sizes[1])",
    "x.unsqueeze(-1).expand(*x.shape, self.sizes[1]).to(torch.get_default_dtype())",
    "x.unsqueeze(-1).expand(*x.shape, self.sizes[1]) * 1.0 / self.sizes[0]",
    "F.one_hot(x, self.sizes[0])[..., : self.sizes[1]] * 1.0",
    "x",
    "x * 1.0",
)
NOTHING = {
    "feed_forward": SAME_SHAPE,
    "attention": SAME_SHAPE + OF_VALUES,
    "multi_head_attention": SAME_SHAPE + OF_VALUES,
    "encoder_layer": SAME_SHAPE,
    "encoder": OF_TOKENS,
}
ARGUMENTS = {
    "attention": "query, key, value, attention_mask=None",
    "multi_head_attention": "query, key, value, attention_mask=None",
}


def returning(exercise: str, returned: str, built: str = "", before: str = "") -> str:
    """A class whose constructor does what `built` says, and whose `forward` returns this; `x` is its
    first argument.
    """
    arguments = ARGUMENTS.get(exercise, "x, attention_mask=None")
    lines = [
        f"class {NAMES[exercise]}(nn.Module):",
        "    def __init__(self, *sizes, **named):",
        "        super().__init__()",
        "        self.sizes = sizes",
        *(f"        {line}" for line in built.splitlines()),
        f"    def forward(self, {arguments}):",
        *(["        x = query"] if exercise in ARGUMENTS else []),
        *(f"        {line}" for line in before.splitlines()),
        f"        return {returned}",
    ]
    return "\n".join(lines) + "\n"


FOUR = """\
d_model, num_heads = sizes[:2]
if d_model % num_heads:
    raise ValueError("no multiple")
self.query_transform = nn.Linear(d_model, d_model, bias=False)
self.key_transform = nn.Linear(d_model, d_model, bias=False)
self.value_transform = nn.Linear(d_model, d_model, bias=False)
self.output_transform = nn.Linear(d_model, d_model, bias=False)
self.attention = Attention(*sizes[2:])"""
MEAN = "self.value_transform(value).mean(-2, keepdim=True).expand_as(query)"
ALL_FOUR = (
    "self.query_transform(query) + (self.key_transform(key) + self.value_transform(value))"
    ".mean(-2, keepdim=True)"
)
HEADS = {
    "built and not used": "query",
    "one projection": "self.output_transform(query)",
    "two projections": "self.output_transform(self.query_transform(query))",
    "projections around an average": f"self.output_transform({MEAN})",
    "all four around nothing": f"self.output_transform({ALL_FOUR})",
    "attention alone": "self.attention(query, key, value, attention_mask)",
    "zeros of all four": f"0 * self.output_transform({ALL_FOUR})",
}
PARTS = """\
d_model, num_heads, d_ff = sizes[:3]
self.self_attention = MultiHeadAttention(d_model, num_heads)
self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
self.layer_norm_1 = nn.LayerNorm(d_model)
self.layer_norm_2 = nn.LayerNorm(d_model)
self.dropout = nn.Dropout(*sizes[3:])"""
ATTENDED = "self.self_attention(x, x, x, attention_mask)"
LAYER = {
    "built and not used": "x",
    "attention alone": ATTENDED,
    "feed forward alone": "self.feature_transformation(x)",
    "dropout alone": "self.dropout(x)",
    "called and nothing added": f"self.feature_transformation({ATTENDED})",
    "called and dropped": f"self.dropout(self.feature_transformation(self.dropout({ATTENDED})))",
    "norms alone": "self.layer_norm_2(self.layer_norm_1(x))",
    "norms and dropout": "self.layer_norm_2(self.dropout(self.layer_norm_1(x)))",
    "feed forward and dropout": "self.dropout(self.feature_transformation(x))",
}
STACK = """\
vocab_size, d_model, num_heads, d_ff, num_layers, *rest = sizes
dropout = rest[0] if rest else 0.1
self.embedding = nn.Embedding(vocab_size, d_model)
self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
self.dropout = nn.Dropout(dropout)"""
ENCODER = {
    "embedding alone": "self.embedding(x)",
    "embedding and dropout": "self.dropout(self.embedding(x))",
    "embedding with its scale": "self.embedding(x) * self.embedding.embedding_dim ** 0.5",
    "scale and dropout": "self.dropout(self.embedding(x) * self.embedding.embedding_dim ** 0.5)",
    "one layer of zeros": "self.layers[0](0 * self.embedding(x), attention_mask)",
    "no embedding used": "torch.zeros(*x.shape, self.sizes[1])",
    "layers called and not used": "[layer(self.embedding(x)) for layer in self.layers] and self.embedding(x)",
    "average of the embedding": "self.embedding(x).mean(1, keepdim=True).expand(*x.shape, -1)",
}
CHAIN = """\
d_model, d_ff = sizes
self.linear1, self.relu, self.linear2 = nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
self.chain = nn.Sequential(self.linear1, self.relu, self.linear2)"""
FORWARD = {
    "built and not used": "x",
    "built and called for nothing": "x + 0 * self.chain(x)",
    "its ReLU alone": "self.relu(x)",
    "its sum": "x * 1.0 + self.linear1.bias.sum()",
}
OTHER_CHAINS = {
    "one linear": "nn.Linear(d_model, d_model)",
    "an empty chain": "nn.Sequential()",
    "an identity": "nn.Identity()",
    "a ReLU": "nn.ReLU()",
    "a norm": "nn.LayerNorm(d_model)",
}
SCORED = "query @ key.transpose(-2, -1)"
VALUES = {
    "a kept average": "value.mean(-2, keepdim=True).expand(*query.shape[:-1], -1)",
    "masked average": "((value * mask).sum(-2, keepdim=True) / mask.sum(-2, keepdim=True)).expand(*query.shape[:-1], -1)",
    "a value of the same place": "value[..., : query.size(-2), :]",
    "the largest value": "value.amax(-2, keepdim=True).expand(*query.shape[:-1], -1)",
    "scores": SCORED,
    "softmax of scores": f"({SCORED}).softmax(-1)",
    "query and a value": "query.mean(-1, keepdim=True) * value[..., :1, :]",
    "query and an average": "query.mean(-1, keepdim=True) + value.mean(-2, keepdim=True)",
    "values so far": "(value.cumsum(-2) / torch.arange(1, 1 + value.size(-2))[:, None])[..., : query.size(-2), :]",
}
MASKED = "mask = torch.ones_like(value[..., :1]) if attention_mask is None else attention_mask.reshape(len(value), *[1] * (value.dim() - 3), -1, 1) * 1.0"
BORROWED = {
    "feed_forward": {
        **{name: returning("feed_forward", returned, CHAIN) for name, returned in FORWARD.items()},
        **{
            name: f"def PositionWiseFeedForward(d_model, d_ff):\n    return {made}\n"
            for name, made in OTHER_CHAINS.items()
        },
    },
    "attention": {
        name: returning("attention", returned, before=MASKED) for name, returned in VALUES.items()
    },
    "multi_head_attention": {
        name: returning("multi_head_attention", returned, FOUR) for name, returned in HEADS.items()
    },
    "encoder_layer": {
        name: returning("encoder_layer", returned, PARTS) for name, returned in LAYER.items()
    },
    "encoder": {name: returning("encoder", returned, STACK) for name, returned in ENCODER.items()},
}
