"""The oldest versions that the notebooks run with, and a sentence for older installations."""

import importlib.metadata
import platform
import re
import sys

OLDEST = {  # `python -m tests.machines.notebooks oldest` tries exactly these
    "Python": "3.11",
    "torch": "2.4",  # the first with `rms_norm`
    "numpy": "1.26",
    "matplotlib": "3.9",  # older ones cannot be imported beside NumPy 2
    "IPython": "7.34",
    "ipywidgets": "7.7",
}
FOR_SLIDERS = "ipywidgets"  # without it, or with an older one, still pictures are drawn


class TooOld(ImportError):
    """A version is older than in OLDEST. The message names it, and a way to get a newer version."""


def refuse_old_versions() -> None:
    """Raise `TooOld` if Python or a package is too old for the checks."""
    if sentence := too_old():
        raise TooOld(sentence)


def too_old() -> str:
    """Return a sentence on the versions that are too old for the checks, or ""."""
    oldest = {name: version for name, version in OLDEST.items() if name != FOR_SLIDERS}
    versions = {name: _version_of(name) for name in oldest}
    packages = [name for name in oldest if _is_older(versions[name], oldest[name])]
    if not packages:
        return ""
    parts = [f"{name} {versions[name]} (needed: {oldest[name]} or newer)" for name in packages]
    verb = "are" if len(packages) > 1 else "is"
    upgrade = (
        "choose a kernel with a newer Python"
        if "Python" in packages
        else f"run `%pip install -U {' '.join(packages)}` in a cell, then restart the kernel"
    )
    return f"{' and '.join(parts)} {verb} too old for this notebook: {upgrade}."


def _version_of(name: str) -> str:
    """Return the version of Python or of a package, or "" if it is not installed."""
    if name == "Python":
        return platform.python_version()
    # The imported version counts, even if another version was installed since.
    if version := getattr(sys.modules.get(name), "__version__", ""):
        return str(version)
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _is_older(version: str, oldest: str) -> bool:
    """Whether `version`, such as "2.4.0a0+git", is smaller than `oldest`.

    False if it has no number.
    """
    numbers, oldest_numbers = (
        [int(part) for part in re.findall(r"\d+", text)] for text in (version, oldest)
    )
    return bool(numbers) and numbers[: len(oldest_numbers)] < oldest_numbers
