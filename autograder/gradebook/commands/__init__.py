"""Commands of the gradebook room: arguments, options and printed output.

`COMMANDS` maps each command to its position and its sentence in the list of `--help`. The function
of a command has the command's name, in the module of that name.
"""

COMMANDS = {
    "grade": (3, "grade a folder of submissions, or one notebook"),
    "enter": (4, "enter verdicts into nbgrader's gradebook"),
    "feedback": (12, "a page for each student"),
}
