"""HTML that a program shows cannot send packets: WebRTC, which no policy stops, is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser import ARGUMENTS, program

STAGE = Path(__file__).parents[2] / "viz" / "classroom" / "pages" / "stage.js"
# The program's HTML looks for WebRTC in its own window and in frames that it makes.
TRIED = """async (template) => {
  const html = `<script>
    const seen = { top: typeof RTCPeerConnection, webkit: typeof webkitRTCPeerConnection };
    for (const kind of ["blank", "srcdoc"]) {
      const inner = document.createElement("iframe");
      if (kind === "srcdoc") inner.srcdoc = "<p>x</p>";
      document.body.append(inner);
      try { seen[kind] = typeof inner.contentWindow.RTCPeerConnection }
      catch (error) { seen[kind] = error.name }
    }
    parent.postMessage({ seen }, "*")</` + `script>`;
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  const answer = new Promise((done) =>
    addEventListener("message", ({ data }) => data.seen && done(data.seen)));
  frame.srcdoc = new Function("html", "return " + template)(html);
  document.body.append(frame);
  return answer;
}"""


@pytest.mark.browser
def test_no_window_that_the_html_of_a_program_reaches_has_webrtc():
    from playwright.sync_api import sync_playwright

    text = STAGE.read_text(encoding="utf-8")
    template = text.split("frame.srcdoc = ", 1)[1].split(";\n  }", 1)[0]
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=program(), args=ARGUMENTS)
        page = browser.new_page()
        page.set_content("<body></body>")
        bare = page.evaluate("typeof RTCPeerConnection")
        seen = page.evaluate(TRIED, template)
        browser.close()
    assert bare == "function"  # this browser has it
    assert seen == {
        "top": "undefined",
        "webkit": "undefined",
        "blank": "SecurityError",
        "srcdoc": "SecurityError",
    }
