// SPDX-License-Identifier: BSD-3-Clause
// Changes of a live fabric: they are staged, shown as a difference, applied with a time to confirm, or rolled back.
import { h, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call } from "./rpc.js";
import { Schema } from "./schema.js";
import { store } from "./store.js";

const CONFIRM = [30, 60, 300];    // seconds
export const changes = { staged: [], unsaved: [], history: [], waiting: null, deadline: 0, longest_s: 0, schema: null, busy: false, confirm_s: 60 };

export const can_change = () => store.film?.source.live && store.info.write && store.info.allow_changes;
export const may = (method) => can_change() && store.info.methods?.[method] !== undefined;

export async function refresh_changes() {
  if (!can_change())
    return;
  const [diff, history] = await Promise.all([call("config-diff"), call("history")]);
  changes.staged = diff.staged ?? [];
  changes.unsaved = diff.unsaved ?? [];
  changes.history = history.revisions ?? [];
  changes.running = history.running;
  changes.waiting = history.waiting;
  const left_s = history.waiting?.["left-s"] ?? 0;
  changes.deadline = history.waiting ? Date.now() + 1000 * left_s : 0;
  changes.longest_s = history.waiting ? Math.max(changes.longest_s, left_s) : 0;
  store.changed();
}

/** Runs a call; what goes wrong is shown, and the lists are read again. */
export async function act(what) {
  changes.busy = true;
  store.set({ notice: "" });
  try {
    const result = await what();
    if (result?.warnings?.length)
      store.notice = result.warnings.map((one) => one.message ?? one).join(" ");
    return result;
  } catch (error) {
    store.notice = error.message;
    return null;
  } finally {
    changes.busy = false;
    await refresh_changes().catch((error) => { store.notice ||= error.message; });
    store.changed();
  }
}

export const stage = (edits) => act(() => call("edit", { edits, stage: true }));

const REST = "rest";    // the built-in tenant of hosts that no other tenant has; it has no key `hosts`
const tenant_of = (topology, host) => topology.tenants[topology.nodes[host].tenant]?.name ?? REST;
const tenants_of = (topology) => [...topology.tenants.map((one) => one.name).filter((name) => name && name !== REST), REST];
const title_of = (tenant) => tenant === REST ? "rest (no tenant)" : tenant;

/** Stages the edits that move a host to a tenant. */
export function move_host(host, tenant) {
  const { topology } = store.film;
  const node = topology.nodes[host];
  const edits = [];
  if (tenant_of(topology, host) !== REST)
    edits.push({ kind: "remove", key: `tenants.${tenant_of(topology, host)}.hosts`, value: `[${node.name}]` });
  if (tenant !== REST)
    edits.push({ kind: "add", key: `tenants.${tenant}.hosts`, value: `[${node.name}]` });
  store.select({ kind: "node", index: host }, "changes");
  return stage(edits);
}

const LINK_KEYS = ["rate", "delay", "loss"];

/** What fails or changes the link at a port, and brings it back. `down` is what the picture shows. */
export function LinkControls({ film, port, down }) {
  const { full, node, name } = film.topology.ports[port];
  const [now, set_now] = useState(null);       // what the fabric says of it
  const [typed, set_typed] = useState({});
  const seen = store.events.findLast((event) => event.kind === "link" || event.what === "link")?.at_ns;
  const read = async () => {
    const shown = await call("show", { what: "interface", port: full });
    set_now(shown.nodes?.[film.topology.nodes[node].name]?.ports[name] ?? null);
  };
  useEffect(() => {
    read().catch((error) => store.set({ notice: error.message }));
  }, [full, seen]);
  useEffect(() => set_typed({}), [full]);
  const change = async (params) => {
    if (await act(() => call("link", { link: full, ...params }))) {
      set_typed({});
      await read().catch((error) => store.set({ notice: error.message }));
    }
  };
  const changed = now?.link?.changed ?? {};
  const is_down = now ? now.state === "down" : down;
  const given = Object.fromEntries(LINK_KEYS.filter((key) => typed[key]?.trim()).map((key) => [key, typed[key].trim()]));
  return <form class="link" onSubmit={(event) => { event.preventDefault(); change(given); }}>
    <p class="buttons">
      <button type="button" disabled={changes.busy} onClick={() => change({ state: is_down ? "up" : "down" })}>{is_down ? "Bring the link up" : "Fail the link"}</button>
      <button type="button" disabled={changes.busy || !now?.link} title="Restores the link to what the file says" onClick={() => change({ clear: true })}>Restore</button></p>
    {LINK_KEYS.map((key) => <label><span>{key}{changed[key] && <>, now <b>{changed[key]}</b></>}</span><input value={typed[key] ?? ""} placeholder="unchanged" size="1" spellcheck={false}
      autocomplete="off" onInput={(event) => set_typed({ ...typed, [key]: event.currentTarget.value })} /></label>)}
    <button type="submit" disabled={changes.busy || !Object.keys(given).length}>Change</button>
  </form>;
}

