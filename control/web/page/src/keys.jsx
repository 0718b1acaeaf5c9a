// SPDX-License-Identifier: BSD-3-Clause
// The keys, as rows: what they are called in the help, and what they do.
import { h } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { set_theme } from "./main.jsx";
import { SPEEDS, store } from "./store.js";

const faster = (by) => {
  const at = SPEEDS.indexOf(store.speed) + by;
  if (SPEEDS[at])
    store.set({ speed: SPEEDS[at] });
};
const zoom = (factor) => store.set({ span: Math.max(20, Math.min(4000, Math.round(store.span * factor))) });
const tab = (name) => store.set({ tab: name });

const KEYS = [
  [[" "], "space", "play or pause", () => store.play()],
  [[",", "ArrowLeft"], ", or left", "one interval back", () => store.step(-1)],
  [[".", "ArrowRight"], ". or right", "one interval forward", () => store.step(1)],
  [["["], "[", "slower", () => faster(-1)],
  [["]"], "]", "faster", () => faster(1)],
  [["n"], "n", "next time that pauses or drops begin", () => store.next_moment(1)],
  [["N"], "shift n", "previous time that pauses or drops begin", () => store.next_moment(-1)],
  [["Home"], "Home", "to the beginning", () => { store.step(0); store.go(store.film.first); }],
  [["End"], "End", "to the end", () => { store.step(0); store.go(store.film.count - 1); }],
  [["l"], "l", "jump to live", () => store.film.source.live && store.to_live()],
  [["+", "="], "+", "charts show less time", () => zoom(0.5)],
  [["-"], "-", "charts show more time", () => zoom(2)],
  [["/"], "/", "find a host, switch, port, link or tenant", () => store.set({ find: true })],
  [["Escape"], "Escape", "clear the selection", () => store.select(null)],
  [["1"], "1 to 6", "now, selected, drops, tenants, log, changes", () => tab("now")],
  [["2"], null, null, () => tab("selected")],
  [["3"], null, null, () => tab("drops")],
  [["4"], null, null, () => tab("tenants")],
  [["5"], null, null, () => tab("log")],
  [["6"], null, null, () => tab("changes")],
  [["t"], "t", "light or dark", () => set_theme()],
  [["?"], "?", "this list", () => store.set({ help: true })],
];
const ELSEWHERE = [["arrows", "in the picture: the next node; on the slider: the next interval"], ["Tab", "to the next control"]];

export function on_key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
    return;
  if (store.help || store.find) {
    if (event.key === "Escape") {
      event.preventDefault();
      store.set({ help: false, find: false });
    }
    return;
  }
  const { target } = event;
  if (target.matches?.("input, select, textarea") || event.key === " " && target.matches?.("button"))
    return;
  if (!store.film?.count && !["t", "?", "5", "6"].includes(event.key))
    return;
  const row = KEYS.find(([keys]) => keys.includes(event.key));
  if (row) {
    event.preventDefault();
    row[3]();
  }
}

export function Dialog({ title, children, close }) {
  const element = useRef();
  useEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    return () => before?.focus?.();
  }, []);
  return <dialog ref={element} aria-label={title} onClose={close} onClick={(event) => event.target === element.current && close()}>{children}</dialog>;
}

export function Help() {
  const close = () => store.set({ help: false });
  return <Dialog title="Keys" close={close}>
    <h2>Keys</h2>
    <dl class="help">{[...KEYS.filter(([, name]) => name).map(([, name, what]) => [name, what]), ...ELSEWHERE].map(([name, what]) =>
      <div><dt><kbd>{name}</kbd></dt><dd>{what}</dd></div>)}</dl>
    <button type="button" autofocus onClick={close}>Close</button>
  </Dialog>;
}
