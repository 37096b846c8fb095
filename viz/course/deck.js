/*
 * A deck of slides: one section at a time, the whole enlarged to the window, notes on request.
 *
 * A player is only sized while it can be seen, so its slide is shown before it is put into its
 * large type. Keys pressed inside a player are the player's: it stops them.
 */
"use strict";

const BESIDE = `
.exhibit { max-width: none; display: grid; grid-template-columns: minmax(0, 1.9fr) minmax(0, 1fr); gap: 0 32px; align-content: start; font-size: 22px; }
.picture { grid-row: 1 / span 20; }
.picture svg { width: 100%; max-height: 570px; }
.controls, .said { font-size: 22px; }
.below { display: none; }`;

function deck(all, bar) {
  const button = (name) => bar.querySelector(`[data-go="${name}"]`);
  const noted = (slide) => slide.nextElementSibling;
  let at = 0;
  let notes = false;

  /** Enlarge everything to the window; a narrow one has slides of its own width. */
  function fit() {
    const [wide, high] = [innerWidth / 1280, innerHeight / 720];
    document.body.style.zoom = innerWidth > 800 ? Math.min(wide, high) : 1;
  }

  function enlarge(slide) {
    for (const host of slide.querySelectorAll(".minitape-player[data-ready=yes]:not([data-large])")) {
      host.dataset.large = "yes";
      host.shadowRoot.querySelector(".next")?.click(); // a slide asks its own question
      if (innerWidth > 800) host.shadowRoot.querySelector("[data-do=present]")?.click();
    }
  }

  /** A movable plot stands beside its words; a player below it would be too small to be read. */
  function widen(slide) {
    for (const host of slide.querySelectorAll(".minitape-exhibit[data-ready=yes]:not([data-large])")) {
      if (innerWidth <= 800) continue;
      host.dataset.large = "yes";
      const looks = document.createElement("style");
      looks.textContent = BESIDE;
      host.shadowRoot.append(looks);
      grow(host.shadowRoot.querySelector(".picture svg"));
    }
  }

  /** Let the letters of a plot be as large as they can without touching, for the last row of seats. */
  function grow(picture) {
    const words = [...picture.querySelectorAll("text")].filter((word) => word.textContent.trim());
    const own = words.map((word) => parseFloat(getComputedStyle(word).fontSize));
    for (const size of [24, 22, 20, 18, 16, 14, 0]) {
      words.forEach((word, i) => { word.style.fontSize = size > own[i] ? `${size}px` : ""; });
      if (apart(words, picture.getBoundingClientRect())) return;
    }
  }

  function apart(words, edge) {
    const boxes = words.map((word) => word.getBoundingClientRect());
    const inside = (a) => a.left >= edge.left - 1 && a.right <= edge.right + 1 && a.bottom <= edge.bottom + 1;
    const slack = 0.15; // of a line's height: above and below the letters
    const meet = (a, b) => a.left < b.right && b.left < a.right
      && a.top + slack * a.height < b.bottom - slack * b.height
      && b.top + slack * b.height < a.bottom - slack * a.height;
    return boxes.every((a, i) => inside(a) && !boxes.slice(0, i).some((b) => meet(a, b)));
  }

  /** Let what is too high for its slide be smaller: movable plots bring their own sizes. */
  function shrink(slide) {
    for (const figure of slide.querySelectorAll(".figure:not([data-alone])")) {
      let zoom = 1;
      figure.style.zoom = zoom;
      for (let i = 0; i < 4 && innerWidth > 800 && figure.scrollHeight > figure.clientHeight; i++) {
        zoom *= Math.min(0.95, figure.clientHeight / figure.scrollHeight);
        figure.style.zoom = zoom;
      }
    }
  }

  function show(next) {
    at = Math.max(0, Math.min(all.length - 1, next));
    all.forEach((slide, i) => { slide.hidden = i !== at; noted(slide).hidden = i !== at || !notes; });
    bar.querySelector("output").textContent = `${at + 1} / ${all.length}`;
    button("back").disabled = at === 0;
    button("on").disabled = at === all.length - 1;
    history.replaceState(null, "", `#${at + 1}`);
    presenter.show(at);
    scrollTo(0, 0);
    requestAnimationFrame(settle);
  }

  /** Players and plots wake up one by one: each takes its room, and then all is fitted. */
  function settle() {
    enlarge(all[at]);
    widen(all[at]);
    shrink(all[at]);
  }

  const actions = {
    back: () => show(at - 1),
    on: () => show(at + 1),
    first: () => show(0),
    last: () => show(all.length - 1),
    notes() {
      notes = !notes;
      button("notes").ariaPressed = notes;
      show(at);
    },
    presenter() {
      if (presenter.open()) presenter.show(at);
      else actions.notes(); // the browser lets no page open a window
    },
  };
  for (const name of ["back", "on", "notes"]) button(name).addEventListener("click", actions[name]);
  const keys = { ArrowRight: "on", PageDown: "on", " ": "on", ArrowLeft: "back", PageUp: "back", Home: "first", End: "last", n: "presenter", N: "presenter" };
  const pressed = (event) => {
    const free = !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, select, button");
    if (!free || !keys[event.key]) return;
    event.preventDefault();
    actions[keys[event.key]]();
  };
  document.addEventListener("keydown", pressed);
  const presenter = new Presenter(all, pressed);
  addEventListener("resize", () => { fit(); shrink(all[at]); });
  new MutationObserver(settle).observe(document.querySelector("main"), { subtree: true, attributeFilter: ["data-ready"] });
  const addressed = () => (Number(location.hash.slice(1)) || 1) - 1;
  addEventListener("hashchange", () => show(addressed()));
  fit();
  show(addressed());
}

deck([...document.querySelectorAll(".slide")], document.querySelector(".bar"));
