"""Files: read under caps, with no link followed; replaced whole or not at all; locks, tables,
hashes.
"""
