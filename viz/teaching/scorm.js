/*
 * Reports a lesson's points to a learning platform, by SCORM 1.2.
 *
 * The points are those of the quizzes, which the page checks by itself. Predictions count towards
 * being complete alone, as a page cannot judge words. Without a platform everything works, and the
 * page says that nothing is reported.
 */
"use strict";

(() => {
  const ROOM = 4096; // characters of suspend_data
  const DEEP = 12; // frames in frames
  const began = Date.now();
  const bar = document.querySelector(".reported");
  const predictions = [...document.querySelectorAll(".minitape-predict")];
  const hosts = [...document.querySelectorAll(".minitape-quiz")];
  const quizzes = hosts.map(() => ({ at: 0, tries: 0, points: [], count: 0, ready: false }));
  const opened = predictions.map(() => false);
  let atEnd = false;
  let ended = false;
  let saved = {};

  /** The platform's API: in a frame around this one, or in the window that opened it. */
  function found() {
    const among = (start) => {
      for (let [at, depth] = [start, 0]; at && depth < DEEP; depth += 1) {
        try {
          if (at.API) return at.API;
        } catch {
          return null; // a frame of another site
        }
        if (at === at.parent) return null;
        at = at.parent;
      }
      return null;
    };
    const openers = [() => window.opener, () => window.top.opener].map((each) => {
      try {
        return each();
      } catch {
        return null;
      }
    });
    return [window, ...openers].reduce((api, start) => api ?? (start && among(start)), null);
  }

  const wanted = found();
  const api = wanted && String(wanted.LMSInitialize("")) === "true" ? wanted : null;
  const get = (name) => String(api.LMSGetValue(name) ?? "");
  let refused = wanted && !api ? said("LMSInitialize") : "";

  /** What the platform says about its last error. */
  function said(call) {
    const code = String(wanted.LMSGetLastError());
    return `${call} failed with error ${code} (${wanted.LMSGetErrorString(code)})`;
  }

  function set(name, value) {
    if (String(api.LMSSetValue(name, String(value))) !== "true") refused = said(`LMSSetValue ${name}`);
  }

  const done = () => quizzes.every((each) => each.ready && each.at === each.count) && opened.every(Boolean) && (hosts.length + predictions.length > 0 || atEnd);
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

  /** Right after each change: a browser that is closed later loses nothing. */
  function report() {
    if (!quizzes.every((each) => each.ready)) return; // what was saved is not known yet
    const all = sum(quizzes.map((each) => each.count));
    const points = sum(quizzes.map((each) => sum(each.points)));
    const percent = all ? Math.round((1000 * points) / all) / 10 : 0;
    if (api && !ended) {
      if (all) {
        set("cmi.core.score.min", 0);
        set("cmi.core.score.max", 100);
        set("cmi.core.score.raw", percent);
      }
      const status = get("cmi.core.lesson_status");
      if (!["completed", "passed", "failed"].includes(status)) set("cmi.core.lesson_status", done() ? "completed" : "incomplete");
      set("cmi.suspend_data", state());
      set("cmi.core.exit", "suspend");
      set("cmi.core.session_time", lasted());
      if (String(api.LMSCommit("")) !== "true") refused = said("LMSCommit");
    }
    show(all, points, percent);
  }

  function show(all, points, percent) {
    const counted = all ? `Quizzes: ${points} of ${all} points (${percent} %).` : "This lesson has no quiz, so it has no points.";
    const seen = predictions.length ? ` Predictions: ${opened.filter(Boolean).length} of ${predictions.length} opened; they give no points.` : "";
    const exercises = "exercises" in bar.dataset ? " Exercises need Python and are not counted here." : "";
    const where = api
      ? ` Reported to your learning platform.${done() ? " Complete." : ""}`
      : " No learning platform was found: nothing is reported, and this page forgets when it is closed.";
    const wrong = refused ? ` The platform refused it: ${refused}.` : "";
    bar.textContent = `${counted}${seen}${exercises}${wrong || where}`;
  }

  /** What was answered, within the platform's 4096 characters: points in quarters, then the words. */
  function state() {
    const kept = {
      q: quizzes.map(({ tries, points }) => [tries, points.map((each) => Math.round(4 * each)).join("")]),
      o: opened.map(Number).join(""),
      w: predictions.map((each) => each.querySelector("input")?.value.slice(0, 120) ?? ""),
    };
    const text = JSON.stringify(kept);
    const escaped = text.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return escaped.length <= ROOM ? escaped : JSON.stringify({ q: kept.q, o: kept.o });
  }

  function restored() {
    try {
      saved = JSON.parse(get("cmi.suspend_data") || "{}");
    } catch {
      saved = {}; // of another content
    }
    for (const [i, each] of predictions.entries()) {
      opened[i] = saved.o?.[i] === "1";
      if (saved.w?.[i]) each.querySelector("input").value = saved.w[i];
    }
  }

  /** [tries, "4420"] as a state of a quiz. */
  function before(i) {
    const [tries, quarters] = saved.q?.[i] ?? [0, ""];
    const points = [...quarters].map((each) => Number(each) / 4);
    return { at: points.length, tries, points };
  }

  /** How long the page has been open, as HHHH:MM:SS.SS. */
  function lasted() {
    const hundredths = Math.max(0, Math.floor((Date.now() - began) / 10));
    const part = (size, of, digits) => String(Math.floor(hundredths / size) % of).padStart(digits, "0");
    return `${part(360_000, 10_000, 4)}:${part(6000, 60, 2)}:${part(100, 60, 2)}.${part(1, 100, 2)}`;
  }

  function finish() {
    if (!api || ended) return;
    report();
    api.LMSFinish("");
    ended = true;
  }

  document.addEventListener("minitape-quiz", ({ target, detail }) => {
    const i = hosts.indexOf(target);
    if (i < 0) return;
    const first = !quizzes[i].ready;
    Object.assign(quizzes[i], detail.state, { count: detail.count, ready: true });
    if (first && (saved.q?.[i]?.[1] || saved.q?.[i]?.[0])) detail.restore(before(i));
    report();
  });
  for (const [i, each] of predictions.entries()) {
    each.querySelector("details")?.addEventListener("toggle", () => {
      opened[i] = true;
      report();
    });
    each.querySelector("input")?.addEventListener("change", report);
  }
  // Another lesson in this frame would be reported as this one: it opens in a window of its own.
  for (const link of document.querySelectorAll("a[href]")) {
    if (!link.getAttribute("href").startsWith("#")) Object.assign(link, { target: "_blank", rel: "noopener" });
  }
  new IntersectionObserver((seen) => {
    if (atEnd || !seen.some((each) => each.isIntersecting)) return;
    atEnd = true;
    report();
  }).observe(document.querySelector("main").appendChild(document.createElement("div")));
  addEventListener("pagehide", finish);
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  if (api) restored();
  report();
})();
