"""For whoever writes assignments: publish, try the graders, make sample classes."""
