"""Where this project lies: benchmarks measure the code that they lie beside."""

from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
