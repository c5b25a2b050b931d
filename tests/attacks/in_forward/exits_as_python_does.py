# state: error
# says: `SystemExit` in `attention`
# proof: about to exit
import sys

prove("about to exit")
sys.exit(0)
