# Nobody is its parent: number 0 is its own group.
# state: crashed
import os

os.kill(os.getppid(), 9)
