# state: timed_out
class Endless(Exception):
    def __str__(self):
        while True:
            pass


raise Endless
