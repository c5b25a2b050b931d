"""Describe the modules and parameters of a layer in plain values."""

import itertools

from torch import nn

from autograder.engine.candidate.signatures import plain
from autograder.engine.candidate.stand_in import StandIn

MAX_ITEMS = 150  # what a frame's head has room for
FACTS = """
    in_features out_features p eps normalized_shape elementwise_affine num_embeddings embedding_dim
    padding_idx number built
""".split()  # attributes of modules


def describe_modules(module: nn.Module) -> list[dict]:
    """Return a dict for `module` and each module in it, in order of registration, at most MAX_ITEMS.

    The keys: "name" (dotted), "identity" (an integer), "class" (its name), "kinds" (the classes of
    torch.nn among its class and bases), "facts" (its attributes in FACTS), "stand_in" (the name of
    the replaced part, or None), "bias" (whether it has a bias). A shared module is described under
    each of its names, with the same identity.
    """
    parts = itertools.islice(module.named_modules(remove_duplicate=False), MAX_ITEMS)
    return [
        {
            "name": name,
            "identity": id(part),
            "class": type(part).__name__,
            "kinds": [
                c.__name__ for c in type(part).__mro__ if c.__module__.startswith("torch.nn.")
            ],
            "facts": {fact: plain(vars(part)[fact]) for fact in FACTS if fact in vars(part)},
            "stand_in": part.spec.name if isinstance(part, StandIn) else None,
            "bias": getattr(part, "bias", None) is not None,
        }
        for name, part in parts
    ]


def describe_parameters(module: nn.Module) -> list[list]:
    """Return [name, identity, shape, requires_grad] for each parameter in order of registration, at
    most MAX_ITEMS.

    A shared parameter is described under each of its names, with the same identity.
    """
    parameters = itertools.islice(module.named_parameters(remove_duplicate=False), MAX_ITEMS)
    return [
        [name, id(parameter), list(parameter.shape), parameter.requires_grad]
        for name, parameter in parameters
    ]
