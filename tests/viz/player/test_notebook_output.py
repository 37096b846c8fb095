"""What a notebook keeps of a player, with scripts and without."""

from __future__ import annotations

import base64
import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from minitape.viz.player.notebook import Player
from minitape.viz.player.page import fragment
from viz_traces import EXAMPLES, Recorder, broadcasting, diamond, unconnected

if TYPE_CHECKING:
    from playwright.sync_api import Page


class Sanitizer(HTMLParser):
    """Does what an untrusted notebook does: no scripts, styles, drawings or templates."""

    DROPPED = ("script", "style", "svg", "template", "iframe")
    KEPT = ("src", "alt", "style", "colspan", "class")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.out: list[str] = []
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.DROPPED:
            self.inside.append(tag)
        if not self.inside:
            kept = "".join(
                f' {name}="{html.escape(value or "")}"'
                for name, value in attrs
                if name in self.KEPT
            )
            self.out.append(f"<{tag}{kept}>")

    def handle_endtag(self, tag: str) -> None:
        if not self.inside:
            self.out.append(f"</{tag}>")
        elif self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.out.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")


def sanitized(text: str) -> str:
    parser = Sanitizer()
    parser.feed(text)
    parser.close()
    return "".join(parser.out)


def test_the_bundle_is_html_and_one_line_of_text() -> None:
    bundle = Player(broadcasting())._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert "gradient for b: [2.0, 5.5]" in bundle["text/plain"]


@pytest.mark.parametrize(("count", "end"), [(4, ""), (5, "; and 1 more"), (6, "; and 2 more")])
def test_the_line_of_text_says_how_many_gradients_it_leaves_out(count: int, end: str) -> None:
    recorder = Recorder("a sum")
    sources = [recorder.source(name, np.float64(1.0)) for name in "abcdef"[:count]]
    total = sources[0]
    for source in sources[1:]:
        total = recorder.op("add", total, source)
    assert repr(Player(recorder.backward([total], sources))).endswith(
        f"; gradient for d: 1.0{end}>"
    )


def test_showing_a_player_twice_gives_the_same_bytes() -> None:
    assert Player(diamond())._repr_mimebundle_() == Player(diamond())._repr_mimebundle_()


def test_gradients_are_found_by_name_and_none_where_unconnected() -> None:
    gradients = Player(unconnected()).gradients
    assert gradients["lost"] is None
    assert gradients["x"] is not None


@pytest.mark.parametrize("name", ["diamond", "hostile", "network"])
def test_without_scripts_a_sentence_picture_and_table_are_left(name: str) -> None:
    left = sanitized(fragment(EXAMPLES[name]()))
    tags = set(re.findall(r"<(\w+)", left))
    assert tags == {
        "p", "div", "img", "details", "summary", "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    outside_table = re.sub(r"<details>.*</details>", "", left, flags=re.DOTALL)
    assert "still picture" in re.sub(r"<[^>]*>", "", outside_table)


def test_an_untrusted_notebook_shows_picture_and_sentences(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "untrusted.html"
    file.write_text(f"<!doctype html><title>t</title>{sanitized(fragment(diamond()))}", "utf-8")
    page.goto(file.as_uri())
    assert page.locator("img").evaluate("image => image.naturalWidth") > 100
    page.locator("summary").click()
    for step in diamond().steps:
        assert page.get_by_role("cell", name=step.sentence, exact=True).first.is_visible()


def test_the_picture_of_the_fallback_is_an_svg_with_a_description() -> None:
    text = fragment(diamond())
    encoded = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', text)[1]
    assert base64.b64decode(encoded).lstrip().startswith((b"<svg", b"<?xml"))
    assert 'alt="Graph of A diamond: 4 nodes' in text


def test_saving_writes_the_page_and_gives_the_path(tmp_path: Path) -> None:
    path = Player(diamond()).save(tmp_path / "lesson.html")
    assert path.read_text("utf-8").startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir()] == ["lesson.html"]


def test_saving_into_a_missing_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="does not exist; create it first"):
        Player(diamond()).save(tmp_path / "missing" / "lesson.html")
    assert list(tmp_path.iterdir()) == []


