// SPDX-License-Identifier: BSD-3-Clause
// Where everything stands: super-spines, spines, leaves and hosts in rows, planes and pods side by side.

const CELL = 7;      // hosts that are narrower stand in a grid, without lines
const ROLES = ["super-spine", "spine", "leaf"];

/** Room that a row of switches and the hosts take, by the height that there is. */
function rows(height, tiers, hosts, grid) {
  const pad = 24;
  const usable = height - pad - 14;
  const host_height = !hosts ? 0 : grid ? Math.min(260, Math.max(34, usable * (tiers > 2 ? 0.22 : 0.28))) : 34;
  const box = Math.max(22, Math.min(84, usable * (tiers > 2 ? 0.1 : 0.13)));
  const last = usable - host_height - (!hosts ? 0 : grid ? 18 : Math.max(26, usable * 0.17)) - box;
  const y = [];
  for (let i = 0; i < tiers; i++)
    y.push(pad + (tiers === 1 ? last / 2 : last * i / (tiers - 1)));
  return { y, box, host_y: height - 14 - host_height, host_height };
}

/** Switches of one row into slots, with a gap between planes and a smaller one between pods. */
function slots(nodes, width) {
  const gap_of = (a, b) => a.plane !== b.plane ? 1.2 : a.pod !== b.pod ? 0.5 : 0;
  let units = nodes.length;
  for (let i = 1; i < nodes.length; i++)
    units += gap_of(nodes[i - 1], nodes[i]);
  const unit = width / units;
  let x = 0;
  return nodes.map((node, i) => {
    if (i)
      x += gap_of(nodes[i - 1], node) * unit;
    const at = x;
    x += unit;
    return { x: at, w: unit };
  });
}

/** The hosts of one group of leaves, in a row if they fit, else in a grid of cells. */
function place_hosts(hosts, { x, w }, { host_y: y, host_height: height }, grid, out) {
  const n = hosts.length;
  const inner = w - Math.min(10, w * 0.14);
  const left = x + (w - inner) / 2;
  if (!grid) {
    const pitch = Math.min(58, inner / n);
    const start = left + (inner - pitch * n) / 2;
    const cell_w = pitch - Math.max(1.5, Math.min(8, pitch * 0.16));
    const cell_h = Math.min(height, pitch >= 26 ? 34 : 26);
    hosts.forEach((host, i) => {
      out[host] = { x: start + pitch * (i + 0.5) - cell_w / 2, y, w: cell_w, h: cell_h, grid: false };
    });
    return;
  }
  // The largest cells that fill the room.
  let columns = 1;
  while (columns < n && inner / columns * 1.15 * Math.ceil(n / columns) > height)
    columns++;
  const whole = (value) => value >= 3 ? Math.floor(value) : value;
  const pitch_x = whole(Math.min(inner / columns, 16));
  const pitch_y = whole(Math.min(pitch_x * 1.4, height / Math.ceil(n / columns)));
  const start = Math.round(x + w / 2 - columns * pitch_x / 2);
  hosts.forEach((host, i) => {
    out[host] = {
      x: start + (i % columns) * pitch_x, y: Math.round(y) + Math.floor(i / columns) * pitch_y,
      w: Math.max(1, pitch_x - (pitch_x >= 3 ? 1 : 0)), h: Math.max(1, pitch_y - (pitch_y >= 3 ? 1 : 0)), grid: true,
    };
  });
}

/** Where a port's bar and the end of its link are: on the upper edge if it leads up, else on the lower. */
function place_ports(topology, boxes) {
  const ports = new Array(topology.ports.length);
  topology.nodes.forEach((node, n) => {
    const box = boxes[n];
    if (!box)
      return;
    if (node.host) {
      node.ports.forEach((p, i) => {
        ports[p] = { x: box.x + box.w * (i + 0.5) / node.ports.length, y: box.y, w: box.w / node.ports.length, up: true };
      });
      return;
    }
    const up = [], down = [];
    for (const p of node.ports) {
      const peer = topology.ports[p].peer;
      const far = peer < 0 ? null : boxes[topology.ports[peer].node];
      (far && far.y < box.y - 1 ? up : down).push([p, far ? far.x + far.w / 2 : 1e9]);
    }
    for (const [list, is_up] of [[up, true], [down, false]]) {
      list.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
      const inset = Math.min(4, box.w * 0.06);
      const w = Math.min(26, (box.w - 2 * inset) / list.length);
      const start = box.x + (box.w - w * list.length) / 2;
      list.forEach(([p], i) => {
        ports[p] = { x: start + w * (i + 0.5), y: is_up ? box.y : box.y + box.h, w, up: is_up };
      });
    }
  });
  return ports;
}

