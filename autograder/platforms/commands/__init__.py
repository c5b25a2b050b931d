"""The commands of this room: their arguments, options and output.

`COMMANDS` has each command's position and sentence in `--help`. A command is the function of the same name in the
module of that name.
"""

COMMANDS = {
    "collect": (2, "sort a platform's download into submissions"),
    "export": (13, "grades and feedback for a spreadsheet or a platform"),
}
