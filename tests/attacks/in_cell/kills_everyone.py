# Whoever else there is, then itself.
# state: crashed
# proof: about to kill 398 others
# unwalled: killed [1-9]\d*
import os

killed, own = 0, os.getpid()
prove("about to kill", 400 - 2, "others")
for number in range(2, 400):
    try:
        if number != own:
            os.kill(number, 9)
            killed += 1
    except OSError:
        pass
prove("killed", killed)
os.kill(own, 9)
