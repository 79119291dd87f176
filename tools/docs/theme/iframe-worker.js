// SPDX-License-Identifier: MIT OR Apache-2.0
// Browsers start no worker on a page that was opened from a file, and the theme searches in a worker. There the worker's script runs in
// an empty frame instead. It is the theme's search alone that uses it, in English, which imports no other script.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      this.ready = new Promise((done) => script.addEventListener("load", () => done(inside)));
      script.src = url;
      inside.document.body.append(script);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
