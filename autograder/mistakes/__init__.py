"""Which known mistake explains a failed check: the catalogue of mistakes, and the search among them.

The questions of a failed check are put to mutants of the solution, each with one or two mistakes in it.
Grading works without this room, and then names no mistake.
"""
