// SPDX-License-Identifier: BSD-3-Clause
// A film as the page uses it: its description, its chunks as they are needed, and a strip of totals over its whole length.
// Three sources feed it (source.js); all give blocks.
import { HEAD, decode_chunk, inflate, inflate_json, read_head } from "./decode.js";
import { make_topology } from "./topology.js";

const CACHE_BYTES = 192 << 20;
const LIVE_CHUNKS = 600;   // of a live fabric: older ones are forgotten
const STRIP = ["tx_bytes", "paused", "drops"];

const new_strip = () => ({ starts: [], values: STRIP.map(() => []), every: 1 });

// What the values in chunks refer to.
const shape_of = ({ name, interval_ns, nodes, ports, drops, pools, scopes, columns }) => JSON.stringify(
  [name, interval_ns, nodes, ports.map((port) => [port.node, port.name, port.peer]), drops, pools, scopes, columns]);

export class Film {
  constructor(source) {
    this.source = source;
    this.meta = null;
    this.topology = null;
    this.chunks = [];         // {first, count, offset | block}, ascending
    this.cache = new Map();   // first -> promise of a decoded chunk, the longest unused first
    this.ready = new Map();   // first -> decoded chunk
    this.overview = null;
    this.strip = new_strip();   // without an index: one value a chunk's interval
    this.peaks = {};
    this.missed = 0;
    this.reopened = false;    // what comes next continues this film, or begins another one
    this.listeners = new Set();
  }

  /** The number of intervals that can be shown, and the first of them. */
  get count() {
    const last = this.chunks[this.chunks.length - 1];
    return last ? last.first + last.count : 0;
  }

  get first() {
    return this.chunks.length ? this.chunks[0].first : 0;
  }

  changed(what) {
    for (const listener of this.listeners)
      listener(what);
  }

  add_meta(meta) {
    const events = [...(this.meta?.events ?? []), ...(meta.events ?? [])];
    const made = this.meta && !meta.nodes && !meta.ports && !meta.tenants;
    this.meta = { ...this.meta, ...meta, events };
    if (!made)
      this.topology = make_topology(this.meta);
    this.changed("meta");
  }

  add_index(index) {
    this.overview = index.overview ?? null;
    this.peaks = index.peaks ?? {};
  }

  /** A block of a live film, or one that was embedded. */
  async add_block(block) {
    const head = read_head(block);
    const data = block.subarray(HEAD, HEAD + head.length);
    if (head.type === "FILM")
      this.reopened = this.chunks.length > 0;
    else if (head.type === "META") {
      const meta = await inflate_json(data);
      if (this.reopened && meta.nodes && shape_of(meta) !== shape_of(this.meta))
        this.begin_again("replaced");
      this.add_meta(meta);
    } else if (head.type === "INDX")
      this.add_index(await inflate_json(data));
    else if (head.type === "CHNK") {
      const chunk = decode_chunk(await inflate(data), head, this.meta.columns);
      if (this.chunks.length && (head.first < this.count || this.reopened && chunk.start < this.chunks[this.chunks.length - 1].end))
        this.begin_again("again");
      this.reopened = false;
      if (this.chunks.length)
        this.missed += head.first - this.count;
      this.chunks.push({ first: head.first, count: head.count, block: data, start: chunk.start, end: chunk.end });
      this.keep(chunk);
      this.add_up(chunk);
      if (this.source.live && this.chunks.length > LIVE_CHUNKS)
        this.forget();
      this.changed("chunks");
    }
  }

  /** The fabric was restarted, or sends a new film: intervals and times have nothing to do with those before. */
  begin_again(what) {
    this.chunks = [];
    this.cache.clear();
    this.ready.clear();
    this.strip = new_strip();
    this.peaks = {};
    this.missed = 0;
    this.meta.events = [];
    this.reopened = false;
    this.changed(what);
  }

  forget() {
    const old = this.chunks.shift();
    this.cache.delete(old.first);
    this.ready.delete(old.first);
    const gone = this.strip.starts.findIndex((at) => at >= this.chunks[0].first);
    this.strip.starts.splice(0, gone);
    for (const values of this.strip.values)
      values.splice(0, gone);
  }

  /** Adds a chunk to the strip and the peaks of a film without an index. */
  add_up(chunk) {
    const sums = STRIP.map(() => new Float64Array(chunk.count));
    for (const [name, { series }] of chunk.columns) {
      const strip = STRIP.indexOf(name);
      let peak = this.peaks[name] ?? 0;
      for (const values of series)
        for (let i = 0; i < chunk.count; i++) {
          if (values[i] > peak)
            peak = values[i];
          if (strip >= 0)
            sums[strip][i] += values[i];
        }
      this.peaks[name] = peak;
    }
    for (let i = 0; i < chunk.count; i++) {
      this.strip.starts.push(chunk.first + i);
      sums.forEach((sum, k) => this.strip.values[k].push(sum[i]));
    }
  }

