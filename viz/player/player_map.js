/*
 * The minimap: all boxes of a picture that does not fit, and the part of it that is in view.
 *
 * The one fact to know: it is drawn once for each picture; a step changes classes, the camera a frame.
 */
"use strict";

const MAP = 92; // pixels of its longer side

class Minimap {
  constructor(player) {
    this.player = player;
    this.svg = svgEl("svg", { "aria-hidden": "true" });
    this.frame = svgEl("rect", { class: "seen" });
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
    this.paper.classList.toggle("whole", isWhole);
    ["x", "y", "width", "height"].forEach((name, i) => this.frame.setAttribute(name, window[i]));
    if (!isWhole && this.graph.pane) this.paper.className = `map ${this.corner(window, this.graph.pane)}`;
  }

  /** The corner in which the map covers least, above all nothing of the step; the buttons have the fourth. */
  corner([left, top, width, height], pane) {
    const scale = Math.min(pane[0] / width, pane[1] / height);
    const [across, down] = ["width", "height"].map((side) => (Number(this.svg.getAttribute(side)) + 12) / scale);
    const covered = ([x, y]) => this.boxes.reduce((sum, { node }) => {
      const [a, b, w, h] = node.place;
      const isUnder = a < x + across && x < a + w && b < y + down && y < b + h;
      return sum + (isUnder ? (/\b(now|receiver)\b/.test(node.g.getAttribute("class")) ? 99 : 1) : 0);
    }, 0);
    const places = { right: [left + width - across, top], left: [left, top], low: [left, top + height - down] };
    const costs = Object.entries(places).map(([name, place]) => [covered(place), name]);
    return costs.reduce((best, each) => (each[0] < best[0] ? each : best))[1];
  }

  /** Move the view to where one points. */
  go(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const [, , width, height] = this.graph.window;
    this.graph.frame([x - width / 2, y - height / 2, width, height]);
  }
}
