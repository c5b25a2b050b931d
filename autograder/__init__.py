"""Grade notebooks on the transformer encoder: a sealed candidate, a trusted examiner."""
