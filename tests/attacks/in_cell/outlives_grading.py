# proof: no second process: PermissionError
# unwalled: a second process in a session of its own: True
import os

try:
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.write(writing, str(os.getsid(0) == os.getpid()).encode())
        os._exit(0)
    prove("a second process in a session of its own:", os.read(reading, 9).decode())
except OSError as error:
    prove("no second process:", type(error).__name__)
