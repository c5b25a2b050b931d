"""The commands of this room: their arguments, options and what they print.

`COMMANDS` has the place of each in the list of `--help`, and its sentence there. A command is the function
of its name in the module of that name.
"""

COMMANDS = {
    "grade": (3, "grade a folder of submissions, or one notebook"),
    "enter": (4, "enter verdicts into nbgrader's gradebook"),
    "feedback": (12, "a page for each student"),
}
