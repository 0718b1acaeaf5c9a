// SPDX-License-Identifier: BSD-3-Clause
// The side of the page: what happens now, what is selected, drops, tenants and the log.
import { h, Fragment } from "preact";
import { Capture } from "./capture.jsx";
import { LinkControls, MoveHost, may } from "./changes.jsx";
import { Chart, pauses_in, rates_in, values_in, window_of } from "./chart.jsx";
import { Counters, use_reading } from "./counters.jsx";
import { series_at } from "./decode.js";
import { flows_missing, flows_of, is_active } from "./flows.js";
import { pause_roots } from "./frame.js";
import { make_palette } from "./palette.js";
import { call } from "./rpc.js";
import { store, theme_now } from "./store.js";
import { link_name } from "./topology.js";
import * as words from "./words.js";

const ROWS = 8;

/** Something that can be selected, as a link. */
export function Ref({ kind, index, children }) {
  const what = { kind, index };
  return <button type="button" class="ref" onClick={() => store.select(what)}
    onPointerEnter={() => store.set({ hover: what })} onPointerLeave={() => store.set({ hover: null })}>{children}</button>;
}

const Figure = ({ name, value, warn }) => <div class={`figure${warn ? ` ${warn}` : ""}`}><span>{name}</span><b class="num">{value.trim()}</b></div>;

function Bar({ share, kind }) {
  return <span class={`bar ${kind ?? ""}`}><span style={{ width: `${Math.min(100, share * 100).toFixed(1)}%` }} /></span>;
}

/** The `n` largest values of an array by port. */
function largest(values, n = ROWS) {
  const list = [];
  for (let p = 0; p < values.length; p++)
    if (values[p] > 0)
      list.push(p);
  return list.sort((a, b) => values[b] - values[a]).slice(0, n);
}

const Empty = ({ children }) => <p class="empty">{children}</p>;

export function Now({ film, frame }) {
  const { topology } = film;
  const roots = pause_roots(frame);
  const deep = largest(frame.depth);
  const paused = largest(frame.paused);
  const loaded = largest(frame.load, 5);
  const name = (p) => <Ref kind="port" index={p}>{topology.ports[p].full}</Ref>;
  const stops = words.stops(film);
  return <>
    <div class="figures">
      <Figure name="hosts send" value={words.rate(frame.total.bytes * 8e9 / frame.length)} />
      <Figure name={stops.ports} value={words.count(frame.total.paused_ports)} warn={frame.total.paused_ports ? "pause" : ""} />
      <Figure name="marked" value={words.count(frame.total.marked)} warn={frame.total.marked ? "mark" : ""} />
      <Figure name="dropped" value={words.count(frame.total.drops)} warn={frame.total.drops ? "drop" : ""} />
    </div>
    <h3>{stops.begin}</h3>
    {roots.length ? <ol class="roots">{roots.slice(0, 4).map((root) => <li>
      <p>{root.depth > 0 ? <>{name(root.culprit)} cannot drain fast enough: {words.bytes(root.depth)} queued.</> :
        <><Ref kind="node" index={root.node}>{topology.nodes[root.node].name}</Ref> {stops.pausing}.</>}</p>
      <p class="dim">{words.capital(stops.priority)} {words.priorities(root.priorities)}. {stops.holds} {words.plural(root.switches, "switch", "switches")} and {words.plural(root.hosts, "host")}, up to {words.plural(root.tiers, "hop")} away.</p>
    </li>)}</ol> : <Empty>{paused.length ? stops.loop : stops.nothing}</Empty>}
    <h3>Fullest queues</h3>
    <table><tbody>{deep.map((p) => <tr><td>{name(p)}</td><td class="num dim">queue {frame.queue[p]}</td>
      <td class="num">{words.bytes(frame.depth[p])}</td><td><Bar share={frame.depth[p] / (film.peaks.depth_max || film.peaks.depth || 1)} /></td></tr>)}</tbody></table>
    {!deep.length && <Empty>All queues are empty.</Empty>}
    <h3>{stops.longest}</h3>
    <table><tbody>{paused.map((p) => <tr><td>{name(p)}</td><td class="num dim">{stops.priority} {words.priorities(frame.paused_by[p])}</td>
      <td class="num">{words.percent(frame.paused[p])}</td><td><Bar share={frame.paused[p]} kind="pause" /></td></tr>)}</tbody></table>
    {!paused.length && <Empty>{stops.none}</Empty>}
    <h3>Most loaded links</h3>
    <table><tbody>{loaded.map((p) => <tr><td>{name(p)}</td><td class="num dim">{words.rate(frame.bytes[p] * 8e9 / frame.length)}</td>
      <td class="num">{words.percent(frame.load[p])}</td><td><Bar share={frame.load[p]} kind="load" /></td></tr>)}</tbody></table>
    {!loaded.length && <Empty>No link carries traffic.</Empty>}
  </>;
}

