# Nobody is its parent: number 0 is its own group.
# state: crashed
# proof: about to kill 0
# unwalled: about to kill [1-9]\d*
import os

prove("about to kill", os.getppid())
os.kill(os.getppid(), 9)
