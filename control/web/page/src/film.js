// SPDX-License-Identifier: BSD-3-Clause
// A film as the page uses it: its description, its chunks as they are needed, and a strip of totals over its whole length.
// Three sources feed it (source.js); all give blocks.
import { HEAD, decode_chunk, inflate, inflate_json, read_head } from "./decode.js";
import { BLOCKS_MAX, check_blocks, check_totals } from "./blocks.js";
import { make_topology } from "./topology.js";

const CACHE_BYTES = 192 << 20;
const LIVE_CHUNKS = 600;   // of a live fabric: older ones are forgotten
const STRIP = ["tx_bytes", "paused", "drops"];
const STRIP_POINTS = 4096;

// A point is the sum of `every` intervals; the first point begins with interval `first`.
const new_strip = () => ({ first: 0, every: 1, values: STRIP.map(() => []) });

// What the values in chunks refer to.
const shape_of = ({ name, interval_ns, nodes, ports, drops, pools, scopes, columns }) => JSON.stringify(
  [name, interval_ns, nodes, ports.map((port) => [port.node, port.name, port.peer]), drops, pools, scopes, columns]);

/** Where INDX begins if these bytes end a film, else null: then the film was cut off, or is still being written. */
function tail_of(bytes) {
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== "TAIL")
    return null;
  const { first, count } = read_head(bytes);
  return first + count * 2 ** 32;
}

export class Film {
  constructor(source) {
    this.source = source;
    this.meta = null;
    this.topology = null;
    this.chunks = [];         // {first, count, offset | block}, ascending
    this.cache = new Map();   // first -> promise of a decoded chunk, the longest unused first
    this.ready = new Map();   // first -> decoded chunk
    this.overview = null;
    this.strip = new_strip();   // without an index
    this.decoding = Promise.resolve();   // one chunk after the other, so that only one is beside those in the cache
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
    const { strip } = this;
    const gone = Math.floor((this.chunks[0].first - strip.first) / strip.every);
    strip.first += gone * strip.every;
    for (const values of strip.values)
      values.splice(0, gone);
  }

  /** Adds a chunk to the strip and the peaks of a film without an index. */
  add_up(chunk) {
    const { strip } = this;
    if (!strip.values[0].length)
      strip.first = chunk.first;
    const end = chunk.first + chunk.count - strip.first;
    while (end > STRIP_POINTS * strip.every) {
      strip.values = strip.values.map((values) => Array.from({ length: Math.ceil(values.length / 2) }, (_, i) => values[2 * i] + (values[2 * i + 1] ?? 0)));
      strip.every *= 2;
    }
    for (const values of strip.values)
      while (values.length < end / strip.every)
        values.push(0);
    for (const [name, { series }] of chunk.columns) {
      const sums = strip.values[STRIP.indexOf(name)];
      let peak = this.peaks[name] ?? 0;
      for (const values of series)
        for (let i = 0; i < chunk.count; i++) {
          if (values[i] > peak)
            peak = values[i];
          if (sums)
            sums[Math.floor((chunk.first + i - strip.first) / strip.every)] += values[i];
        }
      this.peaks[name] = peak;
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
        const data = entry.block ?? await this.block_data(entry, "CHNK");   // in which others need not wait
        const turn = this.decoding.then(async () => {
          const chunk = decode_chunk(await inflate(data), entry, this.meta.columns);
          if (this.entry_of(entry.first) === entry)
            this.keep(chunk);
          return chunk;
        });
        this.decoding = turn.then(() => {}, () => {});
        return turn;
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

  /** The length of an interval in ns; as long as its chunk is not decoded, that of most intervals. */
  length_of(interval) {
    const chunk = this.peek(interval);
    return chunk?.lengths[interval - chunk.first] || this.meta.interval_ns;
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
    return this.strip;
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
    const index = tail_of(tail) !== null && await this.read_index(tail_of(tail), size);
    const [blocks, end_of_blocks] = index ? [index.blocks, tail_of(tail)] : await this.walk(size);
    check_blocks(blocks, end_of_blocks);
    for (let i = 0; i < blocks.length; i++) {
      const [offset, type, first, count] = blocks[i];
      const end = i + 1 < blocks.length ? blocks[i + 1][0] : end_of_blocks;
      if (type === "META")
        this.add_meta(await inflate_json(await this.block_data({ offset, end, first, count }, type)));
      else if (type === "CHNK")
        this.chunks.push({ first, count, offset, end });
    }
    if (!this.meta)
      throw new Error("the film has no description; it was cut off at its beginning");
    if (index) {
      check_totals(index, this.meta, this.count);
      this.add_index(index);
    }
    if (!this.overview)
      for (const entry of this.chunks)
        this.add_up(await this.load(entry.first));
    this.changed("chunks");
  }

  /** The data of a block of the list; the next one begins at `end` at the earliest. */
  async block_data({ offset, end, first, count }, type) {
    const bytes = await this.source.read(offset, end - offset);
    const head = read_head(bytes);
    if (head.type !== type || head.first !== first || head.count !== count || HEAD + head.length > bytes.length)
      throw new Error(`the film's index is damaged: the block at byte ${offset} is not the one that the index lists`);
    return bytes.subarray(HEAD, HEAD + head.length);
  }

  async read_index(offset, size) {
    const end = size - HEAD;
    const head = offset >= HEAD && offset + HEAD <= end ? read_head(await this.source.read(offset, HEAD)) : null;
    if (head?.type !== "INDX" || offset + HEAD + head.length > end)
      throw new Error(`the film's index is damaged: TAIL says that it begins at byte ${offset}, but there is no valid index there`);
    return inflate_json(await this.source.read(offset + HEAD, head.length));
  }

  async walk(size) {
    const blocks = [];
    let offset = 0;
    while (offset + HEAD <= size && blocks.length <= BLOCKS_MAX) {
      const head = read_head(await this.source.read(offset, HEAD));
      if (offset + HEAD + head.length > size)
        break;
      if (head.type === "META" || head.type === "CHNK")
        blocks.push([offset, head.type, head.first, head.count]);
      offset += HEAD + head.length;
    }
    return [blocks, offset];
  }
}
