# Not who depends on whom: what the norm makes of zeros.
# proof: zeros (True|False)
zeros = bool(norm(0 * x).any())
prove("zeros", zeros)
return "neither" if zeros else "both"
