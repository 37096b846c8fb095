/*
 * How a page that holds pictures and tables gets its players.
 *
 * Whatever goes wrong, picture and table stay.
 */

import { parse } from "./panes.js";
import { Player } from "./player.js";
import { readData, readPicture } from "./reading.js";

/** Mount a player into a shadow root; `svg` is an element or text. */
export function mount(root, data, svg) {
  return new Player(root, data, typeof svg === "string" ? parse(svg) : svg);
}

/**
 * Turn one host (picture and table of steps) into a player. On any failure, now or at a later step, it
 * shows what it showed without scripts: a sentence that says so, the picture and the table.
 */
async function upgradeHost(host) {
  const still = host.shadowRoot ? [...host.shadowRoot.childNodes] : [document.createElement("slot")];
  const fail = (error) => {
    console.warn("no step player:", error);
    host.shadowRoot?.replaceChildren(...still);
    // It waited for the player: see `NOTE` in page.py.
    for (const part of [host, ...still]) (part.querySelector?.(".still") ?? part).style?.removeProperty("animation");
    host.dataset.ready = "no";
  };
  try {
    const data = await readData(host.querySelector("script"));
    const player = mount(host.shadowRoot ?? host.attachShadow({ mode: "open" }), data, readPicture(host, data));
    player.onfail = (error) => {
      clearTimeout(player.timer);
      fail(error);
    };
    host.dataset.ready = "yes";
    host.dispatchEvent(new CustomEvent("minitape-player", { detail: player, bubbles: true }));
  } catch (error) {
    fail(error);
  }
}

/** Upgrade the hosts of the page when they come near the window, so that forty open at once. */
export function upgrade() {
  const watcher = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      watcher.unobserve(target);
      upgradeHost(target);
    }
  }, { rootMargin: "400px" });
  for (const host of document.querySelectorAll(".minitape-player:not([data-ready])")) {
    host.dataset.ready = "soon";
    watcher.observe(host);
  }
}
