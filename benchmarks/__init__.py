"""What a verdict costs, against what it could cost at least. `make bench` runs them."""

from pathlib import Path

CHECKOUT = Path(__file__).parents[1]  # benchmarks measure the code that they lie beside
