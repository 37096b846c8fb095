"""What an error says, even one that cannot say it."""

from __future__ import annotations


def message_of(error: BaseException) -> str:
    """The message of any error; where its own `__str__` fails, a sentence that says so.

    Example:
        >>> message_of(ValueError("too large"))
        'too large'
    """
    try:
        return str(error)
    except Exception as failure:
        return f"(its message cannot be shown: `__str__` raises {type(failure).__name__})"
