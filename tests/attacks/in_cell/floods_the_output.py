# proof: printed 10000000
# prints: the cell printed too much
printed = 0
for _ in range(100_000):
    print("x" * 99)
    printed += 100
prove("printed", printed)
