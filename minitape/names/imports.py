"""Words for an import of what TensorFlow has and minitape has not.

The one fact to know: Python asks this finder last, so it never sees a module that there is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

from minitape.names.absent import missing, words


class AbsentModules:
    """The finder that answers `import minitape.keras.applications` with why and what to do."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        """Raise ModuleNotFoundError with words where the table of absent names has some."""
        package, _, wanted = fullname.removeprefix("minitape.").rpartition(".")
        if not fullname.startswith("minitape.") or not words(f"{package}.{wanted}".lstrip(".")):
            return
        # Without a name: `from package import name` drops an error that bears the module's name.
        raise ModuleNotFoundError(str(missing(f"minitape.{package}".rstrip("."), wanted)))


def install() -> None:
    """Ask this finder after all others."""
    if AbsentModules not in sys.meta_path:
        sys.meta_path.append(AbsentModules)
