"""Names that one guesses in `viz` and that are not there: the line to write instead.

A test runs every line, after a tape of `y = x * x`.
"""

import sys
from types import ModuleType
from typing import NoReturn

_SHOW = "viz.step(tape, y, x)"
_SAVE = "viz.step(tape, y, x).save('y.html')"
_DRAW = "viz.draw(tape, y, x)"

INSTEAD: dict[str, str] = {
    **dict.fromkeys(["show", "play", "player", "steps", "backward"], _SHOW),
    **dict.fromkeys(["save", "html", "to_html"], _SAVE),
    **dict.fromkeys(["plot", "picture", "svg", "export"], _DRAW),
    "compare": "viz.beside(viz.step(tape, y, x), viz.step(tape, y, x))",
}


# The same for a player.
OF_PLAYERS: dict[str, str] = {
    **dict.fromkeys(["show", "display", "play", "step"], "player"),
    **dict.fromkeys(
        ["html", "to_html", "save_html", "export", "open", "write"], "player.save('y.html')"
    ),
    **dict.fromkeys(["svg", "to_svg", "plot", "draw"], "viz.draw(tape, y, x).svg"),
    **dict.fromkeys(["png", "to_png", "savefig", "save_png"], "viz.draw(tape, y, x).save('y.png')"),
    **dict.fromkeys(["to_json", "json"], "player.trace.to_json()"),
    "steps": "player.trace.steps",
    "gradient": "player.gradients",
}


def missing_of_player(name: str) -> AttributeError:
    """The error for a name that a player has not."""
    line = OF_PLAYERS.get(name)
    hint = f". Write `{line}`" if line else ""
    where = " in the last line of a cell, or `player.save('y.html')`" if line == "player" else ""
    return AttributeError(
        f"'Player' object has no attribute {name!r}{hint}{where}{'.' * bool(line)}"
    )


def missing(name: str) -> AttributeError:
    """The error for a name that `viz` has not, with the line to write where one is known."""
    return AttributeError(f"module 'minitape.viz' has no attribute {name!r}{_hint(name)}")


def called(name: str) -> TypeError:
    """The error for a module of `viz` that is called as if it were a function."""
    return TypeError(f"viz.{name} is a module, not a function{_hint(name)}")


class _NotAFunction(ModuleType):
    def __call__(self, *_arguments: object, **_named: object) -> NoReturn:
        raise called(self.__name__.rpartition(".")[2])


def explain_calls(module: str) -> None:
    """Lets a module with a guessed name, which is there once it is loaded, say so when called."""
    sys.modules[module].__class__ = _NotAFunction


def _hint(name: str) -> str:
    line = INSTEAD.get(name)
    return f". Write `{line}`." if line else ""
