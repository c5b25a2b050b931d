answers = {}
answers["a"] = not False
answers["b"] = not answers["a"]
answers["c"] = "No"
answers["d"] = torch.tensor(1.0).item() == 1
answers["pre norm"] = " left"
