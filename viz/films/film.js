/*
 * A training film: the kept steps of a loop, one after the other, over the curve of the loss.
 *
 * Every picture and every number was written by Python; this script only changes which one is seen.
 * Whatever goes wrong, the picture, words and table of the host stay.
 */

import { readData } from "../player/src/reading.js";
import { mount } from "../player/src/start.js";
import { followTheme } from "../player/src/theme.js";
import looks from "./film.css";

const SYMBOLS = { first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M11 3v10L4 8z", play: "M4 3v10l9-5z", pause: "M4 3h3v10H4zM9 3h3v10H9z", next: "M5 3v10l7-5z", last: "M11 3h2v10h-2zM3 3v10l7-5z" };
const NAMES = { first: "First step", back: "Back", play: "Play", next: "Next", last: "Last step" };
const STEADY = 900; // milliseconds a step is seen while the film runs

class Film {
  constructor(host, data) {
    this.data = data;
    this.at = -1;
    this.timer = 0;
    this.root = host.attachShadow({ mode: "open" });
    this.main = tag("div", "film");
    this.main.setAttribute("role", "group");
    this.main.setAttribute("aria-label", data.title);
    this.said = tag("output", "said");
    this.said.setAttribute("aria-live", "polite");
    this.runs = tag("div", "runs");
    this.below = tag("div", "below");
    const stage = tag("div", data.frames[0].shots.length > 1 ? "stage" : "stage single");
    stage.append(this.runs, this.timeline());
    this.main.append(this.bar(), this.said, stage, this.hint(), this.below);
    const words = tag("slot");
    host.querySelector("img").slot = "hidden"; // no such slot: it is not shown twice
    this.main.append(words);
    this.root.append(tag("style", "", looks), this.main);
    this.listen();
    followTheme(this.main);
    if (stage.className !== "stage") this.opened = 0; // there is room for the tape below
    this.go(data.frames.length - 1);
  }

  bar() {
    const bar = tag("div", "bar");
    this.counter = tag("span", "counter");
    const acts = { first: () => this.go(0), back: () => this.go(this.at - 1), play: () => this.toggle(), next: () => this.go(this.at + 1), last: () => this.go(this.data.frames.length - 1) };
    bar.append(tag("h1", "title", this.data.title));
    const transport = tag("div", "transport");
    for (const [name, act] of Object.entries(acts)) {
      const button = tag("button", name);
      button.type = "button";
      button.append(symbol(name));
      button.title = NAMES[name];
      button.setAttribute("aria-label", NAMES[name]);
      button.addEventListener("click", act);
      transport.append(button);
      if (name === "play") this.playButton = button;
    }
    this.openers = tag("span", "openers");
    bar.append(transport, this.counter, this.openers);
    return bar;
  }

  timeline() {
    const line = tag("div", "timeline picture");
    const { last } = this.data;
    for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-label": "Step of the training", "aria-valuemin": 0, "aria-valuemax": last })) line.setAttribute(name, value);
    this.charts = this.data.charts.map((text, i) => {
      const svg = drawn(text);
      svg.classList.add(i ? "narrow" : "wide");
      line.append(svg);
      return svg;
    });
    const drag = (event) => {
      if (event.type === "pointermove" && event.buttons !== 1) return;
      this.toggle(false);
      this.go(this.nearest(event));
    };
    for (const kind of ["pointerdown", "pointermove"]) line.addEventListener(kind, drag);
    this.line = line;
    return line;
  }

  hint() {
    return tag("div", "hint keys", "← → step · Home End · Space plays · Enter opens the tape · Escape closes it");
  }

  nearest(event) {
    const which = this.charts.findIndex((svg) => svg.getBoundingClientRect().width > 0);
    const box = this.charts[which].getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.charts[which].viewBox.baseVal.width;
    const far = this.data.frames.map(({ cursor }) => Math.abs(cursor[which] - x));
    return far.indexOf(Math.min(...far));
  }

  go(at) {
    const next = Math.max(0, Math.min(this.data.frames.length - 1, at));
    if (next === this.at) return;
    this.at = next;
    const frame = this.data.frames[next];
    this.said.replaceChildren(...coded(frame.say));
    this.counter.textContent = `kept step ${next + 1} / ${this.data.frames.length}`;
    this.line.setAttribute("aria-valuenow", frame.step);
    this.line.setAttribute("aria-valuetext", frame.say.replaceAll("`", ""));
    this.charts.forEach((svg, i) => {
      const cursor = svg.querySelector('[data-name="cursor"]');
      const numbers = cursor.getAttribute("d").match(/[\d.]+/g);
      cursor.setAttribute("d", `M${frame.cursor[i]} ${numbers[1]}L${frame.cursor[i]} ${numbers[3]}`);
    });
    this.runs.replaceChildren(...frame.shots.map((shot) => this.panel(this.data.shots[shot])));
    this.showOpeners(frame);
    if (this.opened !== undefined) this.open(this.opened);
  }

  panel(shot) {
    const card = tag("section", "run");
    const head = tag("div", "head");
    head.append(tag("strong", "", shot.name), tag("strong", "numbers", shot.head));
    const pictures = tag("div", "picture pictures");
    if (shot.plane) pictures.append(drawn(shot.plane));
    pictures.append(drawn(shot.variables));
    card.append(head, pictures);
    return card;
  }

  showOpeners(frame) {
    const focused = [...this.openers.children].indexOf(this.root.activeElement);
    this.openers.replaceChildren(...frame.shots.map((place, run) => {
      const { name, tape } = this.data.shots[place];
      const which = frame.shots.length > 1 ? ` of ${name}` : "";
      const button = tag("button", "", tape ? `Open the tape${which}` : `The tape${which} was too large to keep`);
      button.type = "button";
      button.disabled = !tape;
      button.addEventListener("click", () => this.open(run));
      return button;
    }));
    if (focused >= 0) this.openers.children[focused]?.focus();
  }

  /** Show the step player of this frame's tape, at the step where the last one stood. */
  open(run) {
    const tape = this.data.shots[this.data.frames[this.at].shots[run]]?.tape;
    const before = this.player;
    before?.toggle(false);
    this.opened = run;
    this.player = undefined;
    if (!tape) return this.below.replaceChildren();
    const place = tag("div");
    this.below.replaceChildren(place);
    this.player = mount(place.attachShadow({ mode: "open" }), tape.data, tape.svg);
    if (before?.at > 0 && before.at < tape.data.steps.length) this.player.go(before.at);
  }

  close() {
    this.player?.toggle(false);
    this.player = this.opened = undefined;
    this.below.replaceChildren();
    this.line.focus();
  }

  toggle(on = !this.timer) {
    clearInterval(this.timer);
    this.timer = 0;
    if (on) {
      if (this.at === this.data.frames.length - 1) this.go(0);
      this.timer = setInterval(() => this.advance(), STEADY);
    }
    this.playButton.replaceChildren(symbol(on ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", on ? "Pause" : NAMES.play);
  }

  advance() {
    const over = this.at === this.data.frames.length - 1;
    if (over || !this.main.isConnected) this.toggle(false);
    else this.go(this.at + 1);
  }

  listen() {
    const steps = { ArrowLeft: () => this.go(this.at - 1), ArrowRight: () => this.go(this.at + 1), ArrowDown: () => this.go(this.at - 1), ArrowUp: () => this.go(this.at + 1), Home: () => this.go(0), End: () => this.go(this.data.frames.length - 1), " ": () => this.toggle(), Enter: () => this.open(0), Escape: () => this.close() };
    // As in controls.js: notebooks take keys on document, so ours are taken before, on window.
    const onKey = (event) => {
      const path = event.composedPath();
      if (!path.includes(this.main) || event.ctrlKey || event.metaKey || event.altKey) return;
      const inside = path.includes(this.below);
      if (inside && event.key !== "Escape") return;
      event.stopImmediatePropagation();
      const presses = path[0].localName === "button" || path[0].localName === "summary";
      if (!(event.key in steps) || (presses && (event.key === " " || event.key === "Enter"))) return;
      event.preventDefault();
      steps[event.key]();
    };
    this.main.addEventListener("focusin", () => window.addEventListener("keydown", onKey, true));
    this.main.addEventListener("focusout", () => window.removeEventListener("keydown", onKey, true));
  }
}

function tag(name, kind = "", text = "") {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  element.textContent = text;
  return element;
}

function drawn(text) {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(svg, true);
}

function symbol(name) {
  return drawn(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" aria-hidden="true"><path d="${SYMBOLS[name]}"/></svg>`);
}

/** A sentence whose `names` are set as code. */
function coded(sentence) {
  return sentence.split("`").map((part, i) => (i % 2 ? tag("code", "", part) : document.createTextNode(part)));
}

async function films() {
  for (const host of document.querySelectorAll(".minitape-film:not([data-ready])")) {
    host.dataset.ready = "soon";
    try {
      new Film(host, await readData(host.querySelector("script")));
      host.dataset.ready = "yes";
    } catch (error) {
      console.warn("the film cannot run:", error);
      if (host.shadowRoot) host.shadowRoot.innerHTML = "<slot></slot>";
    }
  }
}

films();
