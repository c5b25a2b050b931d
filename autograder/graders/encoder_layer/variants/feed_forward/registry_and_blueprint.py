from torch import nn

from typing import Callable, Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    """Named factories, filled by decorator; every later cell uses it."""

    def __init__(self, kind: str):
        self.kind = kind
        self._factories: dict[str, Callable[..., T]] = {}

    def register(self, name: str):
        def decorate(factory):
            self._factories[name] = factory
            return factory

        return decorate

    def create(self, name: str, *args, **kwargs) -> T:
        if name not in self._factories:
            raise KeyError(f"no {self.kind} called {name!r}, known: {sorted(self._factories)}")
        return self._factories[name](*args, **kwargs)


ACTIVATIONS: Registry[nn.Module] = Registry("activation")
ACTIVATIONS.register("relu")(nn.ReLU)
ACTIVATIONS.register("gelu")(nn.GELU)


class PositionWiseFeedForward(nn.Sequential):
    ACTIVATION = "relu"

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        for name, factory in self.blueprint(d_model, d_ff):
            self.add_module(name, factory())

    @classmethod
    def blueprint(cls, d_model: int, d_ff: int):
        yield "linear1", lambda: nn.Linear(d_model, d_ff)
        yield "relu", lambda: ACTIVATIONS.create(cls.ACTIVATION)
        yield "linear2", lambda: nn.Linear(d_ff, d_model)
