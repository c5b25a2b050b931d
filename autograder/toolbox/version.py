"""Which toolbox this is."""

VERSION = ""  # where the modules are one file: how the hash of its text begins
