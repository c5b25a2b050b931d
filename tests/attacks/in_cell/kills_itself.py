# state: crashed
# proof: about to kill myself
import os
import signal

prove("about to kill myself")
os.kill(os.getpid(), signal.SIGKILL)
prove("still here")
