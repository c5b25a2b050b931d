# %% attention
class Attention(nn.Module):
    """Scaled dot-product attention with optional causal and padding masks.

    Args:
        mask_future: If True, query ``i`` may only attend to keys ``j <= i``.
    """

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future
        # Grows on demand; not part of the state dict.
        self.register_buffer("_causal_mask", torch.ones(0, 0, dtype=torch.bool), persistent=False)

    def _get_causal_mask(self, query_len: int, key_len: int, device: torch.device) -> Tensor:
        """Return a (query_len, key_len) boolean mask, True = may be attended."""
        size = max(query_len, key_len)
        if self._causal_mask.shape[0] < size or self._causal_mask.device != device:
            self._causal_mask = torch.ones(size, size, dtype=torch.bool, device=device).tril()
        return self._causal_mask[:query_len, :key_len]

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        """Compute the attention output.

        Args:
            query: Tensor of shape (..., query_len, d_k).
            key: Tensor of shape (..., key_len, d_k).
            value: Tensor of shape (..., key_len, d_v).
            attention_mask: Optional tensor of shape (batch, key_len); 1 or True = attend.

        Returns:
            Tensor of shape (..., query_len, d_v).
        """
        # --- Input validation ---
        if query.size(-1) != key.size(-1):
            raise ValueError("query and key must have the same number of features")
        if key.size(-2) != value.size(-2):
            raise ValueError("key and value must have the same length")

        # --- Scores: (..., query_len, key_len) ---
        d_k = query.size(-1)
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(max(d_k, 1))
        query_len, key_len = scores.shape[-2:]

        # --- Masks ---
        allowed = None
        if attention_mask is not None:
            if attention_mask.dim() != 2 or attention_mask.size(1) != key_len:
                raise ValueError(f"attention_mask must be (batch, {key_len})")
            allowed = attention_mask.to(device=scores.device).bool()
            allowed = allowed.view(allowed.size(0), *([1] * (scores.dim() - 2)), key_len)
        if self.mask_future:
            causal = self._get_causal_mask(query_len, key_len, scores.device)
            allowed = causal if allowed is None else torch.logical_and(allowed, causal)
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))

        # --- Weights; a row without any allowed key would be NaN, make it zero ---
        weights = torch.softmax(scores, dim=-1)
        weights = torch.nan_to_num(weights, nan=0.0)

        return torch.matmul(weights, value)


# %% encoder
class SinusoidalPositionalEncoding(nn.Module):
    """Fixed sinusoidal positions, added to the embeddings and followed by dropout."""

    def __init__(self, d_model: int, dropout: float, max_len: int):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)  # (max_len, 1)
        even_feature = torch.arange(0, d_model, 2, dtype=torch.float32)  # 2i: (d_model / 2,)
        inverse_frequency = torch.pow(10000.0, even_feature / d_model)
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position / inverse_frequency)
        pe[0, :, 1::2] = torch.cos(position / inverse_frequency)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.pe.size(1):
            raise ValueError(f"sequence of {x.size(1)} tokens exceeds max_len {self.pe.size(1)}")
        return self.dropout(x + self.pe[:, : x.size(1)].to(dtype=x.dtype))


class Encoder(nn.Module):
    """Transformer encoder.

    Args:
        vocab_size: Number of different tokens.
        d_model: Number of features of a token.
        num_heads: Number of attention heads.
        d_ff: Hidden units of the feed forward networks.
        num_layers: Number of encoder layers.
        dropout: Dropout probability.
        max_len: Length of the longest sequence.
    """

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, dropout, max_len)
        self.layers = nn.ModuleList(
            [
                EncoderLayer(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
                for _ in range(num_layers)
            ]
        )

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Encode ``tokens`` of shape (batch, seq) into (batch, seq, d_model)."""
        # Scale the embeddings so that the positions do not dominate them
        x = self.embedding(tokens) * math.sqrt(self.d_model)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x, attention_mask=attention_mask)
        return x


# %% encoder_layer
class EncoderLayer(nn.Module):
    """A single post-norm transformer encoder layer.

    Args:
        d_model: Number of features of a token.
        num_heads: Number of attention heads.
        d_ff: Hidden units of the feed forward network.
        dropout: Dropout probability, ``0 <= dropout <= 1``.
    """

    LAYER_NORM_EPS = 1e-5

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        if not 0.0 <= dropout <= 1.0:
            raise ValueError(f"dropout must be a probability, got {dropout}")

        # Sub-layers
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model=d_model, d_ff=d_ff)

        # Normalisation
        self.layer_norm_1 = nn.LayerNorm(d_model, eps=self.LAYER_NORM_EPS)
        self.layer_norm_2 = nn.LayerNorm(d_model, eps=self.LAYER_NORM_EPS)

        # Regularisation (identity if there is nothing to drop)
        self.attention_dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()
        self.feed_forward_dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Apply the layer to ``x`` of shape (batch, seq, d_model)."""
        if x.dim() != 3:
            raise ValueError(f"x must be (batch, seq, d_model), got {tuple(x.shape)}")

        # Sub-layer 1: self-attention
        attention_output = self.self_attention(
            query=x, key=x, value=x, attention_mask=attention_mask
        )
        z = self.layer_norm_1(x + self.attention_dropout(attention_output))

        # Sub-layer 2: feed forward
        feed_forward_output = self.feature_transformation(z)
        return self.layer_norm_2(z + self.feed_forward_dropout(feed_forward_output))


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    """Position-wise feed-forward network.

    Applies ``linear2(relu(linear1(x)))`` independently to every position.

    Args:
        d_model: Dimensionality of the input and of the output.
        d_ff: Dimensionality of the hidden layer.

    Raises:
        ValueError: If one of the sizes is not positive.
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        if d_model <= 0 or d_ff <= 0:
            raise ValueError(f"d_model and d_ff must be positive, got {d_model} and {d_ff}")

        # 1. Expand
        self.linear1 = nn.Linear(d_model, d_ff)
        # 2. Non-linearity
        self.relu = nn.ReLU()
        # 3. Project back
        self.linear2 = nn.Linear(d_ff, d_model)


# %% multi_head_attention
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
