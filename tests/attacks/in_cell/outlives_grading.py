# prints: no second process: PermissionError
import os

try:
    if os.fork() == 0:
        os.setsid()
except OSError as error:
    print("no second process:", type(error).__name__)
