"""A page that hosts a widget, for tests: what a notebook is to it, in little.

The messages between Python and the page are those of ipywidgets, but they are carried by HTTP
on the loopback interface: the page posts what the widget's script sends, and hears by
server-sent events what Python publishes. Like a kernel, it handles one message at a time.
"""

from __future__ import annotations

import json
from base64 import b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from threading import Lock, Thread

import comm
from comm.base_comm import BaseComm

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Board</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>:root{color-scheme: light dark} body{margin: 8px}</style></head><body><main></main>
<script type="module">
const state = {}, listeners = {};
const fire = (event, ...values) => (listeners[event] ?? []).forEach((hear) => hear(...values));
const model = {
  get: (name) => state[name],
  on: (event, hear) => (listeners[event] ??= []).push(hear),
  off: (event, hear) => (listeners[event] = listeners[event].filter((one) => one !== hear)),
  send: (content) => fetch("message", { method: "POST", body: JSON.stringify(content) }),
};
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
window.send = model.send;
new EventSource("events").onmessage = async ({ data }) => {
  const message = JSON.parse(data);
  if (message.method === "custom") {
    return fire("msg:custom", message.content, message.buffers.map(bytes));
  }
  Object.assign(state, message.state);
  if (message.method === "update") {
    return Object.keys(message.state).forEach((name) => fire(`change:${name}`));
  }
  document.head.append(Object.assign(document.createElement("style"), { textContent: state._css }));
  const { default: widget } = await import("./widget.js");
  widget.render({ model, el: document.querySelector("main") });
};
</script></body></html>
"""


class HostComm(BaseComm):
    """The Python end of a widget's channel: it publishes to all pages that listen."""

    listeners: list[SimpleQueue] = []

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        for queue in self.listeners:
            queue.put({**data, "buffers": [b64encode(part).decode() for part in buffers or ()]})


@contextmanager
def hosted(make_widget):
    """A widget, made by a function of no arguments, and the address of a page that shows it."""
    before, comm.create_comm = comm.create_comm, HostComm
    try:
        widget = make_widget()
    finally:
        comm.create_comm = before
    listeners = widget.comm.listeners = []
    one_at_a_time = Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/":
                self.answer("text/html", PAGE)
            elif self.path == "/widget.js":
                self.answer("text/javascript", widget.get_state()["_esm"])
            elif self.path == "/events":
                self.publish()
            else:
                self.send_error(404)

        def do_POST(self):
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = {"method": "custom", "content": content}
            with one_at_a_time:
                widget.comm.handle_msg({"content": {"data": data}, "buffers": []})
            self.answer("text/plain", "")

        def publish(self):
            queue = SimpleQueue()
            with one_at_a_time:
                queue.put({"method": "open", "state": widget.get_state()})
                listeners.append(queue)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            while (data := queue.get()) is not None:
                self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())

        def answer(self, kind, text):
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield widget, f"http://127.0.0.1:{server.server_port}/"
    finally:
        for queue in listeners:
            queue.put(None)
        server.shutdown()
        thread.join()
        server.server_close()
        widget.close()
