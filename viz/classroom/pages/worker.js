/*
 * The worker of a live page: Python, started from bytes that the page holds, runs one program after
 * another. It asks for nothing, as every file comes with its first message.
 */
"use strict";

let run = null;

/** Answer every request of Pyodide from the files that came along; nothing leaves the page. */
function serve(files) {
  self.fetch = async (address) => {
    const name = decodeURIComponent(String(address.url ?? address).split("/").pop());
    if (!(name in files)) return new Response("", { status: 404, statusText: `${name} is not in this page` });
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(files[name], { headers: { "Content-Type": type } });
  };
}

function moduleOf(content) {
  const address = URL.createObjectURL(new Blob([content], { type: "text/javascript" }));
  return import(address).finally(() => URL.revokeObjectURL(address));
}

async function start({ files, packages }) {
  serve(files);
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs"].map((name) => moduleOf(files[name])),
  );
  const python = await loadPyodide({
    createPyodideModule,
    indexURL: "https://embedded.invalid/",
    env: { MPLBACKEND: "agg", HOME: "/lesson" },
    stderr: (text) => console.debug(text),
  });
  const failed = [];
  await python.loadPackage(packages, {
    checkIntegrity: false, // the page is one file: what is in it arrived with it
    messageCallback: () => {},
    errorCallback: (text) => failed.push(text),
  });
  if (failed.length) throw new Error(failed.join("; "));
  run = python.runPython("from minitape.viz.classroom.program import run\nrun");
  run("import minitape as tf\nwith tf.GradientTape() as tape:\n    y = tf.Variable(1.0) * 2\ntape.gradient(y, tape.watched_variables())", () => {});
}

self.onmessage = async ({ data }) => {
  try {
    if (data.files) {
      await start(data);
      postMessage({ ready: true });
    } else {
      run(data.source, (piece) => postMessage({ piece }));
      postMessage({ done: true });
    }
  } catch (error) {
    postMessage({ failed: String(error?.message ?? error) });
  }
};
