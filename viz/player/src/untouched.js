/*
 * Offers to touch a number, and says why where none can be touched.
 *
 * A page that cannot use the evaluator carries this alone.
 */

import { el } from "./panes.js";

/** The button beside the one that saves, and the key T. */
export function offered(player, act) {
  const button = el("button", { "aria-pressed": "false", title: "Touch a number (T)", "aria-label": "Touch a number (T)" }, "±");
  button.addEventListener("click", act);
  player.root.querySelector("[data-do=save]").before(button);
  player.keys.t = act;
  return button;
}

/** Do something once with each player of the page whose data are `fit`. */
export function atPlayers(act, fit) {
  document.addEventListener("minitape-player", (event) => {
    const player = /** @type {CustomEvent} */ (event).detail;
    if (player.touch || !fit(player.data.touch ?? {})) return;
    player.touch = {};
    act(player);
  });
}

atPlayers((player) => {
  const { off } = player.data.touch;
  offered(player, () => { player.say(`No number can be touched here: ${off}.`); });
}, ({ off }) => off !== undefined);
