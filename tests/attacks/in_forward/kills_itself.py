# state: crashed
# proof: about to kill [1-9]\d*
import os
import signal

prove("about to kill", os.getpid())
os.kill(os.getpid(), signal.SIGKILL)
