/*
 * Two players that step together.
 *
 * They meet at moments, where both know the same thing. A step of one takes the other to the last
 * moment that it has passed; the row of controls goes from moment to moment.
 */

import { readData } from "../player/src/reading.js";
import { upgrade } from "../player/src/start.js";

class Together {
  constructor(main) {
    this.main = main;
    /** @type {any[]} */
    this.players = [];
    this.at = -1;
    this.leading = false;
    /** @type {any} */
    this.slider = null;
    /** @type {any[]} */
    this.moments = []; // where both know the same, and where they first differ
    /** @type {any} */
    this.difference = null;
    this.data = readData(main.querySelector(":scope > script[type='application/json']"));
    main.querySelectorAll(".beside-columns section").forEach((section, side) => {
      section.addEventListener("minitape-player", ({ detail }) => this.welcome(detail, side));
    });
  }

  /** A player is there; once both are, the controls appear. */
  async welcome(player, side) {
    this.players[side] = player;
    Object.assign(this, await this.data);
    if (!this.players[0] || !this.players[1] || !this.moments.length) return;
    this.fillBar();
    this.players.forEach((each, own) => { each.onstep = (step) => this.follow(step, own); });
    this.go(0);
  }

  fillBar() {
    const bar = this.main.querySelector(".beside-bar");
    const button = (label, name, act) => {
      const made = Object.assign(document.createElement("button"), { type: "button", textContent: label, title: name, ariaLabel: name });
      made.addEventListener("click", act);
      return made;
    };
    this.slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: this.moments.length - 1, value: 0, ariaLabel: "Moment" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.said = document.createElement("output");
    this.said.ariaLive = "polite";
    const jump = button("First difference", "Both to the first difference", () => this.meet(this.difference));
    jump.disabled = !this.difference;
    bar.replaceChildren(
      button("◀", "Both to the moment before", () => this.go(this.at - 1)),
      button("▶", "Both to the next moment", () => this.go(this.at + 1)),
      this.slider, jump, this.said,
    );
  }

  /** Both players to the moment of this number. */
  go(at) {
    this.at = Math.max(0, Math.min(this.moments.length - 1, at));
    this.meet(this.moments[this.at]);
  }

  meet(moment) {
    this.show(moment);
    this.lead(() => this.players.forEach((player, side) => player.go(player.opening.shown(moment.at[side]))));
  }

  /** One player stepped by itself: the other goes to the last moment that this one has passed. */
  follow(step, own) {
    if (this.leading) return;
    const passed = this.moments.findLastIndex(({ at }) => at[own] <= step);
    if (passed < 0) return;
    this.at = passed;
    this.show(this.moments[passed]);
    const other = this.players[1 - own];
    this.lead(() => other.go(other.opening.shown(this.moments[passed].at[1 - own])));
  }

  lead(act) {
    this.leading = true;
    try { act(); } finally { this.leading = false; }
  }

  show({ at, differs, said }) {
    // The difference may stand between two moments.
    this.at = this.moments.findLastIndex((moment) => moment.at[0] <= at[0]);
    this.slider.value = this.at;
    this.slider.ariaValueText = `moment ${this.at + 1} of ${this.moments.length}`;
    this.said.textContent = `${this.at + 1} of ${this.moments.length}: ${said.replaceAll("`", "")}`;
    this.main.toggleAttribute("data-differs", differs);
  }
}

for (const main of document.querySelectorAll(".minitape-beside:not([data-ready])")) {
  main.dataset.ready = "yes";
  new Together(main);
}
upgrade();
