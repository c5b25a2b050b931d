"""The untrusted side: runs a submission's cells and answers the examiner's questions.

This package is the only part of the project that exists inside the sandbox. It contains no
reference, no test and no number that a submission could profit from, and imports nothing of the
trusted side.
"""
