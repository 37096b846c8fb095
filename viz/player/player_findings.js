/*
 * Findings: what is suspicious about a gradient, and the marks of the nodes that it stands at.
 *
 * The one fact to know: the marks are part of the drawing. Here a mark leads to its finding in the
 * list, and a finding to the step that made its node.
 */
"use strict";

class Findings {
  constructor(player) {
    this.player = player;
    this.list = player.part("findings");
    this.found = player.data.findings ?? [];
    this.rows = this.found.map((finding) => this.row(finding));
    this.list.append(...this.rows);
    this.list.hidden = !this.rows.length;
  }

  row(finding) {
    const [{ kind, line, cause, correction }, place] = [finding, this.found.indexOf(finding)];
    const button = el("button", { type: "button", title: "Go to its node" }, el("b", {}, kind), line ? ` line ${line}` : "");
    button.addEventListener("click", () => {
      this.choose(place);
      this.player.pick(finding.node, true);
    });
    return el("li", {}, button, " ", ...spoken(cause), ...(correction ? [el("pre", {}, correction)] : []));
  }

  /** Make the marks of a drawing lead to the list; each drawing is asked once. */
  mark(svg) {
    this.svg = svg;
    this.found.forEach((finding, place) => {
      for (const mark of svg.querySelectorAll(`[data-break="${finding.mark}"]`)) {
        if (mark.classList.contains("leads")) continue;
        mark.classList.add("leads");
        // The graph takes the pointer to be dragged, and a click would be the drawing's.
        mark.addEventListener("pointerdown", (event) => event.stopPropagation());
        mark.addEventListener("click", () => {
          this.choose(place);
          this.rows[place].firstChild.focus({ preventScroll: true });
        });
      }
    });
  }

  /** Show one finding as the chosen one, in the list and at its node. */
  choose(place) {
    this.rows.forEach((row, other) => row.classList.toggle("chosen", other === place));
    for (const mark of this.svg.querySelectorAll(".break")) mark.classList.toggle("chosen", mark.dataset.break === String(this.found[place].mark));
    this.list.scrollTop = this.rows[place].offsetTop - this.list.offsetTop;
  }
}
