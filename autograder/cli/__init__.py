"""The command line: a module for each command, with its arguments and options, and modules that run
the longer ones.
"""
