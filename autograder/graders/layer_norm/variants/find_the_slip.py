# %% computed_with_torch
x, sublayer = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([0.5, -0.3, 0.2, 0.1])
total = x + sublayer
variance = total.var(unbiased=False)
v = torch.tensor([0.5, 1.0, -0.5, 0.3])
w1 = torch.tensor([[0.2, 0.3, 0.1], [0.4, -0.1, 0.5], [0.1, 0.2, -0.3], [-0.2, 0.4, 0.2]])
b1 = torch.tensor([0.1, -0.1, 0.2])
w2 = torch.tensor([[0.5, 0.2, -0.1, 0.3], [0.1, 0.4, 0.2, -0.2], [-0.3, 0.1, 0.5, 0.4]])
hidden = v @ w1 + b1
slips = {
    "add and norm": {
        "first wrong step": "variance",
        "sum": total,
        "mean": total.mean(),
        "variance": variance,
        "normalised": (total - total.mean()) / variance.sqrt(),
    },
    "feed forward": {
        "first wrong step": "hidden",
        "hidden": hidden,
        "relu": hidden.relu(),
        "output": hidden.relu() @ w2,
    },
}


# %% numpy_rows_and_eps
import numpy as np

x, sub = np.array([[1.0, 2, 3, 4]]), np.array([[0.5, -0.3, 0.2, 0.1]])
s = x + sub
h = np.array([[0.5, 1.0, -0.5, 0.3]]) @ np.array(
    [[0.2, 0.3, 0.1], [0.4, -0.1, 0.5], [0.1, 0.2, -0.3], [-0.2, 0.4, 0.2]]
) + np.array([0.1, -0.1, 0.2])
r = np.maximum(h, 0)
W2 = np.array([[0.5, 0.2, -0.1, 0.3], [0.1, 0.4, 0.2, -0.2], [-0.3, 0.1, 0.5, 0.4]])
slips = {
    "add and norm": {
        "first wrong step": "variance",
        "sum": s,
        "mean": s.mean(-1),
        "variance": s.var(-1, keepdims=True),
        "normalised": (s - s.mean()) / np.sqrt(s.var() + 1e-6),
    },
    "feed forward": {"first wrong step": "hidden", "hidden": h, "relu": r, "output": r @ W2},
}


# %% plain_python_sums
total = [a + b for a, b in zip([1.0, 2.0, 3.0, 4.0], [0.5, -0.3, 0.2, 0.1])]
mean = sum(total) / len(total)
variance = sum((value - mean) ** 2 for value in total) / len(total)
vector = [0.5, 1.0, -0.5, 0.3]
first = [[0.2, 0.3, 0.1], [0.4, -0.1, 0.5], [0.1, 0.2, -0.3], [-0.2, 0.4, 0.2]]
second = [[0.5, 0.2, -0.1, 0.3], [0.1, 0.4, 0.2, -0.2], [-0.3, 0.1, 0.5, 0.4]]
hidden = [sum(v * w for v, w in zip(vector, column)) + b for column, b in zip(zip(*first), [0.1, -0.1, 0.2])]
rested = [max(0.0, value) for value in hidden]
slips = {"add and norm": {}, "feed forward": {}}
slips["add and norm"]["first wrong step"] = "VARIANCE"
slips["add and norm"]["sum"] = total
slips["add and norm"]["mean"] = mean
slips["add and norm"]["variance"] = variance
slips["add and norm"]["normalised"] = [(value - mean) / math.sqrt(variance) for value in total]
slips["feed forward"]["first wrong step"] = "HIDDEN"
slips["feed forward"]["hidden"] = hidden
slips["feed forward"]["relu"] = rested
slips["feed forward"]["output"] = [sum(r * w for r, w in zip(rested, column)) for column in zip(*second)]


# %% texts_and_sentences
slips = dict()
slips["Add and Norm"] = {
    "First wrong step": "the variance (1.359 is printed)",
    "Sum": ["1.5", "1.7", "3.2", "4.1"],
    "Mean": "2,625",
    "Variance": "1.157",
    "Normalised": ["-1.046", "-0.860", "0.535", "1.371"],
}
slips["Feed-Forward"] = {
    "First wrong step": "step 1: hidden",
    "Hidden": ["0,49", "-0,03", "0,96"],
    "ReLU": ["0,49", "0", "0,96"],
    "Output": ["-0,043", "0,194", "0,431", "0,531"],
}


# %% truncated
def parts():
    return dict(
        first_wrong_step="variance",
        sum=[1.5, 1.7, 3.2, 4.1],
        mean=2.625,
        variance=1.156,
        normalised=[-1.045, -0.860, 0.534, 1.371],
    )


slips = {
    "add_and_norm": parts(),
    "feed_forward": dict(
        first_wrong_step="hidden",
        hidden=[0.490, -0.030, 0.960],
        relu=[0.490, -0.0, 0.960],
        output=[-0.0430, 0.1940, 0.4310, 0.5310],
    ),
}


# %% with_the_given_tensors
a, f = given["add and norm"], given["feed forward"]
s = a["x"] + a["sub-layer output"]
hidden = f["x"] @ f["W1"] + f["b1"]
slips = {
    "add and norm": {
        "first wrong step": "variance",
        "sum": s,
        "mean": s.mean(),
        "variance": s.var(correction=0),
        "normalised": F.layer_norm(s, (4,)),
    },
    "feed forward": {
        "first wrong step": "hidden",
        "hidden": hidden,
        "relu": hidden.clamp(min=0),
        "output": hidden.clamp(min=0) @ f["W2"] + f["b2"],
    },
}
