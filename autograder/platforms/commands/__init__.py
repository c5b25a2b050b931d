"""The commands of this room: their arguments, options and output.

`COMMANDS` has the place of each in the list of `--help`, and its sentence there. A command is the function
of its name in the module of that name.
"""

COMMANDS = {
    "collect": (2, "sort a platform's download into submissions"),
    "export": (13, "grades and feedback for a spreadsheet or a platform"),
}
