# state: timed_out
# proof: rounds 1000000
rounds = 0
while True:
    rounds += 1
    if rounds == 1_000_000:
        prove("rounds", rounds)
