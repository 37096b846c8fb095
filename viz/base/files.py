"""Writing a file so that a failure leaves the old one whole, and nothing else is replaced by it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe (FIFO)",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file completely or not at all.

    The content goes to a temporary name in the same folder and is then renamed over the old file,
    which is one step for the operating system: no reader ever sees half a file. A symbolic link
    stays one, and its target is written; another name of the same file (a hard link) keeps the old
    content.

    Args:
        path: Where to write; its folder must exist.
        content: Text (written as UTF-8, with line ends as they are) or bytes.

    Returns:
        The path written.

    Raises:
        FileNotFoundError: The folder does not exist; nothing is written.
        IsADirectoryError: The path is a folder.
        PermissionError: The file there is write-protected, or the folder cannot be written to.
        OSError: What is there is no regular file (a device, a pipe), the name is too long, or the
            disk is full.
        TypeError: `path` is no path.
        ValueError: `path` has a character that no file name can have.

    Example:
        >>> import tempfile, os
        >>> write_whole(os.path.join(tempfile.mkdtemp(), "a.txt"), "hello").read_text()
        'hello'
    """
    target = check_place(path)
    data = encodable(content).encode("utf-8") if isinstance(content, str) else content
    try:
        _replace(target, data)
    except OSError as error:
        raise _cannot(path, f"{error.strerror or error}; nothing was changed", error) from error
    return Path(path)


def _replace(target: Path, data: bytes) -> None:
    part = target.with_name(f".{target.name[:40]}.{os.urandom(8).hex()}.part")
    try:
        handle = os.open(part, _NEW, 0o666)  # less what the user's mask takes away
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(part, target.stat().st_mode & 0o7777)  # keep the old file's permissions
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def encodable(text: str) -> str:
    """The text with a replacement character for each half of a surrogate pair, as browsers do.

    Python has such halves (file names that are not UTF-8, for instance); no file can hold them.
    """
    if text.isascii() or _is_encodable(text):
        return text
    return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_place(path: str | os.PathLike[str], inputs: tuple[Path, ...] = ()) -> Path:
    """Raise if a file cannot be written there; found out before the work and not after it.

    Args:
        path: Where to write.
        inputs: Files that the result is made from, which it must not replace.

    Returns:
        The file that will be written: where symbolic links lead.
    """
    try:
        target = Path(os.path.realpath(os.path.abspath(path)))
        found = _mode(path, target)
    except TypeError as error:
        hint = "write its name as a string, such as 'lesson.html'"
        raise TypeError(f"cannot write to {path!r:.80}: it is no path; {hint}") from error
    except ValueError as error:  # a NUL, half a surrogate pair
        hint = "choose another name"
        raise ValueError(f"cannot write {_shown(path)}: {error}; {hint}") from error
    except OSError as error:
        raise _cannot(path, f"{error.strerror}; choose another path", error) from error
    _check_folder(path, target)
    if found is not None:
        _check_old(path, target, found)
    for each in inputs:
        if found is not None and each.exists() and os.path.samefile(each, target):
            raise FileExistsError(
                f"cannot write {_shown(path)}: it is the file that the result is made from; "
                "choose another name"
            )
    return target


def check_ending(path: str | os.PathLike[str], formats: Iterable[str], advice: str = "") -> str:
    """The ending of a file's name, which chooses its format; raises where there is none such.

    Args:
        path: The file that is to be written.
        formats: The endings that can be written, with their dots.
        advice: A sentence for who asks for another one.
    """
    try:
        ending = Path(path).suffix.lower()
    except TypeError:
        check_place(path)  # which says why it is no path
        raise
    if ending not in formats:
        said = f"cannot save {_shown(path)}: no format has the ending {ending!r:.40}"
        raise ValueError(f"{said}; choose one of {', '.join(formats)}. {advice}".rstrip(". ") + ".")
    return ending


def make_folder(path: Path) -> None:
    """Make a folder, and those around it, where it is not there yet.

    Raises:
        NotADirectoryError: There is a file of that name.
        OSError: It cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        said = f"cannot make the folder {_shown(path)}: a file is in its place"
        raise NotADirectoryError(f"{said}; choose another folder") from error
    except OSError as error:
        raise OSError(f"cannot make the folder {_shown(path)}: {error.strerror}") from error


def _mode(path: str | os.PathLike[str], target: Path) -> int | None:
    """The mode of what is there, None where there is nothing yet."""
    try:
        return os.lstat(target).st_mode  # a link that is left over leads in a circle
    except (FileNotFoundError, NotADirectoryError):
        pass
    try:
        return os.stat(path).st_mode  # /dev/stdout leads to a pipe, which has no name
    except OSError:
        return None


def _check_folder(path: object, target: Path) -> None:
    if not target.parent.is_dir():
        said = f"cannot write {_shown(path)}: the folder {str(target.parent)!r} does not exist"
        raise FileNotFoundError(f"{said}; create it first, or choose another path")


def _check_old(path: object, target: Path, mode: int) -> None:
    """Raise unless what is there is a file that may be replaced."""
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(f"cannot write {_shown(path)}: it is a folder; add a file name")
    if kind == stat.S_IFLNK:
        said = "the symbolic links lead in a circle"
        raise OSError(f"cannot write {_shown(path)}: {said}; choose another name")
    if kind != stat.S_IFREG:
        said = f"it is {_KINDS.get(kind, 'something else')} and no regular file"
        raise OSError(f"cannot write {_shown(path)}: {said}; choose another name")
    if not os.access(target, os.W_OK):
        said = "it is write-protected; choose another name, or allow writing"
        raise PermissionError(f"cannot write {_shown(path)}: {said}")


def _shown(path: object) -> str:
    """A path in a message: quoted, and not longer than a line."""
    text = repr(os.fspath(path) if isinstance(path, os.PathLike) else path)
    return text if len(text) <= 200 else f"{text[:100]}...{text[-60:]}"


def _cannot(path: object, why: str, error: OSError) -> OSError:
    """The same kind of error, in words, with the same number."""
    explained = type(error)(f"cannot write {_shown(path)}: {why}")
    explained.errno = error.errno
    return explained
