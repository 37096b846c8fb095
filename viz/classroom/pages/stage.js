/*
 * The stage of a live page: output, players, and the workers that run Python.
 *
 * It stands in a frame with an origin of its own, so a program that came with a link reaches
 * neither the site's storage nor the page around it. A worker that does not end its program in time
 * is stopped, and a second one, started beforehand, takes its place.
 */

import { mount } from "../../player/src/start.js";

const out = document.getElementById("out");
const say = (message) => parent.postMessage(message, "*");

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** A worker with Python; `ready` is a promise. */
class Python {
  constructor({ worker, files, packages }) {
    const address = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
    this.worker = new Worker(address); // a module's address would need an origin, and this frame has none
    /** @type {(data: any) => void} */
    this.listener = () => {};
    this.ready = new Promise((resolve, reject) => {
      this.worker.onerror = (event) => reject(new Error(event.message || "the worker could not start"));
      this.worker.onmessage = ({ data }) => {
        if (data.ready) resolve(this);
        else if (data.failed && !this.started) reject(new Error(data.failed));
        else this.listener(data);
      };
    });
    this.ready.then(() => { this.started = true; URL.revokeObjectURL(address); }, () => {});
    this.worker.postMessage({ files, packages });
  }

  run(source, listener) {
    this.listener = listener;
    this.worker.postMessage({ source });
  }

  stop() {
    this.listener = () => {};
    this.worker.terminate();
  }
}

/** Runs the latest program that was asked for; one at a time. */
class Stage {
  constructor(kit) {
    this.kit = kit;
    this.python = null;
    this.spare = null;
    this.wanted = null;
    this.running = null;
    this.last = null; // the sheet of the last run that showed something
    this.begin();
  }

  async begin() {
    const begun = performance.now();
    say({ state: "starting" });
    try {
      const python = this.spare ?? new Python(this.kit);
      this.spare = null;
      this.python = await python.ready;
      say({ state: "ready", seconds: (performance.now() - begun) / 1000 });
      this.next();
    } catch (error) {
      this.python = null;
      say({ state: "failed", text: String(error.message) });
    }
  }

  /** A second worker, in a pause, where there is memory for it. */
  prepare() {
    if (this.spare || (navigator.deviceMemory ?? 8) <= 2) return;
    this.spare = new Python(this.kit);
    this.spare.ready.catch(() => { this.spare = null; });
  }

  ask(program) {
    this.wanted = program;
    this.next();
  }

  next() {
    if (!this.python || this.running || !this.wanted) return;
    const program = this.wanted;
    this.wanted = null;
    const sheet = new Sheet(this.last);
    const begun = performance.now();
    this.running = { sheet, program };
    this.running.timer = setTimeout(() => this.stop(program), program.limit * 1000);
    this.running.early = setTimeout(() => sheet.show(), 400);
    say({ state: "running" });
    this.python.run(program.source, (data) => {
      if (data.piece) sheet.add(JSON.parse(data.piece));
      else this.end({ state: "done", error: sheet.failed, internal: data.failed, seconds: (performance.now() - begun) / 1000 });
    });
  }

  end(message) {
    const { sheet, timer, early, program } = this.running;
    clearTimeout(timer);
    clearTimeout(early);
    if (message.internal) sheet.note(`Python failed in this page: ${message.internal}`);
    sheet.show();
    sheet.settle();
    if (!sheet.isOnlyAnError()) this.last = sheet;
    this.running = null;
    say({ ...message, id: program.id });
    if (this.wanted) this.next();
    else setTimeout(() => { if (!this.running) this.prepare(); }, 1500);
  }

  stop({ limit }) {
    this.python.stop();
    this.python = null;
    const { sheet } = this.running;
    sheet.note(
      `Stopped after ${limit} seconds: the program had not ended. Does a loop in it never end? ` +
        "If it only needs longer, the button Run gives it more time.",
    );
    this.end({ state: "stopped", limit });
    this.begin();
  }
}

/** What one run of a program gave; shown in the place of the run before. */
class Sheet {
  constructor(before) {
    this.box = document.createElement("div");
    this.before = before;
    this.players = [];
    this.failed = null;
    this.shown = false;
  }