const has = (values) => values.some((value) => value > 0);

const Sample = ({ series }) => <svg width="16" height="6" aria-hidden="true">
  <path d="M0 3H16" stroke={series.colour} stroke-width="2" stroke-dasharray={(series.dash ?? []).join(" ")} /></svg>;

const Keys = ({ series }) => <ul class="keys">{series.map((one) => <li><Sample series={one} />{one.label}</li>)}</ul>;

const DASHES = [[], [6, 2], [2, 2], [], [8, 3, 2, 3], [4, 4], [], [1, 2]];

/** The different thresholds of a port's queues or groups: [of which, where they differ, one that has them]. */
function thresholds(rows, keys, number, name) {
  const found = [];
  for (const row of rows ?? []) {
    const same = found.find(([one]) => keys.every((key) => one[key] === row[key]));
    if (same)
      same[1].push(row[number]);
    else if (row[keys[0]] != null)
      found.push([row, [row[number]]]);
  }
  return found.map(([row, numbers]) => [found.length > 1 ? ` of ${name}${numbers.length > 1 ? "s" : ""} ${numbers.join(", ")}` : "", row]);
}

export function Port({ film, frame, index }) {
  const { topology } = film;
  const palette = make_palette(theme_now());
  const port = topology.ports[index];
  const node = topology.nodes[port.node];
  const range = window_of(film, frame.interval);
  const get = (column, place) => values_in(film, column, place, range);
  const stops = words.stops(film);
  const queue_column = film.meta.columns.some((one) => one.name === "depth_max") ? "depth_max" : "depth";
  const queues = [], groups = [], lines = [], group_lines = [];
  for (let q = 0; q < 8; q++) {
    const values = get(queue_column, index * 8 + q);
    if (has(values))
      queues.push({ label: `queue ${q}`, values, colour: palette.queues[q], dash: DASHES[q] });
    const used = get("used", index * 8 + q);
    if (has(used))
      groups.push({ label: `${stops.group} ${q}`, values: used, colour: palette.queues[q], dash: DASHES[q] });
  }
  for (const [which, { ecn_min, ecn_max }] of thresholds(port.profile?.queues, ["ecn_min", "ecn_max"], "tc", "queue"))
    lines.push({ label: `ECN min${which}`, value: ecn_min, colour: palette.mark },
      { label: `ECN max${which}`, value: ecn_max, colour: palette.mark, dash: [6, 3] });
  for (const [which, { xoff, xon }] of thresholds(port.profile?.groups, ["xoff", "xon"], "pg", "group"))
    group_lines.push({ label: `XOFF${which}`, value: xoff, colour: palette.pause },
      { label: `XON${which}`, value: xon, colour: palette.pause, dash: [1, 3] });
  const load = { label: "sent", values: rates_in(film, "tx_bytes", [index], range), colour: palette.load[3], area: true };
  const reasons = (film.meta.drops ?? []).map((drop, i) => [drop, frame.chunk && value_of(frame, "drops", index * film.meta.drops.length + i)])
    .filter(([, n]) => n);
  return <>
    <p class="where">{node.role === "host" ? "NIC of a host" : `port of a ${node.role}`}, {words.rate(port.rate)}
      {port.peer >= 0 && <>, to <Ref kind="port" index={port.peer}>{topology.ports[port.peer].full}</Ref></>}
      {port.tenant !== null && <>, tenant <Ref kind="tenant" index={port.tenant}>{topology.tenants[port.tenant]?.name}</Ref></>}</p>
    {film.source.live && may("capture") && <Capture port={port.full} />}
    <div class="figures">
      <Figure name="sends" value={words.percent(frame.load[index])} />
      <Figure name="waiting" value={words.bytes(frame.depth[index])} />
      <Figure name={stops.figures[0]} value={words.percent(frame.paused[index])} warn={frame.paused[index] ? "pause" : ""} />
      <Figure name={stops.figures[1]} value={words.percent(frame.pausing[index])} warn={frame.pausing[index] ? "pause" : ""} />
    </div>
    <h3>{stops.sent}</h3>
    <Chart film={film} interval={frame.interval} series={[load]} top={port.rate} height={72} format={words.rate} label="bits sent over time"
      bands={[{ values: pauses_in(film, "paused", [index], range), colour: palette.pause }]} />
    <h3>Queues {queues.length > 0 && <Keys series={queues} />}</h3>
    <Chart film={film} interval={frame.interval} series={queues} lines={lines} height={120} format={words.bytes} label="bytes waiting over time" />
    {!node.host && <>
      <h3>{stops.groups} {groups.length > 0 && <Keys series={groups} />}</h3>
      <Chart film={film} interval={frame.interval} series={groups} lines={group_lines} height={120} format={words.bytes} label="bytes held by priority groups over time"
        bands={[{ values: pauses_in(film, ...held_by(film, index), range), colour: palette.pause }]} />
    </>}
    {reasons.length > 0 && <><h3>Dropped in this interval</h3>
      <table><tbody>{reasons.map(([drop, n]) => <tr><td>{drop.name}</td><td class="num">{words.count(n)}</td></tr>)}</tbody></table></>}
    <Counters film={film} port={index} />
  </>;
}

