"""Learning platforms, one module for each: how its downloads are read, and which files bring grades
and feedback back to it.
"""
