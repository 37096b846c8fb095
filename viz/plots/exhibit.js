/*
 * A plot that can be moved: a slider (or the pointer) goes through its frames.
 *
 * Nothing is computed here. Python wrote for each frame where the named shapes go and what is said,
 * so page and Python cannot differ. A frame may bring a step player along. There may be another way
 * to move beside the first, with frames of its own: a switch leads there. Whatever goes wrong, the
 * picture and the words that the host holds stay.
 */

import { readData, readPicture } from "../player/src/reading.js";
import { mount } from "../player/src/start.js";
import { followTheme } from "../player/src/theme.js";
import looks from "./exhibit.css";

class Exhibit {
  constructor(host, data, svg) {
    this.data = this.way = data;
    this.svg = svg;
    this.at = -1;
    this.root = host.attachShadow({ mode: "open" });
    this.root.append(make("style", looks), make("div", "", "exhibit"));
    this.main = this.root.lastChild;
    this.main.setAttribute("role", "group");
    this.main.setAttribute("aria-label", data.title);
    this.svg.querySelector("style")?.remove(); // The page's theme decides about dark, not the system's alone.
    this.shapes = Object.fromEntries([...svg.querySelectorAll("[data-name]")].map((shape) => [shape.dataset.name, shape]));
    const picture = make("div", "", "picture");
    picture.append(svg);
    this.main.append(picture, this.controls(), make("div", "", "below"), words(host, data.frames[data.start].say));
    this.listen();
    followTheme(this.main);
    this.go(data.start);
  }

  controls() {
    const row = make("label", "", "controls");
    this.slider = make("input");
    Object.assign(this.slider, { type: "range", min: 0 });
    this.label = make("span");
    this.said = make("output", "", "said");
    this.said.setAttribute("aria-live", "polite");
    row.append(this.label, this.slider);
    const all = make("div");
    if (this.data.beside) all.append(this.ways());
    all.append(row, this.said);
    this.fit();
    return all;
  }

  /** The switch between two ways: radio buttons, so that keys and screen readers know it. */
  ways() {
    const group = make("div", "", "controls ways");
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", "What to go through");
    for (const way of [this.data, this.data.beside]) {
      const label = make("label");
      const button = make("input");
      Object.assign(button, { type: "radio", name: "way", checked: way === this.way });
      button.addEventListener("change", () => this.turn(way));
      label.append(button, make("span", way.name));
      group.append(label);
    }
    return group;
  }

  turn(way) {
    this.way = way;
    this.fit();
    this.player?.toggle(false);
    this.player = undefined; // its steps are of the other way
    this.root.querySelector(".below").replaceChildren();
    this.at = -1;
    this.go(way.start);
  }

  /** The slider is as long as the way. */
  fit() {
    const { frames, start, label } = this.way;
    Object.assign(this.slider, { max: frames.length - 1, value: start });
    this.slider.setAttribute("aria-label", label);
    this.label.textContent = label;
  }

  go(at) {
    const next = Math.max(0, Math.min(this.way.frames.length - 1, at));
    if (next === this.at) return;
    this.at = next;
    const frame = this.way.frames[next];
    for (const [name, numbers] of Object.entries(frame.move)) move(this.shapes[name], numbers);
    this.said.textContent = frame.say;
    this.slider.value = next;
    this.slider.setAttribute("aria-valuetext", frame.say);
    if (this.way.players) this.play({ ...this.way.shared, ...this.way.players[next] });
  }

  /** Show the step player of a frame at the step where the last one stood. */
  play(payload) {
    const place = make("div");
    this.root.querySelector(".below").replaceChildren(place);
    const before = this.player;
    before?.toggle(false);
    this.player = mount(place.attachShadow({ mode: "open" }), payload, this.way.drawing);
    this.player.depth = before?.depth ?? 0;
    this.player.go(before?.at ?? payload.steps.findIndex((step) => step.kind === "seed"));
  }

  listen() {
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const drag = (event) => {
      if (event.buttons !== 1) return;
      event.preventDefault();
      this.go(this.nearest(event));
    };
    for (const kind of ["pointerdown", "pointermove"]) this.svg.addEventListener(kind, drag);
    // As in controls.js: notebooks take keys on document, so ours are taken before, on window.
    const onKey = (event) => {
      const path = event.composedPath();
      const inside = path.some((element) => element.classList?.contains("player"));
      if (path.includes(this.main) && !inside && !event.ctrlKey && !event.metaKey) event.stopImmediatePropagation();
    };
    this.main.addEventListener("focusin", () => window.addEventListener("keydown", onKey, true));
    this.main.addEventListener("focusout", () => window.removeEventListener("keydown", onKey, true));
  }

  nearest(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const weights = { x: [1, 0], y: [0, 1], xy: [1, 1] }[this.way.drag];
    const far = ({ at }) => weights[0] * (at[0] - x) ** 2 + weights[1] * (at[1] - y) ** 2;
    const distances = this.way.frames.map(far);
    return distances.indexOf(Math.min(...distances));
  }
}

/** Words and table of the host stay below, but for what the frames say; its picture is not shown twice. */
function words(host, said) {
  for (const part of host.querySelectorAll("p, details")) if (part.textContent !== said) part.slot = "words";
  const slot = make("slot");
  slot.name = "words";
  return slot;
}

function make(name, text = "", kind = "") {
  const element = document.createElement(name);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

/** Two numbers move a circle, more are the points of a path. */
function move(shape, numbers) {
  if (shape.localName === "circle") {
    shape.setAttribute("cx", numbers[0]);
    shape.setAttribute("cy", numbers[1]);
    return;
  }
  const pairs = numbers.flatMap((value, i) => (i % 2 ? [] : [`${value} ${numbers[i + 1]}`]));
  shape.setAttribute("d", pairs.length ? `M${pairs.join("L")}${["row", "column"].includes(shape.dataset.name) ? "z" : ""}` : "");
}

async function exhibit() {
  for (const host of document.querySelectorAll(".minitape-exhibit:not([data-ready])")) {
    if (host.dataset.ready) continue; // the script of another output took it while this one waited
    host.dataset.ready = "soon";
    try {
      const data = await readData(host.querySelector("script"));
      const picture = readPicture(host, data);
      const svg = typeof picture === "string" ? new DOMParser().parseFromString(picture, "image/svg+xml").documentElement : picture;
      new Exhibit(host, data, document.importNode(svg, true));
      host.dataset.ready = "yes";
    } catch (error) {
      console.warn("the plot cannot be moved:", error);
      if (host.shadowRoot) host.shadowRoot.innerHTML = "<slot></slot>";
    }
  }
}

exhibit();
