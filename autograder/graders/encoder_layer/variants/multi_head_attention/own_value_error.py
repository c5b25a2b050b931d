from torch import nn


class HeadsError(ValueError):
    """The heads do not divide the model."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise HeadsError(f"{num_heads} does not divide {d_model}")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        pairs = (
            (self.query_transform, query), (self.key_transform, key), (self.value_transform, value),
        )  # fmt: skip
        q, k, v = (f(x).unflatten(2, (self.num_heads, -1)).movedim(2, 1) for f, x in pairs)
        return self.output_transform(self.attention(q, k, v, attention_mask).movedim(1, 2).flatten(2))
