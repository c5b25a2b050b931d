# %% as_numbers
answers = dict(a=1, b=0, c=0, d=1, pre_norm="left")


# %% as_texts
answers = {"A": "true", "B": "false", "C": "false", "D": "true", "Pre-Norm": "Left"}


# %% one_after_the_other
answers = {}
answers["a"] = not False
answers["b"] = not answers["a"]
answers["c"] = "No"
answers["d"] = torch.tensor(1.0).item() == 1
answers["pre norm"] = " left"
