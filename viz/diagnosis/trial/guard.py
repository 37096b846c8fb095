"""What a script that is looked at may not do: write files, start programs, ask, use the network.

Python itself tells of these acts before they happen (audit events), and an error raised there stops
them. Reading is allowed, and writing in one scratch folder. This is a net against accidents, not a
sandbox.
"""

from __future__ import annotations

import _thread
import builtins
import contextlib
import ctypes
import importlib
import os
import sys
from collections.abc import Callable, Iterator
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
NETWORK = {
    "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
    "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo", "urllib.Request",
}  # fmt: skip
TWO_FOLDERS = {"os.rename", "os.link"}  # their last two arguments are open folders
ONE_FOLDER = {
    "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.chmod", "os.chown", "os.utime",
}  # fmt: skip
MAY_NOT = "while it is explained a script may not do this"
UNHEARD = [  # of which Python tells nobody: replaced by a refusal
    ("os", "mkfifo", "changes files (os.mkfifo)"),
    ("os", "mknod", "changes files (os.mknod)"),
    ("_posixshmem", "shm_open", "makes shared memory"),
    ("signal", "pidfd_send_signal", "starts or ends other processes (signal.pidfd_send_signal)"),
    ("socket", "socket.listen", "uses the network"),
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
        self.writers: set[int] = set()  # threads that write the process's own result
        self._open: Any = builtins.open

    def start(self) -> None:
        """Begins to refuse."""
        self.is_open = True
        builtins.input = self._asks
        builtins.open = self._open_elsewhere
        for name, function, what in UNHEARD:
            with contextlib.suppress(ImportError):  # not on every system
                *owner, last = function.split(".")
                place = importlib.import_module(name)
                for each in owner:
                    place = getattr(place, each)
                if hasattr(place, last):
                    setattr(place, last, self._refusal(what))
        sys.addaudithook(self._hear)

    def stop(self) -> None:
        """Lets the process write its own result."""
        self.is_open = False

    @contextlib.contextmanager
    def passing(self) -> Iterator[None]:
        """Lets this thread, and no other, write the process's own result."""
        me = _thread.get_ident()
        self.writers.add(me)
        try:
            yield
        finally:
            self.writers.discard(me)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_open or _thread.get_ident() in self.writers:
            return
        if event == "open":
            self._opens(*arguments[:3])
        elif event == "sqlite3.connect" and _is_in_memory(arguments[0]):
            return
        elif event in WRITES and not all(map(self._is_scratch, _paths(event, arguments))):
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
        may_be_elsewhere = mode is None and not os.path.isabs(path)  # `dir_fd` is not told
        if writes and (may_be_elsewhere or not self._is_scratch(path)):
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
        line = _line(self.file)
        if line or not self.line:
            self.refused, self.line = what, line
        raise RefusedError(f"{MAY_NOT}: it {what}")


def _paths(event: str, arguments: tuple[Any, ...]) -> list[Any]:
    """The paths that an act changes, each within the open folder that it is meant in."""
    paths = [each for each in arguments if isinstance(each, str | bytes | os.PathLike)]
    count = 2 if event in TWO_FOLDERS else int(event in ONE_FOLDER)
    folders = [each if isinstance(each, int) else -1 for each in arguments[-count:] if count]
    for number, folder in enumerate(folders[: len(paths)] if count == 2 else folders):
        place = number if count == 2 else -1
        if folder != -1 and paths:
            paths[place] = os.path.join(f"/proc/self/fd/{folder}", os.fsdecode(paths[place]))
    return paths or [0]


def _is_in_memory(database: Any) -> bool:
    """Whether a name is that of a database in memory, or of one that SQLite itself removes: ""."""
    name = os.fsdecode(database)
    is_uri = name.startswith("file:") and "mode=memory" in name.partition("?")[2].split("&")
    return is_uri or name in ("", ":memory:") or name.partition("?")[0] == "file::memory:"


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
    """The innermost line of the script that is running, 0 for what a library does when imported."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != file:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return 0
        frame = frame.f_back
    return 0 if frame is None else int(frame.f_lineno)
