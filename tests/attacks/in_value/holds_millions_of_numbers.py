# cell: find_the_slip
# says: Does `slips` have the form that the statement asks for?
# proof: holds 8000000
millions = torch.zeros(8_000_000, dtype=torch.uint8)
prove("holds", millions.numel())
slips = {"add and norm": {"sum": millions, "mean": 0.0}, "feed forward": {"hidden": 0, "relu": 0}}
