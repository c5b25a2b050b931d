"""The one way in which hashes are made of several values: different values never share one."""

import hashlib
import json

# hexadecimal digits: so many that nobody can find two values for one, and short in names of files
LENGTH = 32


def digest_of(*values: object) -> str:
    """Return the hash of these values: texts, truths, whole numbers, None, and lists of such.

    They are hashed as JSON: it says where each one ends and of which kind it is, so that nothing can
    be moved from one value to the next. A lone half of a character differs from the whole one.
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:LENGTH]
