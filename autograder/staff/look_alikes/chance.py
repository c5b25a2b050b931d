"""How alike independent texts are: what honest pairs reach by chance, in one exercise.

Measured on each text's most alike other one. Of solutions that are known to be independent the highest
share counts; of the class the median and three times the median absolute deviation, scaled as for a
normal distribution: C. Leys et al., "Detecting outliers: do not use standard deviation around the
mean, use absolute deviation around the median", J. Experimental Social Psychology 49(4), 2013,
equation 1 and the very conservative factor 3. The median follows those who copied only when they are
half of the class.
"""

import numpy as np
from numpy.typing import NDArray

SCALE = 1.4826  # of a normal distribution's median absolute deviation to its standard deviation
FACTOR = 3
ENOUGH = 10  # texts from which a level can be told
UNKNOWN = 0.85  # where there are fewer: only what is nearly the same is shown
LEAST = 0.1  # two texts on one thing share at least this


def outlier_level(nearest: NDArray) -> float:
    """Return the value above which one of these is an outlier."""
    middle = float(np.median(nearest))
    return middle + FACTOR * SCALE * float(np.median(np.abs(nearest - middle)))


def by_chance(of_class: NDArray, independent: NDArray) -> float:
    """Return the share that honest pairs reach, from the shares of all pairs of the class, and of all
    pairs of solutions that are known to be independent: no such pair is above it.
    """
    levels = [LEAST, *independent.max(axis=1, initial=0.0)]
    if len(of_class) >= ENOUGH:
        levels.append(outlier_level(of_class.max(axis=1)))
    elif len(independent) < ENOUGH:
        levels.append(UNKNOWN)
    return min(1.0, float(max(levels)))
