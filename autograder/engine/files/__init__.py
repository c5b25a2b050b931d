"""Read and write files: limited in size and without following links; also locks, CSV tables and
hashes.
"""
