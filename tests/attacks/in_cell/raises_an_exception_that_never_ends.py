# state: timed_out
# proof: asked for its text
class Endless(Exception):
    def __str__(self):
        prove("asked for its text")
        while True:
            pass


raise Endless
