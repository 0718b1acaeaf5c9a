// SPDX-License-Identifier: BSD-3-Clause
// What one interval looks like: values by port, for the picture and for the lists beside it.

export const PRIORITIES = 9;
const QUEUES = 8;

/** @returns {object|null} null if the chunk is not there yet */
export function make_frame(film, interval) {
  const chunk = film.peek(interval);
  if (!chunk)
    return null;
  const { topology, meta } = film;
  const n = topology.ports.length;
  const at = interval - chunk.first;
  const length = film.length_of(interval);
  const frame = {
    film, chunk, interval, at, length, start: chunk.starts[at],
    load: new Float32Array(n),      // 0 to 1 of the port's rate; a packet counts when it begins, so 1 is the most
    bytes: new Float64Array(n),
    depth: new Float64Array(n),     // of the fullest queue
    queue: new Uint8Array(n),       // which that is
    paused: new Float32Array(n),    // share of the interval: held by received pauses, or without credit
    paused_by: new Uint16Array(n),  // priorities, a bit each
    pausing: new Float32Array(n),   // it holds the far side
    pausing_by: new Uint16Array(n),
    drops: new Float64Array(n),
    marked: new Float64Array(n),
    down: new Uint8Array(n),
    total: { bytes: 0, drops: 0, marked: 0, paused_ports: 0 },
  };
  const each = (name, visit) => {
    const column = chunk.columns.get(name);
    if (column)
      for (let i = 0; i < column.places.length; i++) {
        const value = column.series[i][at];
        if (value)
          visit(column.places[i], value);
      }
  };
  const overhead = meta.overhead_bytes ?? 0;
  each("tx_bytes", (port, value) => { frame.bytes[port] = value; });
  each("tx_packets", (port, value) => {
    const { rate } = topology.ports[port];
    if (rate)
      frame.load[port] = Math.min(1, (frame.bytes[port] + overhead * value) * 8e9 / (rate * length));
  });
  const queues = chunk.columns.has("depth_max") ? "depth_max" : "depth";
  each(queues, (place, value) => {
    const port = Math.floor(place / QUEUES);
    if (value > frame.depth[port]) {
      frame.depth[port] = value;
      frame.queue[port] = place % QUEUES;
    }
  });
  for (const [name, share, mask] of [["paused", frame.paused, frame.paused_by],
                                     ["pausing", frame.pausing, frame.pausing_by]])
    each(name, (place, value) => {
      const port = Math.floor(place / PRIORITIES);
      share[port] = Math.max(share[port], Math.min(1, value / length));
      mask[port] |= 1 << place % PRIORITIES;
    });
  // No port knows what it withholds from the far side, which waits.
  for (let p = 0; meta.credits && p < n; p++) {
    const { peer } = topology.ports[p];
    if (frame.paused[p] && peer >= 0 && !frame.pausing[peer]) {
      frame.pausing[peer] = frame.paused[p];
      frame.pausing_by[peer] = frame.paused_by[p];
    }
  }
  const reasons = meta.drops?.length || 1;
  each("drops", (place, value) => {
    frame.drops[Math.floor(place / reasons)] += value;
    frame.total.drops += value;
  });
  each("marked", (place, value) => {
    frame.marked[Math.floor(place / QUEUES)] += value;
    frame.total.marked += value;
  });
  each("down", (port) => { frame.down[port] = 1; });
  for (let p = 0; p < n; p++) {
    frame.total.bytes += topology.nodes[topology.ports[p].node].host ? frame.bytes[p] : 0;
    frame.total.paused_ports += frame.paused[p] > 0;
  }
  return frame;
}

/**
 * Where pauses begin: ports that hold the far side although nothing holds what their node sends. With each, the
 * port where packets wait most, and how many nodes the pauses reached.
 */
export function pause_roots(frame) {
  const { topology } = frame.film;
  const roots = [];
  topology.nodes.forEach((node, index) => {
    if (node.host)
      return;
    const holds = node.ports.filter((p) => frame.pausing[p] > 0);
    if (!holds.length)
      return;
    let priorities = 0;
    for (const p of holds)
      priorities |= frame.pausing_by[p];
    if (node.ports.some((p) => frame.paused_by[p] & priorities))
      return;
    const culprit = node.ports.reduce((best, p) => frame.depth[p] > frame.depth[best] ? p : best, node.ports[0]);
    roots.push({ node: index, culprit, depth: frame.depth[culprit], priorities, ...reach_of(frame, index, priorities) });
  });
  roots.sort((a, b) => b.depth - a.depth);
  return roots;
}

/** The nodes that pauses of a node reach, one after the other. */
function reach_of(frame, start, priorities) {
  const { topology } = frame.film;
  const seen = new Map([[start, 0]]);
  const queue = [start];
  let hosts = 0, switches = 0, depth = 0;
  while (queue.length) {
    const at = queue.shift();
    for (const p of topology.nodes[at].ports) {
      const { peer } = topology.ports[p];
      if (peer < 0 || !(frame.pausing_by[p] & priorities) && !(frame.paused_by[peer] & priorities))
        continue;
      const far = topology.ports[peer].node;
      if (seen.has(far))
        continue;
      seen.set(far, seen.get(at) + 1);
      depth = Math.max(depth, seen.get(far));
      if (topology.nodes[far].host)
        hosts++;
      else {
        switches++;
        queue.push(far);
      }
    }
  }
  return { hosts, switches, tiers: depth };
}