// With credits, what the port holds is known from the far side (frame.js).
const held_by = (film, index) => {
  const { peer } = film.topology.ports[index];
  return film.meta.credits ? ["paused", peer >= 0 ? [peer] : []] : ["pausing", [index]];
};

const value_of = (frame, column, place) => series_at(frame.chunk, column, place)?.[frame.at] ?? 0;

function Switch({ film, frame, index }) {
  const { topology, meta } = film;
  const palette = make_palette(theme_now());
  const node = topology.nodes[index];
  const range = window_of(film, frame.interval);
  const pools = (meta.pools ?? []).map((name, i) => {
    const values = values_in(film, "pool_used", index * meta.pools.length + i, range);
    const size = node.pools[i] ?? null;
    return { label: name, values, size, colour: palette.queues[(i + 1) % 8], dash: DASHES[i % 8],
      now: value_of(frame, "pool_used", index * meta.pools.length + i) };
  }).filter((pool) => has(pool.values) || pool.size);
  const headroom = node.ports.reduce((sum, p) => {
    for (let g = 0; g < 8; g++)
      sum += value_of(frame, "headroom", p * 8 + g);
    return sum;
  }, 0);
  const shares = topology.tenants.map((tenant, i) => ({ tenant, used: value_of(frame, "tenant_used", index * topology.tenant_width + i) }))
    .filter((one) => one.used).sort((a, b) => b.used - a.used);
  const most = shares.length ? shares[0].used : 1;
  const stops = words.stops(film);
  const total = (values) => node.ports.reduce((sum, p) => sum + values[p], 0);
  return <>
    <p class="where">{node.role}, {words.plural(node.ports.length, "port")}</p>
    <div class="figures">
      <Figure name="sends" value={words.rate(total(frame.bytes) * 8e9 / frame.length)} />
      <Figure name="in headroom" value={words.bytes(headroom)} warn={headroom ? "pause" : ""} />
      <Figure name="marked" value={words.count(total(frame.marked))} warn={total(frame.marked) ? "mark" : ""} />
      <Figure name="dropped" value={words.count(total(frame.drops))} warn={total(frame.drops) ? "drop" : ""} />
    </div>
    {pools.length > 0 && <><h3>Pools</h3>
      <Chart film={film} interval={frame.interval} series={pools} height={110} format={words.bytes} label="bytes in the pools over time" />
      <table><tbody>{pools.map((pool) => <tr><td><Sample series={pool} /> {pool.label}</td>
        <td class="num">{words.bytes(pool.now)}</td><td class="num dim">{pool.size ? `of ${words.bytes(pool.size)}` : ""}</td>
        <td>{pool.size > 0 && <Bar share={pool.now / pool.size} />}</td></tr>)}</tbody></table></>}
    {shares.length > 0 && <><h3>Shares of tenants</h3>
      <table><tbody>{shares.map(({ tenant, used }) => <tr><td><Ref kind="tenant" index={tenant.index}>{tenant.name}</Ref></td>
        <td class="num">{words.bytes(used)}</td><td><Bar share={used / most} /></td></tr>)}</tbody></table></>}
    <h3>Ports</h3>
    <table class="ports"><thead><tr><th>port</th><th>to</th><th>load</th><th>waiting</th><th>{stops.columns[0]}</th><th>{stops.columns[1]}</th></tr></thead>
      <tbody>{node.ports.map((p) => <tr>
        <td><Ref kind="port" index={p}>{topology.ports[p].name}</Ref></td>
        <td>{topology.ports[p].peer >= 0 ? topology.nodes[topology.ports[topology.ports[p].peer].node].name : ""}</td>
        <td class="num">{words.percent(frame.load[p])}</td><td class="num">{words.bytes(frame.depth[p])}</td>
        <td class={`num${frame.paused[p] ? " pause" : " dim"}`}>{words.percent(frame.paused[p])}</td>
        <td class={`num${frame.pausing[p] ? " pause" : " dim"}`}>{words.percent(frame.pausing[p])}</td></tr>)}</tbody></table>
  </>;
}

