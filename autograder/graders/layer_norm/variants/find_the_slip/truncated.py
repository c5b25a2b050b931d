def parts():
    return dict(
        first_wrong_step="variance",
        sum=[1.5, 1.7, 3.2, 4.1],
        mean=2.62,
        variance=1.156,
        normalised=[-1.045, -0.860, 0.534, 1.371],
    )


slips = {
    "add_and_norm": parts(),
    "feed_forward": dict(
        first_wrong_step="hidden",
        hidden=[0.490, -0.030, 0.960],
        relu=[0.490, -0.0, 0.960],
        output=[-0.0430, 0.1940, 0.4310, 0.5310],
    ),
}
