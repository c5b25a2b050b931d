# What follows from a wrong step is right; of zeros, zeros follow.
# cell: find_the_slip
# proof: holds zeros alone
zeros = [0.0] * 4
slips = {
    "add and norm": {"sum": zeros, "mean": 0.0, "variance": 0.0, "normalised": zeros},
    "feed forward": {"hidden": zeros[:3], "relu": zeros[:3], "output": zeros},
}
for steps in slips.values():
    steps["first wrong step"] = ""
prove("holds zeros alone")