function Flows({ film, frame, list, node }) {
  const { topology } = film;
  const active = list.filter((flow) => is_active(flow, frame.start));
  return <>
    <h3>Flows now ({active.length} of {list.length})</h3>
    <table><tbody>{active.slice(0, 24).map((flow) => {
      const out = flow.src === node;
      const other = out ? flow.dst : flow.src;
      return <tr><td class="dim">{out ? "to" : "from"}</td>
        <td><Ref kind="flow" index={film.meta.flows.indexOf(flow)}>{topology.nodes[other].name}</Ref></td>
        <td class="num">{flow.bytes ? words.bytes(flow.bytes) : ""}</td>
        <td class="dim">{flow.path?.length ? `via ${flow.path.slice(1).map((p) => topology.nodes[topology.ports[p].node].name).join(", ")}` : "over all shortest paths"}</td></tr>;
    })}</tbody></table>
    {active.length > 24 && <Empty>{active.length - 24} more</Empty>}
    {!active.length && <Empty>No known flow of this host is active at this instant.</Empty>}
    {flows_missing(film, node) && <Empty>{flows_missing(film, node)}</Empty>}
  </>;
}

function Host({ film, frame, index }) {
  const { topology } = film;
  const palette = make_palette(theme_now());
  const node = topology.nodes[index];
  const range = window_of(film, frame.interval);
  const peers = node.ports.map((p) => topology.ports[p].peer).filter((p) => p >= 0);
  const series = [
    { label: "sends", values: rates_in(film, "tx_bytes", node.ports, range), colour: palette.load[3], area: true },
    { label: "receives", values: rates_in(film, "tx_bytes", peers, range), colour: palette.queues[3], dash: [4, 2] },
  ];
  return <>
    <p class="where">host{node.tenant !== null && <>, tenant <Ref kind="tenant" index={node.tenant}>{topology.tenants[node.tenant].name}</Ref></>}
      {node.ports.map((p, i) => topology.ports[p].peer >= 0 && <>{i ? ", " : ", at "}<Ref kind="port" index={topology.ports[p].peer}>{topology.ports[topology.ports[p].peer].full}</Ref></>)}</p>
    <MoveHost index={index} />
    <h3>Rates <Keys series={series} /></h3>
    <Chart film={film} interval={frame.interval} series={series} height={110} format={words.rate} label="bits sent and received over time"
      top={topology.ports[node.ports[0]]?.rate ?? 0} bands={[{ values: pauses_in(film, "paused", node.ports, range), colour: palette.pause }]} />
    <p class="dim small">{words.stops(film).host}</p>
    <Flows film={film} frame={frame} list={flows_of(film, index)} node={index} />
  </>;
}

function Link({ film, frame, index }) {
  const { topology } = film;
  const palette = make_palette(theme_now());
  const range = window_of(film, frame.interval);
  const down = topology.links[index].some((p) => frame.down[p]);
  return <>{may("link") && <LinkControls film={film} port={topology.links[index][1]} down={down} />}
    {topology.links[index].map((p) => <>
      <h3>From <Ref kind="port" index={p}>{topology.ports[p].full}</Ref></h3>
      <div class="figures">
        <Figure name="load" value={words.percent(frame.load[p])} />
        <Figure name="waiting" value={words.bytes(frame.depth[p])} />
        <Figure name="paused" value={words.percent(frame.paused[p])} warn={frame.paused[p] ? "pause" : ""} />
        <Figure name="state" value={frame.down[p] ? "down" : "up"} />
      </div>
      <Chart film={film} interval={frame.interval} height={84} format={words.rate} label="bits sent over time" top={topology.ports[p].rate}
        series={[{ values: rates_in(film, "tx_bytes", [p], range), colour: palette.load[3], area: true }]}
        bands={[{ values: pauses_in(film, "paused", [p], range), colour: palette.pause }]} />
    </>)}</>;
}

