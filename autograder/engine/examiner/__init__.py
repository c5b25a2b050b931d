"""The trusted side: runs the graders, asks a candidate their questions, and compares the answers."""
