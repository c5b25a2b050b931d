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
