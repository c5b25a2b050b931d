def depends_on(norm, x):
    batch, seq, _ = x.shape
    fresh = torch.randn_like(x) + 1
    b = torch.arange(batch).view(-1, 1, 1)
    s = torch.arange(seq).view(1, -1, 1)
    base = norm(x)

    def far(changed, watched):
        diff = (norm(torch.where(changed, fresh, x)) - base).abs()
        return bool((diff > 2e-4).logical_and(watched).any())

    over_batch = any(far(b != k, b == k) for k in range(batch))
    over_positions = any(
        far((b == k) & (s != i), (b == k) & (s == i)) for k in range(batch) for i in range(seq)
    )
    return ("neither", "positions", "batch", "both")[2 * over_batch + over_positions]
