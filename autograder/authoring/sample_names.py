"""Names of invented students."""

import random

FIRST = "ada ben cleo dan eva finn gia hugo ida jan kim leo mia noa ole pia quin rosa sam tia uli vera wim yara zoe"
LAST = "softmax residual dropout layernorm embedding query key value mask head token relu batch gradient"


def names(students: int, seed: int) -> list[str]:
    """Return this many invented student ids, sorted. `seed` decides which."""
    pairs = [f"{first}-{last}" for first in FIRST.split() for last in LAST.split()]
    random.Random(seed).shuffle(pairs)
    numbered_names = (
        f"{pairs[i % len(pairs)]}-{i // len(pairs) + 1}" for i in range(len(pairs), students)
    )
    return sorted([*pairs[:students], *numbered_names])
