/*
 * The step player: one program for the notebook output, the widget and the standalone page.
 *
 * Nodes are drawn once and never move. A step changes classes and texts of the few nodes it
 * touches, so stepping stays fast on large tapes and the eye keeps its place. Every number arrives
 * as text (see payload.py): nothing here can round differently from Python. The structure is in
 * player.html, the looks are in player.css. No dependencies, no network.
 */

import hall from "../hall.css";
import css from "../player.css";
import html from "../player.html";
import { Controls } from "./controls.js";
import { Findings, findingsOf } from "./findings.js";
import { Finder } from "./find.js";
import { Graph, boxOf, indexSteps } from "./graph.js";
import { Hall } from "./hall.js";
import { carry, settle } from "./motion.js";
import { Opening } from "./opening.js";
import { adorn, built, bytes, describe, el, fillCode, parse, spoken } from "./panes.js";
import { Proof } from "./proof.js";
import { fillOrders } from "./queue.js";
import { Lights, MANY_SOURCES, summaryOf } from "./summary.js";
import { followTheme } from "./theme.js";
import { Timeline, drawMemory, walkOf } from "./time.js";

/** Whether a node has a box of its own in a view. */
function isAlone(view, id) {
  const box = boxOf(view, id);
  return box !== undefined && (view.members?.[box] ?? [id]).length === 1;
}

export class Player extends Controls {
  constructor(root, data, svg) {
    super();
    Object.assign(this, { root, data, at: NaN, depth: 0, timer: 0, onstep: () => {}, onfail: (error) => { throw error; }, walk: walkOf(data, false) });
    root.innerHTML = html; // ours alone; the trace comes in as text below
    root.prepend(el("style", {}, css + hall));
    this.main = this.part("player");
    this.slider = root.querySelector("input");
    for (const control of root.querySelectorAll("[title]:is(button, .speed)")) control.ariaLabel = control.title;
    for (const word of root.querySelectorAll(".word")) word.disabled = !this.words;
    this.main.setAttribute("aria-label", `Step player: ${data.title || "a recorded tape"}`);
    this.part("title").textContent = data.title;
    this.slider.max = Math.max(this.walk.at(-1) ?? 0, 0);
    this.slider.min = Math.min(this.start ?? 0, 0);
    if (data.carries) this.sayTangents();
    this.opening = new Opening(this);
    this.paths = new Lights(this);
    this.timeline = new Timeline(this);
    adorn(() => drawMemory(data, this.part("memory")));
    if (!data.steps.some((step) => step.held)) for (const name of ["memory", "held"]) this.part(name).style.display = "none";
    this.main.classList.toggle("broken-off", data.steps.some(({ kind }) => kind === "unconnected"));
    this.main.classList.toggle("meeting", data.steps.some(({ kind }) => kind === "accumulate"));
    adorn(() => this.part("notes").append(...data.notes.map((note) => el("li", {}, ...spoken(note)))));
    this.lines = adorn(() => fillCode(data, this.part("code")), () => new Map());
    this.index = indexSteps(data);
    this.proof = new Proof(this);
    this.findings = new Findings(this);
    this.views = data.views ?? [{}];
    this.views[0].svg = svg;
    if (data.folds) {
      this.overview = this.views[0];
      this.main.classList.add("folded");
    }
    this.depth = this.views[0].depth ?? 0; // the first picture of a graph has its programs open
    this.enter(this.views[0], this.depth);
    for (const view of this.views) for (const inner of Object.values(view.opens ?? {})) this.views[inner].depth = view.depth + 1;
    const { start } = this.views[0];
    if (start !== undefined) this.enter(this.views[start], this.depth = 1);
    this.hall = new Hall(this);
    this.finder = new Finder(this);
    this.listen();
    adorn(() => followTheme(this.main));
    this.size();
    this.fromAddress();
    if (this.isAlone()) this.size(); // once more: what stands around the graph is known now
  }