def test_a_widget_carries_the_html_too() -> None:
    pytest.importorskip("anywidget")
    widget = Player(diamond()).widget()
    bundle = widget._repr_mimebundle_()
    parts = bundle[0] if isinstance(bundle, tuple) else bundle
    assert parts["text/html"] == fragment(diamond())
    assert "application/vnd.jupyter.widget-view+json" in parts


def test_the_step_of_a_widget_stays_in_range_and_is_observed() -> None:
    pytest.importorskip("anywidget")
    widget = Player(diamond()).widget()
    seen: list[int] = []
    widget.observe(lambda change: seen.append(change["new"]), "step")
    widget.step = 3
    widget.step = 10_000
    assert seen == [3, len(diamond().steps) - 1]


def test_a_widget_saves_the_step_that_its_page_asks_for_under_a_new_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("anywidget")
    from minitape.viz.player.widget import StepWidget

    monkeypatch.chdir(tmp_path)
    widget = StepWidget(diamond())
    told: list[Any] = []
    widget.send = told.append
    for step in (2, 2, 99):
        widget._handle_custom_msg({"save": {"step": step, "at": []}}, [])
    assert [each["saved"][0] for each in told] == [
        "Saved step-2.svg",
        "Saved step-2-2.svg",
        "Not saved",
    ]
    assert "there is no step 99" in told[2]["saved"][1]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["step-2-2.svg", "step-2.svg"]
    assert "<svg" in (tmp_path / "step-2.svg").read_text("utf-8")
    widget._handle_custom_msg({"other": 1}, [])
    assert len(told) == 3


def test_without_anywidget_the_message_names_the_extra() -> None:
    code = "import sys; sys.modules['anywidget'] = None; import minitape.viz.player.widget"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'minitape[viz]'" in result.stderr


def test_the_widgets_module_connects_both_ways(page: Page, tmp_path: Path) -> None:
    """Runs the module against a stand-in for Jupyter's model: the page sets and follows `step`."""
    pytest.importorskip("anywidget")
    from minitape.viz.picture.svg import svg
    from minitape.viz.player.payload import payload
    from minitape.viz.player.program import program

    values = json.dumps({"data": payload(diamond()), "svg": svg(diamond()), "step": 2})
    model = """
    const handlers = [];
    window.model = {
      get: (name) => values[name], set: (name, value) => { values[name] = value; },
      save_changes: () => { window.saved = values.step; },
      on: (name, act) => {
        if (name === "change:step") handlers.push(act);
        if (name === "msg:custom") window.tell = act;
      },
      off() {},
      send: (content) => { window.sent = content; },
      python: (step) => { values.step = step; for (const act of handlers) act(); },
    };
    widget.render({ model, el: document.getElementById("out") });
    """
    module, exported = re.subn(
        r"export\{(\w+) as default\};", r"const widget=\1;", program("player", "widget")
    )
    assert exported == 1
    script = f"{module}\nconst values = {values.replace('<', chr(92) + 'u003c')};{model}"
    file = tmp_path / "widget.html"
    file.write_text(
        "<!doctype html><meta charset=utf-8><title>t</title><div id=out></div>"
        f"<script type=module>{script}</script>",
        "utf-8",
    )
    page.goto(file.as_uri())
    page.locator(".player").focus()
    assert page.locator(".counter").text_content().startswith("3 /")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("saved") == 3
    page.keyboard.press("s")
    assert page.evaluate("sent") == {"save": {"step": 4, "at": []}}
    page.evaluate("tell({saved: ['Saved step-4.svg', '/place/step-4.svg']})")
    assert page.locator("[data-do=save]").text_content() == "Saved step-4.svg"
    page.evaluate("model.python(7)")  # the eighth step; one of memory before it is folded
    assert page.locator(".counter").text_content().startswith("7 /")
