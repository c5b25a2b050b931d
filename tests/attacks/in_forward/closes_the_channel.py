# state: crashed
# proof: about to close a socket: True
import os

import stat

prove("about to close a socket:", stat.S_ISSOCK(os.fstat(3).st_mode))
os.close(3)