function Tenant({ film, frame, index }) {
  const { topology } = film;
  const palette = make_palette(theme_now());
  const tenant = topology.tenants[index];
  const range = window_of(film, frame.interval);
  const width = topology.tenant_width;
  const switches = topology.nodes.filter((node) => !node.host);
  const places = (nodes) => nodes.map((node) => node.index * width + index);
  const sum = (column) => {
    const out = new Float64Array(range.to - range.from);
    for (const place of places(switches)) {
      const values = values_in(film, column, place, range);
      for (let i = 0; i < out.length; i++)
        out[i] += values[i];
    }
    return out;
  };
  const series = [{ label: "received by leaves", colour: palette.load[3], area: true,
    values: rates_in(film, "tenant_bytes", places(switches.filter((node) => node.role === "leaf")), range) }];
  const lost = [{ label: "marked CE", colour: palette.mark, values: sum("tenant_marked") },
    { label: "dropped", colour: palette.drop, dash: [4, 3], values: sum("tenant_dropped") }];
  const [marked, dropped] = lost.map((one) => one.values.reduce((total, count) => total + count, 0));
  const used = [{ label: "held", colour: palette.queues[3], area: true, values: sum("tenant_used") }];
  return <>
    <p class="where">tenant {tenant.name} (a VRF), {words.plural(tenant.hosts.length, "host")}</p>
    <h3>Rate <Keys series={series} /></h3>
    <Chart film={film} interval={frame.interval} series={series} height={96} format={words.rate} label="bits received over time" />
    <h3>Buffer used, all switches</h3>
    <Chart film={film} interval={frame.interval} series={used} height={96} format={words.bytes} label="bytes held over time" />
    <p class="dim small">Peaks in these charts: {words.rate(Math.max(0, ...series[0].values))} and {words.bytes(Math.max(0, ...used[0].values))}.</p>
    {marked + dropped > 0 && <><h3>Marked and dropped <Keys series={lost} /></h3>
      <Chart film={film} interval={frame.interval} series={lost} height={84} format={words.count} label="packets marked and dropped over time" />
      <p class="dim small">Of its packets in this time, {words.count(marked)} were marked CE and {words.count(dropped)} dropped.</p></>}
    {film.source.live && <><Held tenant={tenant.name} /><Network tenant={tenant.name} /></>}
    <h3>Hosts</h3>
    <p class="names">{tenant.hosts.slice(0, 200).map((host) => <Ref kind="node" index={host}>{topology.nodes[host].name}</Ref>)}
      {tenant.hosts.length > 200 && ` and ${tenant.hosts.length - 200} more`}</p>
  </>;
}

const HELD_MOST = 16; // switches

/** What a tenant holds, has held and has set aside at each switch, from the fabric: a film has no peaks of it. */
function Held({ tenant }) {
  const answer = use_reading(async () => (await call("show", { what: "tenant" })).nodes, store.info.up, tenant);
  if (answer instanceof Error)
    return <p class="dim small">{answer.message}</p>;
  const all = Object.entries(answer ?? {}).map(([node, { tenants }]) => ({ node, ...tenants?.[tenant] }))
    .filter((one) => one.used_max > 0 || one.guaranteed > 0).sort((a, b) => b.used_max - a.used_max);
  if (!all.length)
    return null;
  const shares = all.slice(0, HELD_MOST).flatMap(({ node, pools }) => Object.entries(pools ?? {}).map(([pool, one]) => ({ node, pool, ...one })))
    .filter((one) => Number.isInteger(one.share));
  const beyond = (one) => one.used - (one.guaranteed_used ?? 0);
  return <><h3>Buffer at each switch</h3>
    <table class="held"><thead><tr><th></th><th>now</th><th>peak</th><th>guaranteed</th></tr></thead>
      <tbody>{all.slice(0, HELD_MOST).map((one) => <tr><td>{one.node}</td>
        {["used", "used_max", "guaranteed"].map((key) => <td class="num">{words.bytes(one[key] ?? 0)}</td>)}</tr>)}</tbody></table>
    {all.length > HELD_MOST && <p class="dim small">{words.plural(all.length - HELD_MOST, "more switch", "more switches")} not shown, with lower peaks.</p>}
    {shares.length > 0 && <><h3>Share of each pool</h3>
      <table class="shares"><thead><tr><th></th><th>pool</th><th title="what the tenant holds now beyond its guarantee">held</th><th title="the most that it may now hold beyond its guarantee">share</th></tr></thead>
        <tbody>{shares.map((one) => <tr><td>{one.node}</td><td>{one.pool}</td>
          <td class="num">{words.bytes(beyond(one))}</td><td class="num">{words.bytes(one.share)}</td></tr>)}</tbody></table></>}
  </>;
}

