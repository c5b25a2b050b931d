"""What the graders of this folder share: their laws."""

import pytest

from .laws import Laws, TokenLaws


@pytest.fixture
def laws(asked, tensors_agree, tensors_differ, answer_or_none):
    """The laws of an attention: of `asked`, which a grader's own fixture gives."""
    return Laws(asked, tensors_agree, tensors_differ, answer_or_none)


@pytest.fixture
def token_laws(tensors_agree, tensors_differ, answer_or_none):
    return TokenLaws(tensors_agree, tensors_differ, answer_or_none)
