"""The version of the toolbox, which a notebook compares with the one it was released with."""

VERSION = ""  # where the modules are one file: how the hash of its text begins
