"""What one candidate may use."""

from dataclasses import dataclass

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Seconds of wall clock by cell, by request and in all; bytes; descriptors."""

    cell_seconds: float = 30.0
    request_seconds: float = 15.0
    total_seconds: float = 180.0
    memory: int = 4096 * MEBIBYTE
    file_size: int = 64 * MEBIBYTE
    open_files: int = 256

    @property
    def cpu_seconds(self) -> int:
        """All threads of a candidate together get as much as one that never waits."""
        return int(self.total_seconds)

    def inside(self) -> dict[str, int]:
        """The part of them that the candidate puts on itself, before it meets any student's code."""
        return {
            "memory": self.memory,
            "cpu_seconds": self.cpu_seconds,
            "file_size": self.file_size,
            "open_files": self.open_files,
        }
