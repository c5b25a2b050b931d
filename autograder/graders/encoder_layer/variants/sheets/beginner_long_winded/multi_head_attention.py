class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super(MultiHeadAttention, self).__init__()

        remainder = d_model % num_heads
        if remainder != 0:
            raise ValueError("d_model has to be divisible by num_heads!")

        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = int(d_model / num_heads)

        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        batch_size = query.shape[0]
        query_len = query.shape[1]
        key_len = key.shape[1]
        value_len = value.shape[1]

        # step 1: the big matrices
        Q = self.W_Q(query)
        K = self.W_K(key)
        V = self.W_V(value)

        # step 2: cut into heads (batch, seq, num_heads, d_k)
        Q_heads = Q.view(batch_size, query_len, self.num_heads, self.d_k)
        K_heads = K.view(batch_size, key_len, self.num_heads, self.d_k)
        V_heads = V.view(batch_size, value_len, self.num_heads, self.d_k)

        # step 3: swap so that each head has a whole sequence (batch, num_heads, seq, d_k)
        Q_heads = Q_heads.transpose(1, 2)
        K_heads = K_heads.transpose(1, 2)
        V_heads = V_heads.transpose(1, 2)

        # step 4: attention
        result = self.attention(Q_heads, K_heads, V_heads, attention_mask)

        # step 5: back to (batch, query_len, d_model)
        result_swapped = result.transpose(1, 2)
        result_merged = result_swapped.reshape(batch_size, query_len, self.d_model)

        # step 6: last matrix
        output = self.W_O(result_merged)
        return output
