"""`tf.Module`: an object that finds the variables among its attributes.

Nothing is registered. Each question walks the attributes by name, into lists, tuples, dicts and
other modules, so a variable added later is found too.
"""

from __future__ import annotations

import functools
import re
from types import FunctionType, NoneType
from typing import TYPE_CHECKING, Any

from minitape.errors import teach
from minitape.names.scopes import NameScope, current_scope
from minitape.op import export
from minitape.values import nest
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# Types of attributes in which there is no variable, no module and no metric.
_PLAIN = frozenset({NoneType, bool, int, float, str, FunctionType})

export("name_scope")(NameScope)


@export("Module")
class Module:
    """A named container of variables, functions on them and other modules.

    Args:
        name: a Python identifier; by default the name of the class in snake_case.

    Raises:
        ValueError: if `name` is no identifier.

    Example:
        >>> import minitape as tf
        >>> class Line(tf.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.w = tf.Variable(2.0, name="w")
        ...
        ...     def __call__(self, x):
        ...         return self.w * x
        >>> line = Line()
        >>> [v.name for v in line.trainable_variables], line.name
        (['w:0'], 'line')
    """

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = snake_case(type(self).__name__)
        elif not isinstance(name, str) or not name.isidentifier():
            raise ValueError(
                teach(
                    f"{name!r:.80} is not a valid module name.",
                    "Module names must be valid Python identifiers (e.g. a valid class name).",
                    "Use letters, digits and underscores, and no digit first.",
                )
            )
        self._name = name
        self._scope = f"{current_scope()}{name}/"

    @property
    def name(self) -> str:
        """The name given at construction, or that of the class."""
        return self._name

    @property
    def name_scope(self) -> NameScope:
        """A context for what belongs to this module; see `tf.name_scope`."""
        return NameScope(getattr(self, "_scope", f"{self.name}/"))

    @property
    def variables(self) -> tuple[Any, ...]:
        """All variables of this module and its submodules, each once, in the order of names."""
        return tuple(self._flatten(lambda leaf: isinstance(leaf, ResourceVariable)))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Any, ...]:
        """All modules inside of this one, at any depth."""
        return tuple(self._flatten(lambda leaf: isinstance(leaf, Module)))

    def _attributes(self) -> Iterable[Any]:
        """The values of the attributes, in the order in which they are searched."""
        return [value for _, value in sorted(vars(self).items())]

    def _flatten(self, wanted: Callable[[Any], bool]) -> Iterator[Any]:
        """What `wanted` accepts: first among a module's own attributes, then in its submodules."""
        seen, todo = {id(self)}, [self]
        while todo:
            inside = []
            for leaf in todo.pop()._leaves():
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                if wanted(leaf):
                    yield leaf
                if isinstance(leaf, Module):
                    inside.append(leaf)
            todo.extend(reversed(inside))

    def _leaves(self) -> Iterator[Any]:
        for value in self._attributes():
            if type(value) in _PLAIN:  # the most, and nothing is in them
                continue
            try:
                yield from nest.flatten(value)
            except (TypeError, ValueError):
                continue  # a structure that has no order, such as a dict with mixed keys

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates a method so that it runs inside of `name_scope`.

        Example:
            >>> import minitape as tf
            >>> class Net(tf.Module):
            ...     @tf.Module.with_name_scope
            ...     def __call__(self, x):
            ...         return x
            >>> Net()(1)
            1
        """

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def snake_case(name: str) -> str:
    """`MyModule2D` as `my_module2d`, as TensorFlow makes it."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().lstrip("_") or "module"
