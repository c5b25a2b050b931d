prediction = {"mean": ..., "variance": ..., "order": ..., "10 * x": ..., "x + 100": ...}
prediction["mean"] = torch.tensor(0.0)
prediction["variance"] = "1"
for key in ("order", "10 * x", "x + 100"):
    prediction[key] = "same"
