"""Hash several values together, so that different lists of values have different hashes."""

import hashlib
import json

# hexadecimal digits: too many to find a collision, and still short in a file name
LENGTH = 32


def digest_of(*values: object) -> str:
    """Return a hash of all these values: strings, bools, integers, None, and lists of these.

    The values are hashed as JSON, which keeps their types and boundaries: `("ab", "c")` and `("a",
    "bc")` have different hashes. Strings may contain lone surrogates.
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:LENGTH]