/** The network of a tenant, which a film does not have, from the fabric. */
function Network({ tenant }) {
  const answer = use_reading(async () => (await call("show", { what: "network" })).networks?.find((one) => one.tenant === tenant) ?? null,
    false, `${tenant} ${store.events.findLast((event) => event.kind === "apply")?.at_ns}`);
  if (answer instanceof Error)
    return <p class="dim small">{answer.message}</p>;
  if (!answer)
    return null;
  const border = answer.border?.map((one) => `${one.prefix} by ${one.host}`);
  const rows = [["network", answer.network], ["between switches", answer.encap && [answer.encap, answer.id].filter(Boolean).join(" ")],
    ["DSCP", answer.dscp], ["joined with", answer.joins?.join(", ")], ["border", border?.join(", ")]];
  return <><h3>Network</h3>
    <table><tbody>{rows.filter(([, value]) => value).map(([name, value]) => <tr><td class="dim">{name}</td><td>{value}</td></tr>)}</tbody></table></>;
}

function Flow({ film, frame, index }) {
  const { topology } = film;
  const flow = film.meta.flows[index];
  if (!flow)
    return <Empty>The film no longer has this flow.</Empty>;
  return <>
    <p class="where">from <Ref kind="node" index={flow.src}>{topology.nodes[flow.src].name}</Ref> to <Ref kind="node" index={flow.dst}>{topology.nodes[flow.dst].name}</Ref>
      {flow.bytes ? `, ${words.bytes(flow.bytes)}` : ""}</p>
    <p class="dim">{flow.start_ns != null && `Starts at ${words.time(flow.start_ns, 1000)}. `}{flow.end_ns != null && `Ends at ${words.time(flow.end_ns, 1000)}, after ${words.duration(flow.end_ns - (flow.start_ns ?? 0))}.`}</p>
    <h3>Path</h3>
    {flow.path?.length ? <table><tbody>{flow.path.map((p) => <tr><td><Ref kind="port" index={p}>{topology.ports[p].full}</Ref></td>
      <td class="num">{words.percent(frame.load[p])}</td><td class="num">{words.bytes(frame.depth[p])}</td>
      <td class={`num${frame.paused[p] ? " pause" : " dim"}`}>{frame.paused[p] ? `paused ${words.percent(frame.paused[p])}` : ""}</td></tr>)}</tbody></table> :
      <Empty>Its packets take several paths; the picture shows all shortest paths.</Empty>}
  </>;
}

const VIEWS = { port: Port, link: Link, tenant: Tenant, flow: Flow };

export function name_of(film, what) {
  const { topology, meta } = film;
  switch (what?.kind) {
  case "node": return topology.nodes[what.index]?.name;
  case "port": return topology.ports[what.index]?.full;
  case "link": return topology.links[what.index] && link_name(topology, what.index);
  case "tenant": return topology.tenants[what.index]?.name;
  case "flow": return meta.flows?.[what.index] && `flow ${meta.flows[what.index].id ?? what.index}`;
  }
  return null;
}

export function Selected({ film, frame }) {
  const what = store.selection;
  const name = name_of(film, what);
  if (!name)
    return <Empty>Select a host, a switch, a port or a link in the picture, or press / to find one by name.</Empty>;
  const View = VIEWS[what.kind] ?? (film.topology.nodes[what.index].host ? Host : Switch);
  return <>
    <h2 class="selected">{name}<button type="button" class="close" title="Clear the selection (Escape)" onClick={() => store.select(null)}>clear</button></h2>
    <View film={film} frame={frame} index={what.index} />
  </>;
}

