# state: crashed
import os

for number in range(1, 400):
    try:
        os.kill(number, 9)
    except ProcessLookupError:
        pass
