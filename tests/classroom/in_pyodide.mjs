// Runs a quick part of the engine's tests in Pyodide: node tests/classroom/in_pyodide.mjs FOLDER
// FOLDER is one with Pyodide, such as `python tests/pyodide_folder.py` makes.
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve } from "node:path";

const CHOSEN = [
  "tests/engine/test_tape.py",
  "tests/engine/test_accumulator.py",
  "tests/engine/test_functional.py",
  "tests/engine/test_custom.py",
  "tests/engine/test_diagonal.py",
  "tests/graphs/test_control_flow.py",
  "tests/classroom/test_program.py",
];

const folder = resolve(process.argv[2] ?? "");
const project = fileURLToPath(new URL("../..", import.meta.url));

async function main() {
  const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
  const python = await loadPyodide();
  await python.loadPackage(["numpy", "pytest"], { messageCallback: () => {} });
  python.mountNodeFS("/project", project);
  return python.runPython(`
import os, sys
os.chdir("/project")
sys.dont_write_bytecode = True
import pytest
chosen = ${JSON.stringify(process.argv.length > 3 ? process.argv.slice(3) : CHOSEN)}
# Without the conftest, which needs a browser's packages; matplotlib is not loaded here.
int(pytest.main(["-q", "--noconftest", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0", "-m", "not slow and not fast_layer",
                 "-k", "not matplotlib", *chosen]))
`);
}

main().then(
  (code) => process.exit(code),
  (error) => {
    // The message alone: a stack in one-line modules of a megabyte helps nobody.
    console.error(`Pyodide failed: ${String(error.message ?? error).slice(-2000)}`);
    process.exit(1);
  },
);
