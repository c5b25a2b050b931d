"""Limits on processes: on a candidate, on the examiner, and on whoever reads a submitted file."""
