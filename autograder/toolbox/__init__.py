"""What every notebook carries with it, for students: pictures, checks in steps, the map, handing in.

These modules know no assignment and nothing of the graders, and import nothing but Python's own
modules, torch, matplotlib and IPython. `authoring/toolbox_cell.py` puts them into one folded cell.
"""