  keep(chunk) {
    this.ready.set(chunk.first, chunk);
    this.cache.set(chunk.first, Promise.resolve(chunk));
    let bytes = 0;
    for (const one of this.ready.values())
      bytes += one.bytes;
    for (const [first, one] of this.ready) {
      if (bytes < CACHE_BYTES || first === chunk.first)
        break;
      bytes -= one.bytes;
      this.ready.delete(first);
      this.cache.delete(first);
    }
  }

  entry_of(interval) {
    let low = 0, high = this.chunks.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const entry = this.chunks[middle];
      if (interval < entry.first)
        high = middle - 1;
      else if (interval >= entry.first + entry.count)
        low = middle + 1;
      else
        return entry;
    }
    return null;
  }

  /** The chunk with an interval if it is decoded, else null; then `load` has it. */
  peek(interval) {
    const entry = this.entry_of(interval);
    if (!entry)
      return null;
    const chunk = this.ready.get(entry.first) ?? null;
    if (chunk) {            // used last
      this.ready.delete(entry.first);
      this.ready.set(entry.first, chunk);
    }
    return chunk;
  }

  load(interval) {
    const entry = this.entry_of(interval);
    if (!entry)
      return Promise.resolve(null);
    let promise = this.cache.get(entry.first);
    if (!promise) {
      promise = (async () => {
        const data = entry.block ?? await this.block_data(entry.offset, entry.end);
        const chunk = decode_chunk(await inflate(data), entry, this.meta.columns);
        if (this.entry_of(entry.first) === entry)
          this.keep(chunk);
        return chunk;
      })();
      this.cache.set(entry.first, promise);
      promise.catch(() => this.cache.delete(entry.first));
    }
    return promise;
  }

  /** The interval at which `ns` lies, as good as it can be told without reading chunks. */
  interval_at(ns) {
    if (this.source.live) {     // of these it is known when each chunk begins
      const { first, count, start } = this.chunks.findLast((one) => one.start <= ns) ?? this.chunks[0];
      return first + Math.max(0, Math.min(count - 1, Math.floor((ns - start) / this.meta.interval_ns)));
    }
    const near = Math.round(ns / this.meta.interval_ns - 0.5);
    return Math.max(this.first, Math.min(this.count - 1, near));
  }

  time_of(interval) {
    const chunk = this.peek(interval);
    if (chunk)
      return chunk.starts[interval - chunk.first];
    const { first, start } = this.source.live && this.entry_of(interval) || { first: 0, start: 0 };
    return start + (interval - first) * this.meta.interval_ns;
  }

  /** For the strip below the picture: `n` points of total load, pauses and drops, and the interval of each. */
  totals() {
    if (this.overview) {
      const { every } = this.overview;
      return { every, first: 0, values: STRIP.map((name) => this.overview[name] ?? []) };
    }
    return { every: 1, first: this.strip.starts[0] ?? 0, values: this.strip.values, starts: this.strip.starts };
  }

  /** Finds the blocks of a film that can be read at any offset. */
  async open() {
    const size = this.source.size;
    const start = await this.source.read(0, Math.min(size, 1 << 16));
    if (size < HEAD || read_head(start).type !== "FILM")
      throw new Error("not a film");
    const version = read_head(start).first;
    if (version !== 1)
      throw new Error(`the film has version ${version} of the format; this page reads version 1`);
    const tail = size >= 2 * HEAD ? await this.source.read(size - HEAD, HEAD) : start;
    let blocks = null, end_of_blocks = size;
    try {
      const head = read_head(tail);
      if (head.type === "TAIL") {
        const offset = head.first + head.count * 2 ** 32;
        const index = read_head(await this.source.read(offset, HEAD));
        if (index.type === "INDX") {
          const json = await inflate_json(await this.source.read(offset + HEAD, index.length));
          blocks = json.blocks;
          end_of_blocks = offset;
          this.add_index(json);
        }
      }
    } catch {
      blocks = null;      // cut off; the heads lead on
    }
    if (!blocks)
      [blocks, end_of_blocks] = await this.walk(size);
    for (let i = 0; i < blocks.length; i++) {
      const [offset, type, first, count] = blocks[i];
      const end = i + 1 < blocks.length ? blocks[i + 1][0] : end_of_blocks;
      if (type === "META")
        this.add_meta(await inflate_json(await this.block_data(offset, end)));
      else if (type === "CHNK")
        this.chunks.push({ first, count, offset, end });
    }
    if (!this.meta)
      throw new Error("the film has no description; it was cut off at its beginning");
    if (!this.overview)
      for (const entry of this.chunks)
        this.add_up(await this.load(entry.first));
    this.changed("chunks");
  }

  /** The data of the block at `offset`; the next one begins at `end` at the earliest. */
  async block_data(offset, end) {
    const bytes = await this.source.read(offset, end - offset);
    return bytes.subarray(HEAD, HEAD + read_head(bytes).length);
  }

  async walk(size) {
    const blocks = [];
    let offset = 0;
    while (offset + HEAD <= size) {
      const head = read_head(await this.source.read(offset, HEAD));
      if (offset + HEAD + head.length > size)
        break;
      blocks.push([offset, head.type, head.first, head.count]);
      offset += HEAD + head.length;
    }
    return [blocks, offset];
  }
}
