/*
 * The step player: one program for the notebook output, the widget and the standalone page.
 *
 * The one fact to know: nodes are drawn once and never move. A step changes classes and texts of
 * the few nodes it touches, so stepping stays fast on large tapes and the eye keeps its place.
 * Every number arrives as text (see payload.py): nothing here can round differently from Python.
 * Python joins this file with player_graph.js, player_panes.js and player_start.js into one function;
 * the structure is in player.html, the looks are in player.css. No dependencies, no network.
 */
"use strict";

const PAGE_OF_STEPS = 10;
const PHASE = { pull: "backward", push: "tangent", unconnected: "no gradient", ready: "ready: taken", count: "done" };

class Player {
  constructor(root, data, svg, { css, html }) {
    Object.assign(this, { root, data, at: -1, depth: 0, timer: 0, onstep: () => {} });
    root.innerHTML = html; // ours alone; the trace comes in as text below
    root.prepend(el("style", {}, css));
    this.main = this.part("player");
    this.slider = root.querySelector("input");
    for (const control of root.querySelectorAll("button, .speed")) control.ariaLabel ??= control.title;
    this.main.setAttribute("aria-label", `Step player: ${data.title || "a recorded tape"}`);
    this.part("title").textContent = data.title;
    this.slider.max = Math.max(data.steps.length - 1, 0);
    if (data.carries) this.sayTangents();
    decorateTime(data, this.part("phases"), this.part("memory"));
    if (!data.steps.some((step) => step.held)) for (const name of ["memory", "held"]) this.part(name).style.display = "none";
    this.part("notes").append(...data.notes.map((note) => el("li", {}, ...spoken(note))));
    this.lines = fillCode(data, this.part("code"));
    this.index = indexSteps(data);
    this.views = data.views ?? [{}];
    this.views[0].svg = svg;
    this.depth = this.views[0].depth ?? 0; // a graph's first picture has its programs open
    this.enter(this.views[0], this.depth);
    for (const view of this.views) for (const inner of Object.values(view.opens ?? {})) this.views[inner].depth = view.depth + 1;
    this.listen();
    followTheme(this.main);
    this.size();
    this.go(0);
  }

  part(name) {
    return this.root.querySelector(`.${name}`);
  }

  /** The words of a player whose steps push tangents forward; what frees memory is not among them. */
  sayTangents() {
    this.main.dataset.carries = this.data.carries;
    const say = (name, before, after) => {
      const text = this.part(name).lastChild;
      text.data = text.data.replace(before, after);
    };
    say("legend .cotangent", "∂ has a cotangent", `${this.data.sign} has a tangent`);
    say("legend .unconnected", "gradient", "tangent");
    say("keys", "its next step backward", "its next tangent");
  }

  /** Fix the height of the graph once: nothing below may jump while one steps. */
  size() {
    const [, , width, height] = this.graph.full;
    const room = this.part("graph").clientWidth || 600;
    const natural = height * Math.min(room / width, LARGEST);
    // Controls, sentence and graph should be seen together, in a notebook too.
    const tall = Math.round(Math.max(320, Math.min(natural, 720, 0.58 * window.innerHeight)));
    this.main.style.setProperty("--tall", `${tall}px`);
    this.graph.open(room, tall);
  }

  /* Large tapes: pictures with closed groups. How deep one looks is kept while one steps. */

  /** Show another picture; each is read once, when it is first wanted. */
  enter(view, depth = view.depth) {
    view.depth = depth;
    const svg = typeof view.svg === "string" ? parse(view.svg) : view.svg;
    view.graph ??= new Graph(svg, this.data, this.index, view, (box, forward) => this.pickBox(box, forward));
    this.graph?.svg.remove();
    this.graph = view.graph;
    this.view = view;
    this.part("graph").prepend(this.graph.svg);
    this.part("where").textContent = view.name ?? "";
    const { clientWidth, clientHeight } = this.part("graph");
    if (this.at >= 0) this.graph.open(clientWidth, clientHeight);
  }

  /** The picture that shows a node, as deep as one looks (or as deep as there are groups). */
  viewOf(id) {
    let view = this.views.find((each) => each.depth === 0) ?? this.views[0];
    for (let depth = 0; depth < this.depth; depth++) {
      const inner = view.opens?.[boxOf(view, id)] ?? view.deeper;
      if (inner == null) break;
      view = this.views[inner];
    }
    return view;
  }

  look(depth) {
    this.depth = Math.max(0, Math.min(depth, this.view.depth + 1));
    if (this.at >= 0) this.show();
  }

  /** A click on a node goes to a step of it; one on a closed group opens it there. */
  pickBox(box, forward) {
    const { id, ids } = this.graph.nodes.get(box);
    if (!this.view.opens?.[box]) return this.pick(id, forward);
    const own = ids.flatMap((member) => this.index.life[member].steps.filter((at) => this.data.steps[at].node === member));
    if (!own.includes(this.at)) this.jump(own, forward);
    this.look(this.view.depth + 1);
  }

  /** Show step `at` (clamped); every control goes through here. */
  go(at) {
    const count = this.data.steps.length;
    const next = Math.max(0, Math.min(count - 1, at));
    if (!count || next === this.at) return;
    this.at = next;
    this.show();
    this.onstep(next);
  }

