"""The known mistakes of this assignment, as edits of the solution: what people really write.

A file an exercise. Each mistake has a sentence for the student, the checks that must fail, and the
ways in which it is made.
"""

TOGETHER: list[tuple[str, str]] = [
    # pairs that have to be told apart: ("exercise: mistake", "exercise: mistake")
]
