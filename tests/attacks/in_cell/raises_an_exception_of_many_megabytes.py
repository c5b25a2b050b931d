# state: error
# proof: raises 200 MiB
text = "x" * (200 << 20)
prove("raises", len(text) >> 20, "MiB")
raise ValueError(text)
