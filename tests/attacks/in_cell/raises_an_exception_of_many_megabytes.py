# state: error
raise ValueError("x" * (200 << 20))
