# Ends the process with the status of success.
# state: crashed
import os

os._exit(0)
