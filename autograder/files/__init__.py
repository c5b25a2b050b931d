"""Files: read within bounds and through no link, replaced whole or not at all; locks, tables, hashes."""
