# No attack, an accident: torch says NotImplementedError where `forward` is missing. Somebody tried.
# cell: encoder_layer
# state: error
# lost: encoder_layer
# proof: defined foward
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def foward(self, x, attention_mask=None):
        return x


prove("defined", *(name for name in vars(EncoderLayer) if name.startswith("fo")))
