"""A PNG in a browser: Python draws it on a canvas of the page, or of a worker."""

from __future__ import annotations

import base64
import functools
import http.server
import io
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from minitape.viz.classroom.wheels import own_wheel
from minitape.viz.errors import MissingExtraError
from minitape.viz.export import canvas, png

PROGRAM = """
import base64, time
import minitape as tf
from minitape import viz

w = tf.Variable([[0.5, -1.0], [1.0, 0.75]], name="w")
x = tf.constant([[1.0, 0.5], [-0.5, 2.0]], name="x")
with viz.recording(), tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.tanh(x @ w))
player = viz.step(tape, loss, [w])
player.save("a.svg", step=3)
begun = time.perf_counter()
player.save("a.png", step=3, dpi=96)
print(time.perf_counter() - begun)
base64.b64encode(open("a.png", "rb").read()).decode()
"""
LOAD = """
const load = async (loadPyodide, program, wheel) => {
  const pyodide = await loadPyodide({indexURL: "/pyodide/"});
  await pyodide.loadPackage("numpy", {messageCallback: () => {}});
  const content = await (await fetch(wheel)).arrayBuffer();
  pyodide.unpackArchive(content, "wheel");
  return pyodide.runPython(program);
};
"""
WORKER = (
    LOAD
    + """
onmessage = async ({data}) => {
  try {
    const {loadPyodide} = await import("/pyodide/pyodide.mjs");
    postMessage(await load(loadPyodide, ...data));
  } catch (error) { postMessage(`error ${error}`); }
};
"""
)
IN_PAGE = """async ([program, wheel]) => {
  const {loadPyodide} = await import("/pyodide/pyodide.mjs");
  return await load(loadPyodide, program, wheel);
}"""
IN_WORKER = """([program, wheel]) => new Promise((done) => {
  const worker = new Worker("/worker.mjs", {type: "module"});
  worker.onmessage = ({data}) => done(data);
  worker.onerror = (error) => done(`error ${error.message}`);
  worker.postMessage([program, wheel]);
})"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of a page that has Pyodide beside it."""
    pyodide_folder = pytest.importorskip("pyodide_folder")
    runtime = pyodide_folder.folder()
    if runtime is None:
        pytest.skip("no folder with Pyodide: python tests/pyodide_folder.py makes one")
    folder = tmp_path_factory.mktemp("site")
    (folder / "pyodide").symlink_to(runtime)
    (folder / "minitape.whl").write_bytes(own_wheel([]).content)
    (folder / "worker.mjs").write_text(WORKER)
    (folder / "index.html").write_text(f"<!doctype html><script>{LOAD}</script>")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("where", [IN_PAGE, IN_WORKER], ids=["page", "worker"])
def test_a_step_is_saved_as_a_png_without_any_package(address, browser, where):
    image = pytest.importorskip("PIL.Image")
    page = browser.new_page()
    page.goto(f"{address}/index.html")
    made = page.evaluate(where, [PROGRAM, "/minitape.whl"])
    page.close()
    assert not made.startswith("error"), made
    with image.open(io.BytesIO(base64.b64decode(made))) as opened:
        assert opened.size == (1280, 720)
        pixels = opened.convert("RGB")
    shades = {pixels.getpixel((x, y)) for x in range(0, 1280, 2) for y in range(0, 720, 2)}
    assert {(255, 255, 255), (0, 114, 178)} <= shades  # paper, and the blue of values
    dark = [
        y for y in range(720) if any(sum(pixels.getpixel((x, y))) < 150 for x in range(90, 700, 3))
    ]
    assert min(dark) < 45  # the sentence at the top


def test_without_a_canvas_it_is_said_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "js", None)
    monkeypatch.setattr(png, "IN_A_BROWSER", True)
    with pytest.raises(MissingExtraError, match=r"needs a canvas .*; without .*; save an \.svg"):
        png.check()


def test_a_page_without_an_offscreen_canvas_lends_one_of_its_own(monkeypatch):
    made = type("Canvas", (), {})()
    document = type("Document", (), {"createElement": lambda self, name: made})()
    monkeypatch.setitem(sys.modules, "js", type("js", (), {"document": document}))
    assert canvas._canvas(30, 20) is made
    assert (made.width, made.height) == (30, 20)