  show() {
    const { at } = this;
    const count = this.data.steps.length;
    const step = this.data.steps[at];
    const phase = (this.data.kind === "graph" && step.kind === "forward" && "written") || (this.data.carries && step.kind === "unconnected" && "no tangent") || (PHASE[step.kind] ?? step.kind);
    this.slider.value = at;
    this.slider.setAttribute("aria-valuetext", `step ${at + 1} of ${count}, ${phase}`);
    this.root.querySelector("b").style.left = `${(100 * at) / Math.max(count - 1, 1)}%`;
    this.part("counter").textContent = `${at + 1} / ${count}`;
    this.part("held").textContent = `the ${this.data.persistent ? "persistent " : ""}tape holds ${bytes(step.held ?? 0)}`;
    fillOrders(this.part("orders"), this, (id) => this.pick(id, false));
    this.part("phase").textContent = phase;
    this.main.dataset.kind = step.kind;
    this.part("sentence").replaceChildren(...spoken(step.sentence ?? ""));
    // A node outside all groups, such as a weight that feeds one, does not close the group.
    const view = this.viewOf(step.node);
    const stays = view.depth < this.depth && this.view.depth === this.depth && this.graph.box(step.node) !== undefined;
    if (view !== this.view && !stays) this.enter(view);
    this.graph.show(at);
    this.showPanes(step, at === count - 1);
    this.showLine(step.line ?? this.data.nodes[step.node].line);
  }

  showPanes(step, last) {
    const { formulas, nodes } = this.data;
    const node = nodes[step.node];
    const own = step.kind === "forward" ? node : step;
    const rule = own.formula === undefined ? [] : [formula(formulas[own.formula])];
    this.part("rule").replaceChildren(...rule, el("div", { class: "numbers" }, own.numbers ?? ""));
    this.part("cards").replaceChildren(...terms(arithmetic(this.data, step, last)));
    const kept = node.kept && step.kind !== "release" ? ` · the tape keeps ${node.keeps || "values"} (${bytes(node.kept)})` : "";
    this.part("about").textContent = describe(node) + kept;
  }

  showLine(place) {
    const pane = this.part("code");
    this.marked?.removeAttribute("class");
    this.marked = place && this.lines.get(place.join());
    if (!this.marked) return;
    this.marked.className = "now";
    // Not scrollIntoView: that would scroll the notebook too.
    pane.scrollTop = this.marked.offsetTop - (pane.clientHeight - this.marked.offsetHeight) / 2;
  }

  /** Jump to the next backward step of a node after this one (or to its forward step). */
  pick(id, forward) {
    this.jump(this.index.life[id].steps, forward);
  }

  jump(steps, forward) {
    const wanted = steps.filter((at) => (this.data.steps[at].kind === "forward") === forward);
    const list = (wanted.length ? wanted : steps).sort((a, b) => a - b);
    if (list.length) this.go(list.find((at) => at > this.at) ?? list[0]);
  }

  toggle(playing = !this.timer) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.main.classList.toggle("playing", playing);
    const play = this.part("play");
    play.title = play.ariaLabel = playing ? "Pause (Space)" : "Play (Space)";
    this.part("sentence").setAttribute("aria-live", playing ? "off" : "polite");
    if (!playing) return;
    const end = this.data.steps.length - 1;
    if (this.at === end) this.go(0);
    const wait = () => 1000 / Number(this.part("speed").value);
    const tick = () => {
      this.go(this.at + 1);
      if (this.at === end || !this.main.isConnected) this.toggle(false);
      else this.timer = setTimeout(tick, wait());
    };
    this.timer = setTimeout(tick, wait());
  }

  faster(by) {
    const menu = this.part("speed");
    menu.selectedIndex = Math.max(0, Math.min(menu.length - 1, menu.selectedIndex + by));
  }

  listen() {
    for (const button of this.root.querySelectorAll(".groups")) button.hidden = !this.data.views;
    const actions = {
      first: () => this.go(0), back: () => this.go(this.at - 1), toggle: () => this.toggle(),
      forward: () => this.go(this.at + 1), last: () => this.go(this.data.steps.length - 1),
      nearer: () => this.graph.zoom(1 / 1.3), farther: () => this.graph.zoom(1.3), fit: () => this.graph.fit(),
      into: () => this.look(this.view.depth + 1), outof: () => this.look(this.view.depth - 1),
    };
    this.keys = {
      ArrowRight: actions.forward, ArrowLeft: actions.back, Home: actions.first, End: actions.last, " ": actions.toggle,
      PageDown: () => this.go(this.at + PAGE_OF_STEPS), PageUp: () => this.go(this.at - PAGE_OF_STEPS),
      "+": () => this.faster(1), "=": () => this.faster(1), "-": () => this.faster(-1),
    };
    this.main.addEventListener("click", (event) => actions[event.target.closest("[data-do]")?.dataset.do]?.());
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.part("graph").addEventListener("pointerdown", () => this.main.focus({ preventScroll: true }));
    this.listenToMenu(this.part("nodes"));
    // Notebooks listen for keys in the capture phase on document, where `x` cuts a cell: only a
    // capture listener on window comes before them. It is there only while the player has focus.
    const onKey = (event) => this.key(event);
    this.main.addEventListener("focusin", () => window.addEventListener("keydown", onKey, true));
    this.main.addEventListener("focusout", () => window.removeEventListener("keydown", onKey, true));
  }

  /** The list of nodes for keyboards and screen readers; filled when first used (it may be long). */
  listenToMenu(menu) {
    menu.addEventListener("focus", () => {
      if (menu.length > 1) return;
      menu.append(...this.data.nodes.map((node, id) => el("option", { value: id }, describe(node))));
    });
    menu.addEventListener("change", () => {
      if (menu.value) this.pick(Number(menu.value), false);
      menu.value = "";
    });
  }

  key(event) {
    const path = event.composedPath();
    if (!path.includes(this.main) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopImmediatePropagation();
    const pressesButton = path[0].localName === "button" && event.key === " ";
    const act = this.keys[event.key];
    if (!act || pressesButton || path[0].localName === "select") return;
    event.preventDefault();
    act();
  }
}
