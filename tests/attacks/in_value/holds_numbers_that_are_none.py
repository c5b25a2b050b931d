# cell: find_the_slip
# proof: as long as 4001
huge = 10**4000
prove("as long as", len(str(huge)))
odd = [huge, -huge, "1e999", "nan", float("inf"), "0x10", "1．5", [[]], {0: 1}, True, None, "\0"]
slips = {
    "add and norm": {
        "first wrong step": huge,
        "sum": odd[:4],
        "mean": huge,
        "variance": "nan",
        "normalised": odd[4:8],
    },
    "feed forward": {
        "first wrong step": torch.zeros(4),
        "hidden": odd[8:11],
        "relu": {huge: huge, float("nan"): 1, None: 2, True: 3},
        "output": [odd] * 4,
    },
}
