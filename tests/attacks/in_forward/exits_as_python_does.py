# state: error
# says: `SystemExit` in `attention`
import sys

sys.exit(0)
