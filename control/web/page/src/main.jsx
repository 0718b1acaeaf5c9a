// SPDX-License-Identifier: BSD-3-Clause
// The page: finds out what there is to show, opens it, and draws everything around the picture.
import { h, Fragment, render } from "preact";
import { Fabric, Legend } from "./fabric.jsx";
import { Film } from "./film.js";
import { Changes, can_change, refresh_changes } from "./changes.jsx";
import { Find } from "./find.jsx";
import { Help, on_key } from "./keys.jsx";
import { Drops, Log, Now, Selected, Tenants } from "./panels.jsx";
import { headers, take_token } from "./rpc.js";
import { EmbeddedSource, LiveSource, RangeSource } from "./source.js";
import { apply_theme, remember, start_clock, store, theme_now, use_store } from "./store.js";
import { Timeline } from "./timeline.jsx";
import * as words from "./words.js";

const TABS = [["now", "Now", Now], ["selected", "Selected", Selected], ["drops", "Drops", Drops],
              ["tenants", "Tenants", Tenants], ["log", "Log", Log], ["changes", "Changes", Changes]];

export function set_theme() {
  store.theme = theme_now() === "dark" ? "light" : "dark";
  remember("theme", store.theme);
  apply_theme();
  store.changed();
}

function Header() {
  const { film } = store;
  const counts = film ? new Map() : null;
  for (const node of film?.topology?.nodes ?? [])
    counts.set(node.role, (counts.get(node.role) ?? 0) + 1);
  const what = [["host", "host", "hosts"], ["leaf", "leaf", "leaves"], ["spine", "spine", "spines"], ["super-spine", "super-spine", "super-spines"]]
    .filter(([role]) => counts?.has(role)).map(([role, one, many]) => words.plural(counts.get(role), one, many)).join(", ");
  return <header class="top">
    <span class="brand">roost</span>
    <h1>{store.films.length > 1 ? store.names.join(" and ") : film?.meta?.name ?? store.info.fabric ?? ""}</h1>
    <span class="dim">{what}</span>
    <span class="grow" />
    {film?.source.live ? <span class={`state ${store.connected === false ? "off" : "on"}`} role="status">
      {store.connected === false ? "not connected" : store.info.up === false ? "fabric is down" : "live fabric"}</span> :
      film && <span class="state">film{film.meta.kind === "live" && " of a live fabric"}{film.meta.kind && !film.meta.ended && ", still running: reload for more"}</span>}
    <button type="button" onClick={() => store.set({ find: true })} title="Find a host, switch, port, link or tenant (slash)">Find</button>
    <button type="button" onClick={set_theme} title="Light or dark (t)">{theme_now() === "dark" ? "Light" : "Dark"}</button>
    <button type="button" onClick={() => store.set({ help: true })} title="Keys (?)">Keys</button>
  </header>;
}

function Side() {
  const { tab, focus } = store;
  const film = store.films[focus];
  const frame = store.frames[focus];
  const tabs = TABS.filter(([id]) => id === "changes" ? can_change() : film.topology || id === "log");
  const [shown, , View] = tabs.find(([id]) => id === tab) ?? tabs[0];
  const move = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by)
      return;
    event.preventDefault();
    event.stopPropagation();
    const at = (tabs.findIndex(([id]) => id === shown) + by + tabs.length) % tabs.length;
    store.set({ tab: tabs[at][0] });
    event.currentTarget.children[at].focus();
  };
  return <aside>
    <div class="tabs" role="tablist" onKeyDown={move}>{tabs.map(([id, name]) => <button type="button" role="tab" id={`tab-${id}`}
      aria-selected={id === shown} aria-controls="side" tabIndex={id === shown ? 0 : -1} onClick={() => store.set({ tab: id })}>{name}</button>)}</div>
    <div class="side" id="side" role="tabpanel" aria-labelledby={`tab-${shown}`} tabIndex={0}>
      {store.films.length > 1 && <div class="films" role="group" aria-label="Film whose figures are shown">{store.names.map((name, i) =>
        <button type="button" aria-pressed={i === focus} onClick={() => store.set({ focus: i })}>{name}</button>)}</div>}
      {frame || !film.topology || shown === "changes" ? <View film={film} frame={frame} /> : <p class="empty">Reading the film.</p>}</div>
  </aside>;
}

