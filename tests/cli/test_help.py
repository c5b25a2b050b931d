"""The help of each command ends with what each of its exit statuses means."""

from collections.abc import Iterator

import click
import pytest

from autograder.cli.exit_status import OK, STOPPED, USAGE
from autograder.cli.main import commands, main


def all_commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words with which each command is called, those of groups in groups included."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from all_commands(command, (*words, name))
        else:
            yield *words, name


@pytest.mark.parametrize("words", [*all_commands(commands)], ids=" ".join)
def test_help_lists_every_exit_status(words, capfd):
    assert main([*words, "--help"]) == OK
    text, _, statuses = capfd.readouterr().out.partition("Exit status:")
    firsts = [line.split()[0] for line in statuses.splitlines() if line.split()]
    listed = {int(word) for word in firsts if word.isdigit()}
    assert {OK, USAGE, STOPPED} <= listed
    assert "xit status" not in text, "it is said at the end, and nowhere else"
