/*
 * The room of a player: how high the graph is, and what the proof beside or below it gets.
 *
 * Sizes change with the window and on request, never from step to step.
 */

import { LARGEST, LEAST, READABLE } from "./camera.js";

const BORDERS = 2; // pixels, in which nothing stands
const BODY = 1250; // pixels of the body in a window of 1280, for which folds are made

export class Room {
  /** The picture that stands beside each fold, where a tape has folds. */
  overview = null;

  /** Fix the height of the graph once: nothing below may jump while one steps. */
  size() {
    const [, , width, height] = (this.overview ?? this).graph.full;
    const isLow = window.innerHeight < 800 && this.main.classList.contains("summing"); // gradients need the height
    const strip = Boolean(this.views[0].slots) && this.main.clientWidth >= 700 && !isLow;
    this.main.classList.toggle("strip", strip);
    const across = this.part("body").clientWidth;
    // A graph gets what it needs to be read, up to a third of the room, or more without numbers; the proof has the rest.
    const wanted = width * READABLE + 4;
    const widest = across * (this.data.kind ? 0.7 : wanted < 0.4 * across ? 0.4 : 0.34); // more if all of it is seen then
    const small = width * LEAST + 4;
    const seen = small < 0.45 * across ? small : 0; // a little more than a third, where all of it is seen then
    const first = Math.min(0.19, Math.max(0.12, width / BODY)) * across; // of an overview; what it leaves of both has the fold
    this.main.style.setProperty("--overview", `${Math.round(first)}px`);
    const graph = this.overview ? 0.51 * across - first : Math.max(0.29 * across, seen, Math.min(widest, wanted));
    this.main.style.setProperty("--graph", `${Math.round(graph)}px`);
    const room = this.part("graph").clientWidth || 600;
    const natural = height * Math.min(room / width, LARGEST);
    // Controls, sentence and graph should be seen together, in a notebook too.
    // A page that shows one player alone gives it the whole window.
    const most = window.innerHeight - this.aboveAndBelow();
    const share = this.root.host.closest(".minitape-beside") ? 0.5 : 1; // of two, the proofs are seen, too
    const tall = Math.round(this.main.clientWidth < 560 ? 176 : this.isAlone() ? Math.max(360, most) : share * Math.max(320, Math.min(natural, 720, 0.62 * window.innerHeight)));
    // A strip stands above the proof, and leaves to it what a proof needs.
    const above = strip ? Math.round(Math.min(height * Math.min(READABLE, across / width) + 2, 0.6 * (this.isAlone() ? tall : window.innerHeight))) : tall;
    this.main.style.setProperty("--tall", `${above}px`);
    this.main.style.setProperty("--side", `${!strip ? tall : this.isAlone() ? tall - above - 10 : 300}px`);
    this.fit();
  }

  /** Open the graph in the room that it has, and the overview beside it. */
  fit() {
    for (const { graph } of [this.overview ?? this, this]) graph.open(graph.svg.clientWidth || 600, (graph.svg.clientHeight || 358) + BORDERS);
  }

  isAlone() {
    return this.main.classList.contains("present") || Boolean(document.fullscreenElement) || Boolean(this.root.host.closest("[data-alone]"));
  }

  /** What stands above and below the body, so that everything fits into one window. */
  aboveAndBelow() {
    const outside = document.fullscreenElement ? 0 : Math.max(0, this.main.getBoundingClientRect().top + window.scrollY);
    const body = this.part("body");
    return outside + this.main.offsetHeight - body.offsetHeight + 8;
  }

  /** The size that the last row of a lecture room can read. */
  present() {
    const on = this.main.classList.toggle("present");
    this.root.querySelector("[data-do=present]").ariaPressed = on;
    if (this.views[0].start !== undefined && window.innerHeight < 800) this.look(on ? 0 : 1); // large digits need the room
    this.resize();
  }

  async fullScreen() {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await this.root.host.requestFullscreen?.().catch(() => {});
    this.main.classList.toggle("full", Boolean(document.fullscreenElement));
    this.resize();
  }

  /** After a change of the room: the timeline, the graph's view and the matrices fit anew. */
  resize() {
    this.size();
    this.timeline.fill();
    if (this.at >= -1) this.show();
  }
}
