// SPDX-License-Identifier: BSD-3-Clause
// The picture of a fabric: what the mouse and the arrow keys point at, and a note beside it.
import { h, Fragment } from "preact";
import { useRef, useState } from "preact/hooks";
import { Canvas } from "./canvas.jsx";
import { draw_fabric, find_at } from "./draw.js";
import { make_layout } from "./layout.js";
import { Targets, can_change, move_host } from "./changes.jsx";
import { make_palette } from "./palette.js";
import { flows_missing, flows_of, is_active } from "./flows.js";
import { link_name } from "./topology.js";
import { store, theme_now } from "./store.js";
import * as words from "./words.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
export const FONT = 'Inter, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

function note_of(film, frame, what) {
  const { topology } = film;
  const stops = words.stops(film);
  if (what.kind === "link") {
    const [a, b] = topology.links[what.index];
    const side = (p) => ({
      name: `from ${topology.nodes[topology.ports[p].node].name}`,
      value: frame ? `${words.percent(frame.load[p])}${frame.paused[p] ? `, ${stops.paused} ${words.percent(frame.paused[p])}` : ""}` : "",
    });
    return { title: link_name(topology, what.index), rows: [side(a), side(b)] };
  }
  if (what.kind === "port") {
    const port = topology.ports[what.index];
    const rows = [{ name: "to", value: port.peer >= 0 ? topology.ports[port.peer].full : "nothing" }];
    if (frame) {
      rows.push({ name: "sends", value: words.percent(frame.load[port.index]) },
        { name: "waiting", value: words.bytes(frame.depth[port.index]) + (frame.depth[port.index] ? ` in queue ${frame.queue[port.index]}` : "") });
      if (frame.paused[port.index])
        rows.push({ name: stops.paused, value: `${words.percent(frame.paused[port.index])}, ${stops.priority} ${words.priorities(frame.paused_by[port.index])}` });
      if (frame.pausing[port.index])
        rows.push({ name: stops.pausing, value: words.percent(frame.pausing[port.index]) });
      if (frame.drops[port.index])
        rows.push({ name: "dropped", value: words.plural(frame.drops[port.index], "packet") });
    }
    return { title: port.full, rows };
  }
  const node = topology.nodes[what.index];
  const rows = [];
  if (node.host) {
    if (node.tenant !== null)
      rows.push({ name: "tenant", value: topology.tenants[node.tenant].name });
    const flows = flows_of(film, what.index).filter((flow) => is_active(flow, frame?.start ?? 0));
    rows.push({ name: "flows", value: `${flows.filter((f) => f.src === what.index).length} out, ${flows.filter((f) => f.dst === what.index).length} in` });
  }
  if (frame) {
    let out = 0, waiting = 0, paused = 0;
    for (const p of node.ports) {
      out += frame.bytes[p];
      waiting += frame.depth[p];
      paused += frame.paused[p] > 0;
    }
    rows.push({ name: "sends", value: words.rate(out * 8e9 / frame.length) }, { name: "waiting", value: words.bytes(waiting) },
      { name: stops.ports, value: `${paused} of ${node.ports.length}` });
  }
  return { title: node.name, rows, missing: node.host ? flows_missing(film, what.index) : null };
}

const NOTE_HEIGHT = { short: 130, long: 200 };  // about, in pixels; long: with a paragraph

function Note({ film, frame, hover, x, y, width, height }) {
  const note = note_of(film, frame, hover);
  const style = { ...y > height - NOTE_HEIGHT[note.missing ? "long" : "short"] ? { bottom: `${height - y + 10}px` } : { top: `${y + 14}px` }, ...x > width - 240 ? { right: `${width - x + 10}px` } : { left: `${x + 14}px` } };
  return <div class="note" style={style} role="status">
    <b>{note.title}</b>
    {note.rows.map((row) => <div><span>{row.name}</span><span class="num">{row.value}</span></div>)}
    {note.missing && <p class="dim">{note.missing}</p>}
  </div>;
}

/** The next node from one in a direction: along its row, or the nearest one of the next row. */
function neighbour(layout, topology, index, dx, dy) {
  const centre = (n) => [layout.boxes[n].x + layout.boxes[n].w / 2, layout.boxes[n].y + layout.boxes[n].h / 2];
  const [x, y] = centre(index);
  let best = index, score = Infinity;
  topology.nodes.forEach((_, n) => {
    if (n === index || !layout.boxes[n])
      return;
    const [nx, ny] = centre(n);
    const along = (nx - x) * dx + (ny - y) * dy;
    const across = Math.abs((nx - x) * dy) + Math.abs((ny - y) * dx);
    if (along < 1 || dx && across > 3)
      return;
    const value = along * (dy ? 4 : 1) + across;
    if (value < score) {
      score = value;
      best = n;
    }
  });
  return best;
}

/** The tenant that a host would be dropped on, or null. */
function target_at(event) {
  const target = document.elementFromPoint(event.clientX, event.clientY)?.closest(".target");
  return target && target.getAttribute("aria-disabled") !== "true" ? target.dataset.tenant : null;
}

