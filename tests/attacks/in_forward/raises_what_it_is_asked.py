# state: error
# says: `ValueError` in `attention`
# proof: raises [1-9]\d+ characters
text = f"planted-0123456789abcdef {query.tolist()}"
prove("raises", len(text), "characters")
raise ValueError(text)
