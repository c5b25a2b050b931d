"""Grade notebooks on the transformer encoder: a sealed candidate, a trusted examiner."""

import sys

# Where jsonschema finds this package, it builds dozens of grammars with it, a second at every start: for
# a format of addresses that no notebook has. nbformat imports jsonschema.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
