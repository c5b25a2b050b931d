"""The platforms whose downloads are known, and how a download is recognised by its names."""

from collections.abc import Callable
from dataclasses import dataclass

from autograder.intake.handed_in import Found
from autograder.intake.member import Download, Member, NoDownload
from autograder.intake.platforms import canvas, exchange, folders, gradescope, ilias, moodle


@dataclass(frozen=True)
class Platform:
    name: str
    mine: Callable[[Member, str], bool]  # whether a member's name is one that it gives
    find: Callable[[list[Member], str], Found]  # may raise `NoDownload`


# those whose names say most come first; a folder a student is what is left
PLATFORMS = {
    module.NAME: Platform(module.NAME, module.mine, module.find)
    for module in (gradescope, moodle, exchange, canvas, ilias, folders)
}


def recognise(download: Download, assignment_id: str) -> Platform:
    """Return the platform whose names at least half of the members have. Raises `NoDownload`."""
    for platform in PLATFORMS.values():
        known = sum(platform.mine(member, assignment_id) for member in download.members)
        said = platform.name != gradescope.NAME or any(
            member.name == gradescope.METADATA for member in download.members
        )
        if said and known and 2 * known >= len(download.members):
            return platform
    raise NoDownload(
        f"Nothing in `{download.name}` is named as a known platform names it: say which it is with "
        f"--platform ({', '.join(PLATFORMS)})."
    )
