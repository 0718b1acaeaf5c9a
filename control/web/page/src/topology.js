// SPDX-License-Identifier: BSD-3-Clause
// Nodes, ports and links as the META of a film describes them, with the names and neighbours that the page needs. A live fabric is
// read the same way, not by the method `topology`: the values of intervals are by the numbers of META's ports, a META comes again at
// the interval in which something has changed, and links that are down are a column. Asked for apart, the two could disagree.

/** Leaves and spines that are joined without a super-spine form a pod; numbers them by plane. */
function find_pods(nodes, ports) {
  const parent = nodes.map((_, i) => i);
  const root = (i) => {
    while (parent[i] !== i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  const in_pod = (node) => node.role === "leaf" || node.role === "spine";
  for (const port of ports)
    if (port.peer >= 0 && in_pod(nodes[port.node]) && in_pod(nodes[ports[port.peer].node]))
      parent[root(port.node)] = root(ports[port.peer].node);
  const numbers = new Map();
  nodes.forEach((node, i) => {
    node.pod = 0;
    if (!in_pod(node))
      return;
    const r = root(i);
    if (!numbers.has(r))
      numbers.set(r, numbers.size);
    node.pod = numbers.get(r);
  });
}

/** A film may come from anybody: throws an Error unless its nodes and ports refer to what there is. */
function check(meta) {
  const within = (value, count) => Number.isInteger(value) && value >= 0 && value < count;
  const maybe = (value, count) => value == null || within(value, count);
  const fail = (what) => { throw new Error(`the film's description is damaged: ${what}`); };
  const { nodes, ports, profiles = [], tenants = [], scopes } = meta;
  if (![nodes, ports, profiles, tenants, meta.columns].every(Array.isArray))
    fail("a list is missing");
  if (!Number.isSafeInteger(meta.interval_ns) || meta.interval_ns <= 0)
    fail("interval_ns must be a whole number above 0");
  if (!meta.columns.every((column) => typeof column?.name === "string"))
    fail("a column has no name");
  // A live film has room for tenants that come later.
  if (!Number.isInteger(scopes?.tenant?.width) || scopes.tenant.width < tenants.length)
    fail("how many tenants there can be");
  let first = 0;
  for (const node of nodes) {
    if (node.first_port !== first || !within(node.ports, ports.length - first + 1))
      fail(`the ports of node ${node.name}`);
    first += node.ports;
  }
  for (const [i, port] of ports.entries())
    if (!within(port.node, nodes.length) || !maybe(port.peer, ports.length) || !maybe(port.profile, profiles.length) ||
        !maybe(port.tenant, tenants.length))
      fail(`port ${i}`);
}

/**
 * @param {object} meta of a film
 * @returns {object} `nodes`, `ports`, `links`; a link is [port, port], and a port has `full`, `peer` (-1: none), `link` and `tier`;
 *   the tenant's columns have `tenant_width` places for each node
 */
export function make_topology(meta) {
  check(meta);
  const nodes = meta.nodes.map((node, index) => ({
    index, name: node.name, role: node.role === "super" ? "super-spine" : node.role, host: node.role === "host",
    plane: node.plane ?? 0, pod: 0, ports: Array.from({ length: node.ports }, (_, k) => node.first_port + k),
    pools: node.pools ?? [], tenant: null,
  }));
  const ports = meta.ports.map((port, index) => ({
    index, node: port.node, name: port.name, full: `${nodes[port.node].name}.${port.name}`,
    rate: port.rate_bps ?? 0, peer: port.peer ?? -1, tenant: port.tenant ?? null,
    profile: port.profile == null ? null : meta.profiles[port.profile], link: -1,
  }));
  const links = [];
  for (const port of ports) {
    if (port.peer < 0 || port.link >= 0)
      continue;
    const peer = ports[port.peer];
    port.link = peer.link = links.length;
    // The lower end first: the host, or the leaf towards a spine.
    const order = ["host", "leaf", "spine", "super-spine"];
    const low = order.indexOf(nodes[port.node].role) <= order.indexOf(nodes[peer.node].role);
    links.push(low ? [port.index, peer.index] : [peer.index, port.index]);
  }
  for (const node of nodes)
    if (node.host)
      for (const p of node.ports)
        node.tenant ??= ports[p].tenant ?? (ports[p].peer >= 0 ? ports[ports[p].peer].tenant : null);
  find_pods(nodes, ports);
  const tenants = (meta.tenants ?? []).map((name, index) => ({
    index, name, hosts: nodes.filter((node) => node.host && node.tenant === index).map((node) => node.index),
  }));
  return {
    nodes, ports, links, tenants, tenant_width: meta.scopes.tenant.width, by_name: new Map(nodes.map((node) => [node.name, node.index])),
    port_by_name: new Map(ports.map((port) => [port.full, port.index])),
  };
}

export const link_name = (topology, link) => {
  const [a, b] = topology.links[link].map((p) => topology.ports[p]);
  return `${topology.nodes[a.node].name}-${topology.nodes[b.node].name}`;
};
