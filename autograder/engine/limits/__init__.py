"""Limits on processes: on a candidate, on the examiner, and on the process that parses a submitted
file.
"""
