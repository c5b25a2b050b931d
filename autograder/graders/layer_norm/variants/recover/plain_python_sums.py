def recover(residual, normalised):
    """Sums as in a school book; without eps, which is nothing beside these variances."""
    rows = []
    for row in residual.tolist():
        mean = sum(row) / len(row)
        spread = math.sqrt(sum((value - mean) ** 2 for value in row) / len(row))
        rows.append([(value - mean) / spread for value in row])
    outputs = normalised.tolist()
    n, d = len(rows), len(rows[0])
    gamma, beta = [0.0] * d, [0.0] * d
    for j in range(d):
        xs, ys = [row[j] for row in rows], [row[j] for row in outputs]
        sx, sy = sum(xs), sum(ys)
        sxx, sxy = sum(x * x for x in xs), sum(x * y for x, y in zip(xs, ys))
        gamma[j] = (n * sxy - sx * sy) / (n * sxx - sx * sx)
        beta[j] = (sy - gamma[j] * sx) / n
    return gamma, beta
