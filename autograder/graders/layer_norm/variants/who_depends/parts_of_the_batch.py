def depends_on(norm, x):
    whole = norm(x)
    batch = positions = False
    for b in range(x.size(0)):
        sentence = norm(x[b : b + 1])  # all by itself
        if (sentence[0] - whole[b]).abs().max() > 1e-4:
            batch = True
        for i in range(x.size(1)):
            token = norm(x[b : b + 1, i : i + 1])
            if (token[0, 0] - sentence[0, i]).abs().max() > 1e-4:
                positions = True
    names = {(True, True): "both", (True, False): "batch", (False, True): "positions"}
    return names.get((batch, positions), "neither")
