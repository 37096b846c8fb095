"""What the engine says without raising: lines of the logger named "minitape".

`logging` is loaded when there is something to say, because loading it costs a quarter of what
minitape adds to NumPy's import.
"""

from __future__ import annotations


def warn(text: str, *values: object) -> None:
    """A line for the user, who probably did something else than was meant."""
    import logging

    logging.getLogger("minitape").warning(text, *values)


def mention(text: str, *values: object) -> None:
    """A line that is shown to who asks for everything."""
    import logging

    logging.getLogger("minitape").debug(text, *values)
