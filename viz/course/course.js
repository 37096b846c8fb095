/*
 * A lesson as slides: one group of cells at a time, offline, players and all.
 *
 * The one fact to know: the notebook says of each cell what it is on slides (`data-slides` of main):
 * "slide" and "subslide" begin one, "-" goes on, "skip" is left out. Keys pressed inside a player are
 * the player's: it stops them before they come here.
 */
"use strict";

function slides(main, bar) {
  const kinds = main.dataset.slides.split(" ");
  const cells = [...main.querySelectorAll(":scope > .cell")];
  const groups = [];
  cells.forEach((cell, i) => {
    if (kinds[i] === "skip") return;
    if (kinds[i] !== "-" || !groups.length) groups.push([]);
    groups.at(-1).push(cell);
  });
  const button = (name) => bar.querySelector(`[data-go="${name}"]`);
  let at = 0;

  function show(next) {
    at = Math.max(0, Math.min(groups.length - 1, next));
    for (const cell of cells) cell.hidden = !groups[at].includes(cell);
    bar.querySelector("output").textContent = `${at + 1} / ${groups.length}`;
    button("back").disabled = at === 0;
    button("on").disabled = at === groups.length - 1;
    scrollTo(0, 0);
  }

  function toggle() {
    const open = document.body.classList.toggle("slides");
    button("toggle").textContent = open ? "End slides" : "Slides";
    if (open) button("on").focus(); // so that the space bar goes on
    if (open) return show(groups.findIndex((group) => group.at(-1).getBoundingClientRect().bottom > 0));
    for (const cell of cells) cell.hidden = false;
    groups[at][0].scrollIntoView();
  }

  const actions = { toggle, back: () => show(at - 1), on: () => show(at + 1) };
  for (const [name, action] of Object.entries(actions)) button(name).addEventListener("click", action);
  const keys = { ArrowRight: "on", PageDown: "on", ArrowLeft: "back", PageUp: "back", Escape: "toggle" };
  document.addEventListener("keydown", (event) => {
    const free = !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, select");
    if (!free || !keys[event.key] || !document.body.classList.contains("slides")) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });
  bar.hidden = false;
}

slides(document.querySelector("main"), document.querySelector(".slidebar"));
