# state: error
# says: `ValueError` in `attention`
raise ValueError(f"planted-0123456789abcdef {query.tolist()}")
