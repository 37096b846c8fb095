/*
 * What buttons, keys, the slider and the address do to a player.
 *
 * Each of them ends in `go`, to a step. Notebooks listen for keys in the capture phase on document,
 * where `x` cuts a cell: only a capture listener on window comes before them.
 */

import { flatOf, placeOf } from "./marks.js";
import { settle } from "./motion.js";
import { Room } from "./room.js";

const PAGE_OF_STEPS = 10;
const [LEAST, A_WORD] = [1000, 300]; // milliseconds of a step that plays: so long a sentence is read
const SWIPE = 50; // pixels of a finger that goes to the next step

export class Controls extends Room {
  faster(by) {
    const menu = this.part("speed");
    menu.selectedIndex = Math.max(0, Math.min(menu.length - 1, menu.selectedIndex + by));
  }

  listen() {
    for (const button of this.root.querySelectorAll(".groups")) button.hidden = !this.data.views;
    const actions = {
      first: () => this.go(-1), back: () => this.move(-1), toggle: () => this.toggle(),
      forward: () => this.move(1), last: () => this.go(this.walk.at(-1) ?? 0),
      save: () => this.saving(), memory: () => this.showMemory(), present: () => this.present(), hall: () => this.hall.enter(), find: () => this.finder.find(), full: () => this.fullScreen(),
      nearer: () => this.graph.zoom(1 / 1.3), farther: () => this.graph.zoom(1.3), fit: () => this.graph.fit(),
      define: (word) => this.define(word), go: ({ dataset }) => this.go(this.opening.shown(Number(dataset.at))), open: () => this.opening.toggle(), into: () => this.look(this.view.depth + 1), outof: () => this.look(this.view.depth - 1),
    };
    this.keys = {
      ArrowRight: actions.forward, ArrowLeft: actions.back, Home: actions.first, End: actions.last, " ": actions.toggle,
      PageDown: () => this.move(PAGE_OF_STEPS), PageUp: () => this.move(-PAGE_OF_STEPS),
      "]": () => this.go(this.timeline.beside(this.at, 1)), "[": () => this.go(this.timeline.beside(this.at, -1)),
      o: actions.open, y: () => this.paths.next(), z: () => this.proof.zoom(), s: actions.save, m: actions.memory, p: actions.hall, "/": actions.find, "?": () => this.finder.help(), f: actions.full, l: () => this.address(),
      "+": () => this.faster(1), "=": () => this.faster(1), "-": () => this.faster(-1),
    };
    this.main.addEventListener("click", (event) => this.guard(() => {
      const button = /** @type {HTMLElement} */ (event.target).closest("[data-do]");
      actions[button?.getAttribute("data-do")]?.(button);
    }));
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.part("phases").addEventListener("click", (event) => {
      const slot = event.target.closest("[data-at]");
      if (slot) this.go(Number(slot.dataset.at));
    });
    this.part("graph").addEventListener("pointerdown", () => this.main.focus({ preventScroll: true }));
    this.swipes();
    // Listened for only while the player has focus.
    const onKey = (event) => this.key(event);
    this.main.addEventListener("focusin", () => window.addEventListener("keydown", onKey, true));
    this.main.addEventListener("focusout", () => window.removeEventListener("keydown", onKey, true));
    this.main.addEventListener("keydown", onKey); // a window behind others says nothing of its focus
    // The only player of a page has its keys at once; in notebooks and on slides it waits for a click.
    if (this.root.host?.closest("section[data-alone]")) document.body.addEventListener("keydown", (event) => {
      if (event.target === document.body && this.main.isConnected) this.key(event);
    });
  }

  key(event) {
    const path = event.composedPath();
    if (!(path.includes(this.main) || path[0] === document.body) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopImmediatePropagation();
    settle(this.root);
    if (this.finder.key(event)) return;
    if (this.hall.key(event.key)) return event.preventDefault();
    const pressesButton = path[0].localName === "button" && (event.key === " " || event.key === "Enter");
    const inMatrix = path[0].localName === "td" || path[0].classList?.contains("heat");
    if (inMatrix && this.proof.key(event.key)) return event.preventDefault();
    const act = this.keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || pressesButton || path[0].localName === "select") return;
    event.preventDefault();
    this.guard(act);
  }

