"""The version of the toolbox, which a notebook compares with the version it was released with."""

VERSION = ""  # in the joined file: the beginning of the hash of its text
