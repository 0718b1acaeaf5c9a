// SPDX-License-Identifier: BSD-3-Clause
// Changes of a live fabric: they are staged, shown as a difference, applied with a time to confirm, or rolled back.
import { h, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call } from "./rpc.js";
import { Schema } from "./schema.js";
import { store } from "./store.js";

const CONFIRM = [30, 60, 300];    // seconds
export const changes = { staged: [], unsaved: [], history: [], waiting: null, deadline: 0, schema: null, busy: false, confirm_s: 60 };

export const can_change = () => store.film?.source.live && store.info.write && store.info.allow_changes;
const may = (method) => can_change() && store.info.methods?.[method] !== undefined;

export async function refresh_changes() {
  if (!can_change())
    return;
  const [diff, history] = await Promise.all([call("config-diff"), call("history")]);
  changes.staged = diff.staged ?? [];
  changes.unsaved = diff.unsaved ?? [];
  changes.history = history.revisions ?? [];
  changes.running = history.running;
  changes.waiting = history.waiting ?? null;
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

/** The edits that move a host to a tenant; null: to none. */
export function move_host(host, tenant) {
  const { topology } = store.film;
  const node = topology.nodes[host];
  const edits = [];
  if (node.tenant !== null && topology.tenants[node.tenant]?.name)
    edits.push({ kind: "remove", key: `tenants.${topology.tenants[node.tenant].name}.hosts`, value: `[${node.name}]` });
  if (tenant !== null)
    edits.push({ kind: "add", key: `tenants.${tenant}.hosts`, value: `[${node.name}]` });
  store.select({ kind: "node", index: host }, "changes");
  return edits.length ? stage(edits) : null;
}

export const set_link = (link, state) => act(() => call("link", { link, state }));
export const has_link_method = () => may("link");

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
    <p class="hint dim">{!key ? "A key as in the file of the fabric." : found ? <>{found.help}{found.default !== undefined && <>. Default: <b>{text_of(found.default)}</b></>}</> :
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
  const left = changes.deadline ? Math.max(0, Math.ceil((changes.deadline - Date.now()) / 1000)) : null;
  useEffect(() => {
    if (left === 0)
      refresh_changes().catch(() => {});
  }, [left]);
  return <section class="waiting" role="status">
    <p><b>Applied, but not confirmed.</b> {left !== null ? `It is undone in ${left} s.` : "It is undone unless you confirm it."}</p>
    {left !== null && <span class="bar pause"><span style={{ width: `${100 * left / changes.confirm_s}%` }} /></span>}
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
  const apply = () => {
    changes.deadline = Date.now() + changes.confirm_s * 1000;
    return act(() => call("apply", { "confirm-s": changes.confirm_s }));
  };
  const revisions = [...changes.history].reverse().slice(0, 30);
  return <>
    {changes.waiting && <Waiting />}
    <h3>Set a key</h3>
    <SetKey />
    <h3>Staged, compared with what runs</h3>
    {changes.staged.length ? <><Diff rows={changes.staged} />
      <p class="buttons"><button type="button" class="main" disabled={changes.busy || changes.waiting} onClick={apply}>Apply</button>
        <label>and undo unless confirmed within <select value={changes.confirm_s}
          onChange={(event) => { changes.confirm_s = Number(event.currentTarget.value); store.changed(); }}>
          {CONFIRM.map((s) => <option value={s}>{s} s</option>)}</select></label>
        <button type="button" disabled={changes.busy} onClick={() => act(() => call("discard"))}>Discard</button></p></> :
      <p class="empty">Nothing is staged. Set a key, or drag a host in the picture to a tenant.</p>}
    {changes.unsaved.length > 0 && <><h3>What runs, compared with the file</h3><Diff rows={changes.unsaved} /></>}
    <h3>Revisions</h3>
    <ol class="revisions">{revisions.map((one) => <li><span class="num">{one.revision}</span>
      <span>{one.what}<span class="dim"> {one.user}, {one.at}</span></span>
      {one.revision === changes.running ? <span class="dim">runs</span> :
        <button type="button" disabled={changes.busy || changes.waiting} onClick={() => {
          changes.deadline = Date.now() + changes.confirm_s * 1000;
          act(() => call("rollback", { revision: one.revision, "confirm-s": changes.confirm_s }));
        }}>Roll back</button>}</li>)}</ol>
  </>;
}

/** Where a dragged host can be dropped: a row of tenants above the picture. */
export function Targets({ host, x, y, over }) {
  const { topology } = store.film;
  const node = topology.nodes[host];
  return <>
    <div class="targets">{[...topology.tenants.filter((one) => one.name), { name: null, index: null }].map((tenant) =>
      <div class={`target${over === (tenant.name ?? "") ? " over" : ""}`} data-tenant={tenant.name ?? ""} aria-disabled={tenant.index === node.tenant}>{tenant.name ?? "no tenant"}</div>)}</div>
    <div class="dragged" style={{ left: `${x + 8}px`, top: `${y + 8}px` }}>{node.name}</div>
  </>;
}

export function MoveHost({ index }) {
  const { topology } = store.film;
  const node = topology.nodes[index];
  if (!can_change() || !topology.tenants.some((one) => one.name))
    return null;
  return <p class="buttons"><label>tenant <select value={node.tenant ?? ""} disabled={changes.busy}
    onChange={(event) => move_host(index, event.currentTarget.value === "" ? null : topology.tenants[Number(event.currentTarget.value)].name)}>
    {topology.tenants.filter((one) => one.name).map((one) => <option value={one.index}>{one.name}</option>)}<option value="">no tenant</option></select></label>
    <span class="dim">or drag it in the picture</span></p>;
}
