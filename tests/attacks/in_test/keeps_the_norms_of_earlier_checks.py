# A norm of which it knew the answer, asked in a later check as well.
# proof: kept, and refused
global kept
if type(norm).spec.group == 5 and "kept" not in globals():
    kept = norm
if "kept" in globals() and type(norm).spec.group == 0:
    try:
        kept(x)
    except Exception as error:
        prove("kept, and", error.kind)
return "both"
