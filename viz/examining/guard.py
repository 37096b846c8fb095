"""What a script that is looked at may not do: write files, start programs, ask, use the network.

The one fact to know: Python itself tells of these acts before they happen (audit events), and an
error raised there stops them. Reading is allowed, and writing in one scratch folder.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

WRITES = {
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "os.chown", "os.utime", "shutil.rmtree", "shutil.move", "shutil.copyfile",
    "os.setxattr", "os.removexattr", "os.lockf", "sqlite3.connect", "shutil.make_archive",
}  # fmt: skip
PROGRAMS = {
    "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.startfile",
    "subprocess.Popen", "pty.spawn", "os.kill", "os.killpg", "signal.pthread_kill",
}  # fmt: skip
NETWORK = {"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "urllib.Request"}
UNHEARD = [  # of which Python tells nobody: replaced by a refusal
    ("os", "mkfifo", "changes files (os.mkfifo)"),
    ("os", "mknod", "changes files (os.mknod)"),
    ("_posixshmem", "shm_open", "makes shared memory"),
    ("_posixsubprocess", "fork_exec", "starts or ends other processes (multiprocessing)"),
]
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class RefusedError(PermissionError):
    """A script did something that it may not do while it is looked at."""


class Guard:
    """Refuses, from `start` on and for the rest of the process.

    Attributes:
        refused: what was refused last, with the line of the script; "" for nothing.
    """

    def __init__(self, file: str, scratch: Path) -> None:
        self.file = file
        self.scratch = os.path.realpath(scratch) + os.sep
        self.refused = ""
        self.line = 0
        self.is_open = False
        self._open: Any = builtins.open

    def start(self) -> None:
        """Begins to refuse."""
        self.is_open = True
        builtins.input = self._asks
        builtins.open = self._open_elsewhere
        for name, function, what in UNHEARD:
            with contextlib.suppress(ImportError):  # not on every system
                setattr(importlib.import_module(name), function, self._refusal(what))
        sys.addaudithook(self._hear)

    def stop(self) -> None:
        """Lets the process write its own result."""
        self.is_open = False

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_open:
            return
        if event == "open":
            self._opens(*arguments[:3])
        elif event in WRITES and not all(map(self._is_scratch, _paths(arguments))):
            self._refuse(f"changes files ({event})")
        elif event in PROGRAMS:
            self._refuse(f"starts or ends other processes ({event})")
        elif event == "ctypes.dlopen" and _is_own_call(self.file, ctypes.__file__):
            self._refuse("calls a C library (ctypes)")
        elif event in NETWORK:
            self._refuse("uses the network")

    def _opens(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        writes = set("wax+") & set(mode) if isinstance(mode, str) else (flags or 0) & WRITE_FLAGS
        if writes and not self._is_scratch(path):
            self._refuse(f"writes the file {os.fsdecode(path)!r}")

    def _open_elsewhere(self, file: Any, mode: str = "r", *others: Any, **options: Any) -> Any:
        """`open`, which puts what `savefig` writes into the scratch folder."""
        if self.is_open and "w" in mode and not isinstance(file, int) and _is_picture():
            file = self.scratch + os.path.basename(os.fsdecode(file))
        return self._open(file, mode, *others, **options)

    def _is_scratch(self, path: Any) -> bool:
        if isinstance(path, int):
            return False
        whole = os.path.realpath(os.fsdecode(path)) + os.sep
        return whole.startswith((self.scratch, os.path.realpath(os.devnull)))

    def _refusal(self, what: str) -> Callable[..., NoReturn]:
        return lambda *_, **__: self._refuse(what)

    def _asks(self, *_: Any) -> NoReturn:
        self._refuse("asks for input")

    def _refuse(self, what: str) -> NoReturn:
        self.refused, self.line = what, _line(self.file)
        raise RefusedError(f"while it is explained a script may not do this: it {what}")


def _paths(arguments: tuple[Any, ...]) -> list[Any]:
    return [each for each in arguments if isinstance(each, str | bytes | os.PathLike)] or [0]


def _is_picture() -> bool:
    """Whether matplotlib's `savefig` is running."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if frame.f_code.co_name == "savefig" and module.startswith("matplotlib."):
            return True
        frame = frame.f_back
    return False


def _is_own_call(file: str, library: str) -> bool:
    """Whether a script itself, and no module that it imports, called a library."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == library:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename == file


def _line(file: str) -> int:
    """The innermost line of the script that is running."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return 0 if frame is None else int(frame.f_lineno)
