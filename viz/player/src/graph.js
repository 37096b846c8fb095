/*
 * The graph of the player: which state each node and edge has at a step.
 *
 * Nothing here writes a position. Steps write classes and texts.
 */

import { Camera, placeOfBox } from "./camera.js";
import { drawFactors } from "./factors.js";
import { framesIn, miniature, numberOf, svgEl } from "./marks.js";
import { openingSign } from "./opening.js";
import { adorn } from "./panes.js";
import { indexQueue, queueAt } from "./queue.js";

const NAME = 40; // units: a lower box has its name alone
const PASSES = ["pull", "push"]; // a cotangent back, a tangent on: the steps that run along an edge

/** Per node: the step that recorded it, its cotangents (or tangents) in order, and how it ended; per edge: its pull or push. */
export function indexSteps(data) {
  const life = data.nodes.map(() => ({ recorded: -1, cotangents: [], contributions: [], released: Infinity, unconnected: Infinity, steps: [] }));
  const pulls = new Map();
  const arrive = (id, at, array) => life[id].cotangents.push({ at, array, paths: life[id].cotangents.length + 1 });
  data.steps.forEach((step, at) => {
    life[step.node].steps.push(at);
    if (step.to !== undefined) life[step.to].steps.push(at);
    if (step.kind === "forward") life[step.node].recorded = at;
    if (step.kind === "seed") arrive(step.node, at, step.cotangent);
    if (step.kind === "release") life[step.node].released = at;
    if (step.kind === "unconnected") life[step.node].unconnected = at;
    // A sum is shown when its own step comes, not with the pull that brought the second term.
    if (step.kind === "accumulate") Object.assign(life[step.node].cotangents.at(-1), { at, array: step.total });
    if (!PASSES.includes(step.kind)) return;
    arrive(step.kind === "push" ? step.node : step.to, at, step.total ?? step.contribution);
    if (step.kind === "pull") life[step.to].contributions.push({ at, array: step.contribution, from: step.node });
    pulls.set(edgeOf(step), at);
  });
  return { life, pulls, queues: indexQueue(data, life) };
}

/** The class attribute of an element in the states that hold. */
function classes(base, states) {
  return [base, ...Object.keys(states).filter((name) => states[name])].join(" ");
}

/**
 * The box of a view that shows a node, undefined when none does. `members` says for each box which
 * nodes it stands for (the last one speaks for all); a view without it has one box for each node.
 */
export function boxOf(view, id) {
  if (!view.members) return id;
  view.boxes ??= new Map(view.members.flatMap((ids, box) => ids.map((member) => [member, box])));
  return view.boxes.get(id);
}

/** All boxes that show a node: in a strip it may be in a slot, and below in the open one. */
function boxesOf(view, id) {
  if (!view.members) return id === undefined ? [] : [id];
  view.every ??= view.members.reduce((found, ids, box) => { for (const member of ids) found.set(member, [...(found.get(member) ?? []), box]); return found; }, new Map());
  return view.every.get(id) ?? [];
}

const edgeOf = (step) => `${step.to}:${step.node}:${step.position}`;

/** How large a name may be: alone, and beside note and shape, whose letters have 12 pixels; a note moves along with it. */
function sizeOfName(g, title, width) {
  const letters = title.textContent.length;
  const others = [...g.querySelectorAll(".n > text:not([class])")].reduce((sum, text) => sum + text.textContent.length + 1, 0);
  const room = 1.6 * (width - 20);
  for (const [name, value] of Object.entries({ most: `${room / letters}px`, room: `${(room - 12 * others) / letters}px`, letters })) g.style.setProperty(`--${name}`, value);
}

