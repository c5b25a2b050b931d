answers = dict(a=1, b=0, c=0, d=1, pre_norm="left")
