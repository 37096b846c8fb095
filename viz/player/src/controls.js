/*
 * What buttons, keys, the slider and the address do to a player.
 *
 * The one fact to know: each of them ends in `go`, to a step. Notebooks listen for keys in the capture
 * phase on document, where `x` cuts a cell: only a capture listener on window comes before them.
 */

import { flatOf, placeOf } from "./marks.js";
import { describe, el } from "./panes.js";
import { Room } from "./room.js";

const PAGE_OF_STEPS = 10;

export class Controls extends Room {
  faster(by) {
    const menu = this.part("speed");
    menu.selectedIndex = Math.max(0, Math.min(menu.length - 1, menu.selectedIndex + by));
  }

  listen() {
    for (const button of this.root.querySelectorAll(".groups")) button.hidden = !this.data.views;
    const actions = {
      first: () => this.go(this.walk[0] ?? 0), back: () => this.move(-1), toggle: () => this.toggle(),
      forward: () => this.move(1), last: () => this.go(this.walk.at(-1) ?? 0),
      save: () => this.saving(), memory: () => this.showMemory(), present: () => this.present(), full: () => this.fullScreen(),
      nearer: () => this.graph.zoom(1 / 1.3), farther: () => this.graph.zoom(1.3), fit: () => this.graph.fit(),
      open: () => this.opening.toggle(), into: () => this.look(this.view.depth + 1), outof: () => this.look(this.view.depth - 1),
    };
    this.keys = {
      ArrowRight: actions.forward, ArrowLeft: actions.back, Home: actions.first, End: actions.last, " ": actions.toggle,
      PageDown: () => this.move(PAGE_OF_STEPS), PageUp: () => this.move(-PAGE_OF_STEPS),
      "]": () => this.go(this.timeline.beside(this.at, 1)), "[": () => this.go(this.timeline.beside(this.at, -1)),
      o: actions.open, y: () => this.paths.next(), z: () => this.proof.zoom(), s: actions.save, m: actions.memory, p: actions.present, f: actions.full, l: () => this.address(),
      "+": () => this.faster(1), "=": () => this.faster(1), "-": () => this.faster(-1),
    };
    this.main.addEventListener("click", (event) => this.guard(() => actions[/** @type {HTMLElement} */ (event.target).closest("[data-do]")?.getAttribute("data-do")]?.()));
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.part("phases").addEventListener("click", (event) => {
      const slot = event.target.closest("[data-at]");
      if (slot) this.go(Number(slot.dataset.at));
    });
    this.part("graph").addEventListener("pointerdown", () => this.main.focus({ preventScroll: true }));
    this.listenToMenu(this.part("nodes"));
    // Listened for only while the player has focus.
    const onKey = (event) => this.key(event);
    this.main.addEventListener("focusin", () => window.addEventListener("keydown", onKey, true));
    this.main.addEventListener("focusout", () => window.removeEventListener("keydown", onKey, true));
    // The only player of a page has its keys at once; in notebooks and on slides it waits for a click.
    if (this.root.host?.closest("section[data-alone]")) document.body.addEventListener("keydown", (event) => {
      if (event.target === document.body && this.main.isConnected) this.key(event);
    });
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
    if (!(path.includes(this.main) || path[0] === document.body) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopImmediatePropagation();
    const pressesButton = path[0].localName === "button" && (event.key === " " || event.key === "Enter");
    const inMatrix = path[0].localName === "td" || path[0].classList?.contains("heat");
    if (inMatrix && this.proof.key(event.key)) return event.preventDefault();
    const act = this.keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || pressesButton || path[0].localName === "select") return;
    event.preventDefault();
    this.guard(act);
  }

  toggle(playing = !this.timer) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.main.classList.toggle("playing", playing);
    const play = this.part("play");
    play.title = play.ariaLabel = playing ? "Pause (Space)" : "Play (Space)";
    this.part("sentence").setAttribute("aria-live", playing ? "off" : "polite");
    if (!playing) return;
    const end = this.walk.at(-1);
    if (this.at === end) this.go(0);
    const wait = () => 1000 / Number(this.part("speed").value);
    const tick = () => {
      this.move(1);
      if (this.at === end || !this.main.isConnected) this.toggle(false);
      else this.timer = setTimeout(tick, wait());
    };
    this.timer = setTimeout(tick, wait());
  }

  /** The line that saves what is shown as a picture: a page has no Python, and the program has. */
  async saving() {
    const { result } = this.proof.scene ?? {};
    const shape = result?.array?.shape ?? [];
    const at = shape.length ? `, at=(${placeOf(this.proof.element ?? 0, shape).join(", ")}${shape.length > 1 ? "" : ","})` : "";
    const step = this.walk.indexOf(this.at) + 1;
    const line = `player.save("step-${step}.svg", step=${step}${at})`;
    const button = this.main.querySelector("[data-do=save]");
    try {
      await navigator.clipboard.writeText(line);
      button.textContent = "Copied";
    } catch {
      prompt("This line saves the step as a picture:", line);
    }
    button.title = line;
    setTimeout(() => { button.textContent = "Save this view"; }, 2000);
  }

  /** Put the step into the address, so that it can be sent to somebody. */
  address() {
    if (!this.addressed) return;
    const { result } = this.proof.scene ?? {};
    const place = result?.array?.shape?.length ? `&at=${placeOf(this.proof.element ?? 0, result.array.shape)}` : "";
    history.replaceState(null, "", `#step=${this.walk.indexOf(this.at) + 1}${place}`);
  }

  /** `#step=14&at=3,0` in the address of a page with one player: the step, and an element of its result. */
  fromAddress() {
    const alone = document.querySelectorAll(".minitape-player").length === 1;
    const given = new URLSearchParams(alone ? location.hash.slice(1) : "");
    this.isOpened = given.has("step");
    const place = given.get("at")?.split(",").map(Number);
    this.addressed = alone && location.protocol !== "about:";
    this.go(this.walk[Math.min(Math.max(Number(given.get("step")) || 1, 1), this.walk.length) - 1] ?? 0);
    const { result } = this.proof.scene ?? {};
    if (place && result?.array?.shape?.length === place.length) this.proof.look(flatOf(place, result.array.shape), false);
  }
}
