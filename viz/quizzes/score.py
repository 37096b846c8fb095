"""`viz.Score`: the points of an exercise, given part by part, with a word about each part.

As a `with` block it holds a whole check: what a wrong answer raises there becomes one sentence, so
no traceback shows the check's code. Its `earned` as the last line of a cell gives partial credit in
nbgrader.
"""

from __future__ import annotations

import linecache
from pathlib import Path
from types import TracebackType

from minitape.errors.of_arguments import checked_number


class PointsError(ValueError):
    """A check gives more points than its exercise has: a mistake of the check, not of an answer."""


class Score:
    """The points of one exercise.

    Args:
        points: how many there are for everything.

    Attributes:
        points: how many there are.
        earned: how many were given so far.

    Example:
        >>> score = Score(3)
        >>> score.part(1, 2 + 2 == 4, "Two and two are four.")
        True
        >>> score.part(2, 2 * 3 == 5, "Multiply, do not add.")
        False
        >>> score.total("a product is not a sum.")
        Multiply, do not add.
        1 of 3 points.
        1

    In a `with` block a wrong answer raises nothing, and the points stand below it:

        >>> with Score(2) as score:  # doctest: +ELLIPSIS
        ...     score.part(2, float("two") == 2, "Write a number.")
        Your answer gives something that cannot be compared: ValueError: ...
        0 of 2 points.
        >>> score.earned
        0
    """

    def __init__(self, points: float) -> None:
        checked_number("Score", "points", points, "viz.Score(3)")
        self.points = points
        self.earned: float = 0
        self._hints: list[str] = []
        self._asked: float = 0

    def __enter__(self) -> Score:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception) or isinstance(error, PointsError):
            return False
        if isinstance(error, AssertionError) and str(error):
            self.earned, said = 0, [str(error)]  # the answer is refused, whatever was right so far
        else:
            said = list(dict.fromkeys([*self._hints, stopped(error)]))
        print(*said, f"{self.earned:g} of {self.points:g} points.", sep="\n")
        return True

    def part(self, points: float, right: object, hint: str) -> bool:
        """Counts one part of the exercise.

        Args:
            points: what the part is worth.
            right: whether the answer to it is right.
            hint: what is probably wrong, if it is not; a hint that was given is not repeated. It is
                empty for a part that cannot be judged before an earlier one is right.

        Returns:
            Whether it is right.

        Raises:
            ValueError: the parts are worth more than the exercise.
        """
        checked_number("Score.part", "points", points, "score.part(1, right, hint)")
        self._asked = round(self._asked + points, 6)
        if self._asked > self.points + 1e-9:
            raise PointsError(
                f"the parts are worth {self._asked} points and the exercise {self.points}; "
                f"write Score({self._asked})"
            )
        if right:
            self.earned = round(self.earned + points, 6)  # five times 0.6 is 3
        elif hint and hint not in self._hints:
            self._hints.append(hint)
        return bool(right)

    @property
    def hints(self) -> tuple[str, ...]:
        """What was wrong, in the order of the parts."""
        return tuple(self._hints)

    def total(self, why: str) -> float:
        """Says how it went and gives the points.

        Args:
            why: one sentence of why the right answer is right, for who has it.
        """
        if not self._hints and self.earned == self._asked:
            print(f"Right: {why}")
        else:
            print(*self._hints, f"{self.earned:g} of {self.points:g} points.", sep="\n")
        return self.earned


def stopped(error: Exception) -> str:
    """One sentence about an answer that raised: the error, and the line of the answer it came from.

    The lines of the check itself are never named: an answer could be read from them.
    """
    said = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(".")
    at = error.__traceback__
    check = at.tb_frame.f_code.co_filename if at else ""
    while at and at.tb_frame.f_code.co_filename == check:
        at = at.tb_next
    if at is None or Path(at.tb_frame.f_code.co_filename).exists():  # a package's, not a cell's
        return f"Your answer gives something that cannot be compared: {said}."
    code, number = at.tb_frame.f_code, at.tb_lineno
    line = linecache.getline(code.co_filename, number).strip()
    where = f", in the line `{line}`" if line and code.co_name.isidentifier() else ""
    if "NoneType" in said and not {"gradient", "jacobian"}.isdisjoint(code.co_names):
        said += (
            ". Is a gradient None? A tape follows variables, and what its block computes from them"
        )
    return f"Your answer stops in `{code.co_name}`{where}: {said}."
