// Runs in every page of a site: says which files are missing, where the kernel would be silent.
(() => {
  const here = new URL(".", document.currentScript.src);

  async function problem({ path, size, what }) {
    const address = new URL(path, here);
    let answer;
    try {
      answer = await fetch(address, { method: "HEAD", cache: "no-cache" });
    } catch {
      return `${name(path)} (${what}) cannot be fetched`;
    }
    if (!answer.ok) return `${name(path)} (${what}) is missing`;
    const length = answer.headers.get("Content-Length");
    const packed = answer.headers.get("Content-Encoding");
    if (length === null || packed || Number(length) === size) return null;
    return `${name(path)} (${what}) has ${length} bytes in place of ${size}`;
  }

  const name = (path) => path.split("/").pop();

  function lacks() {
    const found = [];
    if (typeof WebAssembly !== "object") found.push("WebAssembly");
    if (typeof Worker !== "function") found.push("workers");
    if (typeof indexedDB !== "object") found.push("a place to keep your work (IndexedDB)");
    if (!("serviceWorker" in navigator)) {
      found.push(
        "service workers, which lessons read files through (the address has to begin with " +
          "https:// or http://localhost, and the window must not be a private one)",
      );
    }
    if (new URL("..", here).pathname.includes("%")) {
      found.push(
        "a way to open lessons below an address with spaces or letters beyond a to z; the folder " +
          "on the server needs a plain name",
      );
    }
    return found;
  }

  async function check() {
    const listed = await fetch(new URL("files.json", here), { cache: "no-cache" });
    if (!listed.ok) return { files: ["classroom/files.json is missing"], browser: lacks() };
    const { files } = await listed.json();
    const found = await Promise.all(files.map(problem));
    return { files: found.filter((each) => each !== null), browser: lacks() };
  }

  function shown({ files, browser }) {
    if (!files.length && !browser.length) return;
    const box = document.createElement("div");
    box.className = "minitape-problems";
    box.setAttribute("role", "alert");
    box.style.cssText =
      "position:relative;z-index:100000;padding:12px 20px;background:#8c1d18;color:#fff;" +
      "font:16px/1.5 system-ui,sans-serif;max-height:50vh;overflow:auto";
    const add = (words, items) => {
      const said = document.createElement("p");
      said.style.margin = "0 0 4px";
      said.textContent = words;
      const list = document.createElement("ul");
      list.style.margin = "0 0 8px";
      for (const item of items) {
        const row = document.createElement("li");
        row.textContent = item;
        list.append(row);
      }
      box.append(said, list);
    };
    if (files.length) {
      add("This site is not whole, and Python cannot start without these files. " +
        "Whoever put it here has to copy the folder again:", files);
    }
    if (browser.length) add("This browser, at this address, does not have:", browser);
    const place = () => document.body.prepend(box);
    if (document.body) place();
    else addEventListener("DOMContentLoaded", place);
  }

  window.minitapeCheck = check().then((found) => {
    shown(found);
    return found;
  });
})();
