"""What a verdict costs, against what it could cost at least. `make bench` runs them."""
