# proof: refused 7 of 7
odd = [("text",), (), (x > 0,), (x.half(),), (x, x), (x.new_zeros(0, 2, 30_000),), (x[0, 0],)]
refused = 0
for handed in odd:
    try:
        norm(*handed)
    except Exception as error:
        refused += getattr(error, "kind", "") == "refused"
prove("refused", refused, "of", len(odd))
return "neither"
