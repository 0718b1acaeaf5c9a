// SPDX-License-Identifier: BSD-3-Clause
// Captures the packets of a port of a live fabric for some seconds, and saves them as a file for Wireshark.
import { h } from "preact";
import { useState } from "preact/hooks";
import { headers } from "./rpc.js";
import { store } from "./store.js";
import * as words from "./words.js";

const SECONDS = [1, 5, 30];

/** Saves the answer from here rather than by a link, which would neither carry the token nor say what is wrong with a filter. */
async function capture(port, seconds, filter) {
  const query = new URLSearchParams({ port, seconds, ...filter ? { filter } : {} });
  const answer = await fetch(`capture?${query}`, { headers: headers() });
  if (!answer.ok) {
    const why = await answer.json().catch(() => null);
    throw new Error(why?.error ?? `${port}: the server answered ${answer.status} ${answer.statusText}`);
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = `${port}.pcapng`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function Capture({ port }) {
  const [seconds, set_seconds] = useState(5);
  const [filter, set_filter] = useState("");
  const [running, set_running] = useState(null);     // the port that is captured
  const begin = async (event) => {
    event.preventDefault();
    set_running(port);
    store.set({ notice: "" });
    try {
      await capture(port, seconds, filter.trim());
    } catch (error) {
      store.set({ notice: error.message });
    }
    set_running(null);
  };
  return <form class="buttons" onSubmit={begin}>
    <button type="submit" disabled={running}>{running ? `Capturing ${running}` : "Capture"}</button>
    <select aria-label="for how long" value={seconds} onChange={(event) => set_seconds(Number(event.currentTarget.value))}>
      {SECONDS.map((s) => <option value={s}>{words.plural(s, "second")}</option>)}</select>
    <input class="grow" aria-label="filter" value={filter} placeholder="udp port 4791" size="1" spellcheck={false} autocomplete="off"
      onInput={(event) => set_filter(event.currentTarget.value)} />
  </form>;
}
