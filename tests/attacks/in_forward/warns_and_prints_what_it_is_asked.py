# proof: printed [1-9]\d+ characters, warned once
import sys
import warnings

print(query.tolist(), file=sys.stderr)
text = f"planted-0123456789abcdef {query.tolist()}"
print(text)
warnings.warn("planted-0123456789abcdef")
prove("printed", len(text), "characters, warned once")
