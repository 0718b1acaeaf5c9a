// SPDX-License-Identifier: BSD-3-Clause
// Which flows run at an instant, and by which ports their packets go.

export const is_active = (flow, at) =>
  (flow.start_ns === null || flow.start_ns === undefined || flow.start_ns <= at) &&
  (flow.end_ns === null || flow.end_ns === undefined || flow.end_ns >= at);

export function flows_of(film, node) {
  const { flows = [] } = film.meta;
  if (film.flow_index?.of !== flows) {
    const index = new Map();
    for (const flow of flows)
      for (const end of [flow.src, flow.dst])
        index.has(end) ? index.get(end).push(flow) : index.set(end, [flow]);
    film.flow_index = { of: flows, index };
  }
  return film.flow_index.index.get(node) ?? [];
}

const LIVE_FLOWS = 2048;     // as many as the film of a live fabric lists

/** Why a film may not know flows of a host, or null if it knows all of them. */
export function flows_missing(film, host) {
  const { meta, topology } = film;
  if (meta.kind !== "live")
    return null;
  if (topology.nodes[host].ports.some((p) => meta.ports[p].device || meta.ports[topology.ports[p].peer]?.device))
    return "This is an attached host. The fabric carries its packets, but does not know its connections, so no flows are drawn.";
  return meta.flows?.length >= LIVE_FLOWS ? "A live film lists only the first 2,048 flows of the workload. The page does not draw any others." : null;
}

/** All shortest paths between two nodes that pass no other host: a map from sending port to 1. */
export function shortest_paths(topology, from, to) {
  const distance = new Map([[to, 0]]);
  const queue = [to];
  while (queue.length && !distance.has(from)) {
    const at = queue.shift();
    if (topology.nodes[at].host && at !== to)
      continue;
    for (const p of topology.nodes[at].ports) {
      const { peer } = topology.ports[p];
      const far = peer < 0 ? -1 : topology.ports[peer].node;
      if (far >= 0 && !distance.has(far)) {
        distance.set(far, distance.get(at) + 1);
        queue.push(far);
      }
    }
  }
  const ports = [];
  const visit = new Set([from]);
  for (const at of visit)
    for (const p of topology.nodes[at].ports) {
      const { peer } = topology.ports[p];
      const far = peer < 0 ? -1 : topology.ports[peer].node;
      if (far >= 0 && distance.has(far) && distance.get(far) === distance.get(at) - 1) {
        ports.push(p);
        visit.add(far);
      }
    }
  return ports;
}

export const path_of = (topology, flow) => flow.path?.length ? flow.path : shortest_paths(topology, flow.src, flow.dst);

/** What to emphasise for a selection or a hover: ports with the width of their halo, and nodes. */
export function lit_by(film, what, at) {
  if (!what || !film.topology)
    return null;
  const { topology } = film;
  const ports = new Map(), nodes = new Set();
  const add = (list, width) => {
    for (const p of list) {
      ports.set(p, width);
      nodes.add(topology.ports[p].node);
      if (topology.ports[p].peer >= 0)
        nodes.add(topology.ports[topology.ports[p].peer].node);
    }
  };
  if (what.kind === "flow") {
    const flow = film.meta.flows[what.index];
    if (flow)
      add(path_of(topology, flow), 9);
  } else if (what.kind === "node" && topology.nodes[what.index]?.host) {
    nodes.add(what.index);
    for (const flow of flows_of(film, what.index).filter((one) => is_active(one, at)).slice(0, 64))
      add(path_of(topology, flow), flow.path?.length ? 8 : 5);
    if (!ports.size)
      add(topology.nodes[what.index].ports, 5);
  } else if (what.kind === "tenant") {
    for (const host of topology.tenants[what.index]?.hosts ?? []) {
      nodes.add(host);
      for (const p of topology.nodes[host].ports)
        if (topology.ports[p].peer >= 0)
          ports.set(p, 4).set(topology.ports[p].peer, 4);
    }
    for (const node of topology.nodes)
      if (!node.host)
        nodes.add(node.index);
  } else {      // a switch, a port or a link: what it is joined to
    const own = what.kind === "node" ? topology.nodes[what.index].ports : what.kind === "link" ? topology.links[what.index] : [what.index];
    for (const p of own)
      add(topology.ports[p].peer < 0 ? [p] : [p, topology.ports[p].peer], what.kind === "node" ? 0 : 7);
  }
  return { ports, nodes };
}
