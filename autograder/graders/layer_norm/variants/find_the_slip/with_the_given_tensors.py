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
