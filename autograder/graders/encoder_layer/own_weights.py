"""Weights of a student's heads, however they are kept: four matrices, one, or a few for each head.

Nobody loses a point for how weights are kept, except where the statement says it. So where names
and shapes do not tell where the reference's weights belong, gradients do.
"""

import torch

ROLES = "query", "key", "value", "output"
SMALL = {torch.float64: 1e-7, torch.float32: 1e-4}  # of a query for which all keys count alike


class NotFound(Exception):
    """The numbers that a layer learns do not act as those of four projections."""


def randomise(layer, *others):
    """Give everything that the layer learns new values, and others of its kind the same; return them,
    by name. What has a role gets the values of that role, in whatever order it was registered.
    """
    shapes = [p.shape for p in layer.known_parameters() if p.requires_grad]
    squares = [shape for shape in shapes if len(shape) == 2 and len(set(shape)) == 1]
    roles = ROLES if len(squares) == len(ROLES) else ()
    with layer.candidate.aside():  # so that other layouts draw as much
        state = {f"{role}_transform.weight": _scaled(squares[0]) for role in roles}
    values = layer.randomise(_scaled, state)
    for other in others:
        there = {p.name: p.shape for p in other.known_parameters()}
        same = {n: v for n, v in values.items() if there.get(n) == tuple(v.shape)}
        other.load_parameters(same)
    return values


def _scaled(shape):
    """Numbers that a linear layer of this shape may have."""
    return torch.randn(shape) * max(shape, default=1) ** -0.5


def are_linears(layer, d_model):
    """Whether four `nn.Linear` from d_model to d_model are all matrices that the layer has."""
    learned = [p for p in layer.parameters() if p.requires_grad]
    matrices = {p.identity: p.shape for p in learned if len(p.shape) > 1}
    linears = {module.identity for module in layer.modules() if module.is_a("Linear")}
    return len(linears) == 4 and [*matrices.values()] == [(d_model, d_model)] * 4


def load_by_gradient(layer, reference):
    """Load the reference's weights into the student's layer.

    Where each number belongs is told by the gradient that arrives at it: that of an entry of a matrix
    is what comes in at its column times what comes back at its row. So inputs of which each feature
    is multiplied by its number multiply the gradient by the number of the column.
    Raises `NotFound`.
    """
    find = _Probe(layer, reference.query_transform.in_features)
    value, output, weight = find.values_and_outputs()
    query, key, effect, score = find.queries_and_keys()
    heads, d_k = reference.num_heads, len(query) // reference.num_heads
    rows = effect.argsort().view(heads, d_k)  # one head's hidden features have one effect
    attended = (score[rows].sum(1) / d_k**0.5).argsort()  # from least to most weight on key 0
    rows, columns = rows[attended].flatten(), weight.argsort()
    numbers = find.numbers.clone()
    numbers[query[rows]] = reference.query_transform.weight.detach()
    numbers[key[rows]] = reference.key_transform.weight.detach()
    numbers[value[columns]] = reference.value_transform.weight.detach()
    numbers[output[columns].T] = reference.output_transform.weight.detach()
    layer.load_parameters(find.by_name(numbers))


