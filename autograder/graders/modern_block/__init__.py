"""The graders of the assignment `modern-block`.

Two names may be defined here, where an exercise needs them: ALIASES, what students call the
reference's layers, as {layer of the reference: pattern}, for weights that are loaded by role; and
`look_around(candidate)`, what is asked before the first check: its answer is the fixture
`surroundings`.
"""
