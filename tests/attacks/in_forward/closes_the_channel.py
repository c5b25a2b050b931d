# state: crashed
import os

os.close(3)
