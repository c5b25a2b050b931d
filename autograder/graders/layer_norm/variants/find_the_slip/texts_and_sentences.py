slips["Add and Norm"] = dict(slips.pop("add and norm"))
slips["Add and Norm"].update(
    {
        "first wrong step": "the variance (1.359 is printed)",
        "sum": ["1.5", "1.7", "3.2", "4.1"],
        "mean": "2,625",
        "variance": "1.157",
        "normalised": ["-1.046", "-0.860", "0.535", "1.371"],
    }
)
slips["feed forward"] |= {"first wrong step": "step 1: hidden"}
slips["feed forward"] |= {"hidden": [0.49, -0.03, 0.96], "relu": [0.49, 0, 0.96]}
slips["feed forward"] |= {"output": [-0.043, 0.194, 0.431, 0.531]}
