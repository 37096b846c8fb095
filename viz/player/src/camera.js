/*
 * The view of a graph: which part of it one sees, and what the pointer does there.
 *
 * Pan and zoom write the viewBox; no box ever moves.
 */

import { describe } from "./panes.js";

export const READABLE = 0.92; // texts of 12 px are 11 then: what a graph would like;
export const LEAST = 0.66; // names of 13 px are 8.6 then: a graph shrunk more opens on a part of it,
const NAMED = 0.77; // names of 13 px are 10 then: on a phone, and for those of the step everywhere
const HALL = 17; // pixels of a name that a lecture room reads
export const LARGEST = 1.4; // and a small one is not blown up, so that its texts look like those around it
const BELOW = 50; // the room of the buttons in the corner
const MARGIN = 24; // room around the boxes of the step
const EDGE = 8; // and at least
const LOW = 260; // pixels: the graph of a phone, of which nothing is left for margins
const CLICK = 4; // a pointer that moved farther was dragging

/** Left, top, width and height of a drawn box. */
export function placeOfBox(g) {
  const [, left, top] = /translate\(\s*([-\d.]+)[ ,]+([-\d.]+)/.exec(g.getAttribute("transform"));
  const border = g.querySelector(".b");
  return [left, top, border.getAttribute("width"), border.getAttribute("height")].map(Number);
}

export class Camera {
  isOverview = false; // of a tape in folds: it never moves

  /** Show a part of the drawing; `lengths` are those to come back to, where two boxes far apart asked for more. */
  frame(window, lengths = window.slice(2)) {
    this.window = window;
    this.lengths = lengths;
    this.svg.setAttribute("viewBox", window.map((n) => +n.toFixed(1)).join(" "));
    this.svg.style.setProperty("--hall", `${HALL / this.scale()}px`);
    this.svg.classList.toggle("far", this.scale() < NAMED);
    this.onframe?.();
  }

  /** The whole graph, in the middle of the paper when it is small. */
  fit() {
    const [x, y, ...whole] = this.full;
    const [width, height] = whole.map((length, axis) => Math.max(length, this.pane[axis] / LARGEST));
    this.frame([x - (width - whole[0]) / 2, y - (height - whole[1]) / 2, width, height]);
  }

  /** Open on the whole graph if its texts stay readable, else on a part around the step. */
  open(width, height) {
    this.pane = [width, height];
    this.fit();
    const [across, down] = [width / this.full[2], height / this.full[3]];
    if (Math.min(across, down) < (height < LOW ? NAMED : LEAST)) {
      // As much of its width as can be read, or a column of it would be seen alone.
      const scale = Math.max(this.view.slots && width > 560 ? LEAST : READABLE, Math.min(across, this.view.slots ? down : 1, 1));
      this.frame([this.full[0], this.full[1], width / scale, height / scale]);
    }
    this.follow(this.focus ?? [0], true);
  }

  /** Pixels of a unit of the drawing. */
  scale() {
    return Math.min(this.pane[0] / this.window[2], this.pane[1] / this.window[3]);
  }

  zoom(factor, event) {
    const [left, top, width, height] = this.window;
    const { x, y } = event ? new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse())
      : { x: left + width / 2, y: top + height / 2 };
    const most = Math.max(this.full[2], this.pane[0] / LARGEST) * 1.5;
    if (width * factor > most || width * factor < 60) return;
    this.frame([x - (x - left) * factor, y - (y - top) * factor, width * factor, height * factor]);
  }

  /** Move the window just far enough to show boxes, when it shows a part of the graph; where they are far apart it shows more. */
  follow(ids, centre = false) {
    this.focus = ids;
    const places = ids.flatMap((id) => (this.nodes.has(id) ? [this.nodes.get(id).place] : []));
    if (!places.length || !this.window || (this.lengths[0] >= this.full[2] && this.lengths[1] >= this.full[3])) return;
    const isLow = this.pane[1] < LOW;
    const [left, top] = this.window;
    const scale = Math.min(...this.lengths.map((length, axis) => this.pane[axis] / length));
    const margin = isLow ? MARGIN / 3 : MARGIN;
    const ends = [0, 1].map((axis) => {
      const below = axis && !isLow ? BELOW / scale : 0;
      const first = Math.min(...places.map((place) => place[axis]));
      const size = Math.max(...places.map((place) => place[axis] + place[axis + 2])) - first;
      return { below, at: first, size, needed: size + margin + Math.max(below, margin) };
    });
    const lengths = this.lengths.map((length) => length * Math.max(1, ...ends.map(({ size, below }, axis) => (size + EDGE + below) / this.lengths[axis])));
    const moved = lengths.map((length, axis) => {
      const { below, at, size, needed } = ends[axis];
      const [start, whole] = [this.full[axis], this.full[axis + 2] + below];
      // Never more empty paper than needed: the graph in the middle, or the window inside the graph.
      if (whole <= length) return start + (whole - length) / 2;
      const least = centre || needed > length ? at + (size + below - length) / 2 : Math.min(Math.max([left, top][axis], at + size + Math.max(below, margin) - length), at - margin);
      return Math.max(start, Math.min(start + whole - length, least));
    });
    this.frame([...moved, ...lengths], this.lengths);
  }

  /** The corner in which buttons cover least: of a picture that is seen whole, for the others leave theirs free. */
  corner({ offsetWidth, offsetHeight }) {
    const { window, full, pane } = this;
    if (!pane || window[2] < full[2] - 1 || window[3] < full[3] - 1) return "";
    const scale = this.scale();
    const [across, down] = [(offsetWidth + 12) / scale, (offsetHeight + 12) / scale];
    const [left, top] = [0, 1].map((axis) => window[axis] - (pane[axis] / scale - window[axis + 2]) / 2);
    const [right, low] = [left + pane[0] / scale - across, top + pane[1] / scale - down];
    const common = (a, length, from, room) => Math.max(0, Math.min(a + length, from + room) - Math.max(a, from));
    const covered = (x, y) => [...this.nodes.values()].reduce((sum, { place: [a, b, w, h] }) => sum + common(a, w, x, across) * common(b, h, y, down), 0);
    const costs = { "": covered(right, low), low: covered(left, low), right: covered(right, top) };
    return Object.keys(costs).reduce((best, each) => (costs[each] < costs[best] ? each : best));
  }

  /** Tooltips are made when first wanted: in the file they would be a third of its size. */
  addTooltip(g) {
    if (!g || g.querySelector("title")) return;
    const { id, ids } = this.nodes.get(Number(g.dataset.node));
    const node = this.data.nodes[id];
    const title = document.createElementNS(g.namespaceURI, "title");
    title.textContent = ids.length > 1 ? `${ids.length} nodes: click to open` : [describe(node), node.numbers, node.label].filter(Boolean).join("\n");
    g.append(title);
  }

  listen() {
    let drag = null;
    const canMove = !this.isOverview;
    const on = (name, act) => this.svg.addEventListener(name, act, { passive: false });
    on("pointerover", (event) => this.addTooltip(event.target.closest("[data-node]")));
    on("wheel", (event) => {
      if (!canMove || (!event.ctrlKey && !event.metaKey)) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, event);
    });
    on("pointerdown", (event) => {
      drag = { far: 0, node: event.target.closest("[data-node]"), opens: event.target.closest(".opens, .tab"), step: event.target.closest(".slope")?.dataset.step };
      this.svg.setPointerCapture(event.pointerId);
    });
    on("pointermove", ({ movementX, movementY }) => {
      if (!drag) return;
      drag.far += Math.abs(movementX) + Math.abs(movementY);
      const scale = this.svg.getScreenCTM().a;
      const [left, top, width, height] = this.window;
      if (canMove && drag.far > CLICK) this.frame([left - movementX / scale, top - movementY / scale, width, height]);
    });
    on("pointerup", (event) => {
      if (drag?.step && drag.far <= CLICK) this.onGo?.(Number(drag.step));
      else if (drag?.opens && drag.far <= CLICK) this.onOpen(drag.node && this.nodes.get(Number(drag.node.dataset.node)).id);
      else if (drag?.node && drag.far <= CLICK) this.onPick(Number(drag.node.dataset.node), event.shiftKey);
      drag = null;
    });
  }
}
