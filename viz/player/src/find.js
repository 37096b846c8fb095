/*
 * Find a step by its name, its line or its op; and the list of keys.
 *
 * Both stand in front of all else, in the hall too, and have the keys while they do.
 */

import { el, spoken } from "./panes.js";

const MOST = 8; // steps in the list
const KEYS = `→ ← step · Page Down, Page Up ten · Home, End · Space play
/ find · [ ] layer · O open op · Z enlarge · T touch a number · M memory · F full screen · S save
P hall, where: number Enter · A ask first · B black · W white · T theme · Esc leaves`;

export class Finder {
  constructor(player) {
    Object.assign(this, { player, found: [], chosen: 0 });
    this.field = el("input", { "aria-label": "Find a step" });
    this.list = el("ol");
    this.dialog = el("dialog", { class: "find", tabindex: -1, "aria-label": "Find a step" });
    player.main.append(this.dialog);
    this.field.addEventListener("input", () => this.look());
    this.list.addEventListener("click", (event) => this.take([...this.list.children].indexOf(event.target.closest("li"))));
  }

  find() {
    this.dialog.replaceChildren(this.field, this.list);
    this.field.value = "";
    this.look();
    this.dialog.showModal();
  }

  help() {
    this.dialog.replaceChildren(el("pre", {}, KEYS));
    this.dialog.showModal();
  }

  /** What a key does here; whether it stays here. */
  key(event) {
    if (!this.dialog.open) return false;
    const { key } = event;
    const by = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (key === "Escape" || !this.field.isConnected) this.dialog.close();
    else if (key === "Enter") this.take(this.chosen);
    else if (by) this.choose(this.chosen + by);
    else return true;
    event.preventDefault();
    return true;
  }

  /** All words of the field have to stand in what is known of a step. */
  look() {
    const { data, walk, opening } = this.player;
    const words = this.field.value.toLowerCase().split(" ");
    const saidOf = (at) => data.steps[at]?.sentence ?? "summary";
    const nodeOf = (at) => data.nodes[data.steps[at]?.node];
    const nameOf = (at) => `${nodeOf(at)?.called} ${nodeOf(at)?.op} `;
    const allOf = (at) => {
      const [block, number] = data.steps[at]?.line ?? nodeOf(at)?.line ?? [];
      const { lines, first } = data.source[block] ?? {};
      return `${nameOf(at)}line ${number} ${lines?.[number - first]} ${saidOf(at)}`;
    };
    const found = (textOf) => walk.filter((at) => words.every((word) => textOf(at).toLowerCase().includes(word)));
    this.found = [...new Set([...found(nameOf), ...found(allOf)])]; // names first
    this.list.replaceChildren(...this.found.slice(0, MOST).map((at) => el("li", {}, el("b", {}, opening.number(at)), " ", ...spoken(saidOf(at)))));
    this.choose(0);
  }

  choose(place) {
    const { children } = this.list;
    this.chosen = Math.max(0, Math.min(place, children.length - 1));
    [...children].forEach((item, i) => item.toggleAttribute("aria-current", i === this.chosen));
  }

  take(place) {
    const at = this.found[place];
    if (at === undefined) return;
    this.dialog.close();
    this.player.hall.take(at);
  }
}
