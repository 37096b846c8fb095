/*
 * Findings: what is suspicious about a gradient, and the marks of the nodes that it stands at.
 *
 * The marks of nodes are part of the drawing; the box of a closed group that holds such a node gets
 * one here. A mark leads to its finding in the list, one on a group opens it, and a finding leads
 * to the step that made its node, through all groups around it.
 */

import { boxOf } from "./graph.js";
import { svgEl } from "./marks.js";
import { el, spoken } from "./panes.js";

/** The findings that an `unconnected` step is about: those at its line, else all. */
export function findingsOf({ findings = [] }, step) {
  const own = findings.filter(({ line }) => line === step.line?.[1]);
  return own.length ? own : findings;
}

export class Findings {
  constructor(player) {
    this.player = player;
    this.list = player.part("findings");
    this.found = player.data.findings ?? [];
    this.rows = this.found.map((finding) => this.row(finding));
    this.list.append(...this.rows);
    this.list.hidden = !this.rows.length;
  }

  /** A list that is cut gets the room of the pane that nothing else needs. */
  fit() {
    this.list.style.maxHeight = "";
    if (this.list.hidden || this.list.scrollHeight <= this.list.clientHeight) return;
    const pane = this.list.parentElement;
    const end = Math.max(...[...pane.children].map((child) => child.getBoundingClientRect().bottom));
    const rest = pane.getBoundingClientRect().bottom - end - 14;
    if (rest > 0) this.list.style.maxHeight = `${this.list.offsetHeight + rest}px`;
  }

  row(finding) {
    const [{ kind, line, cause, correction }, place] = [finding, this.found.indexOf(finding)];
    const button = el("button", { type: "button", title: "Go to its node" }, el("b", {}, kind), line ? ` line ${line}` : "");
    button.addEventListener("click", () => {
      this.choose(place);
      this.player.pick(finding.node, true);
      while (this.open(finding.node));
      this.choose(place); // in the drawing that is shown by now
    });
    return el("li", {}, button, " ", ...spoken(cause), ...(correction ? [el("pre", {}, correction)] : []));
  }

  /** Make the marks of a graph lead to the list, and mark its closed groups; each is asked once. */
  mark(graph) {
    this.svg = graph.svg;
    this.found.forEach((finding, place) => {
      const { mark: number, node } = finding;
      const box = graph.nodes.get(graph.box(node));
      if (box && !this.svg.querySelector(`[data-break="${number}"]`)) this.svg.append(boxMark(this.svg, box, finding));
      for (const mark of this.svg.querySelectorAll(`[data-break="${number}"]`)) {
        if (mark.classList.contains("leads")) continue;
        mark.classList.add("leads");
        // The graph takes the pointer to be dragged, and a click would be the drawing's.
        mark.addEventListener("pointerdown", (event) => event.stopPropagation());
        mark.addEventListener("click", (event) => {
          event.stopPropagation();
          if (graph.view.opens?.[graph.box(node)]) {
            this.player.pick(node, true);
            this.open(node);
          }
          this.choose(place);
          this.rows[place].firstChild.focus({ preventScroll: true });
        });
      }
    });
  }

  /** Open the closed group that shows a node; whether there was one. */
  open(node) {
    const { view } = this.player;
    if (!view.opens?.[boxOf(view, node)]) return false;
    this.player.look(view.depth + 1);
    return this.player.view !== view;
  }

  /** Show one finding as the chosen one, in the list and at its node. */
  choose(place) {
    this.rows.forEach((row, other) => row.classList.toggle("chosen", other === place));
    for (const mark of this.player.root.querySelectorAll(".break")) mark.classList.toggle("chosen", mark.dataset.break === String(this.found[place].mark));
    this.list.scrollTop = this.rows[place].offsetTop - this.list.offsetTop;
  }
}

/** The mark of a box, at its corner: of a closed group that holds a finding, or of an op in an opened one. */
function boxMark(svg, { g, ids, place }, { mark, kind }) {
  const others = svg.querySelectorAll(`.break[data-box="${g.dataset.node}"]`).length;
  const corner = place[2] - 4 - 20 * others;
  const shift = `${g.getAttribute("transform")} translate(${corner} 2)`; // over the boxes: one that waits is pale
  const sign = svgEl("g", { class: "break", "data-break": mark, "data-box": g.dataset.node, transform: shift });
  sign.append(svgEl("title", {}), svgEl("circle", { r: 9 }), svgEl("path", { d: "M-4 -4l8 8m0-8l-8 8" }));
  sign.firstChild.textContent = ids.length > 1 ? `${kind}: inside of this group` : kind;
  return sign;
}
