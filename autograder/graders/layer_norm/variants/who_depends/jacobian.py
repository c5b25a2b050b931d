from torch.autograd.functional import jacobian


def depends_on(norm, x):
    slopes = jacobian(norm, x).abs().amax(dim=(2, 5))  # (batch, seq, batch, seq)
    batch, seq = slopes.shape[:2]
    on_batch = on_positions = False
    for b in range(batch):
        for i in range(seq):
            for c in range(batch):
                for j in range(seq):
                    if slopes[b, i, c, j] > 1e-5:
                        on_batch = on_batch or c != b
                        on_positions = on_positions or (c == b and i != j)
    return {(0, 0): "neither", (0, 1): "positions", (1, 0): "batch", (1, 1): "both"}[
        int(on_batch), int(on_positions)
    ]
