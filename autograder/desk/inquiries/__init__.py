"""Students' inquiries about marks: record and count them, choose a decider, show the material, and
record the answer.

Settings and records are in `gradebook/inquiries.py`, because feedback pages show them.
"""
