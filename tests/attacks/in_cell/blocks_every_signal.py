# state: timed_out
# proof: blocked [3-6]\d
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
prove("blocked", len(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
while True:
    signal.sigwait({signal.SIGUSR1})
