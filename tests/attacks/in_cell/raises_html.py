# state: error
raise Exception("<img src=x onerror=planted-0123456789abcdef>")
