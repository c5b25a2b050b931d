"""How much of two texts is the same, weighted by how rare that is in the class, for all pairs at once.

What two texts share is looked up in an inverted index of fingerprints: no text meets another one.
The weight of a fingerprint is log(N / n), where n of N texts have it: K. Sparck Jones, "A statistical
interpretation of term specificity and its application in retrieval", J. Documentation 28, 1972.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
LEAST_MOST = 5  # in a class of ten or less, what this many share is no more "what most share"


@dataclass(frozen=True)
class Weighted:
    """The texts of one exercise: for each pair what they share, for each text all that it has."""

    shared: Matrix  # (texts, texts), the diagonal is 0
    whole: Matrix  # (texts,)

    def shares(self) -> Matrix:
        """Return twice what a pair shares by all that both have: 0 nothing, 1 all of it."""
        both = self.whole[:, None] + self.whole[None, :]
        return np.divide(2 * self.shared, both, out=np.zeros_like(self.shared), where=both > 0)


def rarity(texts: Sequence[Collection[str]], others: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the weight of each fingerprint; 0 of those that most of the class have.

    `texts` are the class's, `others` independent ones for the same exercise: what they have, too, is
    less rare.
    """
    held = Counter(gram for text in texts for gram in text)
    everywhere = held + Counter(gram for text in others for gram in text)
    total = len(texts) + len(others) + 1
    most = max(len(texts) / 2, LEAST_MOST)
    return {
        gram: math.log(total / count) if held[gram] <= most else 0.0
        for gram, count in everywhere.items()
    }


def weigh(texts: Sequence[Collection[str]], weights: Mapping[str, float]) -> Weighted:
    """Return what the texts share, and what each has, by these weights."""
    holders: dict[str, list[int]] = {}
    whole = np.zeros(len(texts), dtype=np.float32)
    for index, text in enumerate(texts):
        for gram in sorted(text):  # sums of floats depend on the order
            if weight := weights.get(gram, 0.0):
                whole[index] += weight
                holders.setdefault(gram, []).append(index)
    shared = np.zeros((len(texts), len(texts)), dtype=np.float32)
    for gram, held_by in holders.items():
        if len(held_by) > 1:
            shared[np.ix_(held_by, held_by)] += weights[gram]
    np.fill_diagonal(shared, 0)
    return Weighted(shared, whole)
