/*
 * Makes the scripts that pages carry, of the modules that people read: `node build.mjs` writes them
 * to `bundles`, `node build.mjs FOLDER` elsewhere (a test compares the two).
 *
 * `ops.txt` lists the ops that the evaluator knows, for Python to look up.
 * `made_of.txt` names each module with a digest, so that a change that was not built shows without Node.
 *
 * A page with a player holds the player once, as `minitape`, and before the page's own script,
 * which takes it from there. The palette is filled in by Python (program.py).
 */

import { build, transform } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";
import { OPS } from "./src/evaluate.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PLAYER = `${HERE}src/start.js`;
/** Each bundle, and the module that it is made of. */
const ENTRIES = {
  page: "src/page.js",
  touch: "src/touch.js",
  untouched: "src/untouched.js",
  widget: "src/widget.js",
  exhibit: "../plots/exhibit.js",
  film: "../films/film.js",
  beside: "../pairing/beside.js",
  explored: "../notebook/explore_page.js",
  quiz: "../quizzes/quiz_page.js",
  sealed: "../teaching/sealed_page.js",
  stage: "../classroom/pages/stage.js",
};

/** Looks and structure as texts, without what only readers need. */
const texts = {
  name: "texts",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
    onLoad({ filter: /\.html$/ }, async ({ path }) => {
      const contents = (await readFile(path, "utf8")).replace(/\n\s*/g, "").replace(/="([\w-]+)"(?=[ >])/g, "=$1");
      return { contents, loader: "text" };
    });
  },
};

/** The player is on the page already, where there is one. */
const shared = {
  name: "shared",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/start\.js$/ }, () => ({ path: PLAYER, namespace: "shared" }));
    onLoad({ filter: /.*/, namespace: "shared" }, () => ({
      contents: 'export const { mount, upgrade } = typeof minitape === "undefined" ? {} : minitape;',
    }));
  },
};

const OPTIONS = { bundle: true, metafile: true, minify: true, charset: "utf8", target: "es2022", absWorkingDir: HERE, logLevel: "warning" };
const folder = process.argv[2] ?? `${HERE}bundles`;

const found = [await build({ ...OPTIONS, entryPoints: [PLAYER], outfile: `${folder}/player.js`, format: "iife", globalName: "minitape", plugins: [texts] })];
for (const [name, entry] of Object.entries(ENTRIES)) {
  const format = name === "widget" ? "esm" : "iife";
  found.push(await build({ ...OPTIONS, entryPoints: [entry], outfile: `${folder}/${name}.js`, format, plugins: [texts, shared] }));
}

for (const name of ["player", ...Object.keys(ENTRIES)]) {
  const file = `${folder}/${name}.js`;
  const tighter = { ecma: 2022, module: name === "widget", compress: { passes: 3, unsafe_arrows: true } };
  const { code } = await minify(await readFile(file, "utf8"), tighter);
  await writeFile(file, `${code}\n`);
}

await writeFile(`${folder}/ops.txt`, Object.keys(OPS).sort().map((name) => `${name}\n`).join(""));
const inputs = new Set(found.flatMap(({ metafile }) => Object.keys(metafile.inputs)).filter((name) => !name.includes(":")));
const lines = [...inputs, "build.mjs", "package-lock.json"].sort().map(async (name) => {
  const digest = createHash("sha256").update(await readFile(`${HERE}${name}`)).digest("hex");
  return `${digest}  ${relative(HERE, `${HERE}${name}`)}\n`;
});
await writeFile(`${folder}/made_of.txt`, (await Promise.all(lines)).join(""));
