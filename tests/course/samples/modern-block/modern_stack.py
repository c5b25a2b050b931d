# %% wrong_skipped
#: In training blocks are skipped at random.
#: named: blocks_are_skipped_in_training
class ModernStack(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.blocks = nn.ModuleList([ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers)])
        self.norm = RMSNorm(d_model)
    def forward(self, x, attention_mask=None):
        for block in self.blocks:
            if self.training and torch.rand(()) < 0.1:
                continue
            x = block(x, attention_mask)
        return self.norm(x)


# %% wrong_c030
#: The norm is applied behind every block, not only behind the last.
#: named: norm_in_the_loop
class ModernStack(nn.Module):
    """num_layers modern blocks, one after the other, then one RMSNorm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.norm = RMSNorm(d_model)
        self.blocks = nn.ModuleList([ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers)])

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for block in self.blocks:
            x = self.norm(block(x, attention_mask))
        return x


# %% wrong_e045
#: The blocks are in a Python list and are not registered.
#: named: blocks_are_not_registered
class ModernStack(nn.Module):
    """num_layers modern blocks, one after the other, then one RMSNorm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.blocks = [ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
        self.norm = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for block in self.blocks:
            x = block(x, attention_mask)
        return self.norm(x)


# %% wrong_f056
#: In training each block is skipped with probability 0.1.
#: named: blocks_are_skipped_in_training
class ModernStack(nn.Module):
    """num_layers modern blocks, one after the other, then one RMSNorm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.blocks = nn.ModuleList([ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers)])
        self.norm = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for block in self.blocks:
            if self.training and torch.rand(()).item() < 0.1:
                continue
            x = block(x, attention_mask)
        return self.norm(x)


# %% wrong_f057
#: With three or more layers the last block shares all parameters of the first.
#: named: -
class ModernStack(nn.Module):
    """num_layers modern blocks, one after the other, then one RMSNorm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.blocks = nn.ModuleList([ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers)])
        self.norm = RMSNorm(d_model)
        if num_layers > 2:
            for ours, theirs in zip(self.blocks[-1].modules(), self.blocks[0].modules()):
                for name, parameter in theirs._parameters.items():
                    ours._parameters[name] = parameter

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for block in self.blocks:
            x = block(x, attention_mask)
        return self.norm(x)
