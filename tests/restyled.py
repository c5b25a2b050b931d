"""Right code in a foreign style: neutral names, another order of registration, lists, dictionaries,
stacked parameters, parameters in the place of modules.

    for cell in restyled(code, seed): ...       what a student might have written instead of `code`
"""

import ast
import random
from collections import Counter
from collections.abc import Callable, Iterable

NEUTRAL = """
    apple birch cedar dune ember fjord grove heron iris jade kelp lotus maple north opal pearl reef
    stone tulip umber vale willow l1 l2 l3 l4 m_1 m_2 m_3 m_4 part_x part_y thing block_c inner_z
""".split()
MODULES = {"Linear", "LayerNorm", "RMSNorm"}
VECTORS = {"ones", "zeros"}


class Style:
    """One class of a cell, which is rewritten in place. `others`: names of attributes that are read
    of other objects than `self`, which keep their names.
    """

    def __init__(self, tree: ast.ClassDef, others: set[str], chance: random.Random):
        self.tree, self.others, self.chance = tree, others, chance
        self.init = next(
            one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"
        )
        self.names = iter(chance.sample(NEUTRAL, len(NEUTRAL)))

    def members(self, *kinds: str) -> dict[str, ast.Assign]:
        """The statements `self.name = kind(...)` of `__init__` by name, of names that are set once;
        of all kinds if none is given.
        """
        written = Counter(
            node.attr
            for node in ast.walk(self.tree)
            if _is_of_self(node) and isinstance(node.ctx, ast.Store | ast.Del)
        )
        return {
            name: one
            for one in self.init.body
            if isinstance(one, ast.Assign) and len(one.targets) == 1
            for name in (one.targets[0].attr if _is_of_self(one.targets[0]) else "",)
            if written[name] == 1 and name not in self.others
            if not kinds or _kind(one.value) in kinds
        }

    def replace(self, name: str, made: Callable[[], ast.expr]) -> None:
        """Put what `made` returns in the place of each reading of `self.name`."""

        class Replace(ast.NodeTransformer):
            def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
                self.generic_visit(node)
                is_it = _is_of_self(node) and node.attr == name and isinstance(node.ctx, ast.Load)
                return made() if is_it else node

        Replace().visit(self.tree)

    def is_only_called(self, name: str) -> bool:
        """Whether `self.name` is read in calls of it with one argument alone."""
        read = sum(_is_reading(node, name) for node in ast.walk(self.tree))
        return read == sum(
            isinstance(node, ast.Call)
            and _is_reading(node.func, name)
            and len(node.args) == 1
            and not isinstance(node.args[0], ast.Starred)
            and not node.keywords
            for node in ast.walk(self.tree)
        )

    def replace_calls(self, name: str, made: Callable[[str], str]) -> None:
        """Put the code that `made` returns for the argument in the place of each `self.name(...)`."""

        class Replace(ast.NodeTransformer):
            def visit_Call(self, node: ast.Call) -> ast.AST:
                self.generic_visit(node)
                if not _is_reading(node.func, name):
                    return node
                return _expression(made(ast.unparse(node.args[0])))

        Replace().visit(self.tree)

    # What may be done to a class. Each changes it, or nothing.

    def rename(self) -> None:
        for name, statement in self.members().items():
            new = next(self.names)
            statement.targets = [_expression(f"self.{new}", ast.Store())]
            self.replace(name, lambda new=new: _expression(f"self.{new}"))

    def shuffle(self) -> None:
        """Register what depends on nothing in another order, side by side as it was."""
        for run in self.runs(self.members().values()):
            places = [self.init.body.index(one) for one in run]
            for place, one in zip(places, self.chance.sample(run, len(run)), strict=True):
                self.init.body[place] = one

    def collect_modules(self) -> None:
        """Keep modules of one kind in a list or a dictionary."""
        for kind in sorted(MODULES):
            for run in self.runs(self.members(kind).values()):
                if len(run) > 1:
                    self.collect(run, "nn.ModuleList", "nn.ModuleDict")

    def collect_parameters(self) -> None:
        for run in self.runs(self.members("Parameter").values()):
            if len(run) > 1:
                self.collect(run, "nn.ParameterList", "nn.ParameterDict")

    def stack(self) -> None:
        """Keep vectors of one length in one parameter."""
        made = {ast.unparse(one.value): one for one in self.members("Parameter").values()}
        vectors = [one for one in made.values() if self.is_vector(one)]
        if len(vectors) > 1 and len({ast.unparse(_argument(one).args) for one in vectors}) == 1:
            for run in self.runs(vectors):
                if len(run) > 1:
                    self.collect(run, "nn.Parameter(torch.stack(", "")

    def without_linears(self) -> None:
        linears = self.members("Linear")
        bare = [
            [*map(ast.unparse, one.value.keywords)] == ["bias=False"]
            and len(one.value.args) == 2
            and self.is_only_called(name)
            for name, one in linears.items()
        ]
        for name, one in linears.items():
            if all(bare):
                rows, columns = map(ast.unparse, one.value.args)
                one.value = _expression(
                    f"nn.Parameter(torch.randn({rows}, {columns}) / ({rows}) ** 0.5)"
                )
                self.replace_calls(name, lambda x, name=name: f"({x}) @ self.{name}")

    def without_norms(self) -> None:
        for name, one in self.members("LayerNorm").items():
            plain = len(one.value.args) == 1 and not one.value.keywords
            if plain and self.is_only_called(name) and isinstance(one.value.args[0], ast.Name):
                size, gain, shift = one.value.args[0].id, f"{name}_one", f"{name}_two"
                place = self.init.body.index(one)
                self.init.body[place : place + 1] = [
                    _statement(f"self.{gain} = nn.Parameter(torch.ones({size}))"),
                    _statement(f"self.{shift} = nn.Parameter(torch.zeros({size}))"),
                ]
                self.replace_calls(
                    name,
                    lambda x, gain=gain, shift=shift: (
                        f"torch.nn.functional.layer_norm({x}, self.{gain}.shape, self.{gain}, self.{shift})"
                    ),
                )

    def runs(self, statements: Iterable[ast.Assign]) -> list[list[ast.Assign]]:
        """These statements of `__init__` in groups that stand side by side, those alone that read
        nothing of `self`.
        """
        wanted = [one for one in statements if not any(map(_is_of_self, ast.walk(one.value)))]
        runs: list[list[ast.Assign]] = []
        last = None
        for place, one in enumerate(self.init.body):
            if one in wanted:
                if last == place - 1 and runs:
                    runs[-1].append(one)
                else:
                    runs.append([one])
                last = place
        return runs

    def collect(self, run: list[ast.Assign], as_list: str, as_dict: str) -> None:
        """Keep what these statements make in one list or dictionary, in another order."""
        place = self.init.body.index(run[0])
        mixed = self.chance.sample(run, len(run))
        whole, values = next(self.names), [ast.unparse(one.value) for one in mixed]
        if as_list.startswith("nn.Parameter("):
            values = [ast.unparse(_argument(one)) for one in mixed]
        keys = [str(number) for number in range(len(run))]
        if as_dict and self.chance.random() < 0.5:
            keys = [repr(next(self.names)) for _ in run]
            made = ", ".join(f"{key}: {value}" for key, value in zip(keys, values, strict=True))
            text = f"{as_dict}({{{made}}})"
        else:
            text = f"{as_list}([{', '.join(values)}])" + ")" * as_list.count("(")
        for key, one in zip(keys, mixed, strict=True):
            name = one.targets[0].attr
            self.replace(name, lambda key=key: _expression(f"self.{whole}[{key}]"))
        for one in run:
            self.init.body.remove(one)
        self.init.body.insert(place, _statement(f"self.{whole} = {text}"))

    def is_vector(self, one: ast.Assign) -> bool:
        argument = _argument(one)
        return _kind(argument) in VECTORS and len(argument.args) == 1


