# state: timed_out
while True:
    pass
