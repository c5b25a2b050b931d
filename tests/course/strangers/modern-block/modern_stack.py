# %% wrong_a092
#: The blocks are deep copies of one block, so all begin with the same values.
#: named: blocks_are_copies
import copy

def n_times(block, n):
    # deepcopy, so that they do not share their weights
    copies = nn.ModuleList()
    while len(copies) < n:
        copies.append(copy.deepcopy(block))
    return copies

class ModernStack(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.layers = n_times(ModernBlock(d_model, num_heads, d_ff), num_layers)
        self.norm = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, attention_mask)
        return self.norm(x)


# %% wrong_a093
#: The norm stands inside the loop, behind each block, and not once behind the last.
#: named: norm_in_the_loop
class ModernStack(nn.Module):
    """num_layers modern blocks, one after the other, then one RMSNorm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.blokker = nn.ModuleList()
        for nummer in range(num_layers):
            self.blokker.append(ModernBlock(d_model, num_heads, d_ff))
        self.sluttnorm = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for blokk in self.blokker:
            x = blokk(x, attention_mask)
            x = self.sluttnorm(x)
        return x


# %% right_a094
from functools import reduce

class ModernStack(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        config = (d_model, num_heads, d_ff)
        self.net = nn.ModuleDict({'final': RMSNorm(d_model)})
        self.net.update({f'h{i}': ModernBlock(*config) for i in range(num_layers)})
        self.order = [f'h{i}' for i in range(num_layers)]

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        out = reduce(lambda stream, key: self.net[key](stream, attention_mask), self.order, x)
        return self.net['final'](out)


# %% wrong_b037
#: The blocks are deep copies of one block: all begin with the same values.
#: named: blocks_are_copies
import copy


def _get_clones(module, N):
    return nn.ModuleList([copy.deepcopy(module) for i in range(N)])


class ModernStack(nn.Module):
    """num_layers modern blocks, one after the other, then one RMSNorm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.layers = _get_clones(ModernBlock(d_model, num_heads, d_ff), num_layers)
        self.norm = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        output = x
        for mod in self.layers:
            output = mod(output, attention_mask)
        return self.norm(output)


# %% wrong_b038
#: The blocks run in an nn.Sequential, which hands over x alone: no block gets the mask.
#: named: mask_is_not_handed_on
class ModernStack(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        blocks = [ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
        self.net = nn.Sequential(*blocks, RMSNorm(d_model))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.net(x)


# %% wrong_b039
#: Each block is added to its own input once more; the block already holds its sums.
#: named: input_added_again
class ModernStack(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.blocks = nn.ModuleList(ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.final_norm = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        stream = x
        for block in self.blocks:
            stream = stream + block(stream, attention_mask)
        return self.final_norm(stream)


# %% wrong_b040
#: The norm stands inside the loop: it is applied behind each block, not once behind the last.
#: named: norm_in_the_loop
class ModernStack(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.lagen = nn.ModuleList()
        for _ in range(num_layers):
            self.lagen.append(ModernBlock(d_model, num_heads, d_ff))
        self.norm = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for laag in self.lagen:
            x = self.norm(laag(x, attention_mask))
        return x


# %% right_b041
class ModernStack(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.depth = num_layers
        setattr(self, "behind", RMSNorm(d_model))
        for l in range(1, num_layers + 1):
            setattr(self, f"block_{l}", ModernBlock(d_model, num_heads, d_ff))

    def _x(self, l, x, mask):
        """x_l of the equation"""
        if l == 0:
            return x
        return getattr(self, f"block_{l}")(self._x(l - 1, x, mask), mask)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.behind(self._x(self.depth, x, attention_mask))
