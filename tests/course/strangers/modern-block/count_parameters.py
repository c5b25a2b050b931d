# %% wrong_a073
#: Among the biases of 2017 the shifts of the two norms are missing.
#: named: biases_of_the_norms_forgotten
L, d, ff, V = 6, 512, 2048, 37_000
LL, dd, VV = 12, 640, 32_000
new_ff = math.ceil(8 * dd / 3 / 64) * 64
parameters = {
    "2017": {
        "attention": L * 4 * d * d,
        "feed forward": L * 2 * d * ff,
        "norms": L * 2 * d,
        "biases": L * (ff + d),             # linear1 and linear2
        "embedding": V * d,
    },
    "today": {
        "d_ff": new_ff,
        "attention": LL * 4 * dd * dd,
        "feed forward": LL * 3 * dd * new_ff,
        "norms": LL * 2 * dd + dd,
        "embedding": VV * dd,
    },
}


# %% wrong_b001
#: The biases of 2017 leave out the shifts of the two norms in each layer; only those of the linear
#: layers are counted.
#: named: biases_of_the_norms_forgotten
parameters = {
    "2017": {                   # 6 encoder layers: d_model 512, d_ff 2048, 37,000 tokens
        "attention": 6 * 4 * 512 * 512,       # q, k, v, o
        "feed forward": 6 * 2 * 512 * 2048,
        "norms": 6 * 2 * 512,
        "biases": 6 * (2048 + 512),           # linear1 -> 2048, linear2 -> 512
        "embedding": 37_000 * 512,
    },
    "today": {                  # 12 modern blocks: d_model 640, 32,000 tokens, one more norm at the end
        "d_ff": 27 * 64,                      # 8/3 * 640 = 1706.7
        "attention": 12 * 4 * 640 * 640,
        "feed forward": 12 * 3 * 640 * 27 * 64,
        "norms": (12 * 2 + 1) * 640,
        "embedding": 32_000 * 640,
    },
}


# %% wrong_b002
#: d_ff of today is rounded down to a multiple of 64 in place of up (and the feed forward weights
#: follow from it).
#: named: d_ff_rounded_otherwise
d17, h17, L17, V17 = 512, 2048, 6, 37000
d, L, V = 640, 12, 32000

# 3 * d * d_ff = 8 * d * d   =>   d_ff = 8 d / 3
d_ff = 8 * d // 3
d_ff = d_ff - d_ff % 64

parameters = {
    "2017": {
        "attention": L17 * 4 * d17 ** 2,
        "feed forward": L17 * 2 * d17 * h17,
        "norms": L17 * 2 * d17,
        "biases": L17 * (h17 + d17 + 2 * d17),
        "embedding": V17 * d17,
    },
    "today": {
        "d_ff": d_ff,
        "attention": L * 4 * d ** 2,
        "feed forward": L * 3 * d * d_ff,
        "norms": (2 * L + 1) * d,
        "embedding": V * d,
    },
}


# %% right_b003
def _count(*modules):
    return sum(p.numel() for m in modules for p in m.parameters())


with torch.device("meta"):          # nothing is allocated, I only want the shapes
    old_att = [nn.Linear(512, 512, bias=False) for _ in range(4)]
    old_ffn = [nn.Linear(512, 2048), nn.Linear(2048, 512)]
    old_norm = [nn.LayerNorm(512), nn.LayerNorm(512)]
    old_emb = nn.Embedding(37_000, 512)

    hidden = 64 * math.ceil(2 * 4 * 640 / 3 / 64)
    new_att = [nn.Linear(640, 640, bias=False) for _ in range(4)]
    new_ffn = [nn.Linear(640, hidden, bias=False), nn.Linear(640, hidden, bias=False),
               nn.Linear(hidden, 640, bias=False)]
    new_emb = nn.Embedding(32_000, 640)

parameters = {
    "2017": {
        "attention": 6 * _count(*old_att),
        "feed forward": 6 * sum(m.weight.numel() for m in old_ffn),
        "norms": 6 * sum(m.weight.numel() for m in old_norm),
        "biases": 6 * sum(m.bias.numel() for m in old_ffn + old_norm),
        "embedding": _count(old_emb),
    },
    "today": {
        "d_ff": hidden,
        "attention": 12 * _count(*new_att),
        "feed forward": 12 * _count(*new_ffn),
        "norms": 12 * 2 * 640 + 640,
        "embedding": _count(new_emb),
    },
}
