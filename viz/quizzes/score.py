"""`viz.Score`: the points of an exercise, given part by part, with a word about each part.

The one fact to know: `total` prints and returns the points, so as the last line of a check it is
what nbgrader takes for partial credit; nothing here raises for a wrong answer.
"""

from __future__ import annotations

from minitape.errors.of_arguments import checked_number


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
    """

    def __init__(self, points: float) -> None:
        checked_number("Score", "points", points, "viz.Score(3)")
        self.points = points
        self.earned: float = 0
        self._hints: list[str] = []
        self._asked: float = 0

    def part(self, points: float, right: object, hint: str) -> bool:
        """Counts one part of the exercise.

        Args:
            points: what the part is worth.
            right: whether the answer to it is right.
            hint: what is probably wrong, if it is not; a hint that was given is not repeated.

        Returns:
            Whether it is right.

        Raises:
            ValueError: the parts are worth more than the exercise.
        """
        checked_number("Score.part", "points", points, "score.part(1, right, hint)")
        self._asked += points
        if self._asked > self.points + 1e-9:
            raise ValueError(
                f"the parts are worth {self._asked} points and the exercise {self.points}; "
                f"write Score({self._asked})"
            )
        if right:
            self.earned += points
        elif hint not in self._hints:
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
        if not self._hints:
            print(f"Right: {why}")
        else:
            print(*self._hints, f"{self.earned:g} of {self.points:g} points.", sep="\n")
        return self.earned
