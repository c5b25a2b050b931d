# %% computed_first
def norm(x):
    return (x - x.mean()) / (x.var(unbiased=False) + 1e-6).sqrt()


x = torch.tensor([2.0, 4.0, 6.0, 8.0])
y = norm(x)


def compare(a, b):
    return "same" if torch.allclose(a, b, atol=1e-4) else "changes"


prediction = {
    "mean": y.mean().item(),
    "variance": y.var(unbiased=False).item(),
    "order": compare(y.sort().values, y),
    "10 * x": compare(norm(10 * x), y),
    "x + 100": compare(norm(x + 100), y),
}


# %% filled_in_one_by_one
prediction = {"mean": ..., "variance": ..., "order": ..., "10 * x": ..., "x + 100": ...}
prediction["mean"] = torch.tensor(0.0)
prediction["variance"] = "1"
for key in ("order", "10 * x", "x + 100"):
    prediction[key] = "same"


# %% words_and_floats
prediction = dict(mean=0.0, variance=1.0, order="Same")
prediction["10 * x"] = "same "
prediction["x + 100"] = "SAME"
