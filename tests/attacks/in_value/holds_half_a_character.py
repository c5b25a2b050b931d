# cell: quiz
# proof: holds a half
answers = dict.fromkeys(("a", "b", "c", "d", "pre-norm"), "\ud800")
prove("holds a half")
