// SPDX-License-Identifier: BSD-3-Clause
// Draws one interval of a fabric on a canvas.

const MANY_LINKS = 260;     // beyond it links get thinner, and no glyphs stand on them

function hatch(context, colour) {
  const size = 5;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const t = tile.getContext("2d");
  t.strokeStyle = colour;
  t.lineWidth = 1.6;
  t.beginPath();
  for (const shift of [-size, 0, size]) {
    t.moveTo(shift - 1, size + 1);
    t.lineTo(shift + size + 1, -1);
  }
  t.stroke();
  return context.createPattern(tile, "repeat");
}

/** The two ends of one direction of a link, shifted to its right, so that both directions can be seen. */
export function direction_line(layout, from, to, shift) {
  const a = layout.ports[from], b = layout.ports[to];
  const dx = b.x - a.x, dy = b.y - a.y;
  const length = Math.hypot(dx, dy) || 1;
  const ox = -dy / length * shift, oy = dx / length * shift;
  return [a.x + ox, a.y + oy, b.x + ox, b.y + oy];
}

function line(context, points) {
  context.moveTo(points[0], points[1]);
  context.lineTo(points[2], points[3]);
}

/** Directions of links that are drawn: [sending port, receiving port, whether a host is at one end]. */
function directions_of(view) {
  const { topology, layout } = view;
  if (layout.directions)
    return layout.directions;
  const list = [];
  for (const [a, b] of topology.links) {
    const host = topology.nodes[topology.ports[a].node].host || topology.nodes[topology.ports[b].node].host;
    if ((host && !layout.links_to_hosts) || !layout.ports[a] || !layout.ports[b])
      continue;
    list.push([a, b, host], [b, a, host]);
  }
  layout.directions = list;
  layout.many = list.length / 2 > MANY_LINKS;
  return list;
}

