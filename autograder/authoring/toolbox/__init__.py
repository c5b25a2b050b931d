"""What notebooks import for students: checks in steps, pictures, the map, handing in.

These modules know no assignment and nothing of the graders, and import nothing but Python's own
modules, torch, matplotlib and IPython. `authoring/toolbox_file.py` joins them into `toolbox.py`, which
stands beside each released notebook and is the same for all.
"""
