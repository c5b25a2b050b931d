"""Processes that outlive what started them: have them hang on us, so that they are seen."""

import ctypes

SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def adopt_orphans() -> None:
    """Have all that descends from this process hang on it, also when what started it is gone."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
