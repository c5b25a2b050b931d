prediction = dict(mean=0.0, variance=1.0, order="Same")
prediction["10 * x"] = "same "
prediction["x + 100"] = "SAME"