export class Graph extends Camera {
  constructor(svg, data, index, view, onPick, onOpen) {
    super();
    Object.assign(this, { svg, data, view, onPick, onOpen, isOverview: data.folds && view === data.views[0], at: -1, lit: [], factors: [], nodes: new Map(), edges: new Map(), leaving: new Map() });
    // The still picture brings its own colours and tooltip; here the style sheet has them.
    for (const part of svg.querySelectorAll("style, svg > title, .mini")) part.remove();
    for (const g of svg.querySelectorAll("[data-node]")) this.readNode(g);
    for (const path of svg.querySelectorAll("[data-edge]")) this.readEdge(path);
    this.read(index);
    if (view.slot !== undefined) adorn(() => this.drawWedge(this.nodes.get(view.slot).place, [...svg.querySelectorAll("rect.frame")].at(-1)));
    // One arrow head for both ends: a pull runs against the computation.
    this.head = svg.querySelector("marker");
    const thick = { orient: "auto-start-reverse", markerUnits: "strokeWidth", markerWidth: 3.4, markerHeight: 3.4 };
    for (const name in thick) this.head?.setAttribute(name, thick[name]);
    this.full = svg.getAttribute("viewBox").split(/[\s,]+/).map(Number);
    const strip = svg.querySelector(".strip"); // the player has its own lines for it
    if (strip) ["width", "height"].forEach((side, axis) => { this.full[axis + 2] -= Number(strip.dataset[side]); });
    strip?.remove();
    for (const name of ["width", "height", "aria-labelledby"]) svg.removeAttribute(name);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `Graph of ${data.title || "the tape"}: ${data.nodes.length} nodes`);
    this.listen();
  }

  /** Read when things happen; again when an op is opened or closed. */
  read(index) {
    this.index = index;
    this.at = -1;
    this.pulls = new Map([...index.pulls].flatMap(([key, at]) => this.edgesAt(...key.split(":")).map((each) => [each, at])));
  }

  readNode(g) {
    const box = Number(g.dataset.node);
    const ids = this.view.members?.[box] ?? [box];
    const id = ids.at(-1);
    const group = this.view.opens?.[box] ? " group" : "";
    const base = g.getAttribute("class").replace(/ (unconnected|accumulated)/g, "") + group;
    const inside = ids.length === 1 && this.data.insides?.some(({ node }) => node === id);
    const place = placeOfBox(g);
    const isName = place[3] < NAME; // which a sign would cover
    if (inside && !isName && this.data.nodes[id].op !== this.data.insides.find(({ node }) => node === id).last.op) g.append(openingSign(place[2], place[3]));
    const title = g.querySelector(".t");
    if (this.view.titles) title.textContent = this.view.titles[box];
    if (title) adorn(() => sizeOfName(g, title, place[2]));
    const slot = this.view.slots?.includes(box);
    if (slot) g.querySelector(".c")?.setAttribute("x", 6);
    if (slot && this.data.nodes[id].pictured) g.querySelector(".c")?.setAttribute("y", 88);
    const own = slot ? this.view.weights?.[box] : undefined;
    if (own !== undefined) g.append(svgEl("rect", { class: "i", style: "fill:var(--variable)", x: 3, y: 106, width: place[2] - 6, height: 42, rx: 6 }));
    const texts = isName ? {} : { value: g.querySelector(".v"), cotangent: g.querySelector(".c") };
    this.nodes.set(box, { g, place, isName, slot, own, base: this.view.slot === box ? `${base} open` : base, id, ids, ...texts, count: g.querySelector(".p text") });
  }

  /** From the open slot to the frame of what is in it. */
  drawWedge([left, top, width, height], frame) {
    const [x, y, across] = ["x", "y", "width"].map((name) => Number(frame.getAttribute(name)));
    frame.before(svgEl("path", { class: "wedge", d: `M${left} ${top + height}L${x} ${y + 9}H${x + across}L${left + width} ${top + height}Z` }));
  }

  readEdge(path) {
    const key = path.dataset.edge;
    const from = Number(key.split(":")[0]);
    this.edges.set(key, { path, base: path.getAttribute("class"), to: Number(key.split(":")[1]) });
    this.leaving.set(from, [...(this.leaving.get(from) ?? []), key]);
  }

  /**
   * The step that is shown; on the first page there is none.
   * @returns {Partial<import("./data.d.ts").Step>}
   */
  get step() {
    return this.data.steps[this.at] ?? {};
  }

  box(id) {
    return boxOf(this.view, id);
  }

  boxes(id) {
    return boxesOf(this.view, id);
  }

  /** The drawn edges for an argument; between groups one edge stands for many arguments. */
  edgesAt(from, to, position) {
    const ends = this.boxes(Number(to));
    return this.boxes(Number(from)).flatMap((a) => ends.flatMap((b) => {
      const key = `${a}:${b}:${position}`;
      return a === b ? [] : this.edges.has(key) ? [key] : this.leaving.get(a)?.find((other) => this.edges.get(other).to === b) ?? [];
    }));
  }

  /** Show a step; only what was touched since the step shown before is written. `over`: after it. */
  show(at, over = false) {
    if (over !== Boolean(this.over)) this.at = -1;
    this.over = over;
    const first = this.at < 0;
    const nodes = new Set(first ? this.nodes.keys() : []);
    const edges = new Set(first ? this.edges.keys() : this.lit);
    const [low, high] = [Math.min(at, this.at), Math.max(at, this.at)];
    for (const step of this.data.steps.slice(Math.max(low, 0), high + 1)) {
      for (const id of [step.node, step.to, ...Object.keys(step.pending ?? {}), ...(step.queue ?? [])]) for (const box of this.boxes(id === undefined ? id : Number(id))) nodes.add(box);
      for (const key of this.edgesOf(step)) edges.add(key);
    }
    for (const label of this.factors) label.remove();
    this.at = at;
    this.lit = this.edgesOf(this.step);
    for (const key of this.lit) edges.add(key);
    for (const box of nodes) adorn(() => this.drawNode(box), () => this.clearNode(box));
    for (const key of edges) adorn(() => this.drawEdge(key));
    this.factors = (over && adorn(() => drawFactors(this))) || [];
    const { node, to } = this.step;
    this.follow([to, node].map((id) => this.box(id))); // where both do not fit, the node of the step is what is seen
  }

  /** The edges a step runs along: into an op forwards, one backwards, all that met in a sum. */
  edgesOf(step) {
    if (PASSES.includes(step.kind)) return this.edgesAt(step.to, step.node, step.position);
    const entering = () => (this.data.nodes[step.node].inputs ?? []).flatMap((from, i) => this.edgesAt(from, step.node, i));
    if (step.kind === "forward") return entering();
    if (step.kind !== "accumulate") return [];
    const met = this.data.carries ? entering() : this.boxes(step.node).flatMap((box) => this.leaving.get(box) ?? []);
    return met.filter((key) => this.pulls.get(key) < this.at);
  }

  drawNode(box) {
    const drawn = this.nodes.get(box);
    if (!drawn) return;
    const { step } = this;
    const { id, ids } = drawn;
    const life = this.index.life[id];
    const first = ids.find((member) => this.data.nodes[member].op) ?? id; // a group may hold variables alone
    const recorded = life.recorded <= this.at;
    const came = (node) => this.index.life[node].cotangents.findLast((c) => c.at <= this.at);
    const cotangent = came(id);
    const count = life.counts?.findLast((c) => c.at <= this.at)?.count;
    if (drawn.count) drawn.count.textContent = count ?? "";
    const states = {
      counted: count !== undefined, queued: queueAt(this.index, this.at).queue.includes(id),
      waiting: !recorded, recorded, cotangent, accumulated: cotangent?.paths > 1,
      released: this.index.life[first].released <= this.at, unconnected: life.unconnected <= this.at,
      now: !this.over && this.box(step.node) === box, receiver: !this.over && this.box(step.to) === box,
      around: !this.over && drawn.slot && this.boxes(step.node).includes(box),
    };
    drawn.g.setAttribute("class", classes(drawn.base, states));
    const pictured = this.data.nodes[id].pictured && !drawn.isName;
    const width = drawn.place[2] - 24;
    const half = drawn.slot || !drawn.cotangent ? width : (width - 14) / 2;
    if (pictured) this.drawMiniatures(drawn, id, recorded, cotangent, half, drawn.slot ? { value: [16, 25], cotangent: [16, 66] } : { value: [12, 25], cotangent: [26 + half, 25] });
    if (drawn.own !== undefined) this.drawMiniatures(drawn, drawn.own, true, came(drawn.own), 32, { value: [6, 109], cotangent: [38, 109] });
    if (drawn.slot) this.drawArrival(drawn, cotangent);
    if (drawn.value) drawn.value.textContent = recorded && !pictured ? this.data.nodes[id].label ?? "" : "";
    if (!drawn.cotangent) return;
    if (pictured && cotangent && !states.unconnected) {
      drawn.cotangent.textContent = this.data.sign ?? "∂";
      return;
    }
    // The signs are one character each: boxes were measured with one.
    const text = this.data.arrays[cotangent?.array]?.text ?? (states.unconnected ? "None" : "");
    drawn.cotangent.textContent = text && `${states.unconnected ? "✕" : this.data.sign ?? "∂"} ${text}`;
  }

  /** A node of which a part could not be drawn says nothing: what it said before may be false now. */
  clearNode(box) {
    const { g, base, value, cotangent } = this.nodes.get(box);
    g.setAttribute("class", base);
    for (const text of [value, cotangent]) if (text) text.textContent = "";
  }

  /** Value and cotangent as small pictures of a width, made when they change. */
  drawMiniatures(drawn, id, recorded, cotangent, wide, places) {
    const node = this.data.nodes[id];
    const wanted = { value: recorded ? node.value : undefined, cotangent: cotangent?.array };
    for (const [kind, place] of Object.entries(wanted)) {
      const key = `${place}${cotangent?.paths > 1}`;
      const old = drawn[kind + id];
      if (old?.key === key) continue;
      old?.made?.g.remove();
      const array = this.data.arrays[place];
      const hue = kind === "cotangent" && cotangent?.paths > 1 ? "sum" : kind;
      const made = array && miniature(array, node.tiles, hue, ...places[kind], wide, 36);
      if (made) drawn.g.append(made.g);
      drawn[kind + id] = { key, made };
    }
  }

  /** How much arrives at the end of a slot, on the scale of all of them, as a bar on its floor. */
  drawArrival(drawn, cotangent) {
    const [, , size, share] = this.data.arrivals?.bars.find(([, node]) => drawn.ids.includes(node)) ?? [];
    drawn.bar?.remove();
    if (!cotangent || !numberOf(size)) return; // NaN where nothing is known
    const [, , width, height] = drawn.place;
    drawn.bar = svgEl("rect", { class: "arrives", x: 8, y: height - 9, width: Math.max(1, share * (width - 16)), height: 5 }, svgEl("title", {}, `what arrives: its largest element is ${size} in size`));
    drawn.g.append(drawn.bar);
  }

  /** What the box that stands for a node is called: a round or a layer, else the node. */
  nameOf(id) {
    const { views = [], folds } = this.data;
    const foldOf = (node) => views[views[0]?.opens?.[boxOf(views[0], node)]];
    // What several folds use has parts of all of them.
    const slot = (folds ? this.box(id) === undefined || !foldOf(this.step.node) : this.view.slots) && foldOf(id);
    return slot?.name ?? (this.nodes.get(this.box(id))?.g.querySelector(".t")?.textContent || this.data.nodes[id].called);
  }

  /** Frame elements on the miniatures of nodes: [node, whether of the cotangent, places, whether as one window]. */
  ring(found) {
    for (const ring of this.rings ?? []) ring.remove();
    this.rings = [];
    for (const [id, carries, places, together] of found) {
      for (const box of this.boxes(id)) {
        const made = this.nodes.get(box)?.[(carries ? "cotangent" : "value") + id]?.made;
        if (made) this.rings.push(...framesIn(made, new Set(places), together));
      }
    }
  }

  /** Light ways through nodes, each from a source on; groups stand for what is in them. */
  light(ways) {
    const before = this.way ?? new Set();
    this.way = new Set(ways.flatMap((nodes) => nodes.slice(1).flatMap((node, i) => this.edgesAt(nodes[i], node))));
    if (this.at >= 0) for (const key of [...before, ...this.way]) this.drawEdge(key);
  }

  drawEdge(key) {
    const edge = this.edges.get(key);
    if (!edge) return;
    const { kind } = this.step;
    const states = {
      waiting: this.index.life[this.nodes.get(edge.to).id].recorded > this.at,
      carried: this.pulls.get(key) <= this.at,
      onway: this.way?.has(key),
      [`lit-${kind}`]: !this.over && this.lit.includes(key),
    };
    edge.path.setAttribute("class", classes(edge.base, states));
    const backwards = !this.data.carries && (states["lit-pull"] || states["lit-accumulate"]);
    edge.path.setAttribute("marker-start", backwards ? `url(#${this.head?.id})` : "none");
  }
}
