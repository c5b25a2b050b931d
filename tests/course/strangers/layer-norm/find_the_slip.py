# %% wrong_a054
#: The variance is divided by three and not by four, and the normalised numbers follow it.
#: named: variance_with_n_minus_1
import statistics

summe = [a + b for a, b in zip([1.0, 2.0, 3.0, 4.0], [0.5, -0.3, 0.2, 0.1])]
mittel = statistics.mean(summe)
varianz = statistics.variance(summe)
slips = {
    "add and norm": {
        "first wrong step": "variance",
        "sum": [round(s, 3) for s in summe],
        "mean": round(mittel, 3),
        "variance": round(varianz, 3),
        "normalised": [round((s - mittel) / varianz ** 0.5, 3) for s in summe],
    },
    "feed forward": {
        "first wrong step": "hidden",
        "hidden": [0.49, -0.03, 0.96],
        "relu": [0.49, 0.0, 0.96],
        "output": [-0.043, 0.194, 0.431, 0.531],
    },
}


# %% wrong_a055
#: The bias b1 was forgotten in the hidden units, and what follows is wrong with it.
#: named: bias_forgotten
slips = {
    "add and norm": {
        "first wrong step": "variance",
        "sum": [1.5, 1.7, 3.2, 4.1],
        "mean": 2.625,
        "variance": 1.157,                          # 4.6275 / 4
        "normalised": [-1.046, -0.86, 0.535, 1.371],
    },
    "feed forward": {
        "first wrong step": "hidden",
        # 0.5*0.2 + 1.0*0.4 - 0.5*0.1 - 0.3*0.2, then the same for the other two columns
        "hidden": [0.39, 0.07, 0.76],
        "relu": [0.39, 0.07, 0.76],                 # nothing is negative
        "output": [-0.026, 0.182, 0.355, 0.407],
    },
}


# %% right_a056
def _add_norm(part):
    s = part["x"] + part["sub-layer output"]
    v, m = torch.var_mean(s, correction=0)
    return {"first wrong step": "variance", "sum": s, "mean": m, "variance": v, "normalised": (s - m) / v.sqrt()}

def _ffn(x, W1, b1, W2, b2):
    hidden = F.linear(x, W1.T, b1)
    relu = hidden.clamp(min=0)
    return {"first wrong step": "hidden", "hidden": hidden, "relu": relu, "output": torch.addmv(b2, W2.T, relu)}

slips = {"add and norm": _add_norm(given["add and norm"]), "feed forward": _ffn(**given["feed forward"])}


# %% wrong_b061
#: The variance (and what follows from it) is that of torch.var, which divides by 3, not by 4.
#: named: variance_with_n_minus_1
_s = given["add and norm"]["x"] + given["add and norm"]["sub-layer output"]
_ff = given["feed forward"]
_h = _ff["x"] @ _ff["W1"] + _ff["b1"]
_r = torch.relu(_h)
_o = _r @ _ff["W2"] + _ff["b2"]

slips = {
    "add and norm": {
        "first wrong step": "variance",
        "sum": _s.tolist(),
        "mean": round(_s.mean().item(), 3),
        "variance": round(_s.var().item(), 3),
        "normalised": [round(v, 3) for v in ((_s - _s.mean()) / _s.std()).tolist()],
    },
    "feed forward": {
        "first wrong step": "hidden",
        "hidden": [round(v, 3) for v in _h.tolist()],
        "relu": [round(v, 3) for v in _r.tolist()],
        "output": [round(v, 3) for v in _o.tolist()],
    },
}


# %% right_b062
import numpy as np


def sheet_one(x, f):
    s = x + f
    mu = np.mean(s)
    var = np.mean((s - mu) ** 2)
    return s, mu, var, (s - mu) / np.sqrt(var)


def sheet_two(x, W1, b1, W2, b2):
    hidden = x @ W1 + b1
    relu = np.where(hidden > 0, hidden, 0.0)
    return hidden, relu, relu @ W2 + b2


_one = sheet_one(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, -0.3, 0.2, 0.1]))
_two = sheet_two(**{k: v.double().numpy() for k, v in given["feed forward"].items()})

slips = {
    "add and norm": dict(zip(("sum", "mean", "variance", "normalised"), (np.round(v, 3) for v in _one))),
    "feed forward": dict(zip(("hidden", "relu", "output"), (np.round(v, 3) for v in _two))),
}
slips["add and norm"]["first wrong step"] = "variance"
slips["feed forward"]["first wrong step"] = "hidden"