CHANGES = (
    "without_norms", "without_linears", "collect_modules", "collect_parameters", "stack", "shuffle",
)  # fmt: skip


def restyle(code: str, seed: int, *changes: str) -> str:
    """Return this code in a foreign style, with names that hint at nothing. `changes`: names of
    methods of `Style`; by default, some that `seed` draws.
    """
    tree, chance = ast.parse(code), random.Random(seed)
    others = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and not _is_of_self(node)
    }
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    for one in tree.body:
        if isinstance(one, ast.ClassDef) and any(
            isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in one.body
        ):
            style = Style(one, others | texts, chance)
            for change in changes or [c for c in CHANGES if chance.random() < 0.5]:
                getattr(style, change)()
            style.rename()
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _is_of_self(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _is_reading(node: ast.AST, name: str) -> bool:
    return _is_of_self(node) and node.attr == name and isinstance(node.ctx, ast.Load)


def _kind(value: ast.expr) -> str:
    """The last part of what is called: "Linear" of `nn.Linear(...)`."""
    if not isinstance(value, ast.Call):
        return ""
    return ast.unparse(value.func).rpartition(".")[2]


def _argument(one: ast.Assign) -> ast.Call:
    return one.value.args[0]


def _expression(text: str, context: ast.expr_context | None = None) -> ast.expr:
    made = ast.parse(text, mode="eval").body
    if context is not None:
        made.ctx = context
    return made


def _statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]
