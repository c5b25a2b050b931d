"""The commands of `desk`: arguments, options and output.

`COMMANDS` has each command's position in the list of `--help`, and its sentence there. A command is
the function of its name in the module of that name.
"""

COMMANDS = {
    "status": (1, "how far the work has come, and what to type next"),
    "report": (6, "one page about the class: points, checks, mistakes"),
    "show": (7, "say everything about one student"),
    "look-alikes": (8, "which submissions are more alike than chance explains"),
    "viva": (9, "questions on a student's own code, with answers"),
    "marking": (10, "marking by hand: split it, mark twice, compare"),
    "inquiries": (11, "students' doubts about marks: take in, decide, answer"),
    "student": (14, "hand out, or delete, all data of one student"),
    "course": (15, "all grades in one table, a course for practice, one zip of one that is over"),
}
