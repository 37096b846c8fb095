/*
 * The hall: one step fills the window, for those who sit in its last row.
 *
 * Python wrote what stands there, as trees of elements (hall.py). Sizes are shares of the window's
 * height, so that every projector shows the same picture; texts make room for each other, and what
 * is too large for its room is made smaller as a whole.
 */

import { framesIn, miniature, svgEl, turned } from "./marks.js";
import { built, el, spoken } from "./panes.js";
import { flipTheme } from "./theme.js";

const CELL = 58; // units (720 are the height): the largest mark
const PICTURES = 190; // units that an equation leaves to the pictures
const HUES = { forward: "value", accumulate: "sum", summary: "sum" };
const KINDS = { gradient: "cotangent", sum: "sum" };

export class Hall {
  constructor(player) {
    Object.assign(this, { player, asks: false, asked: true, isFull: false, digits: "" });
    this.track = el("div", { class: "track" });
    this.words = el("p", { class: "words" });
    this.shown = el("div", { class: "shown" });
    this.foot = el("div", { class: "foot" });
    this.dialog = el("dialog", { class: "hall", tabindex: -1, "aria-label": "One step" }, this.track, this.words, this.shown, this.foot);
    player.main.append(this.dialog);
    this.dialog.addEventListener("click", ({ clientX }) => this.wake() || this.step(clientX < innerWidth / 5 ? -1 : 1));
    this.dialog.addEventListener("close", () => this.dialog.open || this.leave());
    addEventListener("fullscreenchange", () => { if (this.isFull && !document.fullscreenElement) this.dialog.close(); });
    addEventListener("resize", () => this.show());
    const [on, back, leave, black] = [() => this.step(1), () => this.step(-1), () => this.dialog.close(), () => this.blank("black")];
    this.keys = {
      ArrowRight: on, PageDown: on, " ": on, ArrowLeft: back, PageUp: back, Home: () => this.goTo(0), End: () => this.goTo(Infinity),
      Enter: () => (this.digits ? this.goTo(Number(this.digits)) : on()), a: () => this.ask(), b: black, ".": black, w: () => this.blank("white"), t: () => flipTheme(this.player.main), p: leave, Escape: leave,
    };
  }

  async enter() {
    this.words.ariaLive = "polite"; // one sentence of a player is read aloud
    this.dialog.showModal();
    this.show();
    if (document.fullscreenElement) return;
    await document.documentElement.requestFullscreen?.().catch(() => {}); // many frames refuse it
    if (!document.fullscreenElement || !this.dialog.open) return;
    this.isFull = true;
    this.dialog.close(); // what opens last is in front
    this.dialog.showModal();
  }

  leave() {
    this.wake();
    if (this.isFull) document.exitFullscreen();
    this.isFull = false;
  }

  /** What a key does here; whether it is the hall's. */
  key(key) {
    if (!this.dialog.open) return false;
    if (this.wake()) return true;
    if (/^\d$/.test(key)) this.digits += key;
    else {
      this.keys[key.length > 1 ? key : key.toLowerCase()]?.();
      this.digits = "";
    }
    this.say();
    return !/^[/?]$/.test(key); // these the player has, too
  }

  ask() {
    this.asks = !this.asks;
    this.show();
  }

  blank(colour) {
    this.dialog.dataset.blank = colour;
  }

  /** Out of a black or white screen; whether it was one. */
  wake() {
    const { blank } = this.dialog.dataset;
    delete this.dialog.dataset.blank;
    return Boolean(blank);
  }

  /** On or back; where it is asked first, a step has two beats. */
  step(by) {
    const isAnswer = by > 0 && this.scene.isAsking;
    this.asked = isAnswer || by < 0;
    if (!isAnswer) this.player.move(by);
    this.show();
  }

  /** To a step by its number; 0 is the first page. */
  goTo(number) {
    const { opening } = this.player;
    this.take(opening.shown(opening.walk[Math.min(number, opening.walk.length) - 1] ?? -1));
  }

  take(at) {
    this.asked = true;
    this.player.go(at);
    this.show();
  }

  /** The scene that is shown, and whether it is a question. */
  get scene() {
    const { data, at } = this.player;
    const { hall, steps } = data;
    const step = steps[at];
    const scene = (step ? step.scene : hall?.[at < 0 ? "first" : "last"]) ?? {};
    const isAsking = Boolean(step && scene.ask) && this.asks && !this.asked;
    const said = isAsking || !step ? scene.ask : scene.said ? [...step.sentence].slice(0, scene.said).join("") : step.sentence;
    return { ...scene, isAsking, said: said || this.player.part("sentence").textContent };
  }

