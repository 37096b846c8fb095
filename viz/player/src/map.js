/*
 * The minimap: all boxes of a picture that does not fit, and the part of it that is in view.
 *
 * It is drawn once for each picture; a step changes classes, the camera a frame.
 */

import { svgEl } from "./marks.js";
import { el } from "./panes.js";

const MAP = 92; // pixels of its longer side

export class Minimap {
  constructor(player) {
    this.player = player;
    this.svg = svgEl("svg", { "aria-hidden": "true" });
    this.frame = svgEl("rect", { class: "seen" });
    this.buttons = player.part("zoom");
    this.paper = el("div", { class: "map" }, this.svg);
    player.part("graph").append(this.paper);
    this.svg.addEventListener("pointerdown", (event) => this.go(event));
    this.svg.addEventListener("pointermove", (event) => event.buttons && this.go(event));
  }

  /** Draw another picture's boxes. */
  read(graph) {
    if (this.graph === graph) return;
    this.graph = graph;
    graph.onframe = () => this.follow();
    const [x, y, width, height] = graph.full;
    const scale = MAP / Math.max(width, height);
    for (const [name, value] of Object.entries({ viewBox: `${x} ${y} ${width} ${height}`, width: Math.round(width * scale) + 2, height: Math.round(height * scale) + 2 })) this.svg.setAttribute(name, value);
    this.boxes = [...graph.nodes.values()].map((node) => {
      const [left, top, across, down] = node.place;
      return { node, rect: svgEl("rect", { x: left, y: top, width: across, height: down }) };
    });
    this.svg.replaceChildren(...this.boxes.map(({ rect }) => rect), this.frame);
    this.follow();
  }

  /** The states of the boxes after a step. */
  show() {
    for (const { node, rect } of this.boxes) {
      const states = node.g.classList;
      rect.setAttribute("class", ["now", "cotangent", "waiting"].find((name) => states.contains(name)) ?? "");
    }
    this.follow();
  }

  /** The frame around what is in view; no map where all of it is. */
  follow() {
    const { window, full } = this.graph;
    if (!window) return;
    const isWhole = window[2] >= full[2] - 1 && window[3] >= full[3] - 1;
    ["x", "y", "width", "height"].forEach((name, i) => this.frame.setAttribute(name, window[i]));
    this.paper.className = isWhole ? "map whole" : `map ${this.corner(this.svg.clientWidth, this.svg.clientHeight, ["right", "left", "low"])}`;
    // Buttons do not move while one steps: where the camera moves, it leaves their corner free.
    const { offsetWidth, offsetHeight } = this.buttons;
    this.buttons.className = `zoom ${isWhole ? this.corner(offsetWidth, offsetHeight, ["", "low", "right"], 1) : ""}`;
  }

  /** The corner in which something covers least: above all nothing of the step, where that weighs more. */
  corner(width, height, names, weight = 99) {
    const { pane, window } = this.graph;
    if (!pane) return names[0];
    const scale = this.graph.scale();
    const [across, down] = [(width + 12) / scale, (height + 12) / scale];
    const [left, top] = [0, 1].map((axis) => window[axis] - (pane[axis] / scale - window[axis + 2]) / 2);
    const [right, low] = [left + pane[0] / scale - across, top + pane[1] / scale - down];
    const places = { right: [right, top], left: [left, top], low: [left, low], "": [right, low] };
    const common = (a, length, from, room) => Math.max(0, Math.min(a + length, from + room) - Math.max(a, from));
    const covered = ([x, y]) => this.boxes.reduce((sum, { node: { g, place: [a, b, w, h] } }) => {
      const area = common(a, w, x, across) * common(b, h, y, down);
      return sum + area * (/\b(now|receiver)\b/.test(g.getAttribute("class")) ? weight : 1);
    }, 0);
    const costs = names.map((name) => [covered(places[name]), name]);
    return costs.reduce((best, each) => (each[0] < best[0] ? each : best))[1];
  }

  /** Move the view to where one points. */
  go(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const [, , width, height] = this.graph.window;
    this.graph.frame([x - width / 2, y - height / 2, width, height]);
  }
}
