"""Questions on a student's own code, for an oral exam, with answers that were found by running it.

The kinds of questions are in `gone.py` (a mistake of an earlier submission), `changed.py` (a line
that is changed or left out) and `traced.py` (a shape or a value; two inputs); `ask.py` chooses from
them, and `page.py` writes them down.
"""
