// A worker that starts Python as the lessons' kernel does, and says after each part how it went.
const { pyodide: address, packages } = Object.fromEntries(new URL(import.meta.url).searchParams);
const report = (part, error = "") => postMessage({ part, error: String(error) });

async function trial() {
  let part = "Python";
  try {
    const { loadPyodide } = await import(address);
    const python = await loadPyodide();
    report(part);
    part = "the kernel, NumPy and minitape";
    const failed = [];
    const names = packages.split(",").map((each) =>
      each.includes("/") ? new URL(each, import.meta.url).href : each);
    await python.loadPackage(names, { errorCallback: (text) => failed.push(text) });
    if (failed.length) throw new Error(failed.join("; "));
    python.runPython("import pyodide_kernel, minitape");
    report(part);
    part = "a gradient";
    const slope = python.runPython(`
import minitape as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
float(tape.gradient(y, x))
`);
    if (slope !== 6) throw new Error(`the slope of x*x at 3 came out as ${slope}, and it is 6`);
    report(part);
    report("");
  } catch (error) {
    report(part, error);
  }
}
trial();
