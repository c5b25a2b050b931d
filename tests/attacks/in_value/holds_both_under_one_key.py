# Keys that a person would take for one, and the right answer under one of them.
# cell: quiz
# says: `answers` has no "a". Is it spelled as in the statement?
# proof: holds 10 answers
answers = {}
for key in ("a", "b", "c", "d"):
    answers |= {f" {key}": True, f"{key}_": False}
answers |= {"pre norm": "left", "PRE-NORM": "right"}
prove("holds", len(answers), "answers")
