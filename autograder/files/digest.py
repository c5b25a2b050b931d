"""Hashes of several values, of which different ones never share one."""

import hashlib
import json

# hexadecimal digits: so many that nobody can find two values for one, and short in names of files
LENGTH = 32


def digest_of(*values: object) -> str:
    """Return the hash of these values: strings, bools, integers, None, and lists of such.

    They are hashed as JSON, which says where each value ends and of which type it is, so that no
    text can move from one value to the next. A lone surrogate is not the same as a whole character.
    """
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:LENGTH]
