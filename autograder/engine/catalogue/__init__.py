"""Read the known mistakes of an assignment from text that people write, and make the solution cells
that contain them.
"""
