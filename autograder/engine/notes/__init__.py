"""Notes for staff on a submission. No point depends on them, and no student reads them."""

from autograder.engine.notes.answers import answering_code
from autograder.engine.notes.code import UNREADABLE, read_statements

__all__ = ["UNREADABLE", "answering_code", "read_statements"]
