# Ends the process with the status of success.
# state: crashed
# proof: about to leave
import os

prove("about to leave")
os._exit(0)
