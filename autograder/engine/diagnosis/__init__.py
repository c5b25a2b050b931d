"""Find the known mistake that explains wrong answers: put the questions of the failed checks to
mutants of the solution.
"""
