"""Drives Debian's Firefox over WebDriver BiDi, which it speaks itself: no driver program is needed.

Its proxy leads nowhere, so nothing but this machine can be reached.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PROGRAMS = ("firefox-esr", "firefox")
SETTINGS = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1, localhost",
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "remote.active-protocols": 1,
}


KEYS = {
    "Enter": "\ue007", "Shift": "\ue008", "Escape": "\ue00c", " ": " ", "PageUp": "\ue00e",
    "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
}  # fmt: skip


def missing() -> str | None:
    """Why Firefox cannot be driven here, or None when it can."""
    if not any(map(shutil.which, PROGRAMS)):
        return f"no test in Firefox: none of {', '.join(PROGRAMS)} is on the PATH"
    if find_spec("websocket") is None:
        return "no test in Firefox: the Python package websocket-client is missing (extra dev)"
    return None


class Firefox:
    """A browser with one page."""

    def __init__(self, port: int) -> None:
        import websocket

        self._socket = websocket.create_connection(
            f"ws://127.0.0.1:{port}/session", timeout=120, suppress_origin=True
        )
        self._numbers = itertools.count(1)
        self("session.new", capabilities={})
        (self.page,) = self.contexts()

    def __call__(self, method: str, **params: Any) -> Any:
        """Gives a command; returns its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    def contexts(self, root: str | None = None) -> list[str]:
        """The pages, or the frames of one."""
        params = {} if root is None else {"root": root}
        tree = self("browsingContext.getTree", **params)["contexts"]
        found = tree if root is None else (tree[0]["children"] or [])
        return [each["context"] for each in found]

    def open(self, address: str) -> None:
        self("browsingContext.navigate", context=self.page, url=address, wait="complete")

    def evaluate(self, expression: str, context: str | None = None) -> Any:
        """The value of an expression of JavaScript, if it is a text, a number or a boolean."""
        got = self(
            "script.evaluate",
            expression=expression,
            target={"context": context or self.page},
            awaitPromise=True,
        )
        if got["type"] == "exception":
            raise RuntimeError(got["exceptionDetails"]["text"])
        return got["result"].get("value")

    def press(self, *keys: str) -> None:
        """Real keys, one after the other; `Shift+ArrowLeft` are two that are held together."""
        for key in keys:
            names = key.split("+") if len(key) > 1 else [key]
            values = [KEYS.get(name, name) for name in names]
            downs = [{"type": "keyDown", "value": value} for value in values]
            ups = [{"type": "keyUp", "value": value} for value in reversed(values)]
            source = {"type": "key", "id": "keyboard", "actions": [*downs, *ups]}
            self("input.performActions", context=self.page, actions=[source])

    def wait(self, expression: str, seconds: float, context: str | None = None) -> None:
        """Returns when an expression is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(expression, context):
            if time.monotonic() > end:
                shown = self.evaluate("document.body.innerText.slice(0, 2000)", context)
                raise AssertionError(f"not within {seconds:.0f} s: {expression}; the page: {shown}")
            time.sleep(0.1)


@contextlib.contextmanager
def firefox(port: int) -> Iterator[Firefox]:
    """A headless Firefox with a profile of its own, ended at the end."""
    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in SETTINGS.items()]
        (Path(profile) / "user.js").write_text("\n".join(lines))
        command = [program, "--headless", "--no-remote", "--profile", profile,
                   f"--remote-debugging-port={port}", "about:blank"]  # fmt: skip
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            yield _connected(port, process)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _connected(port: int, process: subprocess.Popen[bytes]) -> Firefox:
    end = time.monotonic() + 90
    while True:
        try:
            return Firefox(port)
        except (OSError, ValueError):
            if process.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.3)
