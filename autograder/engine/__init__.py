"""One submission to one verdict: it knows no assignment by name."""
