// Compiles what a lesson's start imports: node compile.mjs FOLDER PACKAGE...
// FOLDER has Pyodide and the wheels; bytecode.zip is written into it.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, ...packages] = process.argv.slice(2);
const program = readFileSync(new URL("compiling.py", import.meta.url), "utf-8");

async function main() {
  const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
  const python = await loadPyodide();
  await python.loadPackage(packages, { messageCallback: () => {} });
  python.mountNodeFS("/made", folder);
  python.runPython(program);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(String(error.message ?? error).trim());
    process.exit(1);
  },
);
