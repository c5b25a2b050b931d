# state: timed_out
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
while True:
    signal.sigwait({signal.SIGUSR1})
