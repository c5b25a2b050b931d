class AddAndNorm(nn.Module):
    def __init__(self, hidden_size, hidden_dropout_prob=0.0, layer_norm_eps=1e-12):
        super().__init__()
        self.LayerNorm = LayerNorm(hidden_size, eps=layer_norm_eps)
        self.dropout = nn.Dropout(hidden_dropout_prob)

    def forward(self, input_tensor, hidden_states):
        hidden_states = self.dropout(hidden_states)
        hidden_states = self.LayerNorm(hidden_states + input_tensor)
        return hidden_states