  show() {
    if (!this.dialog.open) return;
    const { player: { data, at, walk, main }, dialog, shown } = this;
    dialog.style.zoom = String(1 / (main.currentCSSZoom ?? 1)); // slides are enlarged, the window is not
    const { look = [], isAsking, said } = this.scene;
    dialog.classList.toggle("asking", isAsking);
    this.words.replaceChildren(...spoken(said));
    this.track.replaceChildren(...walk.map((each) => el("i", { class: `${HUES[data.steps[each]?.kind ?? "summary"] ?? "cotangent"}${each > at ? "" : each === at ? " here" : " done"}` })));
    this.say();
    shown.replaceChildren(...look.map((tree) => built(tree, {
      curve: (_, ...rest) => this.curve(...rest),
      marks: (...rest) => this.marks(...rest),
      button: (_, given, word) => word, // nothing is pressed here but keys
      number: (role, text, under = "") => el("span", {}, el("b", { class: role }, text), el("small", {}, under)),
    })));
    this.fit();
  }

  /** The last line: what kind of step it is, what was typed, and which step of how many. */
  say() {
    const { player, digits } = this;
    const [phase, counter] = ["phase", "counter"].map((name) => player.part(name).textContent);
    this.foot.replaceChildren(...[phase, player.at < 0 ? "? keys" : this.asks ? "ask first" : "", digits ? `→ ${digits}` : counter].map((text) => el("span", {}, text)));
    this.foot.firstChild.className = HUES[player.main.dataset.kind] ?? "cotangent";
  }

  /** A curve, the place on it, and the slope there. */
  curve(place, slope, from, to) {
    const [up, value, along, at, axes, line, y] = this.player.data.hall.curves[place];
    const path = (name, d) => svgEl("path", { class: name, d });
    return el("figure", { class: "curved" },
      el("figcaption", {}, el("code", {}, up), " is ", el("b", { class: "value answer" }, value), " where ", el("code", {}, along), " is ", el("b", {}, at), ...(slope ? ["; slope ", el("b", { class: "slope answer" }, slope)] : [])),
      svgEl("svg", { viewBox: "0 0 60 300", preserveAspectRatio: "none" }, path("axis", axes), path("value", line),
        path("slope answer", slope ? `M0 ${from}L60 ${to}` : ""), path("dot", `M30 ${y}h0`), path("dot inner", `M30 ${y}h0`)));
  }

  /** An array as marks, as large as its box will be; high and narrow ones are turned. */
  marks(look, caption, place, node, role, pick, turns) {
    const { data } = this.player;
    const array = data.arrays[place];
    const { shape } = array;
    const box = el("div", { class: "marks" });
    box.draw = () => {
      const { unit } = this;
      const drawn = miniature(turns ? turned(array) : array, data.nodes[node].tiles, KINDS[role] ?? "value", 0, 0, box.clientWidth / unit - 8, box.clientHeight / unit - 8, CELL);
      if (!drawn) return;
      if (array.cells) framesIn(drawn, new Set([pick]));
      const [across, down] = [drawn.picture.width + 6, drawn.picture.height + 6];
      box.replaceChildren(svgEl("svg", { viewBox: `-1 -1 ${across} ${down}`, width: across * unit }, drawn.g));
    };
    return el("figure", { class: look, style: `flex:${Math.max(3, Math.min(24, shape.at(turns ? 0 : -1) ?? 1))}` }, el("figcaption", {}, el("code", {}, caption), ` ${shape.join(" × ")}${turns ? ", turned" : ""}`), box);
  }

  get unit() {
    return Math.min(innerHeight, innerWidth) / 720;
  }

  /** What is too large is made smaller as a whole, and if need be takes several lines. */
  fit() {
    const { words, shown } = this;
    const figures = shown.querySelector(".figures");
    const most = shown.clientHeight - (figures ? PICTURES * this.unit : 0);
    const shrink = (part, from, least, high, box = shown) => {
      for (let scale = from; scale > least; scale -= 0.05) {
        part.style.setProperty("--scale", scale);
        if (Math.max(part.scrollWidth, part.offsetWidth) <= box.clientWidth + 1 && part.offsetHeight <= high) return true;
      }
      return false;
    };
    const isEmpty = !shown.firstChild; // then the words have the room
    shrink(words, 1, isEmpty ? 0.34 : 0.48, (isEmpty ? 500 : 140) * this.unit);
    for (const part of shown.querySelectorAll(".fits")) if (!shrink(part, 1, 0.4, most)) {
      part.classList.add("wraps");
      shrink(part, 0.7, 0.2, most);
    }
    for (const part of shown.querySelectorAll(".compared")) shrink(part, 1, 0.55, figures.clientHeight - part.offsetTop + part.parentElement.offsetTop, part.parentElement);
    for (const part of shown.querySelectorAll(".marks")) part.draw();
  }
}