function draw_links(context, view) {
  const { frame, palette, layout } = view;
  const list = directions_of(view);
  const shift = layout.many ? 0.7 : 1.7;
  const base = layout.many ? 0.7 : 1.5;
  const dimmed = view.lit ? 0.35 : 1;
  const order = list.map((_, i) => i);
  const load = (d) => frame ? frame.load[list[d][0]] : 0;
  order.sort((x, y) => load(x) - load(y));
  context.lineCap = "butt";
  // Where all links are busy, each is fainter: the picture stays a picture of links.
  let busy = 0;
  for (let d = 0; d < list.length; d++)
    busy += load(d) > 0.4;
  const crowd = layout.many ? Math.max(0.3, Math.min(1, 300 / Math.max(1, busy))) : 1;
  for (const d of order) {
    const [from, to] = list[d];
    const value = load(d);
    const down = frame && (frame.down[from] || frame.down[to]);
    context.globalAlpha = (layout.many ? (0.3 + 0.7 * value) * crowd : 1) * (view.lit && !view.lit.ports.has(from) ? dimmed : 1);
    context.strokeStyle = down ? palette.down : palette.load_colour(value);
    context.lineWidth = base + Math.min(1, value) * (layout.many ? 1.1 : 1.6);
    context.setLineDash(down ? [2, 6] : []);
    context.beginPath();
    line(context, direction_line(layout, from, to, shift));
    context.stroke();
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
  if (frame)
    draw_down(context, view, list);
}

function draw_down(context, { frame, palette, layout }, list) {
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.6;
  for (let d = 0; d < list.length; d += 2) {
    const [a, b] = list[d];
    if (!frame.down[a] && !frame.down[b])
      continue;
    const [x1, y1, x2, y2] = direction_line(layout, a, b, 0);
    cross(context, (x1 + x2) / 2, (y1 + y2) / 2, 5);
  }
}

function cross(context, x, y, r) {
  context.beginPath();
  line(context, [x - r, y - r, x + r, y + r]);
  line(context, [x - r, y + r, x + r, y - r]);
  context.stroke();
}

function halo(context, view) {
  if (!view.lit)
    return;
  context.strokeStyle = view.palette.focus;
  context.lineCap = "round";
  for (const [port, width] of view.lit.ports) {
    const { peer } = view.topology.ports[port];
    if (peer < 0 || !view.layout.ports[port] || !view.layout.ports[peer])
      continue;
    const host = view.topology.nodes[view.topology.ports[port].node].host ||
      view.topology.nodes[view.topology.ports[peer].node].host;
    if (host && !view.layout.links_to_hosts)
      continue;
    if (!width)
      continue;
    context.globalAlpha = 0.28;
    context.lineWidth = width;
    context.beginPath();
    line(context, direction_line(view.layout, port, peer, 0));
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Dashes that move from the port that paused towards the one that must wait, with a pause sign there. */
function draw_pauses(context, view) {
  const { frame, palette, layout } = view;
  if (!frame)
    return;
  const shift = layout.many ? 0.7 : 1.7;
  context.strokeStyle = palette.pause;
  context.lineCap = "butt";
  context.setLineDash(layout.many ? [4, 3] : [6, 4]);
  context.lineDashOffset = -view.phase;
  for (const [from, to] of directions_of(view)) {
    const share = frame.paused[from];
    if (!share)
      continue;
    context.lineWidth = (layout.many ? 1.1 : 2) + share * (layout.many ? 1 : 1.6);
    context.globalAlpha = view.lit && !view.lit.ports.has(from) ? 0.3 : 1;
    context.beginPath();
    const [x1, y1, x2, y2] = direction_line(layout, from, to, shift);
    context.moveTo(x2, y2);
    context.lineTo(x1, y1);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
  if (layout.many)
    return;
  for (const [from, to] of directions_of(view)) {
    if (!frame.paused[from])
      continue;
    context.globalAlpha = view.lit && !view.lit.ports.has(from) ? 0.3 : 1;
    const [x1, y1, x2, y2] = direction_line(layout, from, to, shift);
    const length = Math.hypot(x2 - x1, y2 - y1);
    const at = Math.min(15, length / 3);
    const x = x1 + (x2 - x1) / length * at, y = y1 + (y2 - y1) / length * at;
    context.fillStyle = palette.ground;
    context.beginPath();
    context.arc(x, y, 7, 0, 7);
    context.fill();
    context.fillStyle = palette.pause;
    context.fillRect(x - 4, y - 4.5, 3, 9);
    context.fillRect(x + 1, y - 4.5, 3, 9);
  }
  context.globalAlpha = 1;
}

function rounded(context, box, radius) {
  context.beginPath();
  context.roundRect(box.x, box.y, box.w, box.h, Math.min(radius, box.w / 3));
}

function draw_bars(context, view, node, box) {
  const { topology, layout, frame, palette, peak } = view;
  const middle = box.w >= 30 ? 12 : 3;
  const room = Math.max(4, (box.h - middle) / 2 - 1);
  for (const p of node.ports) {
    const at = layout.ports[p];
    if (!at)
      continue;
    const width = Math.max(0.75, at.w - (at.w > 4 ? 1.5 : 0));
    const depth = frame.depth[p];
    if (depth > peak / 250) {
      const ecn = topology.ports[p].profile?.queues?.find((q) => q.tc === frame.queue[p])?.ecn_min;
      const height = Math.max(1.5, Math.min(1, depth / peak) * room);
      context.fillStyle = ecn && depth >= ecn ? palette.mark : palette.queue;
      context.fillRect(at.x - width / 2, at.up ? at.y + 1 : at.y - 1 - height, width, height);
    }
    if (frame.pausing[p] && at.w > 2.5) {      // it holds the far side: an arrow out of the box
      const r = Math.min(4.5, at.w / 2 + 1), out = at.up ? -1 : 1;
      context.fillStyle = palette.pause;
      context.beginPath();
      context.moveTo(at.x - r, at.y);
      context.lineTo(at.x + r, at.y);
      context.lineTo(at.x, at.y + out * r * 1.5);
      context.fill();
    }
  }
}

function draw_switches(context, view) {
  const { topology, layout, frame, palette } = view;
  context.textAlign = "center";
  context.textBaseline = "middle";
  topology.nodes.forEach((node, n) => {
    const box = layout.boxes[n];
    if (!box || node.host)
      return;
    const holds = frame && node.ports.some((p) => frame.pausing[p] > 0);
    context.globalAlpha = view.lit && !view.lit.nodes.has(n) ? 0.45 : 1;
    rounded(context, box, 5);
    context.fillStyle = palette.box;
    context.fill();
    context.lineWidth = holds ? 1.6 : 1;
    context.strokeStyle = holds ? palette.pause : palette.edge;
    context.stroke();
    if (frame)
      draw_bars(context, view, node, box);
    const label = node.name;
    const size = box.w >= 60 ? 12 : 10;
    context.font = `500 ${size}px ${view.font}`;
    const short = box.w < context.measureText(label).width + 4 ? /\d+$/.exec(label)?.[0] ?? "" : label;
    if (box.w >= context.measureText(short).width + 2) {
      context.fillStyle = palette.ink;
      context.fillText(short, box.x + box.w / 2, box.y + box.h / 2 + 0.5);
    }
  });
  context.globalAlpha = 1;
}

function draw_hosts(context, view) {
  const { topology, layout, frame, palette } = view;
  const tenants = topology.tenants.some((tenant) => tenant.name && tenant.hosts.length);
  context.textAlign = "center";
  context.textBaseline = "middle";
  topology.nodes.forEach((node, n) => {
    const box = layout.boxes[n];
    if (!box || !node.host)
      return;
    const dim = view.lit && !view.lit.nodes.has(n);
    context.globalAlpha = dim ? 0.4 : 1;
    let paused = 0, load = 0, down_load = 0;
    if (frame)
      for (const p of node.ports) {
        const { peer } = topology.ports[p];
        paused = Math.max(paused, frame.paused[p]);
        load = Math.max(load, frame.load[p]);
        down_load = peer >= 0 ? Math.max(down_load, frame.load[peer]) : down_load;
      }
    if (box.grid) {      // a cell: left what it sends, right what it receives
      const half = box.w >= 6 ? box.w / 2 : box.w;
      context.fillStyle = palette.load_colour(half < box.w ? load : Math.max(load, down_load));
      context.fillRect(box.x, box.y, half, box.h);
      if (half < box.w) {
        context.fillStyle = palette.load_colour(down_load);
        context.fillRect(box.x + half, box.y, box.w - half, box.h);
      }
      if (paused) {
        context.fillStyle = view.hatch;
        context.fillRect(box.x, box.y, box.w, box.h);
        context.strokeStyle = palette.pause;
        context.lineWidth = 1;
        context.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
      }
      if (tenants && node.tenant !== null) {
        const strip = box.h >= 8 ? 2 : 1;
        context.fillStyle = palette.tenant_colour(node.tenant);
        context.fillRect(box.x, box.y + box.h - strip, box.w, strip);
      }
    } else {
      rounded(context, box, 4);
      context.fillStyle = palette.box;
      context.fill();
      context.strokeStyle = paused ? palette.pause : palette.edge;
      context.lineWidth = paused ? 1.6 : 1;
      if (paused) {
        context.save();
        context.clip();
        context.fillStyle = view.hatch;
        context.fillRect(box.x, box.y, box.w, Math.max(5, box.h * 0.3));
        context.restore();
        rounded(context, box, 4);
      }
      context.stroke();
      if (tenants && node.tenant !== null) {
        context.fillStyle = palette.tenant_colour(node.tenant);
        const inset = Math.min(3, box.w * 0.2);
        context.fillRect(box.x + inset, box.y + box.h - 5, box.w - 2 * inset, 3);
      }
      if (box.w >= 17) {
        context.font = `${box.w >= 26 ? 11 : 9}px ${view.font}`;
        layout.full_names ??= topology.nodes.every((one) => !one.host || context.measureText(one.name).width < box.w - 2);
        context.fillStyle = palette.ink;
        const text = layout.full_names ? node.name : /\d+$/.exec(node.name)?.[0] ?? "";
        if (context.measureText(text).width < box.w)
          context.fillText(text, box.x + box.w / 2, box.y + box.h / 2);
      }
    }
  });
  context.globalAlpha = 1;
}

function draw_drops(context, view) {
  const { layout, palette, heat } = view;
  if (!heat)
    return;
  for (let p = 0; p < heat.length; p++) {
    if (heat[p] < 0.05 || !layout.ports[p])
      continue;
    const at = layout.ports[p];
    const y = at.y + (at.up ? -9 : 9);
    context.globalAlpha = Math.min(1, heat[p]);
    context.fillStyle = palette.ground;
    context.beginPath();
    context.arc(at.x, y, 7, 0, 7);
    context.fill();
    context.strokeStyle = palette.drop;
    context.lineWidth = 1.4;
    context.stroke();
    context.lineWidth = 2;
    cross(context, at.x, y, 3);
  }
  context.globalAlpha = 1;
}

function outline(context, view, what, width) {
  if (!what)
    return;
  const { layout, palette, topology } = view;
  context.strokeStyle = palette.focus;
  context.lineWidth = width;
  if (what.kind === "node" && layout.boxes[what.index]) {
    const { x, y, w, h } = layout.boxes[what.index];
    rounded(context, { x: x - 2.5, y: y - 2.5, w: w + 5, h: h + 5 }, 7);
    context.stroke();
  } else if (what.kind === "port" && layout.ports[what.index]) {
    const { x, y, w, up } = layout.ports[what.index];
    const box = layout.boxes[topology.ports[what.index].node];
    const h = topology.nodes[topology.ports[what.index].node].host ? box.h : box.h / 2;
    context.strokeRect(x - Math.max(w, 5) / 2, up ? y : y - h, Math.max(w, 5), h);
  } else if (what.kind === "link") {
    const [a, b] = topology.links[what.index];
    if (!layout.ports[a] || !layout.ports[b])
      return;
    context.globalAlpha = 0.5;
    context.lineWidth = width + 4;
    context.beginPath();
    line(context, direction_line(layout, a, b, 0));
    context.stroke();
    context.globalAlpha = 1;
  }
}

const TIER_NAMES = { "super-spine": "super-spines", spine: "spines", leaf: "leaves" };

function draw_labels(context, view) {
  const { layout, palette } = view;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.font = `10.5px ${view.font}`;
  context.fillStyle = palette.dim;
  const label = (text, y) => {
    context.fillStyle = palette.ground;
    context.globalAlpha = 0.8;
    context.fillRect(2, y - 11, context.measureText(text).width + 8, 15);
    context.globalAlpha = 1;
    context.fillStyle = palette.dim;
    context.fillText(text, 6, y);
  };
  if (layout.planes.length > 1) {
    context.textAlign = "center";
    for (const plane of layout.planes) {
      context.fillStyle = palette.dim;
      context.fillText(`plane ${plane.number + 1}`, plane.x, layout.tiers[0].y - 8);
    }
    return;
  }
  layout.tiers.forEach((tier) => label(`${tier.count} ${TIER_NAMES[tier.role]}`, Math.max(12, tier.y - 8)));
}

/**
 * @param {CanvasRenderingContext2D} context scaled to CSS pixels
 * @param {object} view topology, layout, frame (or null), palette, peak, phase, lit ({ports: Map, nodes: Set}), heat,
 *   selection, hover, font
 */
export function draw_fabric(context, view) {
  const { layout, palette } = view;
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, layout.width, layout.height);
  view.hatch = hatch(context, palette.pause);
  halo(context, view);
  draw_links(context, view);
  draw_labels(context, view);    // which a pause sign may cover, not the reverse
  draw_pauses(context, view);
  draw_hosts(context, view);
  draw_switches(context, view);
  draw_drops(context, view);
  outline(context, view, view.selection, 2);
  outline(context, view, view.hover, 1.2);
}

/** What is at a point: a node, a port, a link, or null. */
export function find_at(view, x, y) {
  const { topology, layout } = view;
  for (let n = 0; n < layout.boxes.length; n++) {
    const box = layout.boxes[n];
    if (!box || x < box.x - 1 || x > box.x + box.w + 1 || y < box.y - 1 || y > box.y + box.h + 1)
      continue;
    if (!topology.nodes[n].host) {
      const upper = y < box.y + box.h / 2 - 7, lower = y > box.y + box.h / 2 + 7;
      for (const p of topology.nodes[n].ports) {
        const at = layout.ports[p];
        if (at && at.w >= 5 && (at.up ? upper : lower) && Math.abs(x - at.x) <= at.w / 2)
          return { kind: "port", index: p };
      }
    }
    return { kind: "node", index: n };
  }
  let best = null, nearest = 5;
  for (const [a, b, host] of directions_of(view)) {
    if (host && !layout.links_to_hosts)
      continue;
    const [x1, y1, x2, y2] = direction_line(layout, a, b, 0);
    const dx = x2 - x1, dy = y2 - y1;
    const t = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    const distance = Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
    if (distance < nearest) {
      nearest = distance;
      best = { kind: "link", index: topology.ports[a].link };
    }
  }
  return best;
}