/** Those in the window of the charts: all drops of a film would need all of its chunks. */
export function Drops({ film, frame }) {
  const { topology, meta } = film;
  const range = window_of(film, frame.interval);
  const width = meta.drops?.length || 1;
  const found = new Map();
  for (let i = range.from; i < range.to;) {
    const chunk = film.peek(i);
    if (!chunk) {
      film.load(i).then(() => store.changed(), () => {});
      break;
    }
    const column = chunk.columns.get("drops");
    const end = Math.min(range.to, chunk.first + chunk.count);
    column?.places.forEach((place, k) => {
      let sum = 0, last = 0;
      for (let at = i; at < end; at++)
        if (column.series[k][at - chunk.first]) {
          sum += column.series[k][at - chunk.first];
          last = at;
        }
      if (sum) {
        const old = found.get(place) ?? { sum: 0 };
        found.set(place, { sum: old.sum + sum, last });
      }
    });
    i = end;
  }
  const list = [...found].sort((a, b) => b[1].sum - a[1].sum);
  const reasons = new Map();
  for (const [place, { sum }] of list)
    reasons.set(place % width, (reasons.get(place % width) ?? 0) + sum);
  return <>
    <p class="where">Packets dropped from {words.time(film.time_of(range.from), meta.interval_ns)} to {words.time(film.time_of(range.to - 1) + film.length_of(range.to - 1), meta.interval_ns)}, the time that charts show.</p>
    {[...reasons].map(([reason, sum]) => <section class="reason"><h3>{meta.drops?.[reason]?.name ?? "drop"}<b class="num">{words.count(sum)}</b></h3>
      <p class="dim">{meta.drops?.[reason]?.advice}</p>
      <table><tbody>{list.filter(([place]) => place % width === reason).slice(0, 12).map(([place, { sum: n, last }]) => <tr>
        <td><Ref kind="port" index={Math.floor(place / width)}>{topology.ports[Math.floor(place / width)]?.full}</Ref></td>
        <td class="num">{words.count(n)}</td>
        <td><button type="button" class="ref dim" onClick={() => store.show(film, last)}>last at {words.time(film.time_of(last), meta.interval_ns)}</button></td></tr>)}</tbody></table></section>)}
    {!list.length && <Empty>No packet was dropped in this time.</Empty>}
  </>;
}

export function Tenants({ film, frame }) {
  const { topology, meta } = film;
  const palette = make_palette(theme_now());
  const width = topology.tenant_width;
  const rows = topology.tenants.filter((tenant) => tenant.name);
  const column = frame.chunk.columns.get("tenant_bytes");
  const bytes = new Float64Array(width);
  column?.places.forEach((place, k) => {
    if (topology.nodes[Math.floor(place / width)]?.role === "leaf")
      bytes[place % width] += column.series[k][frame.at];
  });
  if (!rows.length)
    return <Empty>The fabric has no tenants: all hosts share one network.</Empty>;
  return <table class="tenants"><thead><tr><th>tenant</th><th>hosts</th><th>rate</th></tr></thead><tbody>{rows.map((tenant) => <tr>
    <td><i style={{ background: palette.tenant_colour(tenant.index) }} /><Ref kind="tenant" index={tenant.index}>{tenant.name}</Ref></td>
    <td class="num">{tenant.hosts.length}</td><td class="num">{words.rate(bytes[tenant.index] * 8e9 / frame.length)}</td></tr>)}</tbody></table>;
}

export function Log({ film }) {
  const { meta, topology } = film;
  const list = [...(meta?.events ?? []), ...store.events].sort((a, b) => b.at_ns - a.at_ns).slice(0, 400);
  const node = (event) => typeof event.node === "number" ? topology?.nodes[event.node]?.name : event.node;
  return list.length ? <ol class="log">{list.map((event) => <li>
    <button type="button" class="ref num" disabled={!film.count} onClick={() => store.show(film, film.interval_at(event.at_ns))}>{words.time(event.at_ns, meta?.interval_ns ?? 1000)}</button>
    <span class="dim">{event.what ?? event.kind}</span>
    <span>{[event.link ?? node(event), event.state, event.port, event.reason, event.packets && `${event.packets} packets`, event.message].filter(Boolean).join(" ")}</span></li>)}</ol> :
    <Empty>Nothing has been logged.</Empty>;
}
