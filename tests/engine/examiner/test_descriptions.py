"""What a candidate says about its layers has the exact form, or is nonsense."""

import pytest

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.examiner.descriptions import parsing_untrusted, read_module

RELU = {"name": "relu", "class": "ReLU", "kinds": ["ReLU", "Module"], "identity": 1}
RELU |= {"facts": {}, "bias": False, "stand_in": None}


def test_a_description_is_read_as_it_is():
    assert read_module(RELU).kinds == ("ReLU", "Module")


@pytest.mark.parametrize("kinds", [[], None, "ReLU", [1], ["ReLU", None]])
def test_a_module_without_a_kind_is_nonsense(kinds):
    """Graders ask for the first one."""
    with pytest.raises(ChannelError), parsing_untrusted():
        read_module(RELU | {"kinds": kinds})