function SetKey() {
  const [key, set_key] = useState("");
  const [value, set_value] = useState("");
  const { schema } = changes;
  const found = schema?.find(key);
  const submit = async (event) => {
    event.preventDefault();
    if (await stage([{ kind: "set", key, value }]))
      set_value("");
  };
  return <form class="set" onSubmit={submit}>
    <label>key<input list="schema-keys" value={key} placeholder="switch.qos.tc.3.ecn.min" required spellcheck={false} autocomplete="off"
      onInput={(event) => set_key(event.currentTarget.value)} /></label>
    <datalist id="schema-keys">{schema?.complete(key).map((one) => <option value={one} />)}</datalist>
    <label>value<input value={value} required spellcheck={false} autocomplete="off" placeholder={found?.default === undefined ? "" : String(found.default)}
      list="schema-values" onInput={(event) => set_value(event.currentTarget.value)} /></label>
    <datalist id="schema-values">{found?.words?.map((one) => <option value={one} />)}</datalist>
    <button type="submit" disabled={changes.busy}>Stage</button>
    <button type="button" disabled={changes.busy || !key} title="Removes the key, so that its default applies"
      onClick={() => stage([{ kind: "unset", key }])}>Unset</button>
    <p class="hint dim">{!key ? "A key, as in the fabric's file." : found ? <>{found.help}{found.default !== undefined && <>. Default: <b>{text_of(found.default)}</b></>}.</> :
      schema ? "No such key." : ""}</p>
  </form>;
}

const text_of = (value) => value === false ? "off" : value === true ? "on" : value === null || value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value).replaceAll('"', "");

function Diff({ rows }) {
  return <pre class="diff">{rows.map((row) => <>
    {text_of(row.from) !== null && <del>- {row.key}: {text_of(row.from)}{"\n"}</del>}
    {text_of(row.to) !== null && <ins>+ {row.key}: {text_of(row.to)}{"\n"}</ins>}</>)}</pre>;
}

function Waiting() {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 500);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((changes.deadline - Date.now()) / 1000));
  useEffect(() => {
    if (left === 0)
      refresh_changes().catch(() => {});
  }, [left]);
  return <section class="waiting" role="status">
    <p><b>Applied, but not confirmed.</b> It will be undone in {left}{"\u00a0"}s.</p>
    <span class="bar pause"><span style={{ width: `${100 * left / changes.longest_s}%` }} /></span>
    <p class="buttons"><button type="button" class="main" disabled={changes.busy} onClick={() => act(() => call("confirm", { keep: true }))}>Keep the change</button>
      <button type="button" disabled={changes.busy} onClick={() => act(() => call("confirm", { keep: false }))}>Undo it now</button></p>
  </section>;
}

export function Changes() {
  useEffect(() => {
    refresh_changes().catch((error) => store.set({ notice: error.message }));
    if (!changes.schema)
      fetch("schema").then((answer) => answer.ok ? answer.json() : null)
        .then((json) => { changes.schema = json && new Schema(json); store.changed(); }, () => {});
  }, []);
  const apply = () => act(() => call("apply", { "confirm-s": changes.confirm_s }));
  const revisions = [...changes.history].reverse().slice(0, 30);
  return <>
    {changes.waiting && <Waiting />}
    <h3>Set a key</h3>
    <SetKey />
    <h3>Staged changes</h3>
    {changes.staged.length ? <><Diff rows={changes.staged} />
      <p class="buttons"><button type="button" class="main" disabled={changes.busy || changes.waiting} onClick={apply}>Apply</button>
        <label>and undo unless confirmed within <select value={changes.confirm_s}
          onChange={(event) => { changes.confirm_s = Number(event.currentTarget.value); store.changed(); }}>
          {CONFIRM.map((s) => <option value={s}>{s} s</option>)}</select></label>
        <button type="button" disabled={changes.busy} onClick={() => act(() => call("discard"))}>Discard</button></p></> :
      <p class="empty">Nothing is staged. Set a key, or drag a host in the picture to a tenant.</p>}
    {changes.unsaved.length > 0 && <><h3>Running configuration compared with the file</h3><Diff rows={changes.unsaved} /></>}
    <h3>Revisions</h3>
    <ol class="revisions">{revisions.map((one) => <li><span class="num">{one.revision}</span>
      <span>{one.what}<span class="dim"> {one.user}, {one.at}</span></span>
      {one.revision === changes.running ? <span class="dim">running</span> :
        <button type="button" disabled={changes.busy || changes.waiting}
          onClick={() => act(() => call("rollback", { revision: one.revision, "confirm-s": changes.confirm_s }))}>Roll back</button>}</li>)}</ol>
  </>;
}

/** Where a dragged host can be dropped: a row of tenants above the picture. */
export function Targets({ host, x, y, over }) {
  const { topology } = store.film;
  return <>
    <div class="targets">{tenants_of(topology).map((tenant) =>
      <div class={`target${over === tenant ? " over" : ""}`} data-tenant={tenant} aria-disabled={tenant === tenant_of(topology, host)}>{title_of(tenant)}</div>)}</div>
    <div class="dragged" style={{ left: `${x + 8}px`, top: `${y + 8}px` }}>{topology.nodes[host].name}</div>
  </>;
}

export function MoveHost({ index }) {
  const { topology } = store.film;
  const tenants = tenants_of(topology);
  if (!can_change() || tenants.length === 1)
    return null;
  return <p class="buttons"><label>tenant <select value={tenant_of(topology, index)} disabled={changes.busy}
    onChange={(event) => move_host(index, event.currentTarget.value)}>
    {tenants.map((one) => <option value={one}>{title_of(one)}</option>)}</select></label>
    <span class="dim">or drag it in the picture</span></p>;
}
