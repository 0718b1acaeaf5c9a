// SPDX-License-Identifier: BSD-3-Clause
// The counters of a port: those of a live fabric as they are now, those of a film's run as they were at its end. Both become
// rows [scope, index, counter, value], like those of counters.csv, without counters that are 0.
import { h, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call, headers } from "./rpc.js";
import { store } from "./store.js";
import * as words from "./words.js";

const POLL_MS = 1000;
const SETTINGS = ["rate_bps", "mtu"];     // numbers that `show interface` has beside the counters
const TITLES = { port: () => "port", drops: () => "dropped", answers: () => "answers sent", device: () => "device",
                 priority: (i) => `priority ${i}`, pg: (i) => `priority group ${i}`, queue: (i) => `queue ${i}` };

/** From the JSON of `show interface`. */
function rows_of(port) {
  const rows = [];
  const add = (scope, index, counter, value) => {
    if (value === true || typeof value === "number" && value !== 0 && !(value === -1 && counter.endsWith("_ns")))
      rows.push([scope, index, counter, value]);
  };
  for (const [key, value] of Object.entries(port ?? {}))
    if (Array.isArray(value))
      value.forEach((one, i) => {
        if (typeof one === "number")
          add("priority", i, key, one);
        else
          for (const [counter, n] of Object.entries(one))
            add(key, i, counter, n);
      });
    else if (key in TITLES)
      for (const [counter, n] of Object.entries(value))
        add(key, null, counter, n);
    else if (!SETTINGS.includes(key))
      add("port", null, key, value);
  return rows;
}

/** From the text of counters.csv, where the rows of a port follow each other. */
function rows_in(text, node, port) {
  const begin = `\n${node},${port},`;
  const rows = [];
  for (let at = text.indexOf(begin); at >= 0 && text.startsWith(begin, at);) {
    const end = text.indexOf("\n", at + 1);
    const [, , scope, object, index, counter, value] = text.slice(at + 1, end < 0 ? undefined : end).split(",");
    rows.push([scope, index === "" ? null : Number(index), counter || object, Number(value)]);
    at = end;
  }
  return rows;
}

const final = new Map();     // the text of counters.csv, or a promise of it, by film

function read_final(film) {
  if (!final.has(film))
    final.set(film, fetch(`dir/${store.films.indexOf(film)}/counters.csv`, { headers: headers() }).then((answer) => {
      if (!answer.ok)
        throw new Error("The directory has no counters.csv; a run writes it when it ends.");
      return answer.text();
    }));
  return final.get(film);
}

/** Calls `read` now, and again while `again`; returns what it last resolved to, or an Error. */
export function use_reading(read, again, key) {
  const [reading, set_reading] = useState(null);
  useEffect(() => {
    let timer = 0, over = false;
    const turn = async () => {
      const result = await read().catch((error) => error);
      if (over)
        return;
      set_reading(result);
      if (again)
        timer = setTimeout(turn, POLL_MS);
    };
    set_reading(null);
    turn();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key, again]);
  return reading;
}

export function Counters({ film, port }) {
  const { node, name, full } = film.topology.ports[port];
  const node_name = film.topology.nodes[node].name;
  const { live } = film.source;
  const rows = use_reading(async () => live ?
    rows_of((await call("show", { what: "interface", port: full })).nodes?.[node_name]?.ports[name]) :
    rows_in(await read_final(film), node_name, name), live && store.info.up, `${store.films.indexOf(film)} ${full}`);
  const groups = new Map();
  for (const row of rows instanceof Error ? [] : rows ?? []) {
    const title = TITLES[row[0]]?.(row[1]) ?? row[0];
    groups.set(title, [...groups.get(title) ?? [], row]);
  }
  return <>
    <h3>Counters {live ? "now" : "at the end of the run"}</h3>
    {groups.size > 0 && <table class="counters">{[...groups].map(([title, list]) => <tbody>
      <tr><th colSpan="2">{title}</th></tr>
      {list.map(([, , counter, value]) => <tr><td>{counter}</td><td class="num">{value === true ? "yes" : words.count(value)}</td></tr>)}</tbody>)}</table>}
    <p class="dim small">{rows instanceof Error ? rows.message : rows ? "Counters that are not listed are 0." : "Reading the counters."}</p>
  </>;
}
