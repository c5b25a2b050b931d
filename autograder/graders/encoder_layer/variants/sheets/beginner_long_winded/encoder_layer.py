class MyLayerNorm(nn.Module):
    def __init__(self, d_model):
        super(MyLayerNorm, self).__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.epsilon = 0.00001

    def forward(self, x):
        number_of_features = x.shape[-1]
        sum_of_features = torch.sum(x, dim=-1, keepdim=True)
        mean = sum_of_features / number_of_features
        difference = x - mean
        squared_difference = difference * difference
        sum_of_squares = torch.sum(squared_difference, dim=-1, keepdim=True)
        variance = sum_of_squares / number_of_features
        normalized = difference / torch.sqrt(variance + self.epsilon)
        return self.gamma * normalized + self.beta


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super(EncoderLayer, self).__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = MyLayerNorm(d_model)
        self.layer_norm_2 = MyLayerNorm(d_model)
        self.attention_dropout = nn.Dropout(dropout)
        self.feed_forward_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # first block
        query = x
        key = x
        value = x
        attention_output = self.self_attention(query, key, value, attention_mask)
        attention_output = self.attention_dropout(attention_output)
        first_sum = x + attention_output
        z = self.layer_norm_1(first_sum)

        # second block
        feed_forward_output = self.feature_transformation(z)
        feed_forward_output = self.feed_forward_dropout(feed_forward_output)
        second_sum = z + feed_forward_output
        output = self.layer_norm_2(second_sum)
        return output
