// The theme's search runs in a worker, which browsers refuse to a page that is opened from a disk. There
// this takes the worker's place: the same script in a hidden frame, with the same messages.
window.IFrameWorker = class extends EventTarget {
  constructor(url) {
    super();
    this.onmessage = null;
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.inside = frame.contentWindow;
    this.inside.IFrameWorker = window.IFrameWorker;
    this.inside.postMessage = (data) => {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    };
    this.ready = new Promise((resolve) => {
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = resolve;
      frame.contentDocument.body.append(script);
    });
  }

  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
  }
};
if (location.protocol === "file:") window.Worker = window.IFrameWorker;