class _Probe:
    """A layer with random weights, and what gradient tells about each of these numbers."""

    def __init__(self, layer, d_model):
        values, self.layer = randomise(layer), layer.eval()
        layer.load_parameters({n: torch.zeros_like(v) for n, v in values.items() if v.dim() < 2})
        self.names = [name for name, value in values.items() if value.dim() > 1]
        self.d_model, self.count = d_model, torch.arange(1.0, d_model + 1)
        self.query, self.key, self.value, self.upstream = (
            (1 + torch.rand(d_model)) * torch.randn(d_model).sign() for _ in range(4)
        )
        arrived = self.gradients(self.query, self.key[None], self.value[None], self.upstream)
        self.names = [name for name in self.names if arrived.get(name) is not None]  # those used
        self.shapes = [values[name].shape for name in self.names]
        self.numbers = torch.cat([torch.zeros(0), *(values[name].flatten() for name in self.names)])
        if self.numbers.numel() != 4 * d_model**2:
            raise NotFound
        self.single = self.gradient(self.query, self.key[None], self.value[None], self.upstream)
        order = self.single.abs().argsort(descending=True)  # of a single key, all weight is on it
        self.late, self.early = order.view(2, -1)  # values and outputs, queries and keys

    def by_name(self, numbers):
        """All numbers, one after another, as the parameters that hold them."""
        parts = numbers.split([shape.numel() for shape in self.shapes])
        named = zip(self.names, parts, self.shapes, strict=True)
        return {name: part.view(shape) for name, part, shape in named}

    def gradient(self, query, key, value, upstream):
        """The gradient that arrives at each number; (d_model,), (keys, d_model) twice, (d_model,)"""
        arrived = self.gradients(query, key, value, upstream)
        if any(arrived.get(name) is None for name in self.names):
            raise NotFound
        return torch.cat([arrived[name].flatten() for name in self.names])

    def gradients(self, query, key, value, upstream):
        """The same by the names of parameters; None where no gradient arrives."""
        asked = query[None, None], key[None], value[None]
        return self.layer.gradients(*asked, upstream=upstream[None, None]).parameters

    def values_and_outputs(self):
        """The places of both, (hidden feature, feature), and which share of its weight each hidden
        feature's head gives to the first of two keys.
        """
        key, value = self.key[None], self.value[None]
        inner = self.gradient(self.query, key, value * self.count, self.upstream)
        outer = self.gradient(self.query, key, value, self.upstream * self.count)
        (at_value, _), (at_output, hidden) = self.matrices(
            self.late, self.single, (inner, self.value), (outer, self.upstream)
        )
        matched = (self.numbers[at_value] @ self.value).argsort(), hidden.argsort()
        at_value, at_output = at_value[matched[0]], at_output[matched[1]]
        two = self.gradient(self.query, _and_nothing(key), _and_nothing(value), self.upstream)
        weight = (two / self.single)[at_value].mean(1)
        return at_value, at_output, weight

    def queries_and_keys(self):
        """The places of both, (hidden feature, feature); what a score of its head does to the answer,
        and what each hidden feature adds to the score of the first of two keys.
        """
        small, value = self.query * SMALL[self.query.dtype], _and_nothing(self.value[None])
        key, counted = _and_nothing(self.key[None]), _and_nothing(self.key[None] * self.count)
        plain = self.gradient(small, key, value, self.upstream)
        by_query = self.gradient(small * self.count, key, value, self.upstream)
        by_key = self.gradient(small, counted, value, self.upstream)
        (at_query, to_query), (at_key, to_key) = self.matrices(
            self.early, plain, (by_query, small), (by_key, self.key)
        )
        query, key = self.numbers[at_query], self.numbers[at_key]
        one, other = (to_query * (query @ small)).argsort(), (to_key * (key @ self.key)).argsort()
        query, key, to_query = query[one], key[other], to_query[one]
        effect, score = to_query / (key @ self.key), (query @ self.query) * (key @ self.key)
        return at_query[one], at_key[other], effect, score

    def matrices(self, places, plain, *probes):
        """Of two matrices among these places, the places of each as (hidden feature, feature), and
        what else than its feature decides the gradient of a hidden feature's entries.
        """
        ratios = [(gradient / plain)[places] for gradient, _ in probes]
        misses = [(ratio - ratio.round()).abs() for ratio in ratios]
        first = misses[0] < misses[1]
        for mine, ratio, (_, along) in zip((first, ~first), ratios, probes, strict=True):
            if int(mine.sum()) != self.d_model**2:
                raise NotFound
            yield self.matrix(places[mine], ratio[mine], plain, along)

    def matrix(self, places, ratio, plain, along):
        feature = ratio.round().long() - 1
        if int(feature.min()) < 0 or int(feature.max()) >= self.d_model:
            raise NotFound
        rest = plain[places] / along[feature]
        rows = rest.argsort().view(self.d_model, self.d_model)
        rows = rows.gather(1, feature[rows].argsort(1))
        if not bool((feature[rows] == torch.arange(self.d_model)).all()):
            raise NotFound
        return places[rows], rest[rows].mean(1)


def _and_nothing(tensor):
    """The same, and a second key or value of zeros: (2, d_model)"""
    return torch.cat([tensor, torch.zeros_like(tensor)])
