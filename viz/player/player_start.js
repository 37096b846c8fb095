/*
 * How a page that holds pictures and tables gets its players.
 *
 * The one fact to know: whatever goes wrong, picture and table stay.
 */
"use strict";

function unbase64(text) {
  return Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
}

/** Read JSON that was deflated and written in base64; the browser inflates it itself. */
async function unpacked(text) {
  const stream = new Blob([unbase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** Read the data of a host: plain JSON, or packed when it is large. */
async function readData(script) {
  return script.dataset.packed ? unpacked(script.textContent) : JSON.parse(script.textContent);
}

/**
 * The picture that the host already shows moves into the player, so it is stored only once. A large
 * one is shown as a sketch, and the whole drawing comes with the data.
 */
function readPicture(host, data) {
  if (data.svg) return data.svg;
  const drawn = host.shadowRoot?.querySelector("svg") ?? host.querySelector(":scope > svg");
  return drawn ?? new TextDecoder().decode(unbase64(host.querySelector("img").src.split(",")[1]));
}

/** Mount a player into a shadow root; `svg` is an element or text, `assets` are {css, html}. */
function mount(root, data, svg, assets) {
  return new Player(root, data, typeof svg === "string" ? parse(svg) : svg, assets);
}

/**
 * Turn one host (picture and table of steps) into a player. On any failure, now or at a later step, it
 * shows what it showed without scripts: a sentence that says so, the picture and the table.
 */
async function upgradeHost(host, assets) {
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
    const player = mount(host.shadowRoot ?? host.attachShadow({ mode: "open" }), data, readPicture(host, data), await assets);
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

/**
 * Upgrade the hosts of the page when they come near the window, so that forty open at once. `assets`
 * may be a promise: the looks travel packed, as each notebook output keeps a copy of them.
 */
function upgrade(assets) {
  const watcher = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      watcher.unobserve(target);
      upgradeHost(target, assets);
    }
  }, { rootMargin: "400px" });
  for (const host of document.querySelectorAll(".minitape-player:not([data-ready])")) {
    host.dataset.ready = "soon";
    watcher.observe(host);
  }
}

/** Follow the notebook's theme where it names one; otherwise the system's (in the style sheet). */
function followTheme(main) {
  const { body } = document;
  const player = new WeakRef(main); // or every player ever shown would live as long as the page
  const read = () => {
    const main = player.deref();
    if (!main) return observer.disconnect();
    const lab = { true: "light", false: "dark" }[body.dataset.jpThemeLight];
    main.dataset.theme = lab ?? body.dataset.theme ?? /vscode-(dark|light)|$/.exec(body.className)[1] ?? "";
  };
  const observer = new MutationObserver(read);
  observer.observe(body, { attributes: true });
  read();
}
