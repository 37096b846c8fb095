"""Opens saved pages of players in a browser and walks through all of their steps."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import browser as harness

if TYPE_CHECKING:
    from playwright.sync_api import Browser

READY = "() => ['yes', 'no'].includes(document.querySelector('.minitape-player').dataset.ready)"
KEEP = "addEventListener('minitape-player', (event) => { window.player = event.detail; })"
# Button by button, as a reader goes; of each step whether its node can be seen in the graph.
WALK = """
() => {
  const { player } = window;
  if (!player) return { steps: 0, blank: true, hidden: [] };
  const forward = player.root.querySelector("[data-do=forward]");
  const paper = player.root.querySelector(".graph");
  const hidden = [];
  let steps = 0;
  // After its first page it shows the whole, and follows the first step when one comes back.
  if (player.at < 0) forward.click();
  forward.click();
  player.root.querySelector("[data-do=back]").click();
  for (let last = -1; player.at !== last && player.data.steps[player.at]; forward.click()) {
    last = player.at;
    steps += 1;
    const { kind, node } = player.data.steps[last];
    if (!isSeen(node, kind)) hidden.push(`${last}: ${kind} of ${player.data.nodes[node].called}`);
  }
  return { steps, blank: false, hidden, isAtEnd: player.at === player.walk.at(-1) };

  // Its own box, of no other node, in the document, and at least its middle within the pane. Where
  // no gradient comes, the place at which the way ends is to be seen, often far from the source.
  function isSeen(id, kind) {
    const drawn = player.graph.nodes.get(player.graph.box(id));
    if (!drawn || drawn.ids.length > 1 || !drawn.g.checkVisibility()) return false;
    if (kind === "unconnected") return true;
    const [box, pane] = [drawn.g.getBoundingClientRect(), paper.getBoundingClientRect()];
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    return box.width > 0 && x > pane.left && x < pane.right && y > pane.top && y < pane.bottom;
  }
}
"""


def faults_of(browser: Browser, pages: Iterable[Path]) -> tuple[list[str], int]:
    """What is wrong with pages: each fault with its page's name; and how many steps were seen.

    A page that is blank, any word on the console, a step whose node is not in view, a walk that
    does not come to the last step, a request that leaves the page.
    """
    faults, steps = [], 0
    for file in pages:
        with harness.visit(browser) as seen:
            words: list[str] = []
            seen.page.on("console", lambda message, words=words: words.append(message.text[:300]))
            seen.page.add_init_script(KEEP)
            seen.page.goto(file.as_uri())
            seen.page.wait_for_function(READY, timeout=60_000)
            found = seen.page.evaluate(WALK)
        steps += found["steps"]
        errors = [each for each in seen.errors if each[:300] not in words]
        faults += [f"{file.name}: {word}" for word in [*words, *errors, *seen.outside]]
        if found["blank"]:
            faults.append(f"{file.name} is blank")
        elif not found["isAtEnd"]:
            faults.append(f"{file.name}: the walk did not come to its end")
        faults += [f"{file.name}: hidden at step {each}" for each in found["hidden"][:3]]
    return faults, steps
