# There is nobody but itself to be told to stop.
# proof: others 0 of 398
# unwalled: others [1-9]\d* of 398
import os
import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
others = 0
for number in range(2, 400):
    try:
        if number != os.getpid():
            os.kill(number, signal.SIGTERM)
            others += 1
    except (ProcessLookupError, PermissionError):
        pass
prove(f"others {others} of 398")
