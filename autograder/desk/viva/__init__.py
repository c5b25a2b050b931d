"""Questions on a student's own code, for an oral exam, with answers that were found by running it.

`gone.py` asks about a mistake of an earlier submission, `changed.py` about a line that is changed
or left out, `traced.py` about shapes and laws. `ask.py` chooses questions, and `page.py` writes
them.
"""