  /** Where keys begin: before the first step, where there is a page for it. */
  get start() {
    return this.data.hall && this.walk.length ? -1 : this.walk[0];
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
    const [, has, word] = this.part("legend .cotangent").childNodes;
    has.data = has.data.replace("∂", this.data.sign);
    word.textContent = word.dataset.word = "tangent";
    say("legend .unconnected", "gradient", "tangent");
    say("keys span:last-child", "its next step backward", "its next tangent");
  }

  /* Large tapes: pictures with closed groups. How deep one looks is kept while one steps. */

  /** Show another picture; each is read once, when it is first wanted. */
  enter(view, depth = view.depth) {
    view.depth = depth;
    const drawing = view.like === undefined ? view.svg : this.views[view.like].svg;
    const svg = typeof drawing === "string" ? parse(drawing) : drawing.cloneNode(true);
    view.graph ??= new Graph(svg, this.data, this.index, view, (box, forward) => this.pickBox(view, box, forward), (id) => this.opening.toggle(id));
    view.graph.onGo = (at) => this.go(at);
    if (this.view !== this.overview) this.graph?.svg.remove();
    this.graph = view.graph;
    this.view = view;
    this.part(view === this.overview ? "overview" : "graph").prepend(this.graph.svg);
    adorn(() => this.findings.mark(this.graph));
    this.part("where").textContent = view.slots ? "" : view.name ?? ""; // the name of a slot stands on its frame
    if (this.at >= -1 && this.views[0].slots) this.size(); // an open slot needs more room
    else if (this.at >= -1) this.fit();
    this.graph.onframe = () => { this.part("zoom").className = `zoom ${view.graph.corner(this.part("zoom"))}`; };
    this.graph.onframe();
    adorn(() => this.paths.show());
  }

  /**
   * The picture that shows a node: as deep as one looks (or as deep as there are groups), and deeper
   * where a step is `followed` into the group that holds its node.
   */
  viewOf(id, followed) {
    const { view: opened } = this.opening;
    if (opened && (followed ? isAlone(opened, id) : boxOf(opened, id) !== undefined)) return opened;
    let view = this.views.find((each) => each.depth === 0) ?? this.views[0];
    for (let depth = 0; followed ? depth < this.depth || !isAlone(view, id) : depth < this.depth; depth++) {
      const inner = view.opens?.[boxOf(view, id)] ?? view.deeper;
      if (inner == null) break;
      view = this.views[inner];
    }
    return view;
  }

  /** After nodes and steps were exchanged: what was read from them is read again. */
  relist() {
    this.index = indexSteps(this.data);
    this.walk = walkOf(this.data, this.main.classList.contains("remembering"));
    this.slider.max = Math.max(this.walk.at(-1) ?? 0, 0);
    for (const { graph } of this.views) graph?.read(this.index);
    this.opening.view?.graph?.read(this.index);
    this.at = NaN;
    this.stale = true;
  }

  look(depth) {
    this.depth = Math.max(0, Math.min(depth, this.view.depth + 1));
    this.isPeeking = true; // until the next step, for that opens the group that it is in
    if (this.at >= -1) this.show();
  }

  /** A click on a node goes to a step of it; one on a closed group opens it there. */
  pickBox(view, box, forward) {
    const { id, ids } = view.graph.nodes.get(box);
    if (view === this.overview || (this.overview && ids.length > 1)) return this.pickFold(ids);
    const isSlot = this.view.slots?.includes(box);
    if (!isSlot && !this.view.opens?.[box]) return this.pick(id, forward);
    const own = ids.flatMap((member) => this.index.life[member].steps.filter((at) => this.data.steps[at].node === member));
    const depth = isSlot ? 1 : this.view.depth + 1;
    if (!own.includes(this.at)) this.jump(own, forward);
    this.look(depth);
  }

  /** A click on a fold goes to its first step in the direction of the present one. */
  pickFold(ids) {
    const { steps } = this.data;
    const isForward = (at) => (steps[at]?.kind ?? "forward") === "forward";
    const own = ids.flatMap((id) => this.index.life[id].steps.filter((at) => ids.includes(steps[at].node))).sort((a, b) => a - b);
    const at = own.find((each) => isForward(each) === isForward(this.at)) ?? own[0];
    if (at !== undefined) this.go(at);
  }

