# A trap for whoever comes next in this process: nobody does.
# prints: traps set
import atexit
import gc
import signal
import sys
import threading

atexit.register(lambda: 1 / 0)
sys.settrace(None)
signal.signal(signal.SIGALRM, lambda *a: 1 / 0)
gc.callbacks.append(lambda *a: None)
threading.excepthook = sys.excepthook = sys.unraisablehook = lambda *a: None
print("traps set")
