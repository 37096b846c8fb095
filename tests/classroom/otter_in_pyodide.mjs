// Grades lessons with Otter in Pyodide: node otter_in_pyodide.mjs PYODIDE OTTER ASSIGNMENTS
// PYODIDE is what `python tests/pyodide_folder.py` makes, OTTER a folder with otter-grader and what it
// needs, ASSIGNMENTS one with a folder for each lesson. Prints a line of JSON: the points by lesson.
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [pyodide, otter, assignments] = process.argv.slice(2).map((each) => resolve(each));
const project = fileURLToPath(new URL("../..", import.meta.url));
const NEEDED = ["numpy", "matplotlib", "ipython", "pandas", "pydantic", "requests", "click"];

async function main() {
  const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
  const python = await loadPyodide({ stdout: () => {} });
  await python.loadPackage(NEEDED, { messageCallback: () => {} });
  for (const [at, from] of [["/project", project], ["/otter", otter], ["/work", assignments]]) {
    python.mountNodeFS(at, from);
  }
  return python.runPython(`
import os, sys
sys.dont_write_bytecode = True
os.environ["MPLBACKEND"] = "Agg"
sys.path[:0] = ["/project", "/project/tests/classroom"]
sys.path.append("/otter")
import otter_run
otter_run.all_points("/work")
`);
}

main().then(
  (found) => {
    console.log(found);
    process.exit(0);
  },
  (error) => {
    console.error(`Pyodide failed: ${String(error.message ?? error).slice(-3000)}`);
    process.exit(1);
  },
);