  /** Show step `at`, or the one before it that is not folded; -1 is the first page. Every control goes through here. */
  go(at) {
    const next = at < 0 ? this.start : this.walk.findLast((each) => each <= at) ?? this.walk[0];
    if (next === undefined || next === this.at) return;
    const isNext = this.walk.indexOf(next) === this.walk.indexOf(this.at) + 1;
    this.at = next;
    this.isPeeking = !this.isOpened; // a page opens on the whole; from then on a step opens its group
    this.isOpened = true;
    settle(this.root);
    this.show();
    if (isNext) adorn(() => carry(this));
    this.onstep(Math.max(0, Math.min(this.opening.closed(next)[0], this.opening.steps.length - 1)));
  }

  /** Go on or back by some of the steps that are walked through. */
  move(by) {
    const place = this.walk.indexOf(this.at) + by;
    this.go(this.walk[Math.min(this.walk.length - 1, place)] ?? -1);
  }

  /** Every step is shown through here: where that fails the player gives way to what stands still. */
  show() {
    this.guard(() => this.draw());
    adorn(() => this.hall.show());
  }

  guard(act) {
    try {
      act();
    } catch (error) {
      this.onfail(error);
    }
  }

  draw() {
    const { at } = this;
    const summary = at >= this.data.steps.length;
    const isPage = summary || at < 0;
    const turns = this.views[0].slots && this.main.classList.contains("summing") !== isPage;
    this.main.classList.toggle("summing", isPage);
    this.paths.box?.remove();
    this.part("meaning").hidePopover();
    if (turns) this.size();
    this.slider.value = at;
    const [place, count] = [this.opening.number(at), this.opening.walk.length];
    this.part("counter").textContent = `${place} / ${count}`;
    adorn(() => this.timeline.show(at));
    this.root.querySelector("b").style.left = `${(100 * at) / Math.max(this.data.steps.length - 1, 1)}%`;
    adorn(() => this.opening.mark());
    if (at < 0) return this.showEnd(`step ${place} of ${count}`, this.data.hall.first, () => this.ask());
    if (summary) return this.showEnd(`step ${place} of ${count}, summary`, this.data.hall?.last, () => this.sumUp());
    const step = this.data.steps[at];
    const phase = this.data.phases?.[step.kind] ?? step.kind;
    this.slider.setAttribute("aria-valuetext", `step ${place} of ${count}, ${phase}`);
    this.part("held").textContent = `the ${this.data.persistent ? "persistent " : ""}tape holds ${bytes(step.held ?? 0)}`;
    adorn(() => fillOrders(this.part("orders"), this, (id) => this.pick(id, false)));
    this.setPhase(step.kind, phase);
    this.say(step.sentence ?? "");
    const view = this.overview ? this.opening.fold(at) : this.viewOf(step.node, !this.isPeeking);
    // A node outside of the open group, such as a weight that feeds it, does not close the group.
    const ends = [step.node, step.to ?? step.node];
    const stays = !this.overview && !this.stale && !this.isPeeking && view.depth < this.view.depth && ends.every((id) => isAlone(this.view, id));
    this.stale = false;
    if (view !== this.view && !stays) this.enter(view);
    this.graph.show(at);
    this.overview?.graph.show(at);
    adorn(() => this.showPanes(step), () => this.clearPanes());
    adorn(() => this.showLine(step.line ?? this.data.nodes[step.node].line));
  }

