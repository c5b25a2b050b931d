from torch import Tensor, nn
from torch.nn import functional as F


class FairseqDropout(nn.Module):
    def __init__(self, p, module_name=None):
        super().__init__()
        self.p = p
        self.module_name = module_name

    def forward(self, x):
        if self.p > 0 and self.training:
            return F.dropout(x, p=self.p, training=True)
        return x


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.embed_dim = d_model
        self.self_attention = MultiHeadAttention(self.embed_dim, num_heads)
        self.dropout_module = FairseqDropout(dropout, module_name=self.__class__.__name__)
        self.layer_norm_1 = nn.LayerNorm(self.embed_dim)
        self.feature_transformation = PositionWiseFeedForward(self.embed_dim, d_ff)
        self.layer_norm_2 = nn.LayerNorm(self.embed_dim)

    def residual_connection(self, x, residual):
        x += residual
        return x

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        residual = x
        x = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        x = self.dropout_module(x)
        x = self.residual_connection(x, residual)
        x = self.layer_norm_1(x)

        residual = x
        x = self.feature_transformation(x)
        x = self.dropout_module(x)
        x = self.residual_connection(x, residual)
        x = self.layer_norm_2(x)
        return x
