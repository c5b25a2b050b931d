# with a pocket calculator: what comes after the variance is computed with 1.16
slips = {
    "add and norm": {
        "first wrong step": "Variance",
        "sum": (1.5, 1.7, 3.2, 4.1),
        "mean": 2.625,
        "variance": 1.16,
        "normalised": (-1.045, -0.859, 0.534, 1.369),
    },
    "feed forward": {
        "first wrong step": "Hidden",
        "hidden": (0.49, -0.03, 0.96),
        "relu": (0.49, 0.0, 0.96),
        "output": (-0.043, 0.194, 0.431, 0.531),
    },
}
