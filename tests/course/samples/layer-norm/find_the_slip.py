# %% wrong_two_decimals
#: Two decimals where three are asked for.
#: named: normalised_with_too_few_digits output_with_too_few_digits variance_with_too_few_digits
slips = {
    "add and norm": {
        "first wrong step": "variance",
        "sum": [1.5, 1.7, 3.2, 4.1],
        "mean": 2.63,
        "variance": 1.16,
        "normalised": [-1.05, -0.86, 0.53, 1.37],
    },
    "feed forward": {
        "first wrong step": "hidden",
        "hidden": [0.49, -0.03, 0.96],
        "relu": [0.49, 0, 0.96],
        "output": [-0.04, 0.19, 0.43, 0.53],
    },
}
