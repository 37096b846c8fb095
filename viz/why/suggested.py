"""A cause's correction as changed rows, for pictures of a None where nothing is run again.

The one fact to know: only code counts. Advice in words, and lines with a gap to be filled in, stay
in the sentences of `viz.explain`.
"""

from __future__ import annotations

from dataclasses import replace

from .cause import Cause
from .corrections import bare, names_made


def suggested(cause: Cause) -> str:
    """Give "- " and "+ " rows: what one line has to be, or what has to be added; "" if unknown.

    Example:
        >>> from minitape.viz.trace.trace import Line
        >>> line = Line("a.py", 3, "    y = np.square(x)")
        >>> print(suggested(Cause("numpy", "", line, "y = tf.square(x)", "left: numpy")))
        -     y = np.square(x)
        +     y = tf.square(x)
    """
    line, mend = cause.line, cause.mend
    if line is None or not cause.is_certain or not _is_code(cause):
        return ""
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    added = [f"+ {indent}{row}" for row in mend.split("\n")]
    made = names_made(line)
    replaces = len(added) == 1 and made and made == names_made(replace(line, text=mend))
    return "\n".join([f"- {line.text}", *added] if replaces else added)


def _is_code(cause: Cause) -> bool:
    """Whether a correction is more than words, or than the line with words behind it."""
    code = cause.mend.partition("  #")[0]
    return (
        bool(code) and not code.startswith("#") and "..." not in code and code != bare(cause.line)
    )
