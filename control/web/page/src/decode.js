// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a film (doc/film.md). Everything comes from outside, so lengths are checked before they are used, and
// what a block becomes is bounded: a few kilobytes can stand for more than a browser has.

export const HEAD = 16;
export const INTERVALS_MAX = 1 << 20;
const BLOCK_MAX = 1 << 28;
const INFLATED_MAX = 64 << 20;     // bytes of a block
const DECODED_MAX = 256 << 20;     // bytes of a chunk's values
const SERIES_BYTES = 128;          // of an array in the browser, beside its values

/** @returns {{type: string, length: number, first: number, count: number}} */
export function read_head(bytes, offset = 0) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, HEAD);
  const head = {
    type: String.fromCharCode(bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3]),
    length: view.getUint32(4, true), first: view.getUint32(8, true), count: view.getUint32(12, true),
  };
  if (!/^[A-Z]{4}$/.test(head.type) || head.length > BLOCK_MAX)
    throw new Error("not a film, or damaged");
  return head;
}

export async function inflate(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const pieces = [];
  let length = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    length += piece.value.length;
    if (length > INFLATED_MAX) {
      reader.cancel().catch(() => {});
      throw new Error("a block is larger than 64 MB when decompressed");
    }
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

export async function inflate_json(bytes) {
  return JSON.parse(new TextDecoder().decode(await inflate(bytes)));
}

/** The values of one place in the intervals of a chunk. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.taken = 0;     // bytes of what was read
  }

  /** Counts memory before it is allocated. */
  take(bytes) {
    this.taken += bytes;
    if (this.taken > DECODED_MAX)
      throw new Error("the values of a chunk are larger than 256 MB");
  }

  get more() {
    return this.at < this.bytes.length;
  }

  number() {
    const { bytes } = this;
    let value = 0, scale = 1;
    for (let i = 0; i < 10; i++) {
      if (this.at >= bytes.length)
        throw new Error("a chunk ends within a number");
      const byte = bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128)
        return value;
      scale *= 128;
    }
    throw new Error("a number in a chunk is too long");
  }

  series(count) {
    this.take(SERIES_BYTES + count * 4);
    let out = new Uint32Array(count);
    let last = 0;
    for (let i = 0; i < count;) {
      const code = this.number();
      if (code === 0) {
        const n = this.number();
        if (n === 0 || i + n > count)
          throw new Error("a series in a chunk is too long");
        if (last)
          out.fill(last, i, i + n);
        i += n;
        continue;
      }
      last += code % 2 ? -(code + 1) / 2 : code / 2;
      if (last > 0xffffffff && out instanceof Uint32Array) {
        this.take(count * 4);
        out = Float64Array.from(out);
      }
      out[i++] = last;
    }
    return out;
  }
}

/**
 * @param {Uint8Array} data a decompressed chunk
 * @param {{first: number, count: number}} head
 * @param {object[]} columns of META
 * @returns {{first, count, start: number, lengths, columns: Map<string, {places: Uint32Array, series: object[]}>}}
 */
export function decode_chunk(data, head, columns) {
  if (head.count === 0 || head.count > INTERVALS_MAX)
    throw new Error("a chunk has no intervals, or too many");
  const reader = new Reader(data);
  reader.take(head.count * 8);     // starts
  const chunk = { first: head.first, count: head.count, start: reader.number(), lengths: reader.series(head.count),
                  columns: new Map() };
  while (reader.more) {
    const column = columns[reader.number()];
    const n = reader.number();
    if (!column || n > data.length)
      throw new Error("a chunk has a column that the film does not describe");
    reader.take(n * 8);
    const places = new Uint32Array(n), series = new Array(n);
    let place = 0;
    for (let i = 0; i < n; i++) {
      place += reader.number();
      places[i] = place;
      series[i] = reader.series(head.count);
    }
    chunk.columns.set(column.name, { places, series });
  }
  chunk.bytes = reader.taken;
  let at = chunk.start;
  chunk.starts = new Float64Array(head.count);
  for (let i = 0; i < head.count; i++) {
    chunk.starts[i] = at;
    at += chunk.lengths[i];
  }
  chunk.end = at;
  return chunk;
}

/** The series of one place, or null where all its values are 0. */
export function series_at(chunk, column, place) {
  const found = chunk.columns.get(column);
  if (!found)
    return null;
  let low = 0, high = found.places.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (found.places[middle] === place)
      return found.series[middle];
    if (found.places[middle] < place)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return null;
}
