"""The command line: a module for each command, with its arguments and the code that runs it."""
