# state: error
# proof: raises Exception
error = Exception("<img src=x onerror=planted-0123456789abcdef>")
prove("raises", type(error).__name__)
raise error
