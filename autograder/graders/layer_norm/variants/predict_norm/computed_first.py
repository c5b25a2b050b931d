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
