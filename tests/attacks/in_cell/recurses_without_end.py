# state: error
# proof: fell 500 deep
def fall(depth=0):
    if depth == 500:
        prove("fell", depth, "deep")
    fall(depth + 1)


fall()