export function Fabric({ index }) {
  const film = store.films[index];
  const view = useRef({});
  store.views[index] = view.current;
  const [pointer, set_pointer] = useState(null);
  const pressed = useRef(null);
  const was_dragged = useRef(false);
  const [dragged, set_dragged] = useState(null);

  const draw = (context, width, height, now) => {
    const { topology } = film;
    const v = view.current;
    if (v.topology !== topology || v.layout?.width !== width || v.layout?.height !== height) {
      v.topology = topology;
      v.layout = make_layout(topology, width, height);
    }
    const theme = theme_now();
    if (v.palette?.theme !== theme)
      v.palette = make_palette(theme);
    const frame = store.frames[index] ?? null;
    if (frame !== v.frame) {
      const before = v.heat?.length === topology.ports.length && v.frame && frame?.interval > v.frame.interval &&
        frame.interval < v.frame.interval + 10 ? v.heat : null;
      v.heat = new Float32Array(topology.ports.length);
      if (frame)
        for (let p = 0; p < v.heat.length; p++)
          v.heat[p] = frame.drops[p] ? 1 : before ? before[p] * 0.6 : 0;
      v.frame = frame;
    }
    const moves = store.playing && !still.matches && frame?.total.paused_ports > 0;
    v.phase = moves ? now / 40 % 1000 : 0;
    v.peak = film.peaks.depth_max || film.peaks.depth || 1;
    v.lit = store.lit(film);
    v.selection = store.selection;
    v.hover = store.hover;
    v.font = FONT;
    draw_fabric(context, v);
    return moves;
  };

  const point = (event) => {
    if (!view.current.layout)
      return null;
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width, height: box.height };
  };
  const down = (event) => {
    const at = point(event);
    was_dragged.current = false;
    const what = at && can_change() && find_at(view.current, at.x, at.y);
    pressed.current = what?.kind === "node" && film.topology.nodes[what.index].host ? { host: what.index, ...at } : null;
  };
  const up = (event) => {
    if (dragged) {
      const target = target_at(event);
      if (target !== null)
        move_host(dragged.host, target);
    }
    was_dragged.current = !!dragged;
    pressed.current = null;
    set_dragged(null);
  };
  const move = (event) => {
    const at = point(event);
    if (pressed.current && (dragged || Math.hypot(at.x - pressed.current.x, at.y - pressed.current.y) > 5)) {
      if (!dragged)
        event.currentTarget.setPointerCapture(event.pointerId);
      set_dragged({ host: pressed.current.host, x: at.x, y: at.y, over: target_at(event) });
      set_pointer(null);
      return;
    }
    const hover = at && find_at(view.current, at.x, at.y);
    set_pointer(hover ? at : null);
    if (hover?.kind !== store.hover?.kind || hover?.index !== store.hover?.index)
      store.set({ hover });
  };
  const leave = () => {
    set_pointer(null);
    store.set({ hover: null });
  };
  const click = (event) => {
    if (was_dragged.current) {
      was_dragged.current = false;
      return;
    }
    const at = point(event);
    store.focus = index;
    store.select(at && find_at(view.current, at.x, at.y));
  };
  const key = (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    const { layout, topology } = view.current;
    const { selection } = store;
    const from = selection?.kind === "node" ? selection.index : selection?.kind === "port" ? topology.ports[selection.index].node : null;
    store.select({ kind: "node", index: from === null ? 0 : neighbour(layout, topology, from, ...step) });
  };
  return <div class="fabric">
    <Canvas draw={draw} tabIndex={0} role="img" data-film={index}
      aria-label={`The fabric ${film.meta.name}. Arrow keys select a node, slash finds one by name.`}
      onPointerMove={move} onPointerLeave={leave} onPointerDown={down} onPointerUp={up} onPointerCancel={up} onClick={click} onKeyDown={key} />
    {store.films.length > 1 && <h2 class="film-name">{store.names[index]}{store.at_ns > film.time_of(film.count - 1) && <span class="dim"> (over)</span>}</h2>}
    {dragged && <Targets {...dragged} />}
    {pointer && store.hover && <Note film={film} frame={store.frames[index]} hover={store.hover} {...pointer} />}
  </div>;
}

export function Legend() {
  const palette = make_palette(theme_now());
  const stops = words.stops(store.film);
  return <ul class="legend" aria-label="Legend">
    <li><svg width="64" height="8"><defs><linearGradient id="ramp">{palette.load.map((c, i) =>
      <stop offset={i / (palette.load.length - 1)} stop-color={c} />)}</linearGradient></defs>
      <rect width="64" height="8" rx="2" fill="url(#ramp)" /></svg>load 0 to 100 %</li>
    <li><svg width="30" height="10"><path d="M0 5H30" stroke={palette.pause} stroke-width="3" stroke-dasharray="6 4" /></svg>{stops.paused}</li>
    <li><svg width="14" height="12"><path d="M2 11H12L7 2Z" fill={palette.pause} /></svg>{stops.pausing}</li>
    <li><svg width="12" height="12"><path d="M2 12V4H5V12ZM7 12V7H10V12Z" fill={palette.queue} /></svg>waiting</li>
    <li><svg width="5" height="12"><path d="M1 12V1H5V12Z" fill={palette.mark} /></svg>above ECN min</li>
    <li><svg width="14" height="14"><circle cx="7" cy="7" r="6" fill="none" stroke={palette.drop} stroke-width="1.4" />
      <path d="M4.500 4.500L9.500 9.500M9.500 4.500L4.500 9.500" stroke={palette.drop} stroke-width="2" /></svg>drop</li>
  </ul>;
}
