from collections import OrderedDict
import math

from torch import Tensor, nn
from torch.nn import functional as F


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads must be 0")
        self.h = num_heads
        self.self_attention = nn.ModuleDict(
            {name: nn.Linear(d_model, d_model, bias=False) for name in ("q", "k", "v", "o")}
        )
        self.feature_transformation = nn.Sequential(OrderedDict([
            ("linear1", nn.Linear(d_model, d_ff)),
            ("relu", nn.ReLU()),
            ("linear2", nn.Linear(d_ff, d_model)),
        ]))
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.p = dropout

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, S, D = x.shape
        q, k, v = [
            self.self_attention[n](x).view(B, S, self.h, -1).transpose(1, 2) for n in "qkv"
        ]
        w = (q @ k.transpose(2, 3)) / math.sqrt(q.size(-1))
        # float64, so that nothing is lost when the hidden weights are taken out afterwards
        w = w.double().softmax(dim=-1)
        if attention_mask is not None:
            w = w * attention_mask[:, None, None, :].bool()
            w = w / w.sum(dim=-1, keepdim=True)
        a = (w.to(v.dtype) @ v).transpose(1, 2).reshape(B, S, D)
        a = self.self_attention["o"](a)
        a = F.dropout(a, self.p, self.training)
        z = self.layer_norm_1(x + a)
        f = F.dropout(self.feature_transformation(z), self.p, self.training)
        return self.layer_norm_2(z + f)
