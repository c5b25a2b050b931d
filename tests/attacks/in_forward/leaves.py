# Ends the process with the status of success while it is asked.
# state: crashed
import os

os._exit(0)
