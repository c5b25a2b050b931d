"""Families of cases of which `make test` takes a sample, and `make test-long` the others."""

from collections.abc import Iterable

import pytest


def every(step: int, cases: Iterable[object]) -> list:
    """Parameters for `parametrize`: the first case and each `step`-th after it, the others long.

    A tuple is a case of several parameters, as in `parametrize` itself.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[pytest.mark.long] * (number % step > 0),
        )
        for number, case in enumerate(cases)
    ]
