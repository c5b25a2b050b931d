"""A verdict as blocks, and what they become: HTML, Markdown, text, the outputs of a notebook's cell."""
