"""The course's records: tables of what was received and from whom, in one database.

`database.py` opens it. Each room defines its own tables on `Record`, the class below all tables.
"""

from autograder.classroom.records.database import open_records
from autograder.classroom.records.structs import add_records, read_records, stored_in

__all__ = ["add_records", "open_records", "read_records", "stored_in"]