/** Hosts stand under the leaf, or the leaves, that they are attached to. */
function host_groups(topology, hosts) {
  const groups = new Map();
  for (const host of hosts) {
    const leaves = topology.nodes[host].ports.map((p) => topology.ports[p].peer).filter((p) => p >= 0)
      .map((p) => topology.ports[p].node);
    const key = leaves.join(",");
    if (!groups.has(key))
      groups.set(key, { leaves, hosts: [] });
    groups.get(key).hosts.push(host);
  }
  return [...groups.values()];
}

/** The middle of each plane, over its switches. */
function planes_of(topology, boxes) {
  const planes = new Map();
  topology.nodes.forEach((node, n) => {
    if (node.host || !boxes[n])
      return;
    const plane = planes.get(node.plane) ?? { number: node.plane, from: Infinity, to: 0 };
    plane.from = Math.min(plane.from, boxes[n].x);
    plane.to = Math.max(plane.to, boxes[n].x + boxes[n].w);
    planes.set(node.plane, plane);
  });
  return [...planes.values()].map(({ number, from, to }) => ({ number, x: (from + to) / 2 }));
}

/**
 * @param {object} topology of topology.js
 * @param {number} width of the picture in CSS pixels
 * @param {number} height
 * @returns {{boxes: object[], ports: object[], tiers: object[], links_to_hosts: boolean}}
 */
export function make_layout(topology, width, height) {
  const by_role = new Map(ROLES.map((role) => [role, []]));
  const hosts = [];
  topology.nodes.forEach((node, i) => {
    if (node.host)
      hosts.push(i);
    else
      by_role.get(by_role.has(node.role) ? node.role : "leaf").push(i);
  });
  const tiers = ROLES.filter((role) => by_role.get(role).length);
  const margin_left = 18, margin_right = 18;
  const inner = width - margin_left - margin_right;
  const groups = host_groups(topology, hosts);
  const grid = groups.some((group) => {
    const room = groups.length && groups.every((one) => one.leaves.length === 1) ?
      inner / by_role.get("leaf").length : inner * group.hosts.length / hosts.length;
    return group.hosts.length > 1 && room * 0.86 / group.hosts.length < CELL;
  });
  const room = rows(height, tiers.length, hosts.length, grid);
  const boxes = new Array(topology.nodes.length);
  const slot_of = new Map();
  tiers.forEach((role, tier) => {
    const list = by_role.get(role);
    list.sort((a, b) => topology.nodes[a].plane - topology.nodes[b].plane ||
      topology.nodes[a].pod - topology.nodes[b].pod || a - b);
    slots(list.map((i) => topology.nodes[i]), inner).forEach((slot, i) => {
      const w = Math.min(role === "leaf" ? 190 : 150, slot.w - Math.min(14, slot.w * 0.12));
      slot_of.set(list[i], { x: margin_left + slot.x, w: slot.w });
      boxes[list[i]] = { x: margin_left + slot.x + (slot.w - w) / 2, y: room.y[tier], w, h: room.box, tier };
    });
  });

  if (groups.every((group) => group.leaves.length === 1))
    for (const group of groups) {
      const slot = slot_of.get(group.leaves[0]);
      place_hosts(group.hosts, slot, room, grid, boxes);
    }
  else {
    let x = margin_left;
    for (const group of groups) {
      const w = inner * group.hosts.length / hosts.length;
      place_hosts(group.hosts, { x, w }, room, grid, boxes);
      x += w;
    }
  }
  const ports = place_ports(topology, boxes);
  return {
    boxes, ports, width, height, links_to_hosts: !grid, box_height: room.box,
    planes: planes_of(topology, boxes), tiers: tiers.map((role, i) => ({ role, y: room.y[i], count: by_role.get(role).length })),
    host_y: hosts.length ? room.host_y : null, host_count: hosts.length,
  };
}
