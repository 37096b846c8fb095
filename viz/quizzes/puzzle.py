"""`viz.Puzzle`: a matrix to be reached, with the wrong entries red and crossed out.

A wrong entry is marked by a stroke as well as by its colour, and the picture is a table, so that it
can be read aloud.
"""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from minitape.errors.of_arguments import checked_number

from ..base.numbers import short


class Puzzle:
    """A computed matrix next to the expected one.

    Args:
        found: the matrix of the answer, such as a jacobian.
        wanted: the matrix to be reached.
        tolerance: up to which difference two entries are equal.

    Attributes:
        found: the matrix of the answer.
        wanted: the matrix to be reached.
        wrong: for each entry whether it differs; all of them if the shapes do.

    Example:
        >>> puzzle = Puzzle([[1.0, 2.0], [0.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]])
        >>> print(puzzle)
        [1.0, 2.0]
        [✗ 0.0, 4.0]
        >>> int(puzzle.wrong.sum()), puzzle.solved
        (1, False)
    """

    def __init__(self, found: Any, wanted: Any, tolerance: float = 1e-4) -> None:
        self.found, self.wanted = _matrix("found", found), _matrix("wanted", wanted)
        tolerance = checked_number("Puzzle", "tolerance", tolerance, "1e-4")
        if self.found.shape == self.wanted.shape:
            self.wrong = ~np.isclose(self.found, self.wanted, atol=tolerance)
        else:
            self.wrong = np.ones(self.found.shape, bool)

    @property
    def solved(self) -> bool:
        """Whether no entry is wrong."""
        return not self.wrong.any()

    def __repr__(self) -> str:
        rows = zip(np.atleast_2d(self.found), np.atleast_2d(self.wrong), strict=True)
        return "\n".join(
            f"[{', '.join('✗ ' * bool(bad) + short(x) for x, bad in zip(*row, strict=True))}]"
            for row in rows
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html}

    @property
    def html(self) -> str:
        """The two matrices as tables."""
        nothing = np.zeros(np.atleast_2d(self.wanted).shape, bool)
        yours = _table("yours", np.atleast_2d(self.found), np.atleast_2d(self.wrong))
        return f"<div>{yours}{_table('wanted', np.atleast_2d(self.wanted), nothing)}</div>"


def _table(name: str, matrix: np.ndarray[Any, Any], wrong: np.ndarray[Any, Any]) -> str:
    rows = (
        "".join(_cell(short(x), bool(bad)) for x, bad in zip(*row, strict=True))
        for row in zip(matrix, wrong, strict=True)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><caption>{html.escape(name)}</caption><tbody>{body}</tbody></table>"


def _cell(number: str, wrong: bool) -> str:
    if not wrong:
        return f"<td>{number}</td>"
    return f'<td style="color: #b3261e"><del>{number}</del> <b>✗</b></td>'


def _matrix(argument: str, value: Any) -> Any:
    """A matrix of numbers.

    Raises:
        TypeError: if it is none.
    """
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Puzzle: {argument} must be a matrix of numbers; got {value!r:.80}. Write for "
            f"instance `viz.Puzzle(tape.jacobian(y, x), [[1.0, 0.0], [0.0, 1.0]])`."
        ) from error
