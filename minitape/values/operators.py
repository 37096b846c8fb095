"""`Operators`: the common ground of tensors, variables and composites in expressions.

Ops attach their Python operators here where they are declared, so nothing in this module knows an
op. An import of minitape leaves the ops for later: until then, each operator loads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from minitape.names.loading import load_rest

if TYPE_CHECKING:
    from collections.abc import Callable


Given = TypeVar("Given", covariant=True)


class Operators(Generic[Given]):
    """What takes part in expressions: tensors and variables. Ops attach operators here.

    `Given` is what the operators give: tensors, or for a value made of several, what fits.
    """

    __slots__ = ()
    __array_priority__ = 100  # NumPy arrays and scalars leave `array * tensor` to the tensor

    if TYPE_CHECKING:
        shape: Any
        dtype: Any

        def __add__(self, other: Any) -> Given: ...
        def __radd__(self, other: Any) -> Given: ...
        def __sub__(self, other: Any) -> Given: ...
        def __rsub__(self, other: Any) -> Given: ...
        def __mul__(self, other: Any) -> Given: ...
        def __rmul__(self, other: Any) -> Given: ...
        def __truediv__(self, other: Any) -> Given: ...
        def __rtruediv__(self, other: Any) -> Given: ...
        def __floordiv__(self, other: Any) -> Given: ...
        def __rfloordiv__(self, other: Any) -> Given: ...
        def __mod__(self, other: Any) -> Given: ...
        def __rmod__(self, other: Any) -> Given: ...
        def __pow__(self, other: Any) -> Given: ...
        def __rpow__(self, other: Any) -> Given: ...
        def __matmul__(self, other: Any) -> Given: ...
        def __rmatmul__(self, other: Any) -> Given: ...
        def __neg__(self) -> Given: ...
        def __abs__(self) -> Given: ...
        def __invert__(self) -> Given: ...
        def __and__(self, other: Any) -> Given: ...
        def __rand__(self, other: Any) -> Given: ...
        def __or__(self, other: Any) -> Given: ...
        def __ror__(self, other: Any) -> Given: ...
        def __xor__(self, other: Any) -> Given: ...
        def __rxor__(self, other: Any) -> Given: ...
        def __eq__(self, other: object) -> Given: ...  # type: ignore[override]  # as NumPy's
        def __ne__(self, other: object) -> Given: ...  # type: ignore[override]
        def __lt__(self, other: Any) -> Given: ...
        def __le__(self, other: Any) -> Given: ...
        def __gt__(self, other: Any) -> Given: ...
        def __ge__(self, other: Any) -> Given: ...
        def __getitem__(self, key: Any) -> Given: ...

    def __hash__(self) -> int:
        raise TypeError(
            f"unhashable type: '{type(self).__name__}'. Tensor is unhashable. `==` compares the "
            "elements, so it cannot be a key of a dict or set. Instead, use tensor.ref() as the "
            "key; `key.deref()` gives the tensor back."
        )

    def as_operand(self) -> Any:
        """What an op takes for it: itself; a variable gives the tensor that it holds now."""
        return self

    def ref(self) -> Reference:
        """A hashable handle for sets and dict keys; `ref().deref()` gives the object back."""
        return Reference(self)


def _at_first_use(name: str) -> Callable[..., Any]:
    """An operator that loads the module of its op, which puts the real one in its place."""

    def operator(*operands: Any) -> Any:
        load_rest()
        return getattr(Operators, name)(*operands)

    operator.__name__ = operator.__qualname__ = name
    return operator


_OF_TWO = "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __matmul__"
_LOGICAL = "__and__ __or__ __xor__"
_COMPARING = "__lt__ __le__ __gt__ __ge__ __eq__ __ne__"
for _name in f"{_OF_TWO} {_LOGICAL}".split():
    setattr(Operators, _name, _at_first_use(_name))
    _reflected = f"__r{_name[2:]}"
    setattr(Operators, _reflected, _at_first_use(_reflected))
for _name in f"{_COMPARING} __neg__ __abs__ __invert__ __getitem__".split():
    setattr(Operators, _name, _at_first_use(_name))


class Reference:
    """Compares and hashes by the identity of what it refers to.

    References have an order, arbitrary but the same as long as a program runs: dicts that they are
    the keys of are nests, which are visited in sorted order.
    """

    __slots__ = ("_referent",)

    def __init__(self, referent: Any) -> None:
        self._referent = referent

    def deref(self) -> Any:
        """The tensor or variable itself."""
        return self._referent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._referent is other._referent

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return id(self._referent) < id(other._referent)

    def __hash__(self) -> int:
        return id(self._referent)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._referent!r}>"
