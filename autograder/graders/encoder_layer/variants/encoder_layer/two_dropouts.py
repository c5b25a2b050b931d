import torch.nn as nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.feature_transformation = PositionWiseFeedForward(d_ff=d_ff, d_model=d_model)
        self.self_attention = MultiHeadAttention(num_heads=num_heads, d_model=d_model)
        self.layer_norm_1 = nn.LayerNorm(d_model, eps=1e-6)
        self.layer_norm_2 = nn.LayerNorm(d_model, eps=1e-6)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        attended = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        x = self.layer_norm_1(x + self.dropout1(attended))
        transformed = self.feature_transformation(x)
        return self.layer_norm_2(x + self.dropout2(transformed))
