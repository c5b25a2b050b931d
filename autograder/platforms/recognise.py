"""The platforms whose downloads are known, and how a download is recognised by its names."""

from collections.abc import Callable
from dataclasses import dataclass

from autograder.platforms import (
    canvas,
    exchange,
    folder,
    github_classroom,
    gradescope,
    ilias,
    moodle,
)
from autograder.platforms.download import Contents, Download, File, NoDownload


@dataclass(frozen=True)
class Platform:
    """How one platform's downloads are read."""

    name: str
    recognises: Callable[[File, str], bool]  # whether the platform gives files such names
    times_in_zip: bool  # whether its zips have the times of handing in
    sort_by_student: Callable[[list[File], str], Contents]  # by student; may raise `NoDownload`


# those whose names say most come first; a folder for each student is what is left
PLATFORMS = {
    module.PLATFORM: Platform(
        module.PLATFORM, module.recognises, module in (moodle, ilias), module.sort_by_student
    )
    for module in (github_classroom, gradescope, moodle, exchange, canvas, ilias, folder)
}


def recognise(download: Download, assignment_id: str) -> Platform:
    """Return the platform whose names at least half of the files have. Raises `NoDownload`."""
    for platform in PLATFORMS.values():
        known = sum(platform.recognises(file, assignment_id) for file in download.files)
        said = platform.name != gradescope.PLATFORM or any(
            file.name == gradescope.METADATA for file in download.files
        )
        if said and known and 2 * known >= len(download.files):
            return platform
    raise NoDownload(
        f"Nothing in `{download.name}` is named as a known platform names it: say which it is with "
        f"--platform ({', '.join(PLATFORMS)})."
    )
