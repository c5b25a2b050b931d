import torch
from torch import Tensor, nn

class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.depth = d_model // num_heads

        self.wq = nn.Linear(d_model, d_model, bias=False)
        self.wk = nn.Linear(d_model, d_model, bias=False)
        self.wv = nn.Linear(d_model, d_model, bias=False)
        self.dense = nn.Linear(d_model, d_model, bias=False)
        for kernel in (self.wq, self.wk, self.wv, self.dense):
            nn.init.xavier_uniform_(kernel.weight)
        self.attention = Attention(mask_future)

    def split_heads(self, x, batch_size):
        x = torch.reshape(x, (batch_size, -1, self.num_heads, self.depth))
        return torch.permute(x, (0, 2, 1, 3))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        batch_size = query.shape[0]
        q = self.split_heads(self.wq(query), batch_size)
        k = self.split_heads(self.wk(key), batch_size)
        v = self.split_heads(self.wv(value), batch_size)
        scaled_attention = self.attention(q, k, v, attention_mask)
        scaled_attention = torch.permute(scaled_attention, (0, 2, 1, 3))
        concat_attention = torch.reshape(scaled_attention, (batch_size, -1, self.d_model))
        return self.dense(concat_attention)
