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
