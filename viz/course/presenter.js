/*
 * The presenter's window: the notes, the next slide, a clock, and how many minutes are left.
 *
 * The second window is filled by the first one and has no script. So it needs no address and no
 * message between files, and an offline page can open it.
 */
/* exported Presenter */
"use strict";

const ROOM = `
body { margin: 0; display: grid; grid-template: auto 1fr / 3fr 2fr; gap: 0 32px; height: 100vh; box-sizing: border-box;
  padding: 20px 28px; font: 24px/1.45 system-ui, sans-serif; color: var(--ink, #16191d); background: var(--paper, #fff); }
header { grid-column: 1 / -1; display: flex; gap: 36px; align-items: baseline; padding-bottom: 12px; border-bottom: 3px solid var(--blue, #0072b2); }
header output { font-variant-numeric: tabular-nums; }
.time { font-size: 36px; font-weight: 600; }
.late { color: var(--orange, #b04a00); }
main, aside { overflow: auto; padding-top: 16px; }
aside { font-size: 18px; color: var(--quiet, #586069); }
aside h1, aside h2 { font-size: 24px; color: var(--ink, #16191d); margin: 4px 0 8px; }
pre { white-space: pre-wrap; font-size: 16px; }
img, svg { max-width: 100%; height: auto; max-height: 40vh; }
button { font: inherit; }`;

class Presenter {
  /**
   * @param {HTMLElement[]} slides in their order.
   * @param {(key: KeyboardEvent) => void} pressed what the deck does with a key.
   */
  constructor(slides, pressed) {
    this.slides = slides;
    this.pressed = pressed;
    this.window = null;
    this.began = 0;
    // How many minutes the notes give the slides before each one; the last is that of the lesson.
    this.planned = [0];
    for (const slide of slides) this.planned.push(this.planned.at(-1) + this.minutes(slide));
  }

  minutes(slide) {
    return Number(/^\s*(\d+) minutes?\b/.exec(slide.nextElementSibling.textContent)?.[1] ?? 0);
  }

  get isOpen() { return Boolean(this.window && !this.window.closed); }

  /** Opens the window, or brings it to the front; false where the browser does not let it. */
  open() {
    if (!this.isOpen) {
      this.window = window.open("", `presenter of ${document.title}`, "width=1100,height=720");
      if (!this.window) return false;
      this.began = Date.now();
      this.fill();
    }
    this.window.focus();
    return true;
  }

  fill() {
    const page = this.window.document;
    page.title = `${document.title}: presenter`;
    page.documentElement.lang = document.documentElement.lang;
    const style = page.createElement("style");
    const colours = [...document.querySelectorAll("style")].map((each) => each.textContent).join("\n");
    style.textContent = (/:root\s*\{[^}]*\}/.exec(colours)?.[0] ?? "") + ROOM;
    page.head.replaceChildren(style);
    page.body.innerHTML = '<header><output class="time" aria-label="Clock"></output><output class="left" aria-live="off"></output>'
      + '<output class="at" aria-live="off"></output><button type="button">Begin again</button></header>'
      + '<main aria-label="Notes"></main><aside aria-label="Next slide"></aside>';
    page.querySelector("button").addEventListener("click", () => { this.began = Date.now(); this.tick(); });
    page.addEventListener("keydown", this.pressed);
    const timer = setInterval(() => { if (this.isOpen) this.tick(); else clearInterval(timer); }, 1000);
    addEventListener("pagehide", () => this.window?.close());
  }

  /** Keeps step with the deck. */
  show(at) {
    this.at = at;
    if (!this.isOpen) return;
    const page = this.window.document;
    const notes = this.slides[at].nextElementSibling.cloneNode(true);
    page.querySelector("main").replaceChildren(...(notes.textContent.trim() ? notes.childNodes : ["No notes for this slide."]));
    const next = this.slides[at + 1];
    page.querySelector("aside").replaceChildren(next ? "Next" : "The last slide", ...(next ? this.still(next) : []));
    page.querySelector(".at").textContent = `${at + 1} / ${this.slides.length}`;
    page.querySelector("main").scrollTop = 0;
    this.tick();
  }

  /** A slide without what lives in it: a player is its first still picture here. */
  still(slide) {
    const copy = slide.cloneNode(true);
    for (const each of copy.querySelectorAll("script, style, details")) each.remove();
    for (const each of copy.querySelectorAll("[id]")) each.removeAttribute("id");
    return [...copy.childNodes];
  }

  tick() {
    const now = new Date();
    const page = this.window.document;
    const two = (n) => String(n).padStart(2, "0");
    const passed = Math.floor((now.getTime() - this.began) / 60000);
    const [plan, all] = [this.planned[this.at], this.planned.at(-1)];
    page.querySelector(".time").textContent = `${two(now.getHours())}:${two(now.getMinutes())}`;
    const left = page.querySelector(".left");
    left.textContent = all ? `minute ${passed} of ${all}, planned here: ${plan}; ${Math.max(0, all - passed)} left` : `minute ${passed}`;
    left.classList.toggle("late", all > 0 && passed > plan + 1);
  }
}