function App() {
  use_store();
  const { film } = store;
  const ready = film?.topology && film.count > 0;
  const live = film?.source.live;
  const refused = store.refused && `The fabric sends no film: ${store.refused}`;
  const notice = store.notice || ready && refused;
  return <>
    <Header />
    {ready ? <main>
      <div class="pictures"><div class="row">{store.films.map((_, i) => store.films[i].topology && <Fabric index={i} />)}</div><Legend /></div>
      <Side />
    </main> : <main class={live ? "" : "wait"}><p class="wait" role="status">{live ? store.info.up === false ? "The fabric is down." : refused || "Waiting for data from the fabric." :
      store.notice || (film?.topology ? "Waiting for the first interval." : "Opening the film.")}</p>{live && <Side />}</main>}
    {ready && <Timeline />}
    {(ready || live) && notice && <p class="notice" role="alert" onClick={() => store.set({ notice: "" })}>{notice}</p>}
    {store.help && <Help />}
    {store.find && film?.topology && <Find />}
  </>;
}

async function open_films(sources, names) {
  const films = sources.map((source) => new Film(source));
  for (const film of films)
    film.listeners.add((what) => {
      if (what === "chunks")
        store.refused = "";
      if (what === "again" || what === "replaced")
        store.begin_again(what === "again");
      if (store.follow)
        store.go(film.count - 1);
      else
        store.changed();
    });
  await Promise.all(films.map(async (film) => {
    await film.source.open();
    if (!film.source.live)
      await film.open();
  }));
  store.films = films;
  store.names = names;
  if (!films[0].source.live) {
    const end = (film) => film.time_of(film.count - 1);
    store.clock = films.reduce((best, film, i) => end(film) > end(films[best]) ? i : best, 0);
    store.go(store.film.first);
  }
  store.changed();
  return films;
}

function follow(film) {
  store.playing = store.follow = true;
  film.source.follow({
    on_block: (block) => film.add_block(block),
    on_event: (event) => {
      store.events = [...store.events.slice(-999), event];
      if (event.kind === "apply")
        refresh_changes().catch(() => {});
      store.changed();
    },
    on_state: (state) => {
      if (state.up && !store.info.up)      // it may be another program than before
        read_info().then(refresh_changes).catch((error) => store.set({ notice: error.message }));
      if (state.up !== undefined)
        store.info = { ...store.info, up: state.up };
      if (state.connected !== undefined)
        store.connected = state.connected;
      if (state.refused)
        store.refused = state.refused;
      if (state.lost)
        store.notice = `${state.lost.by === "server" ? "roost web could not keep up with the fabric" : "This browser could not keep up"}: ${words.plural(state.lost.events, "event")} lost.`;
      if (state.error)
        store.notice = `Part of the film cannot be read: ${state.error}`;
      store.changed();
    },
  });
}

async function read_info() {
  const answer = await fetch("info", { headers: headers() });
  if (!answer.ok)
    throw new Error(`the server answered ${answer.status} ${answer.statusText}`);
  store.info = await answer.json();
}

async function start() {
  const embedded = [...document.querySelectorAll("script[type='application/x-roost-film']")];
  if (embedded.length) {
    await open_films(embedded.map((one) => new EmbeddedSource(one.textContent.trim())), embedded.map((one) => one.dataset.name ?? ""));
    return;
  }
  await read_info();
  if (store.info.mode === "live") {
    const [film] = await open_films([new LiveSource("live")], [store.info.fabric]);
    follow(film);
    return;
  }
  const { films } = store.info;
  await open_films(films.map((_, i) => new RangeSource(`film/${i}`)), films.map((one) => one.name.split("/").filter(Boolean).pop() ?? one.name));
}

function moment_of_address() {
  const wanted = new URLSearchParams(location.search);
  const interval = Number(wanted.get("interval") ?? NaN);
  if (Number.isInteger(interval))
    store.go(interval);
  const select = () => {
    const { film } = store;
    if (!film.topology)
      return;
    film.listeners.delete(select);
    const name = wanted.get("select");
    const { by_name, port_by_name } = film.topology;
    if (by_name.has(name))
      store.select({ kind: "node", index: by_name.get(name) });
    else if (port_by_name.has(name))
      store.select({ kind: "port", index: port_by_name.get(name) });
  };
  if (wanted.has("select") && store.film) {
    store.film.listeners.add(select);     // of a live fabric, the topology arrives later
    select();
  }
}

take_token();
apply_theme();
render(<App />, document.getElementById("page"));
start_clock();
addEventListener("keydown", on_key);
start().then(moment_of_address, (error) => store.set({ notice: `Nothing to show: ${error.message}` }));
globalThis.roost = store;     // for tests, and for the curious
