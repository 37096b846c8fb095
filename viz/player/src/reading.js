/*
 * What a page gives its players: data, and the picture that stands there already.
 *
 * Large data is deflated and in base64; the browser inflates it itself.
 */

function unbase64(text) {
  return Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
}

/** Read JSON that was deflated and written in base64; the browser inflates it itself. */
export async function unpacked(text) {
  const stream = new Blob([unbase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** Read the data of a host: plain JSON, or packed when it is large. */
export async function readData(script) {
  return script.dataset.packed ? unpacked(script.textContent) : JSON.parse(script.textContent);
}

/**
 * The picture that the host already shows moves into the player, so it is stored only once. A large
 * one is shown as a sketch, and the whole drawing comes with the data.
 */
export function readPicture(host, data) {
  if (data.svg) return data.svg;
  const drawn = host.shadowRoot?.querySelector("svg") ?? host.querySelector(":scope > svg");
  return drawn ?? new TextDecoder().decode(unbase64(host.querySelector("img").src.split(",")[1]));
}
