# state: timed_out
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
