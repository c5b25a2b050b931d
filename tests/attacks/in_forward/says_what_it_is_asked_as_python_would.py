# A message of the form that Python's have, with a hidden input for a name.
# state: error
# says: A name there is not defined.
# proof: said [a-j]{5,}
digits = [int(digit) for digit in str(query.flatten()[0].item()) if digit.isdigit()]
name = "".join(chr(ord("a") + digit) for digit in digits)
prove("said", name)
error = NameError(f"name '{name}' is not defined")
raise error
