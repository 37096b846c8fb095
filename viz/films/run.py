"""A training run as a film keeps it: all that its pictures, words and page are made from."""

from __future__ import annotations

from collections.abc import Sequence

from .boundary import Plane
from .shots import Shot


class Run:
    """What is kept of a training run.

    Attributes:
        names: of the variables.
        title: what the run is called.
        losses: of all steps that were noted.
        shots: the steps that were kept.
        plane: what a model's outputs are shown on; None without one.
    """

    def __init__(self, names: Sequence[str], title: str = "", plane: Plane | None = None) -> None:
        self.names = list(names)
        self.title = title
        self.plane = plane
        self.losses: list[float] = []
        self.shots: list[Shot] = []
