class MultiHeadAttention(nn.Module):
    """Multi-head attention.

    Args:
        d_model: Total number of features.
        num_heads: Number of heads; must divide ``d_model``.
        mask_future: If True, apply a causal mask.

    Raises:
        ValueError: If ``d_model`` is not a multiple of ``num_heads``.
    """

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if num_heads < 1:
            raise ValueError(f"num_heads must be at least 1, got {num_heads}")
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")

        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads

        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future=mask_future)

    def _split_heads(self, x: Tensor) -> Tensor:
        """(batch, seq, d_model) -> (batch, num_heads, seq, d_k)"""
        batch_size, seq_len, _ = x.shape
        return x.view(batch_size, seq_len, self.num_heads, self.d_k).transpose(1, 2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        """(batch, num_heads, seq, d_k) -> (batch, seq, d_model)"""
        batch_size, _, seq_len, _ = x.shape
        return x.transpose(1, 2).contiguous().view(batch_size, seq_len, self.d_model)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        """Attend from ``query`` to ``key`` and ``value``.

        Returns:
            Tensor of shape (batch, query_len, d_model).
        """
        # Step 1: project and split into heads
        q = self._split_heads(self.query_transform(query))
        k = self._split_heads(self.key_transform(key))
        v = self._split_heads(self.value_transform(value))

        # Step 2: attention in every head
        heads = self.attention(query=q, key=k, value=v, attention_mask=attention_mask)

        # Step 3: merge and project
        return self.output_transform(self._merge_heads(heads))