  /** Before the first step, and behind the last one: what is asked, and what came of it. */
  showEnd(said, page, fill) {
    const { at } = this;
    const whole = this.viewOf(this.data.steps.at(-1).node);
    if (this.view.slot !== undefined || this.overview) this.enter(this.views[0]); // the room is for the page
    else if (this.stale || (this.view !== this.opening.view && this.view.depth > whole.depth)) this.enter(whole);
    this.stale = false;
    this.slider.setAttribute("aria-valuetext", said);
    this.setPhase(at < 0 ? "question" : "summary");
    this.say(page?.ask ?? "");
    this.part("held").textContent = "";
    this.part("rule").replaceChildren();
    this.part("lens").replaceChildren();
    this.part("about").textContent = "";
    adorn(fill, () => this.clearPanes());
    this.proof.scene = null;
    this.graph.show(Math.min(at, this.data.steps.length - 1), at >= 0);
    adorn(() => fillOrders(this.part("orders"), { data: this.data, index: this.index, at: this.graph.at }, (id) => this.pick(id, false)));
    adorn(() => this.showLine());
    adorn(() => this.findings.fit());
  }

  /** What kind of step it is; where that is a word of the page, it can be pressed. */
  setPhase(kind, phase = kind) {
    const pill = this.part("phase");
    pill.textContent = phase;
    pill.dataset.word = kind;
    pill.disabled = !this.words?.[kind];
    this.main.dataset.kind = kind;
  }

  get words() {
    return this.data.hall?.first.words;
  }

  /** What a dotted word means. */
  define(word) {
    const meaning = this.part("meaning");
    const { word: name } = word.dataset;
    meaning.textContent = `${name} · ${this.words[name]}`;
    meaning.showPopover({ source: word });
  }

  /** The panes of the first page. */
  ask() {
    const { first } = this.data.hall;
    this.part("cards").replaceChildren(...[...first.look, ...first.more].map((tree) => built(tree)));
  }

  /** The panes of the summary. */
  sumUp() {
    const { fit, row } = this.proof;
    row.className = "cards";
    fit.side.className = "side";
    const isLong = this.data.sources.length > MANY_SOURCES || this.main.clientWidth < 560;
    if (!isLong) row.replaceChildren(...summaryOf(this, false));
    if (fit.isLow()) fit.side.className = "side tight"; // digits go after the program
    if (isLong || fit.isLow()) row.replaceChildren(...summaryOf(this, true));
    fit.lower();
    if (fit.isLow()) fit.list(this.part("ends"));
  }

  /** One line where it fits into one, else two smaller ones in the same room. */
  say(...parts) {
    const [line, said] = [this.part("saying"), this.part("sentence")];
    line.classList.remove("long");
    said.replaceChildren(...parts.flatMap((part) => (typeof part === "string" ? spoken(part) : [part])));
    line.classList.toggle("long", said.scrollHeight > said.clientHeight + 2);
  }

  /** Panes of which a part could not be made say nothing: what stood there may be false now. */
  clearPanes() {
    this.proof.scene = null;
    for (const name of ["rule", "cards", "lens", "about"]) this.part(name).replaceChildren();
  }

  showPanes(step) {
    const { nodes } = this.data;
    const node = nodes[step.node];
    const own = step.kind === "forward" ? node : step;
    const kept = node.kept && step.kind !== "release" ? ` · the tape keeps ${node.keeps || "values"} (${bytes(node.kept)})` : "";
    this.part("about").textContent = describe(node) + kept;
    this.proof.show(step, own); // its parts fit beside what stands there already
    this.paths.beside(step);
    if (step.kind === "unconnected") {
      const found = findingsOf(this.data, step);
      this.part("cards").append(...found.map(({ panes }) => built(panes)));
      this.graph.follow([step.node, found[0]?.node].map((id) => this.graph.box(id))); // where the way ends, not only the source
    }
    this.findings.fit();
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

  /** Show the steps that only drop records, and the memory held, or fold them away. */
  showMemory() {
    const shown = this.main.classList.toggle("remembering");
    this.root.querySelector("[data-do=memory]").ariaPressed = shown;
    this.walk = walkOf(this.data, shown);
    this.slider.max = Math.max(this.walk.at(-1) ?? 0, 0);
    this.timeline.fill();
    const { at } = this;
    this.at = NaN;
    this.go(at);
  }
}
