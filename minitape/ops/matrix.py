"""Matrix products."""
from __future__ import annotations
import operator
from typing import TYPE_CHECKING, Any
import numpy as np
from minitape.primitive import primitive
if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor

@primitive("matmul", operator="matmul", kernel=operator.matmul, broadcasts=False, type_name="MatMul", latex=r"{x:2} \, {y:2}")
def matmul(x: Array, y: Array) -> Array:
    """matmul"""
@matmul.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return g @ swap(y)
@matmul.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return swap(x) @ g
@primitive(elementwise=True)
def swap(x: Array) -> Array:
    return x.mT
@swap.vjp("x")
def _(g: Tensor) -> Tensor:
    return swap(g)
