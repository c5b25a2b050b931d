# prints: the cell printed too much
for _ in range(100_000):
    print("x" * 100)
