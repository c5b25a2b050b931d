# state: timed_out
# proof: caught 1000
caught = 0
while True:
    try:
        while True:
            raise KeyboardInterrupt
    except BaseException:
        caught += 1
        if caught == 1000:
            prove("caught", caught)
