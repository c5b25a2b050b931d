# %% written_out
parameters = {
    "2017": {"attention": 6291456, "feed forward": 12582912, "norms": 6144, "biases": 21504, "embedding": 18944000},
    "today": {"d_ff": 1728, "attention": 19660800, "feed forward": 39813120, "norms": 16000, "embedding": 20480000},
}


# %% of_the_layers
def numbers(*layers):
    return sum(p.numel() for layer in layers for p in layer.parameters())


attention = nn.ModuleList(nn.Linear(512, 512, bias=False) for _ in range(4))
chain = nn.Linear(512, 2048, bias=False), nn.Linear(2048, 512, bias=False)
norm = nn.LayerNorm(512)
parameters = {"2017": {}, "today": {}}
parameters["2017"]["attention"] = 6 * numbers(attention)
parameters["2017"]["feed forward"] = 6 * numbers(*chain)
parameters["2017"]["norms"] = 6 * 2 * norm.weight.numel()
parameters["2017"]["biases"] = 6 * (2 * norm.bias.numel() + 2048 + 512)
parameters["2017"]["embedding"] = torch.empty(37_000, 512, device="meta").numel()
d_ff = math.ceil(2 / 3 * 4 * 640 / 64) * 64
parameters["today"]["d_ff"] = d_ff
parameters["today"]["attention"] = 12 * numbers(*(nn.Linear(640, 640, bias=False) for _ in "qkvo"))
parameters["today"]["feed forward"] = 12 * 3 * 640 * d_ff
parameters["today"]["norms"] = sum(640 for _ in range(12) for _ in range(2)) + 640
parameters["today"]["embedding"] = 32_000 * 640


# %% a_function_for_both
def count(layers, d, d_ff, matrices, vocab, last):
    return dict(zip(
        ["attention", "feed forward", "norms", "embedding"],
        [layers * 4 * d**2, layers * matrices * d * d_ff, (2 * layers + last) * d, vocab * d],
    ))


width = -(-(8 * 640) // (3 * 64)) * 64
parameters = {"2017": count(6, 512, 2048, 2, 37_000, 0), "today": count(12, 640, width, 3, 32_000, 1)}
parameters["2017"] |= {"biases": 6 * (2048 + 512) + 6 * 2 * 512}
parameters["today"].update(d_ff=width)


# %% floats
parameters = {
    "2017": {"attention": 6.291456e6, "feed forward": 12.582912e6, "norms": 6144.0, "biases": 21504.0, "embedding": 18.944e6},
    "today": {"d_ff": 1728.0, "attention": 19.6608e6, "feed forward": 39.81312e6, "norms": 1.6e4, "embedding": 2.048e7},
}


# %% texts
parameters = {
    "2017": {"attention": "6291456", "feed forward": "12_582_912", "norms": "6144", "biases": "21504", "embedding": "18944000"},
    "today": {"d_ff": "1728", "attention": "19660800", "feed forward": "39813120", "norms": "16000", "embedding": "20480000"},
}


# %% tensors
two = torch.tensor([6 * 4 * 512**2, 6 * 2 * 512 * 2048, 6 * 2 * 512, 6 * (2048 + 3 * 512), 37_000 * 512])
one = torch.tensor([1728, 12 * 4 * 640**2, 12 * 3 * 640 * 1728, 25 * 640, 32_000 * 640])
parameters = {
    "2017": dict(zip(("attention", "feed forward", "norms", "biases", "embedding"), two)),
    "today": dict(zip(("d_ff", "attention", "feed_forward", "norms", "embedding"), one)),
}


# %% numpy
import numpy as np

old, new = np.array([512, 2048]), np.array([640, 1728])
parameters = {"2017": {"attention": int(24 * old[0] ** 2), "feed forward": int(12 * old.prod())}, "today": {}}
parameters["2017"].update({"Norms": 12 * 512, "Biases": 6 * int(old.sum() + 2 * old[0]), "Embedding": 37 * 512_000})
parameters["today"].update({"d_ff": int(new[1]), "attention": 48 * 640 * 640, "Feed forward": int(36 * new.prod())})
parameters["today"].update(norms=25 * 640, embedding=32 * 640_000)
