// SPDX-License-Identifier: BSD-3-Clause
// Finds a node, port, link or tenant by its name.
import { h } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./keys.jsx";
import { store } from "./store.js";
import { link_name } from "./topology.js";

const SHOWN = 12;

function matches(topology, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted)
    return [];
  const found = [];
  const add = (name, kind, index) => {
    const at = name?.toLowerCase().indexOf(wanted) ?? -1;
    if (at >= 0)
      found.push({ name, kind, index, score: (at ? 1000 : 0) + name.length });
  };
  for (const node of topology.nodes)
    add(node.name, "node", node.index);
  for (const tenant of topology.tenants)
    add(tenant.name, "tenant", tenant.index);
  if (wanted.includes("."))
    for (const port of topology.ports)
      add(port.full, "port", port.index);
  if (wanted.includes("-"))
    topology.links.forEach((_, i) => add(link_name(topology, i), "link", i));
  return found.sort((a, b) => a.score - b.score || a.name.localeCompare(b.name, "en", { numeric: true })).slice(0, SHOWN);
}

export function Find() {
  const [text, set_text] = useState("");
  const [at, set_at] = useState(0);
  const { topology } = store.film;
  const list = matches(topology, text);
  const close = () => store.set({ find: false });
  const take = (one) => {
    close();
    if (one)
      store.select({ kind: one.kind, index: one.index });
  };
  const key = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      set_at(Math.max(0, Math.min(list.length - 1, at + by)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      take(list[at]);
    }
  };
  return <Dialog title="Find" close={close}>
    <input type="text" class="find" placeholder="h5, leaf1, leaf1.swp3, leaf1-spine1 or a tenant" autofocus value={text} onKeyDown={key}
      role="combobox" aria-expanded="true" aria-controls="found" aria-activedescendant={list[at] ? `found-${at}` : undefined}
      onInput={(event) => { set_text(event.currentTarget.value); set_at(0); }} />
    <ul class="found" id="found" role="listbox">{list.map((one, i) => <li role="option" id={`found-${i}`} aria-selected={i === at}
      onClick={() => take(one)}><b>{one.name}</b><span class="dim">{one.kind === "node" ? topology.nodes[one.index].role : one.kind}</span></li>)}
      {text && !list.length && <li class="dim">No match.</li>}</ul>
  </Dialog>;
}
