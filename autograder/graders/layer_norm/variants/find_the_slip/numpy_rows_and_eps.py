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
