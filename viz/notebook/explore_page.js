/*
 * Sliders over tapes that were recorded beforehand; the player below keeps its step.
 *
 * Frames are in the order of the positions, the last slider moving fastest. Between two positions
 * the tape of the nearest one is computed again (see touch.js), where the page has the evaluator
 * and the program did the same at all positions; else sliders stop at positions.
 */

import { short } from "../player/src/numbers.js";
import { el } from "../player/src/panes.js";
import { readData } from "../player/src/reading.js";
import { mount } from "../player/src/start.js";

async function explored() {
  for (const host of document.querySelectorAll(".minitape-explored")) {
    const { sliders, shared, frames } = await readData(host.querySelector("script"));
    const isContinuous = frames.every(({ touch }) => touch);
    const place = el("div");
    const root = place.attachShadow({ mode: "open" });
    let [player, mounted] = [undefined, -1];
    const at = sliders.map(({ start }) => start);
    const valueOf = ({ ends: [low, high], texts }, position) => low + ((high - low) * position) / (texts.length - 1);
    const textOf = (slider, position) => slider.texts[position] ?? short(valueOf(slider, position));
    const show = (moved = 0) => {
      const number = at.reduce((sum, position, i) => sum * sliders[i].texts.length + Math.round(position), 0);
      if (number !== mounted) {
        const was = player?.at ?? 0;
        player?.toggle(false);
        root.replaceChildren();
        const data = { ...shared, ...frames[number] };
        player = mount(root, data, data.svg);
        if (isContinuous) place.dispatchEvent(new CustomEvent("minitape-player", { detail: player, bubbles: true }));
        player.go(was);
        mounted = number;
      }
      const order = [...at.keys()].sort((a, b) => Number(a === moved) - Number(b === moved));
      if (at.some((position) => !Number.isInteger(position))) player.touch?.at?.(order.map((i) => [player.data.sources[i], valueOf(sliders[i], at[i])]));
      else if (player.touch?.isOpen) player.show();
    };
    sliders.forEach((each, i) => {
      const { name, texts, start } = each;
      const said = el("output", {}, texts[start]);
      const slider = el("input", { type: "range", min: 0, max: texts.length - 1, step: isContinuous ? 0.05 : 1, value: start });
      slider.addEventListener("input", () => {
        at[i] = Number(slider.value);
        said.textContent = textOf(each, at[i]);
        slider.setAttribute("aria-valuetext", said.textContent);
        show(i);
      });
      host.append(el("p", {}, el("label", {}, `${name} `, slider, " ", said)));
    });
    host.append(place);
    show();
  }
}

explored();
