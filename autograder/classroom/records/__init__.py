"""The course's records: tables of received submissions and their senders, in one database.

`database.py` opens it. Each room defines its own tables on `Record`, the base class of all tables.
"""

from autograder.classroom.records.database import open_records
from autograder.classroom.records.structs import add_records, read_records, stored_in

__all__ = ["add_records", "open_records", "read_records", "stored_in"]
