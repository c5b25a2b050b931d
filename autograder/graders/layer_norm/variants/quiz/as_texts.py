answers = {"A": "true", "B": "false", "C": "false", "D": "true", "Pre-Norm": "Left"}
