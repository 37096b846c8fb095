"""minitape.viz: shows what minitape recorded and did, step by step.

    with viz.recording():                 # values and source lines; optional
        with tf.GradientTape() as tape:
            y = x * x
    viz.step(tape, y, x)                  # in Jupyter: the step player
    viz.step(tape, y, x).save("y.html")   # one page that works offline

Further: `push` (`viz.push(tape, y, x, tangent)`: a tangent on its way), `explain` (why is it
None?), `check` (what else is suspicious?), `beside` (two tapes of one program), `graph`, `pending`,
`memory`, `jacobian`, `curve`, `surface`, `flow`, `film`, `explore`, and after
`%load_ext minitape.viz` the cell magic `%%tape`; for lessons `quiz`, `predict` (a question before
its answer), `Score`, `Puzzle`, `exam` and `figures` (how plots look). All of it is loaded when
first used.

Needs nothing but the engine; matplotlib, Graphviz and anywidget add PNG, other layouts and the live
widget.
"""

if __name__ == "viz":  # in a checkout Python finds the folder under this name, too
    raise ModuleNotFoundError(
        "The viewer is part of minitape: write `from minitape import viz`.", name="viz"
    )

import importlib as _importlib  # names of ours alone: `viz.Any` would be offered to users
import typing as _typing

if _typing.TYPE_CHECKING:
    from .diagnosis.views.check import check
    from .diagnosis.views.explanation import Explanation, explain
    from .films.film import film
    from .graphs.graph import graph
    from .graphs.pending import pending
    from .jacobians.view import jacobian
    from .notebook.explore import explore
    from .notebook.figures import figures
    from .pairing.page import Beside, beside
    from .player.notebook import Player
    from .player.still import Picture
    from .plots.curve import curve
    from .plots.flow import flow
    from .plots.memory import Memory, memory
    from .plots.surface import surface
    from .quizzes.exam import exam
    from .quizzes.prediction import predict
    from .quizzes.puzzle import Puzzle
    from .quizzes.quiz import quiz
    from .quizzes.score import Score
    from .record.journal import recording
    from .show import draw, step
    from .tangents import push
    from .trace.trace import Trace

# Modules have other names than their functions: importing viz.x must not replace the function x.
_LATER = {
    "Beside": "pairing.page",
    "Explanation": "diagnosis.views.explanation",
    "Memory": "plots.memory",
    "Picture": "player.still",
    "Player": "player.notebook",
    "Puzzle": "quizzes.puzzle",
    "Score": "quizzes.score",
    "Trace": "trace.trace",
    "beside": "pairing.page",
    "check": "diagnosis.views.check",
    "curve": "plots.curve",
    "draw": "show",
    "exam": "quizzes.exam",
    "explain": "diagnosis.views.explanation",
    "explore": "notebook.explore",
    "graph": "graphs.graph",
    "pending": "graphs.pending",
    "predict": "quizzes.prediction",
    "push": "tangents",
    "figures": "notebook.figures",
    "film": "films.film",
    "flow": "plots.flow",
    "jacobian": "jacobians.view",
    "memory": "plots.memory",
    "quiz": "quizzes.quiz",
    "recording": "record.journal",
    "step": "show",
    "surface": "plots.surface",
}

__all__ = [
    "Beside",
    "Explanation",
    "Memory",
    "Picture",
    "Player",
    "Puzzle",
    "Score",
    "Trace",
    "beside",
    "check",
    "curve",
    "draw",
    "exam",
    "explain",
    "explore",
    "figures",
    "film",
    "graph",
    "flow",
    "jacobian",
    "load_ipython_extension",
    "memory",
    "pending",
    "predict",
    "push",
    "quiz",
    "recording",
    "step",
    "surface",
    "unload_ipython_extension",
]


if not _typing.TYPE_CHECKING:  # which would take every name for known

    def __getattr__(name: str) -> _typing.Any:
        """Loads a public name from its module when it is first asked for."""
        if name not in _LATER:
            raise _importlib.import_module(".guesses", __name__).missing(name)
        globals()[name] = getattr(_importlib.import_module(f".{_LATER[name]}", __name__), name)
        return globals()[name]


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: _typing.Any) -> None:
    """Adds `%%tape` and `%tape` to a notebook: `%load_ext minitape.viz`."""
    from .notebook.magic import register

    register(shell)


def unload_ipython_extension(shell: _typing.Any) -> None:
    """Takes them away again: `%unload_ext minitape.viz`."""
    from .notebook.magic import unregister

    unregister(shell)
