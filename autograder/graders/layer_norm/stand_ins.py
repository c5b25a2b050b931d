"""What stand-ins compute. The candidate's process gets this file as text, so nothing here is an answer."""

EPS = 1e-6  # unless a norm is built with another


def norm(part, x):
    """x: (..., d_model), returned alike: x beside the mean size of its features, and no norm's equation.

    Like a norm of one's own, it keeps to the eps that it was built with.
    """
    return x / (0.5 + part.built.get("eps", EPS) + x.abs().mean(-1, keepdim=True))
