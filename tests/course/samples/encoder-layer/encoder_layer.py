# %% wrong_no_dropout_own_parts
#: Nothing is dropped; both sub-layers are the notebook's.
#: named: no_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.self_attention(x, x, x, attention_mask))
        return self.layer_norm_2(x + self.feed_forward(x))


# %% wrong_no_dropout_sequential
#: Nothing is dropped; the feed forward layer is a Sequential of the student's own.
#: named: no_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.self_attention(x, x, x, attention_mask))
        return self.layer_norm_2(x + self.feed_forward(x))
