# Nothing is in it, and a list of it would have sixty million items.
# cell: find_the_slip
# says: Does `slips` have the form that the statement asks for?
# proof: of 60000000
endless = torch.zeros(60_000_000, 0)
prove("of", len(endless))
steps = "sum mean variance normalised hidden relu output first wrong step".split(maxsplit=7)
slips = dict.fromkeys(("add and norm", "feed forward"), dict.fromkeys(steps, endless))
