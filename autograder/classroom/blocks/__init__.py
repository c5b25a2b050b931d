"""Turn a verdict into blocks, and render them as HTML, Markdown, text, or cell outputs."""
