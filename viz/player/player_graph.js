/*
 * The graph of the player: which state each node and edge has at a step, and the view of it.
 *
 * The one fact to know: nothing here writes a position. Steps write classes and texts; pan and zoom
 * write the viewBox.
 */
"use strict";

const READABLE = 0.92; // texts of 12 px are 11 then; a graph shrunk more opens on a part of it,
const LARGEST = 1.4; // and a small one is not blown up, so that its texts look like the page's
const LOW = 260; // pixels: in so low a pane the buttons below hide what stands there
const BELOW = 60;
const MARGIN = 24; // room around the node of the step
const CLICK = 4; // a pointer that moved farther was dragging

const PASSES = ["pull", "push"]; // a cotangent back, a tangent on: the steps that run along an edge

/** Per node: the step that recorded it, its cotangents (or tangents) in order, and how it ended; per edge: its pull or push. */
function indexSteps(data) {
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
function boxOf(view, id) {
  if (!view.members) return id;
  view.boxes ??= new Map(view.members.flatMap((ids, box) => ids.map((member) => [member, box])));
  return view.boxes.get(id);
}

const edgeOf = (step) => `${step.to}:${step.node}:${step.position}`;

class Graph {
  constructor(svg, data, index, view, onPick, onOpen) {
    Object.assign(this, { svg, data, view, onPick, onOpen, at: -1, lit: [], factors: [], nodes: new Map(), edges: new Map(), leaving: new Map() });
    // The still picture brings its own colours and tooltip; here the style sheet has them.
    for (const part of svg.querySelectorAll("style, svg > title, .mini")) part.remove();
    for (const g of svg.querySelectorAll("[data-node]")) this.readNode(g);
    for (const path of svg.querySelectorAll("[data-edge]")) this.readEdge(path);
    this.read(index);
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
    this.pulls = new Map([...index.pulls].map(([key, at]) => [this.edgeAt(...key.split(":")), at]));
  }

  readNode(g) {
    const box = Number(g.dataset.node);
    const ids = this.view.members?.[box] ?? [box];
    const id = ids.at(-1);
    const group = this.view.opens?.[box] ? " group" : "";
    const base = g.getAttribute("class").replace(/ (unconnected|accumulated)/g, "") + group;
    const inside = ids.length === 1 && this.data.insides?.some(({ node }) => node === id);
    const border = g.querySelector(".b");
    if (inside && this.data.nodes[id].op !== this.data.insides.find(({ node }) => node === id).last.op) g.append(openingSign(Number(border.getAttribute("width")), Number(border.getAttribute("height"))));
    if (this.view.titles) g.querySelector(".t").textContent = this.view.titles[box];
    this.nodes.set(box, { g, base, id, ids, value: g.querySelector(".v"), cotangent: g.querySelector(".c"), count: g.querySelector(".p text") });
  }

  readEdge(path) {
    const key = path.dataset.edge;
    const from = Number(key.split(":")[0]);
    this.edges.set(key, { path, base: path.getAttribute("class"), to: Number(key.split(":")[1]) });
    this.leaving.set(from, [...(this.leaving.get(from) ?? []), key]);
  }

  box(id) {
    return boxOf(this.view, id);
  }

  /** The drawn edge for an argument; between groups one edge stands for many arguments. */
  edgeAt(from, to, position) {
    const [a, b] = [this.box(Number(from)), this.box(Number(to))];
    const key = `${a}:${b}:${position}`;
    return this.edges.has(key) ? key : this.leaving.get(a)?.find((other) => this.edges.get(other).to === b);
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
      nodes.add(this.box(step.node));
      if (step.to !== undefined) nodes.add(this.box(step.to));
      for (const id of [...Object.keys(step.pending ?? {}), ...(step.queue ?? [])]) nodes.add(this.box(Number(id)));
      for (const key of this.edgesOf(step)) edges.add(key);
    }
    for (const label of this.factors) label.remove();
    this.at = at;
    this.lit = this.edgesOf(this.data.steps[at]);
    for (const key of this.lit) edges.add(key);
    for (const box of nodes) this.drawNode(box);
    for (const key of edges) this.drawEdge(key);
    this.factors = over ? drawFactors(this) : [];
    this.follow(this.box(this.data.steps[at].node));
    this.follow(this.box(this.data.steps[at].to));
  }

  /** The edges a step runs along: into an op forwards, one backwards, all that met in a sum. */
  edgesOf(step) {
    if (PASSES.includes(step.kind)) return [this.edgeAt(step.to, step.node, step.position)];
    const entering = () => (this.data.nodes[step.node].inputs ?? []).map((from, i) => this.edgeAt(from, step.node, i));
    if (step.kind === "forward") return entering();
    if (step.kind !== "accumulate") return [];
    const met = this.data.carries ? entering() : this.leaving.get(this.box(step.node)) ?? [];
    return met.filter((key) => this.pulls.get(key) < this.at);
  }

  drawNode(box) {
    const drawn = this.nodes.get(box);
    if (!drawn) return;
    const step = this.data.steps[this.at];
    const { id, ids } = drawn;
    const life = this.index.life[id];
    const first = ids.length > 1 ? ids.find((member) => this.data.nodes[member].op) : id;
    const recorded = life.recorded <= this.at;
    const cotangent = life.cotangents.findLast((c) => c.at <= this.at);
    const count = life.counts?.findLast((c) => c.at <= this.at)?.count;
    if (drawn.count) drawn.count.textContent = count ?? "";
    const states = {
      counted: count !== undefined, queued: queueAt(this.index, this.at).queue.includes(id),
      waiting: !recorded, recorded, cotangent, accumulated: cotangent?.paths > 1,
      released: this.index.life[first].released <= this.at, unconnected: life.unconnected <= this.at,
      now: !this.over && this.box(step.node) === box, receiver: !this.over && this.box(step.to) === box,
    };
    drawn.g.setAttribute("class", classes(drawn.base, states));
    const pictured = this.data.nodes[id].pictured && !drawn.cramped;
    if (pictured) this.drawMiniatures(drawn, id, recorded, cotangent);
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

  /** Value and cotangent as small pictures, made when they change. */
  drawMiniatures(drawn, id, recorded, cotangent) {
    const node = this.data.nodes[id];
    const width = Number(drawn.g.querySelector(".b").getAttribute("width")) - 24;
    const half = drawn.cotangent ? (width - 14) / 2 : width;
    const wanted = { value: recorded ? node.value : undefined, cotangent: cotangent?.array };
    for (const [kind, place] of Object.entries(wanted)) {
      const key = `${place}${cotangent?.paths > 1}`;
      const old = drawn[`mini-${kind}`];
      if (old?.key === key) continue;
      old?.made?.g.remove();
      const array = this.data.arrays[place];
      const hue = kind === "cotangent" && cotangent?.paths > 1 ? "sum" : kind;
      const made = array && miniature(array, node.tiles, hue, kind === "value" ? 12 : 26 + half, 25, half, 36);
      if (made) drawn.g.append(made.g);
      drawn[`mini-${kind}`] = { key, made };
    }
  }

  /** What the box that stands for a node is called: a round or a layer, else the node. */
  nameOf(id) {
    return this.nodes.get(this.box(id))?.g.querySelector(".t")?.textContent || this.data.nodes[id].called;
  }

  /** Frame elements on the miniatures of nodes: [node, whether of the cotangent, places, whether as one window]. */
  ring(found) {
    for (const ring of this.rings ?? []) ring.remove();
    this.rings = [];
    for (const [id, carries, places, together] of found) {
      const made = this.nodes.get(this.box(id))?.[carries ? "mini-cotangent" : "mini-value"]?.made;
      if (made) this.rings.push(...framesIn(made, new Set(places), together));
    }
  }

  /** Light the way through some nodes, from a source on; groups stand for what is in them. */
  light(nodes) {
    const before = this.way ?? new Set();
    const pairs = nodes.slice(1).map((node, i) => [this.box(nodes[i]), this.box(node)]);
    this.way = new Set(pairs.filter(([a, b]) => a !== b).map(([a, b]) => this.leaving.get(a)?.find((key) => this.edges.get(key).to === b)));
    if (this.at >= 0) for (const key of [...before, ...this.way]) this.drawEdge(key);
  }

  drawEdge(key) {
    const edge = this.edges.get(key);
    if (!edge) return;
    const { kind } = this.data.steps[this.at];
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

  /* Pan and zoom change the viewBox, never a node. */

  frame(window) {
    this.window = window;
    this.svg.setAttribute("viewBox", window.map((n) => +n.toFixed(1)).join(" "));
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
    if (Math.min(across, down) < READABLE) {
      // As much of its width as can be read, or a column of it would be seen alone.
      const scale = Math.max(READABLE, Math.min(across, 1));
      this.frame([this.full[0], this.full[1], width / scale, height / scale]);
    }
    this.follow(this.focus ?? 0, true);
  }

  zoom(factor, event) {
    const [left, top, width, height] = this.window;
    const { x, y } = event ? new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse())
      : { x: left + width / 2, y: top + height / 2 };
    const most = Math.max(this.full[2], this.pane[0] / LARGEST) * 1.5;
    if (width * factor > most || width * factor < 60) return;
    this.frame([x - (x - left) * factor, y - (y - top) * factor, width * factor, height * factor]);
  }

  /** Move the window just far enough to show a box, when it shows a part of the graph. */
  follow(id, centre = false) {
    this.focus = id ?? this.focus;
    const drawn = this.nodes.get(id)?.g;
    const place = /translate\(\s*([-\d.]+)[ ,]+([-\d.]+)/.exec(drawn?.getAttribute("transform"));
    if (!place || !this.window || (this.window[2] >= this.full[2] && this.window[3] >= this.full[3])) return;
    const [left, top, ...lengths] = this.window;
    const moved = ["width", "height"].map((side, axis) => {
      const size = Number(drawn.querySelector(".b").getAttribute(side));
      const [at, length, start, whole] = [Number(place[axis + 1]), lengths[axis], this.full[axis], this.full[axis + 2]];
      // Never more empty paper than needed: the graph in the middle, or the window inside the graph.
      if (whole <= length) return start + (whole - length) / 2;
      const least = centre ? at + (size - length) / 2 : Math.min(Math.max([left, top][axis], at + size + (axis && this.pane[1] < LOW ? BELOW : MARGIN) - length), at - MARGIN);
      return Math.max(start, Math.min(start + whole - length, least));
    });
    this.frame([...moved, ...lengths]);
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
    const on = (name, act) => this.svg.addEventListener(name, act, { passive: false });
    on("pointerover", (event) => this.addTooltip(event.target.closest("[data-node]")));
    on("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
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
      if (drag.far > CLICK) this.frame([left - movementX / scale, top - movementY / scale, width, height]);
    });
    on("pointerup", (event) => {
      if (drag?.step && drag.far <= CLICK) this.onGo?.(Number(drag.step));
      else if (drag?.opens && drag.far <= CLICK) this.onOpen(drag.node && this.nodes.get(Number(drag.node.dataset.node)).id);
      else if (drag?.node && drag.far <= CLICK) this.onPick(Number(drag.node.dataset.node), event.shiftKey);
      drag = null;
    });
  }
}
