"""The commands of this room: their arguments, options and output.

`COMMANDS` has the position and the sentence of each command in the list of `--help`. A command is
the function of its name in the module of that name.
"""

COMMANDS = {
    "check": (5, "say whether a notebook is fit to be handed in"),
    "sample-class": (16, "make an invented class to try things on"),
    "new": (17, "begin an assignment, or an exercise of one"),
    "release": (18, "make the version for students, or name what is missing"),
    "matrix": (19, "try graders, or visible checks, on known mistakes"),
}
