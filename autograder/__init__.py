"""Grade notebooks: student code runs in a sealed process, hidden tests in another."""

import sys

# Where jsonschema finds this package, it builds dozens of grammars with it, a second at every start: for
# a format of addresses that no notebook has. nbformat imports jsonschema.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
