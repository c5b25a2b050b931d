"""Read and write files with size limits and without following links, lock folders, parse CSV
tables, and hash values.
"""

from autograder.engine.files.csv_text import (
    ZIP,
    NoTable,
    Table,
    TableError,
    csv_text,
    decoded,
    delimiter_of,
    read_table,
    table_in,
)
from autograder.engine.files.digest import LENGTH, digest_of
from autograder.engine.files.json_lines import read_records
from autograder.engine.files.locks import locked
from autograder.engine.files.reading import (
    Entry,
    Kind,
    NotRegular,
    TooLarge,
    entries,
    hash_of,
    kind_of,
    opened,
    read_end,
    read_named,
    read_regular,
    walk,
)
from autograder.engine.files.timestamp import (
    MAX_SECRET,
    MAX_TIMESTAMP,
    SECRET,
    TIMESTAMP,
    read_timestamp,
)
from autograder.engine.files.writing import only_for, replacing, replacing_bytes

__all__ = [
    "LENGTH",
    "MAX_SECRET",
    "MAX_TIMESTAMP",
    "SECRET",
    "TIMESTAMP",
    "ZIP",
    "Entry",
    "Kind",
    "NoTable",
    "NotRegular",
    "Table",
    "TableError",
    "TooLarge",
    "csv_text",
    "decoded",
    "delimiter_of",
    "digest_of",
    "entries",
    "hash_of",
    "kind_of",
    "locked",
    "only_for",
    "opened",
    "read_end",
    "read_named",
    "read_records",
    "read_regular",
    "read_table",
    "read_timestamp",
    "replacing",
    "replacing_bytes",
    "table_in",
    "walk",
]
