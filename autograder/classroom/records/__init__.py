"""The course's records: tables of what was received and from whom, in one database.

`database.py` opens it. Each room defines its own tables on `Record`, the class below all tables.
"""
