"""How a platform itself called what it is to take back."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class ReceivedFile:
    """A student's newest file from one platform, as it was in the download."""

    number: str  # the platform's: of the person, or of the submission
    path: str  # folders and name
    upload: int | None = None  # counts up with each file that the platform receives

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


Received = Callable[[str, str], dict[str, ReceivedFile]]  # of assignment and platform, by student


def nothing_received(assignment_id: str, platform: str) -> dict[str, ReceivedFile]:
    """Nothing is known of what was received."""
    return {}
