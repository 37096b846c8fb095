/*
 * The timeline: chapters, the steps within them, true marks of all sums, and the memory that is held.
 *
 * Steps that only drop a record fold into the op's step unless one asks for them, and the last step
 * is a summary, which no step of the trace is.
 */

import { svgEl } from "./marks.js";
import { el } from "./panes.js";

const LABELLED = 46; // pixels that a step needs to have its name on it
const ROUND = 62; // pixels that a chapter needs to have its word before its number
const QUIET = ["release"];

/** The steps that are walked through: numbers of steps, and one behind the last for the summary. */
export function walkOf(data, memory) {
  const walk = data.steps.flatMap((step, at) => (memory || !QUIET.includes(step.kind) ? [at] : []));
  const ends = data.carries ? data.targets : data.sources;
  if (data.steps.some(({ kind }) => kind !== "forward") && ends.length && data.kind !== "graph") walk.push(data.steps.length);
  return walk;
}

const isForward = ({ kind }) => kind === "forward";

/** What a step is called on the timeline. */
function stepName(data, at) {
  const step = data.steps[at];
  if (!step) return "Σ";
  const node = data.nodes[step.node].called;
  if (step.kind === "pull") return `→ ${data.nodes[step.to].called}`;
  if (step.kind === "unconnected") return `${node}: None`;
  if (step.kind === "accumulate") return `Σ ${node}`;
  return step.kind === "forward" || step.kind === "push" ? node : step.kind;
}

/** The chapter of a step: that of its op (a scope, or a round), else the way it goes. */
function chapterOf(data, at) {
  const step = data.steps[at];
  if (!step) return "summary";
  const tangents = { forward: "forward values", backward: "tangents" };
  const way = isForward(step) ? "forward" : "backward";
  const chapter = data.nodes[step.kind === "accumulate" ? (data.steps[at - 1] ?? step).node : step.node].chapter;
  return chapter ?? (data.carries ? tangents[way] : data.kind === "graph" && way === "forward" ? "written down" : way);
}

/** The names of chapters; of "round 1" or "layer_1" their numbers alone where there is no room for the word. */
function namesOf(chapters, pixels) {
  const numberOf = ({ name }) => name.match(/^[a-z]+[ _]?(\d+)$/i)?.[1];
  const isShort = chapters.some((each) => numberOf(each) && each.steps.length * pixels < ROUND);
  return chapters.map((each) => {
    const text = (isShort && numberOf(each)) || each.name;
    return each.steps.length * pixels < Math.min(7 * text.length, 24) ? "" : text;
  });
}

export class Timeline {
  constructor(player) {
    this.player = player;
    this.phases = player.part("phases");
    this.fill();
  }

  /** Chapters and steps; made again when memory steps come or go, or the width changes much. */
  fill() {
    const { data, walk } = this.player;
    const pixels = (this.phases.clientWidth || 900) / Math.max(walk.length, 1);
    const chapters = [];
    for (const at of walk) {
      const name = chapterOf(data, at);
      const kind = !data.steps[at] ? "green" : isForward(data.steps[at]) ? "forward" : "backward";
      const last = chapters.at(-1);
      if (last?.name === name && last.kind === kind) last.steps.push(at);
      else chapters.push({ name, kind, steps: [at] });
    }
    this.chapters = chapters;
    const names = namesOf(chapters, pixels);
    const row = el("div", { class: "chapters" }, ...chapters.map(({ name, kind, steps }, i) => el("span", { class: kind, title: name, style: `flex:${steps.length} 1 0` }, names[i])));
    const named = pixels >= LABELLED;
    const slots = pixels >= 5 ? el("div", { class: `slots ${named ? "" : "bare"}` }, ...walk.map((at) => this.slot(at, named))) : this.ticks(walk);
    this.slots = new Map([...slots.querySelectorAll("[data-at]")].map((slot) => [Number(slot.dataset.at), slot]));
    this.phases.replaceChildren(row, slots);
  }

  slot(at, named) {
    const { data } = this.player;
    const step = data.steps[at];
    const kind = !step ? "summary" : isForward(step) ? "forward" : step.kind === "accumulate" ? "sum" : "backward";
    const slot = el("span", { class: `slot ${kind}`, title: stepName(data, at) }, named ? stepName(data, at) : "");
    slot.dataset.at = at;
    return slot;
  }

  /** A tape too long for slots: two bands, and one drawing with a mark for every sum. */
  ticks(walk) {
    const { data } = this.player;
    const end = Math.max(walk.length, 1);
    const forward = walk.filter((at) => data.steps[at] && isForward(data.steps[at])).length;
    const place = walk.flatMap((at, i) => (data.steps[at]?.kind === "accumulate" ? [`M${i + 0.5} 0v1`] : []));
    const svg = svgEl("svg", { class: "sums", viewBox: `0 0 ${end} 1`, preserveAspectRatio: "none", "data-sums": place.length });
    svg.append(svgEl("path", { d: place.join("") }));
    const bands = [["forward", forward], ["backward", end - forward]].map(([kind, length]) => el("span", { class: `band ${kind}`, style: `flex:${length} 1 0` }));
    this.cursor = el("b", { class: "cursor" });
    return el("div", { class: "slots long" }, ...bands, svg, this.cursor);
  }

  show(at) {
    this.now?.classList.remove("now");
    this.now = this.slots.get(at);
    this.now?.classList.add("now");
    const place = this.player.walk.indexOf(at);
    if (this.cursor) this.cursor.style.left = `${(100 * (place + 0.5)) / this.player.walk.length}%`;
    for (const [step, slot] of this.slots) slot.classList.toggle("todo", step > at);
  }

  /** The first step of the chapter before or after. */
  beside(at, by) {
    const starts = this.chapters.map(({ steps }) => steps[0]);
    return by > 0 ? starts.find((start) => start > at) ?? starts.at(-1) : starts.findLast((start) => start < at) ?? starts[0];
  }
}

/** The memory that the tape holds over time; long tapes are thinned, but keep their peaks. */
export function drawMemory({ steps }, memory) {
  const end = Math.max(steps.length - 1, 1);
  const held = steps.map((step) => step.held ?? 0);
  const most = held.reduce((a, b) => Math.max(a, b), 1);
  const stride = Math.ceil(steps.length / 400);
  const points = held.flatMap((_, i) => (i % stride ? [] : `L${i} ${(1 - Math.max(...held.slice(i, i + stride)) / most).toFixed(3)}`));
  const chart = memory.querySelector("svg");
  chart.setAttribute("viewBox", `0 0 ${end} 1`);
  chart.firstChild.setAttribute("d", `M0 1${points.join("")}L${end} 1Z`);
}
