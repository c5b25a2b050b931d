# There is nobody but itself to be told to stop.
# prints: nobody else 398
import os
import signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
alone = 0
for number in [-1, *range(2, 400)]:
    try:
        os.kill(number, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        alone += 1
print("nobody else", alone - 1)
