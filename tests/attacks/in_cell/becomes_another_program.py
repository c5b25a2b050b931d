# Without a new process: in its own place.
# proof: PermissionError
# unwalled: about to become /bin/true
import os

try:
    if os.path.exists("/bin/true"):
        prove("about to become /bin/true")
    os.execv("/bin/true", ["/bin/true"])
except OSError as error:
    prove(type(error).__name__)
