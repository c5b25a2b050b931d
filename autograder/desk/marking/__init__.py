"""Marking by hand: divide answers among tutors, write the files for tutors, and compare two tutors'
marks.
"""