  /** A mistake halfway through a word must not take away what one is looking at. */
  isOnlyAnError() {
    return Boolean(this.failed) && this.box.childElementCount === 1;
  }

  show() {
    if (this.shown) return;
    this.shown = true;
    const at = scrollY;
    out.replaceChildren(this.box);
    this.box.classList.remove("older");
    if (this.before && this.isOnlyAnError()) {
      this.before.box.classList.add("older");
      out.append(this.before.box);
    }
    scrollTo(0, at);
    this.mountAll();
  }

  add(piece) {
    const shown = { text: "text", html: "html", image: "image", player: "player", error: "failure" };
    this[shown[piece.kind]](piece);
    if (this.shown) this.mountAll();
  }

  text({ text, stream }) {
    const last = this.box.lastElementChild;
    if (last?.tagName === "PRE" && last.className === stream) last.append(text);
    else this.element("pre", stream).append(text);
  }

  html({ html }) {
    const frame = this.element("iframe", "html");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = "A picture that the program shows";
    // No policy stops WebRTC, which sends packets to any host: it goes before the program's HTML comes,
    // and a frame inside, which would have one of its own, may not be opened.
    frame.srcdoc = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="frame-src 'none'">
<script>for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete window[name]</` + `script>
<style>body{margin:0;font:15px/1.5 system-ui,sans-serif}</style><body>${html}
<script>new ResizeObserver(() => parent.postMessage({ height: document.documentElement.scrollHeight }, "*")).observe(document.body)</` + "script>";
  }

  image({ png }) {
    const image = this.element("img", "plot");
    image.src = `data:image/png;base64,${png}`;
    image.alt = "The plot that the program draws.";
  }

  failure({ text, way, line, column }) {
    this.failed = { text, line, column };
    const box = this.element("div", "error");
    const said = document.createElement("p");
    said.textContent = `${text} (line ${line})`;
    box.append(said);
    if (way) box.append(Object.assign(document.createElement("pre"), { textContent: way }));
  }

  player({ data, svg }) {
    const host = this.element("div", "player-host");
    this.players.push({ host, data, svg, player: null });
  }

  note(text) {
    this.element("p", "note").textContent = text;
    if (this.shown) this.mountAll();
  }

  element(tag, className) {
    const made = document.createElement(tag);
    made.className = className;
    this.box.append(made);
    return made;
  }

  /** Players measure themselves, so they are made when they are on the page. */
  mountAll() {
    for (const [place, each] of this.players.entries()) {
      if (each.host.shadowRoot) continue;
      const root = each.host.attachShadow({ mode: "open" });
      try {
        each.player = mount(root, each.data, each.svg);
        const older = this.before?.players[place]?.player;
        if (older?.at > 0) each.player.go(Math.min(older.at, each.data.steps.length - 1));
      } catch (error) {
        root.textContent = `This player could not be shown: ${error.message}`;
      }
    }
  }

  settle() {
    if (this.box.childElementCount === 0) this.note("The program ended and showed nothing.");
    if (!this.isOnlyAnError()) this.before = null;
  }
}
let stage = null;

addEventListener("message", async ({ source, data }) => {
  if (source !== parent) {
    const frame = [...document.querySelectorAll("iframe.html")].find((each) => each.contentWindow === source);
    if (frame && Number.isFinite(data.height)) frame.style.height = `${Math.min(data.height, 4000)}px`;
    return;
  }
  if (data.files) {
    try {
      const files = {};
      await Promise.all(data.files.map(async ([name, bytes]) => { files[name] = await inflated(bytes); }));
      stage = new Stage({ worker: data.worker, files, packages: data.packages });
      if (data.first) stage.ask(data.first);
    } catch (error) {
      say({ state: "failed", text: `this page is damaged: ${error.message}` });
    }
  } else if (data.source !== undefined) {
    stage?.ask(data);
  }
});

new ResizeObserver(() => say({ height: document.documentElement.scrollHeight })).observe(document.body);
say({ state: "open" });
