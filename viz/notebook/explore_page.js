/*
 * Sliders over tapes that were recorded beforehand; the player below keeps its step.
 *
 * The one fact to know: frames are in the order of the positions, the last slider moving fastest.
 */

import { el } from "../player/src/panes.js";
import { readData } from "../player/src/reading.js";
import { mount } from "../player/src/start.js";

async function explored() {
  for (const host of document.querySelectorAll(".minitape-explored")) {
    const { sliders, shared, frames } = await readData(host.querySelector("script"));
    const place = el("div");
    const root = place.attachShadow({ mode: "open" });
    let player;
    const at = sliders.map(({ start }) => start);
    const show = () => {
      const number = at.reduce((sum, position, i) => sum * sliders[i].texts.length + position, 0);
      const was = player?.at ?? 0;
      player?.toggle(false);
      root.replaceChildren();
      const data = { ...shared, ...frames[number] };
      player = mount(root, data, data.svg);
      player.go(was);
    };
    sliders.forEach(({ name, texts, start }, i) => {
      const said = el("output", {}, texts[start]);
      const slider = el("input", { type: "range", min: 0, max: texts.length - 1, value: start });
      slider.addEventListener("input", () => {
        at[i] = Number(slider.value);
        said.textContent = texts[at[i]];
        slider.setAttribute("aria-valuetext", texts[at[i]]);
        show();
      });
      host.append(el("p", {}, el("label", {}, `${name} `, slider, " ", said)));
    });
    host.append(place);
    show();
  }
}

explored();
