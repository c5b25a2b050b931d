"""The untrusted side: runs a submission's cells and answers the examiner's questions.

This package is all of the project that exists inside the sandbox. It knows no reference, no test and
no number that a submission could profit from, and imports nothing of the trusted side.
"""
