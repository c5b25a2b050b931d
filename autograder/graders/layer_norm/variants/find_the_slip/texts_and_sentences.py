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
