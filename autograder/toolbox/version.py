"""The version of the toolbox."""

VERSION = ""  # where the modules are one file: how the hash of its text begins
