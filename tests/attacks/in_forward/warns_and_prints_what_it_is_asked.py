import sys
import warnings

print(query.tolist(), file=sys.stderr)
print("planted-0123456789abcdef", query.tolist())
warnings.warn("planted-0123456789abcdef")
