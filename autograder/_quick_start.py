"""Import this first in a process that is this program's own: it saves a second.

Where jsonschema finds the package rfc3987_syntax, it builds dozens of grammars with it, for a format of
addresses that no notebook has; nbformat imports jsonschema. The package is hidden from the whole
process, so nothing that others import may import this module.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
