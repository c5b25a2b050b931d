"""A verdict as blocks (`verdict_blocks.py`), and the blocks rendered as HTML, Markdown, plain text,
or outputs of a notebook cell.
"""
