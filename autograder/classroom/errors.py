"""Why nothing can be graded."""


class NoWalls(Exception):
    """Nothing can be graded here, since the walls do not stand; the message says what to do."""


class NoScheduler(Exception):
    """No scheduler answers at the address that was given; the message says so."""


class NoWorkers(Exception):
    """No worker is there that can grade; the message says why, worker by worker."""


class LostWorkers(Exception):
    """Workers were lost, one after another, while they graded one submission."""

    def __init__(self, workers: int):
        super().__init__(
            f"{workers} workers were lost while they graded it, and it was put aside. "
            "Look at it before you grade again."
        )
