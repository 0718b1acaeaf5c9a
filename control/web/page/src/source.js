// SPDX-License-Identifier: BSD-3-Clause
// Where films come from. A source with `live` pushes blocks; the others are read at any offset.

const AHEAD = 65536;

export const from_base64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** A film of a server, read by ranges; small reads within what was read already cost nothing. */
export class RangeSource {
  constructor(url) {
    this.url = url;
    this.live = false;
    this.ahead = null;   // {offset, bytes}
  }

  async open() {
    const answer = await fetch(this.url, { headers: { Range: `bytes=0-${AHEAD - 1}` } });
    if (!answer.ok)
      throw new Error(`${this.url}: ${answer.status} ${answer.statusText}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const range = /\/(\d+)$/.exec(answer.headers.get("Content-Range") ?? "");
    this.size = answer.status === 206 && range ? Number(range[1]) : bytes.length;
    this.ahead = { offset: 0, bytes };
  }

  async read(offset, length) {
    const { ahead } = this;
    if (offset >= ahead.offset && offset + length <= ahead.offset + ahead.bytes.length)
      return ahead.bytes.subarray(offset - ahead.offset, offset - ahead.offset + length);
    // Small reads go from head to head of a film without an index, or back from its end: more is read than that.
    const end = Math.min(this.size, offset + Math.max(length, AHEAD));
    const start = end === this.size ? Math.max(0, Math.min(offset, end - AHEAD)) : offset;
    const answer = await fetch(this.url, { headers: { Range: `bytes=${start}-${end - 1}` } });
    if (answer.status !== 206)
      throw new Error(`${this.url}: ${answer.status} ${answer.statusText}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    this.ahead = { offset: start, bytes };
    return bytes.subarray(offset - start, offset - start + length);
  }
}

/** A film in the page itself. */
export class EmbeddedSource {
  constructor(text) {
    this.bytes = from_base64(text);
    this.live = false;
    this.size = this.bytes.length;
  }

  async open() {}

  async read(offset, length) {
    return this.bytes.subarray(offset, offset + length);
  }
}

/** A live fabric: blocks and events as the server sends them. */
export class LiveSource {
  constructor(url) {
    this.url = url;
    this.live = true;
    this.size = 0;
  }

  async open() {}

  /** Calls `on_block` one after the other, `on_event` and `on_state`. Returns a function that ends it. */
  follow({ on_block, on_event, on_state }) {
    const events = new EventSource(this.url);
    let last = Promise.resolve();
    const block = (message) => {
      last = last.then(() => on_block(from_base64(message.data))).catch((error) => on_state({ error: String(error.message) }));
    };
    events.addEventListener("header", block);
    events.addEventListener("chunk", block);
    events.addEventListener("event", (message) => on_event(JSON.parse(message.data)));
    events.addEventListener("state", (message) => on_state(JSON.parse(message.data)));
    events.addEventListener("refused", (message) => on_state({ refused: message.data }));
    events.addEventListener("lost", (message) => on_state({ lost: JSON.parse(message.data) }));
    events.onopen = () => on_state({ connected: true });
    events.onerror = () => on_state({ connected: false });
    return () => events.close();
  }
}
