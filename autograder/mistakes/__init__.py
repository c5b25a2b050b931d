"""Explain failed checks by known mistakes: the catalogues, the mutants and the search.

The questions of a failed check are put to mutants of the solution, each with one or two mistakes.
Without this room grading works, but names no mistakes.
"""
