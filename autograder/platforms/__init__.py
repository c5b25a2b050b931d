"""Learning platforms, a module each: how to read its download, and which files give grades and
feedback back to it.
"""
