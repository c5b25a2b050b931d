"""Turn a verdict into blocks (`verdict_blocks.py`), and render blocks as HTML, Markdown, plain
text, or outputs of a notebook cell.
"""
