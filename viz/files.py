"""Writing a file so that a failure leaves the old one whole; imports nothing of the viewer."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file completely or not at all.

    The content goes to a temporary name in the same folder and is then renamed over the old file,
    which is one step for the operating system: no reader ever sees half a file.

    Args:
        path: Where to write; its folder must exist.
        content: Text (written as UTF-8, with line ends as they are) or bytes.

    Returns:
        The path written.

    Raises:
        FileNotFoundError: The folder does not exist; nothing is written.
        IsADirectoryError: The path is a folder.

    Example:
        >>> import tempfile, os
        >>> write_whole(os.path.join(tempfile.mkdtemp(), "a.txt"), "hello").read_text()
        'hello'
    """
    target = Path(path)
    check_place(target)
    data = content.encode("utf-8") if isinstance(content, str) else content
    name = target.with_name(f".{target.name[:40]}.{os.urandom(8).hex()}.part")
    handle = os.open(name, _NEW, 0o666)  # less what the user's mask takes away
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(name, target.stat().st_mode & 0o7777)  # keep the old file's permissions
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return target


def check_place(target: Path) -> None:
    """Raise if a file cannot be written there because of its folder or its name."""
    if not target.parent.is_dir():
        message = f"cannot write {str(target)!r}: the folder {str(target.parent)!r} does not exist"
        raise FileNotFoundError(f"{message}; create it first, or choose another path")
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {str(target)!r}: it is a folder; add a file name")
