// The start page: the check's result, and the trial of Python when its button is pressed.
const state = document.getElementById("state");
const list = document.getElementById("trial");
const button = document.getElementById("try");
const count = Number(state.dataset.files);

minitapeCheck.then(({ files, browser }) => {
  const whole = !files.length && !browser.length;
  state.textContent = whole
    ? `All ${count} files that Python needs are here.`
    : "Something is missing: see the top of this page.";
  state.dataset.state = whole ? "whole" : "broken";
});

function line(text, kind) {
  const row = document.createElement("li");
  row.textContent = text;
  row.className = kind;
  list.append(row);
}

button.addEventListener("click", () => {
  button.disabled = true;
  list.replaceChildren();
  const begun = performance.now();
  const worker = new Worker(button.dataset.worker, { type: "module" });
  const end = (text, kind) => {
    line(text, kind);
    worker.terminate();
    button.disabled = false;
  };
  worker.onerror = (event) => end(`The trial could not start: ${event.message || "no reason given"}`, "failed");
  worker.onmessage = ({ data: { part, error } }) => {
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    if (error) end(`${part} did not start: ${error.trim().split("\n").pop()}`, "failed");
    else if (part) line(`${part}: ready after ${seconds} s`, "done");
    else end("Everything works in this browser.", "done");
  };
});
