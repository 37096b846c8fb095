/*
 * The player as a live widget of a notebook: Python and the page share the step, and Python saves it.
 *
 * The kernel may give it another trace; a new player then stands where the old one was, as deep in
 * the groups and at the same step.
 */

import { mount } from "./start.js";

export default {
  render({ model, el }) {
    const root = el.attachShadow({ mode: "open" });
    el.dataset.lmSuppressShortcuts = "true";
    let player;
    const remount = () => {
      const before = player;
      before?.toggle(false);
      player = mount(root, model.get("data"), model.get("svg"));
      if (before) {
        player.depth = before.depth;
        player.main.style.setProperty("--tall", before.main.style.getPropertyValue("--tall"));
      }
      player.onsave = (seen) => model.send({ save: seen });
      player.go(before?.at ?? model.get("step"));
      player.show();
      player.onstep = (step) => {
        if (step === model.get("step")) return;
        model.set("step", step);
        model.save_changes();
      };
    };
    const follow = () => player.go(model.get("step"));
    const tell = ({ saved: [short, whole] }) => player.saved(short, whole);
    remount();
    model.on("change:data", remount);
    model.on("change:step", follow);
    model.on("msg:custom", tell);
    return () => {
      player.toggle(false);
      model.off("change:data", remount);
      model.off("change:step", follow);
      model.off("msg:custom", tell);
    };
  },
};
