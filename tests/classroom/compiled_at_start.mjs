// Prints, as JSON, the modules that Python compiles while a lesson starts:
// node compiled_at_start.mjs FOLDER, where the folder has Pyodide and the site's wheels.
import { pathToFileURL } from "node:url";

const { loadPyodide } = await import(pathToFileURL(`${process.argv[2]}/pyodide.mjs`));
const python = await loadPyodide();
await python.loadPackage(["pyodide-kernel", "ipython", "matplotlib", "minitape"], { messageCallback: () => {} });
const met = python.runPython(`
import importlib._bootstrap_external as machinery, json, zipimport

met = []
of_packages, of_the_library = machinery.SourceLoader.source_to_code, zipimport._compile_source

def from_a_package(self, data, path, *rest, **options):
    met.append(path)
    return of_packages(self, data, path, *rest, **options)

def from_the_library(path, *rest):
    met.append(path)
    return of_the_library(path, *rest)

machinery.SourceLoader.source_to_code = from_a_package
zipimport._compile_source = from_the_library
import IPython, matplotlib.pyplot, pyodide_kernel
import minitape as tf
from minitape import viz
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
viz.step(tape, y, x)._repr_mimebundle_()
json.dumps(met)
`);
// A pipe takes what fits, and the rest later.
process.stdout.write(`${met}\n`, () => process.exit(0));
