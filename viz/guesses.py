"""Names that one guesses in `viz` and that are not there: the line to write instead.

The one fact to know: a test runs every line, after a tape of `y = x * x`.
"""

_SHOW = "viz.step(tape, y, x)"
_SAVE = "viz.step(tape, y, x).save('y.html')"
_DRAW = "viz.draw(tape, y, x)"

INSTEAD: dict[str, str] = {
    **dict.fromkeys(["show", "play", "player", "steps", "backward"], _SHOW),
    **dict.fromkeys(["save", "html", "to_html"], _SAVE),
    **dict.fromkeys(["plot", "picture", "svg", "export"], _DRAW),
    "compare": "viz.beside(viz.step(tape, y, x), viz.step(tape, y, x))",
}


def missing(name: str) -> AttributeError:
    """The error for a name that `viz` has not, with the line to write where one is known."""
    return AttributeError(f"module 'minitape.viz' has no attribute {name!r}{_hint(name)}")


def called(name: str) -> TypeError:
    """The error for a module of `viz` that is called as if it were a function."""
    return TypeError(f"viz.{name} is a module, not a function{_hint(name)}")


def _hint(name: str) -> str:
    line = INSTEAD.get(name)
    return f". Write `{line}`." if line else ""
