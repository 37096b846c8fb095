"""`viz.explore`: sliders that record the tape again, while the player keeps its place.

Moving a slider calls the learner's function again under a new tape, and the new trace goes to the
same widget, which shows it at the same step and as deep in the groups. Needs ipywidgets and
anywidget for the sliders; `Exploration.at` needs nothing.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import minitape as tf
from minitape.request import Request
from minitape.safety.silence import Silence

from ..base.advice import getting
from ..errors import MissingExtraError
from ..export.drawn import Drawn, save_drawn
from ..export.items import Sheet
from ..player.notebook import Player
from ..plots.sampling import checked_range
from ..record.build import build
from ..record.journal import Journal

STEPS = 200  # of a slider


class Exploration:
    """A function and the ranges of its arguments.

    Attributes:
        ranges: (low, high) by the argument's name.
    """

    def __init__(self, f: Callable[..., Any], ranges: Mapping[str, tuple[float, float]]) -> None:
        self._f = f
        self.ranges = dict(ranges)
        self._widget: Any = None

    def at(self, **values: float) -> Player:
        """The player of the tape for some values of the arguments; the others are in the middle.

        Raises:
            TypeError: if f has no such argument, or gives no tensor.
        """
        unknown = sorted(set(values) - set(self.ranges))
        if unknown:
            raise TypeError(
                f"there is no slider {unknown[0]!r}; there are {', '.join(self.ranges)}"
            )
        chosen = {name: _middle(each) for name, each in self.ranges.items()} | values
        return _recorded(self._f, {name: float(value) for name, value in chosen.items()})

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes one offline page, or the picture of the tape with every slider in the middle.

        For a page, .html, the function is called once for each combination of positions (21 of one
        slider, 7 of each of two, 4 of each of three, at most 64 in all), as a page cannot call it.
        Between positions the page computes the tape of the nearest again, where it can (see
        `viz.player.touch`) and the function did the same at all positions; else its sliders stop
        at positions.

        Args:
            path: ends in .html for the page; in .svg, .png, .pdf, .tex or .pptx for the picture.
            **options: `width` ("120mm"), `theme` ("light", "dark" or "grey"), `dpi` and `fonts`, as
                for `viz.step(...).save`.

        Raises:
            ValueError: The ending, or an option, is another one, or there are more than six
                sliders for a page.
            MissingExtraError: The format needs a package; the message says how to install it.
        """
        from ..player.drawing import drawn
        from .explore_page import explore_page

        def sheet() -> Sheet:
            values = ", ".join(f"{name} = {_middle(each):g}" for name, each in self.ranges.items())
            return drawn(self.at().trace, words=values).sheet()

        own = {".html": lambda: explore_page(self)}
        return save_drawn(Drawn("an exploration", sheet, own=own), path, **options)

    def widget(self) -> Any:
        """The sliders with the player below them; the same widget each time.

        Raises:
            MissingExtraError: ipywidgets or anywidget is not installed.
        """
        if self._widget is None:
            self._widget = self._made()
        return self._widget

    def _made(self) -> Any:
        ipywidgets = _ipywidgets()
        from ..player.widget import StepWidget

        player = StepWidget(self.at().trace)
        sliders = {name: _slider(ipywidgets, name, each) for name, each in self.ranges.items()}
        said = ipywidgets.HTML()

        def moved(_: Any) -> None:
            from html import escape

            try:
                player.show(self.at(**{name: s.value for name, s in sliders.items()}).trace)
                said.value = ""
            except Exception as error:  # the learner's own error belongs beside the sliders
                said.value = f"<pre>{escape(f'{type(error).__name__}: {error}')}</pre>"

        for slider in sliders.values():
            slider.observe(moved, "value")
        return ipywidgets.VBox([*sliders.values(), said, player])

    def __repr__(self) -> str:
        ranges = ", ".join(f"{name} from {a:g} to {b:g}" for name, (a, b) in self.ranges.items())
        return f"<Exploration: {ranges}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The widget, and beside it the player of the middle for readers without a kernel."""
        live = self.widget()._repr_mimebundle_()
        bundle = live[0] if isinstance(live, tuple) else live
        still = self.at()._repr_mimebundle_()
        return {**(bundle or {}), "text/plain": repr(self), "text/html": still["text/html"]}


def explore(f: Callable[..., Any], **ranges: Any) -> Exploration:
    """Sliders for the arguments of a function; the player shows its tape for their values.

    Args:
        f: takes tensors by the names of the sliders, and gives a tensor.
        ranges: for each argument a pair (low, high).

    Raises:
        MissingExtraError: ipywidgets or anywidget is not installed.
        TypeError: if a range is no pair of numbers, or f does not take an argument.
        ValueError: if a range is empty.

    Example:
        >>> from minitape import viz
        >>> exploration = viz.explore(lambda x, w: x * w, x=(-2.0, 2.0), w=(0.0, 4.0))
        >>> [float(g) for g in exploration.at(x=1.5).gradients]
        [2.0, 1.5]
    """
    _ipywidgets()
    if not ranges:
        raise TypeError("there is no slider: write for instance viz.explore(f, x=(-2.0, 2.0))")
    checked = {name: checked_range(name, each) for name, each in ranges.items()}
    try:
        inspect.signature(f).bind(**ranges)
    except TypeError as error:
        raise TypeError(
            f"f does not fit the sliders {', '.join(ranges)}: {error}. Give one range for each "
            "argument of f, by its name."
        ) from error
    except ValueError:
        pass  # some functions written in C have no signature; the call will tell
    return Exploration(f, checked)


def _ipywidgets() -> Any:
    """The package for the sliders, with anywidget for the player."""
    try:
        import anywidget  # noqa: F401
        import ipywidgets
    except ImportError as missing:
        raise MissingExtraError(
            f"sliders need the package {missing.name!r}, which is not installed; "
            f"{getting('anywidget')}; without it call viz.step for a few values yourself"
        ) from missing
    return ipywidgets


def _middle(ends: tuple[float, float]) -> float:
    return (ends[0] + ends[1]) / 2


def _slider(ipywidgets: Any, name: str, ends: tuple[float, float]) -> Any:
    low, high = ends
    return ipywidgets.FloatSlider(
        value=_middle(ends), min=low, max=high, step=(high - low) / STEPS, description=name,
        readout_format=".4g", continuous_update=True,
    )  # fmt: skip


def _recorded(f: Callable[..., Any], values: dict[str, float]) -> Player:
    """Calls f under a tape and a journal, and gives the player of its gradients."""
    sources = {name: tf.constant(value, tf.float64) for name, value in values.items()}
    with Journal() as journal, tf.GradientTape(persistent=True) as tape, Silence():
        tape.watch(list(sources.values()))
        target = f(**sources)
    if not isinstance(target, tf.Tensor):
        raise TypeError(f"f gave {target!r}; it has to give a tensor (is the `return` missing?)")
    request = Request(target, list(sources.values()))
    names = {each.id: (name, each) for name, each in sources.items()}
    (end,) = request.targets
    if end.id not in names:
        names[end.id] = (getattr(f, "__name__", "f").replace("<lambda>", "f"), end)
    records = tape.recording.records
    built = build(request, records, tape.recording, names, journal=journal)
    return Player(built.trace, request.results(built.cotangents))
