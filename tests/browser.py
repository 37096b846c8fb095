"""Drives a real browser and a real Jupyter server, for the tests marked ``browser``.

The browser is the machine's own Chromium under playwright. It resolves no host but this machine, so
a page that needs the network shows it: every attempt is written down in `Visit.outside`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import nbformat

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
# Notebook 7 reads its shortcuts before they are loaded, on every start.
NOT_OURS = {"Cannot read properties of undefined (reading 'schema')"}
LOCAL_SCHEMES = {"file", "data", "about", "blob"}
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}


def expect(target: Any) -> Any:
    """The `expect` of playwright, which need not be there when modules of tests are read."""
    from playwright.sync_api import expect

    # Long enough for any machine: a condition that never comes is found all the same.
    expect.set_options(timeout=20_000)
    return expect(target)


def program() -> str | None:
    """The path of a Chromium on this machine."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def missing() -> str | None:
    """Why no browser can be driven here, or None when one can."""
    if importlib.util.find_spec("playwright") is None:
        return "no browser test: the Python package playwright is missing (extra dev)"
    if program() is None:
        return f"no browser test: none of {', '.join(PROGRAMS)} is on the PATH"
    return None


def missing_jupyter() -> str | None:
    """Why no Jupyter server can be started here, or None when one can."""
    if all(map(importlib.util.find_spec, ("jupyterlab", "notebook"))):
        return None
    return "no test in Jupyter: JupyterLab and Notebook are missing (extra notebook)"


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser, closed at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@dataclasses.dataclass
class Visit:
    """A page and what went wrong in it: errors on its console, requests that left this machine."""

    page: Page
    errors: list[str] = dataclasses.field(default_factory=list)
    outside: list[str] = dataclasses.field(default_factory=list)

    def note_error(self, text: str) -> None:
        # JupyterLite's kernel, where it is installed, offers itself to JupyterLab, too.
        if text not in NOT_OURS and "@jupyterlite/pyodide-kernel" not in text:
            self.errors.append(text)

    def note_request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in LOCAL_SCHEMES and parts.hostname not in LOCAL_HOSTS:
            self.outside.append(url)

    def screenshot(self, name: str) -> None:
        """Keeps a picture of the whole page in the folder MINITAPE_SHOTS, where that is set."""
        if folder := os.environ.get("MINITAPE_SHOTS"):
            self.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@contextlib.contextmanager
def visit(browser: Browser, size: ViewportSize | None = None) -> Iterator[Visit]:
    """A new page that shares nothing with other pages, and the record of what happens in it."""
    # What moves are copies for a moment: a test that looks at them asks for motion.
    shown = size or {"width": 1280, "height": 800}
    context = browser.new_context(viewport=shown, reduced_motion="reduce")
    seen = Visit(context.new_page())
    context.on("console", lambda m: seen.note_error(m.text) if m.type == "error" else None)
    context.on("weberror", lambda e: seen.note_error(e.error.message))
    context.on("request", lambda request: seen.note_request(request.url))
    seen.page.on("websocket", lambda socket: seen.note_request(socket.url))
    try:
        yield seen
    finally:
        context.close()


def write_notebook(file: Path, *sources: str) -> None:
    """A notebook of code cells; it names its kernel, or Jupyter would ask for one."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), file)


@dataclasses.dataclass
class Jupyter:
    """A running server; `app` is "lab" or "notebook"."""

    app: str
    url: str
    kernels: bool

    def open(self, page: Page, name: str) -> None:
        """Opens a notebook of the server's folder; returns when all its cells are on the page."""
        folder = "lab/tree" if self.app == "lab" else "notebooks"
        page.goto(f"{self.url}/{folder}/{name}")
        page.wait_for_function(ALL_CELLS_SHOWN, timeout=60_000)
        if not self.kernels:
            page.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()

    def run_all(self, page: Page) -> None:
        """Runs every cell in a live kernel, to the end; fails with the error of a cell."""
        # A kernel that is still starting makes the command return at once, with nothing run.
        page.wait_for_function(KERNEL_IS_IDLE, timeout=60_000)
        succeeded = page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        assert succeeded, page.locator("[data-mime-type$=stderr]").last.inner_text()


# Both applications keep the open notebook as the shell's current widget.
ALL_CELLS_SHOWN = """
() => window.jupyterapp?.shell.currentWidget?.content.widgets?.length
        && jupyterapp.commands.hasCommand("notebook:run-all-cells")
        && jupyterapp.shell.currentWidget.content.widgets.every(cell => !cell.isPlaceholder())
"""
KERNEL_IS_IDLE = """
() => jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === "idle"
"""


@contextlib.contextmanager
def jupyter(folder: Path, app: str = "lab", *, kernels: bool = True) -> Iterator[Jupyter]:
    """A Jupyter server for the notebooks in `folder`, started and stopped.

    Its settings are its own: nothing of the user's is read or written, and no notebook is trusted.
    With `kernels=False` none can be started: a notebook opens as its file says.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as name:
        state = Path(name)
        write_settings(state)
        log = state / "log.txt"
        with running(command(app, folder, port, kernels), environment(state), log) as server:
            wait_for(server, url, log)
            yield Jupyter(app, url, kernels)


@contextlib.contextmanager
def running(
    command: list[str], env: dict[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that writes to `log`; asked to end at the end, and made to after 3 seconds."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def command(app: str, folder: Path, port: int, kernels: bool) -> list[str]:
    """The server's command line."""
    options = [
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.open_browser=False",
        "--ServerApp.allow_root=True",
        "--IdentityProvider.token=",
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        "--LabApp.expose_app_in_browser=True",
        "--JupyterNotebookApp.expose_app_in_browser=True",
    ]
    if not kernels:
        options.append("--KernelSpecManager.allowed_kernelspecs=none")
        options.append("--KernelSpecManager.ensure_native_kernel=False")
    return [sys.executable, "-m", "jupyter", app, *options]


def environment(state: Path) -> dict[str, str]:
    """This process's environment with every folder that Jupyter writes to under `state`."""
    names = ["JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"]
    return os.environ | {name: str(state / name.lower()) for name in names}


def write_settings(state: Path) -> None:
    """Makes both applications render every cell (by default only those in view) and ask nothing."""
    settings = {
        "notebook-extension/tracker": {"windowingMode": "none"},
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    }
    for name, values in settings.items():
        file = (
            state / f"jupyter_config_dir/lab/user-settings/@jupyterlab/{name}.jupyterlab-settings"
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(
    server: subprocess.Popen[bytes], url: str, log: Path, seconds: float = 60, path: str = "api"
) -> None:
    """Returns when the server answers; a server that ended or hangs raises with its log."""
    end = time.monotonic() + seconds
    while server.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/{path}", timeout=5):
            return
        time.sleep(0.1)
    raise RuntimeError(f"no server started at {url}:\n{log.read_text(errors='replace')}")