  /** A finger that moves sideways steps, where nothing else moves with it. */
  swipes() {
    let from;
    this.main.addEventListener("touchstart", ({ touches: [first, ...more], target }) => {
      from = first;
      for (let part = /** @type {Element} */ (target); part !== this.main; part = part.parentElement) {
        if (more.length || part.matches("input, .graph, .touch") || (part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX === "auto")) from = null;
      }
    }, { passive: true });
    this.main.addEventListener("touchend", ({ changedTouches: [to] }) => {
      const x = from && to.clientX - from.clientX;
      if (!from || Math.abs(x) < Math.max(SWIPE, 2 * Math.abs(to.clientY - from.clientY))) return;
      if (this.hall.dialog.open) this.hall.step(-Math.sign(x));
      else this.move(-Math.sign(x));
    });
  }

  /** How long a step stays while steps play: as long as it takes to read what is said of it. */
  get wait() {
    return Math.max(LEAST, A_WORD * this.part("sentence").textContent.split(" ").length) / Number(this.part("speed").value);
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
    const tick = () => {
      this.move(1);
      if (this.at === end || !this.main.isConnected) this.toggle(false);
      else this.timer = setTimeout(tick, this.wait);
    };
    this.timer = setTimeout(tick, this.wait);
  }

  /** What is shown, as Python counts: the number of the step, 0 behind the last one, and the element of its result. */
  seen() {
    const { opening: { steps, inside }, proof } = this;
    const [at] = this.opening.closed(this.at);
    const { shape = [] } = (!inside && proof.scene?.result?.array) || {};
    const step = at < steps.length ? steps.slice(0, at + 1).filter(({ kind }) => kind !== "release").length : 0;
    return { step, at: step && shape.length ? placeOf(proof.element ?? 0, shape) : [] };
  }

  /** Saves what is shown, where Python is behind the page (`onsave`); a page alone has the line that does it. */
  async saving() {
    const { step, at } = this.seen();
    if (this.onsave) return this.onsave({ step, at });
    const place = at.length ? `, at=(${at.join(", ")}${at.length > 1 ? "" : ","})` : "";
    const line = step ? `player.save("step-${step}.svg", step=${step}${place})` : 'player.save("steps.pdf")';
    try {
      await navigator.clipboard.writeText(line);
      this.saved("Copied", line);
    } catch {
      prompt("This line saves what is shown as a picture:", line);
    }
  }

  /** Says on its button what became of saving. */
  saved(short, whole) {
    const button = this.main.querySelector("[data-do=save]");
    button.textContent = short;
    button.title = whole;
    setTimeout(() => { button.textContent = "Save this view"; }, 2000);
  }

  /** Put the step into the address, so that it can be sent to somebody. */
  address() {
    if (!this.addressed) return;
    const { result } = this.proof.scene ?? {};
    const place = result?.array?.shape?.length ? `&at=${placeOf(this.proof.element ?? 0, result.array.shape)}` : "";
    history.replaceState(null, "", `#step=${this.walk.indexOf(this.at) + 1}${place}`);
  }

  /** `#step=14&at=3,0` in the address of a page with one player: the step, and an element of its result. Without it, the step that the program asked for. */
  fromAddress() {
    const alone = document.querySelectorAll(".minitape-player").length === 1;
    const given = new URLSearchParams(alone ? location.hash.slice(1) : "");
    const asked = Number(given.get("step") ?? this.data.at);
    this.isOpened = asked > 0;
    const place = given.get("at")?.split(",").map(Number);
    this.addressed = alone && location.protocol !== "about:";
    const begins = Number(!this.root.host?.matches(".minitape-player")); // what scripts mount begins with a step
    this.go(this.walk[Math.min(asked || begins, this.walk.length) - 1] ?? -1);
    const { result } = this.proof.scene ?? {};
    if (place && result?.array?.shape?.length === place.length) this.proof.look(flatOf(place, result.array.shape), false);
  }
}
