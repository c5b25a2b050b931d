"""The module that notebooks import for students: checks in steps, pictures, map, submission.

These modules know no assignment and nothing of the graders. They import only Python's own modules,
torch, matplotlib and IPython. `authoring/toolbox_file.py` joins them into `toolbox.py`, which lies
beside each released notebook and is the same for all.
"""
