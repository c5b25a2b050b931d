# state: error
import sys


def fall():
    fall()


fall()
