"""Makes the locks of modules and objects, which neither an interrupt nor a fork leaves locked."""

from __future__ import annotations

import os
import sys
import weakref
from _thread import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info < (3, 14):
    Lock = RLock
else:

    class Lock(type(RLock())):
        """A reentrant lock that an interrupt of its `with` statement does not leave locked.

        Since Python 3.14 an interrupt can come between the call that locks and the first line of
        the block. The call is made here, where that can be noticed.
        """

        def __enter__(self) -> bool:
            count = self._recursion_count()
            try:
                return super().__enter__()
            except BaseException:
                if self._recursion_count() > count:
                    self.release()
                raise


# Without callbacks, which a WeakSet has: an interrupt that comes in one of them is lost.
_of_objects: list[weakref.ref[Any]] = []
_room = [64]  # how many of them there may be before those of objects that are gone are dropped


def module_lock() -> Lock:
    """A reentrant lock of a module; a process forks only while no other thread holds it.

    A child has one thread. A lock that another one held would stay locked in it for ever, and one
    that is only made anew would leave what it guards half done. Locks are taken before a fork in
    the reverse order of their making: who holds a later one may wait for an earlier one.
    """
    lock = Lock()
    if hasattr(os, "register_at_fork"):

        def release() -> None:
            # Another thread may have made the lock between the two calls, by an import.
            if lock._is_owned():  # type: ignore[attr-defined]
                lock.release()

        os.register_at_fork(before=lock.acquire, after_in_parent=release, after_in_child=release)
    return lock


_counting = module_lock()


def object_lock() -> Lock:
    """A reentrant lock of one object; a child process finds it open."""
    lock = Lock()
    with _counting:
        _of_objects.append(weakref.ref(lock))
        if len(_of_objects) > _room[0]:
            _of_objects[:] = [ref for ref in _of_objects if ref() is not None]
            _room[0] = 2 * len(_of_objects) + 64
    return lock


def _open_all() -> None:
    for ref in _of_objects:
        lock = ref()
        if lock is not None:
            lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
