"""Fingerprints of a text: some of its k-grams, chosen so that what two texts share is found.

Winnowing: S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: local algorithms for document
fingerprinting", SIGMOD 2003, section 3: of the hashes of all k-grams, the smallest of each window
of w; the rightmost where several are. A passage of w + k - 1 words that two texts share is found.
"""

import zlib
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple


class Grain(NamedTuple):
    """How fine fingerprints are: words of a k-gram, and k-grams of a window."""

    gram: int
    window: int


def grams(words: Sequence[str], length: int) -> list[str]:
    """Return all k-grams; a shorter text is one."""
    if not words:
        return []
    count = max(1, len(words) - length + 1)
    return [" ".join(words[start : start + length]) for start in range(count)]


def fingerprints(words: Sequence[str], grain: Grain) -> set[str]:
    """Return the k-grams that winnowing keeps of a text."""
    every = grams(words, grain.gram)
    # a checksum and not `hash`, which differs from run to run
    hashes = [zlib.crc32(gram.encode(errors="replace")) for gram in every]
    window: deque[int] = deque()  # places, hashes rising: the first is the window's smallest
    kept = set()
    for place, value in enumerate(hashes):
        while window and hashes[window[-1]] >= value:
            window.pop()
        window.append(place)
        if window[0] <= place - grain.window:
            window.popleft()
        if place >= grain.window - 1 or place == len(hashes) - 1:
            kept.add(window[0])
    return {every[place] for place in kept}
