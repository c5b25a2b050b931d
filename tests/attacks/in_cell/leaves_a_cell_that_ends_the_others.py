# A trap for whoever comes next in this process: nobody does.
# proof: traps set: True [1-9]
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
trapped = signal.getsignal(signal.SIGALRM)
prove("traps set:", callable(trapped), len(gc.callbacks))
