// SPDX-License-Identifier: BSD-3-Clause
// The strip with the slider, and the buttons that play the film.
import { h, Fragment } from "preact";
import { useRef } from "preact/hooks";
import { Canvas } from "./canvas.jsx";
import { draw_strip } from "./chart.jsx";
import { SPEEDS, store } from "./store.js";
import * as words from "./words.js";

const ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8zM11 3h2v10h-2z",
  play: "M4 2.500v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3v10l7-5zM3 3h2v10H3z",
  end: "M11 3h2v10h-2zM3 3v10l7-5z",
};

export function Icon({ name }) {
  return <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d={ICONS[name]} fill="currentColor" /></svg>;
}

function Button({ icon, label, keys, onClick, disabled }) {
  return <button type="button" class="icon" title={`${label} (${keys})`} aria-label={label} onClick={onClick} disabled={disabled}>
    <Icon name={icon} /></button>;
}

const length_of = (film) => (film.count - film.first) * film.meta.interval_ns;

export function Timeline() {
  const { film, interval, playing, speed } = store;
  const dragging = useRef(false);
  const { live } = film.source;
  const to = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    store.follow = false;
    store.go(film.first + Math.floor(share * (film.count - film.first)));
  };
  const down = (event) => {
    dragging.current = true;
    event.currentTarget.setPointerCapture(event.pointerId);
    store.playing = false;
    to(event);
  };
  const move = (event) => dragging.current && to(event);
  const up = () => { dragging.current = false; };
  const key = (event) => {
    const page = Math.max(1, Math.round((film.count - film.first) / 20));
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: page, PageUp: -page }[event.key];
    if (by) {
      event.preventDefault();
      store.step(by);
    }
  };
  const step = film.meta.interval_ns;
  const at = words.time(store.at_ns, step);
  const end = words.time(film.time_of(film.count - 1) + film.length_of(film.count - 1), step);
  return <footer class="timeline">
    <div class="lanes" aria-hidden="true">{store.films.length > 1 ? store.names.map((name) => <b>{name}</b>) :
      <><span>load</span><span>{words.stops(store.film).strip}</span><span>drops</span></>}</div>
    <div class={`strip${store.films.length > 1 ? " two" : ""}`} role="slider" tabIndex={0} aria-label="Time" aria-valuemin={film.first} aria-valuemax={film.count - 1}
      aria-valuenow={interval} aria-valuetext={at} onPointerDown={down} onPointerMove={move} onPointerUp={up}
      onPointerCancel={up} onKeyDown={key}>
      {store.films.map((one, i) => <Canvas draw={draw_strip(one, one === film ? interval : one.interval_at(store.at_ns), length_of(one) / length_of(film))}
        style={{ height: `${100 / store.films.length}%` }} title={store.names[i]} />)}
    </div>
    <div class="transport">
      <Button icon="start" label="To the beginning" keys="Home" onClick={() => { store.step(0); store.go(film.first); }} />
      <Button icon="back" label="One interval back" keys="comma" onClick={() => store.step(-1)} />
      <button type="button" class="icon play" title="Play or pause (space)" aria-label={playing ? "Pause" : "Play"}
        onClick={() => store.play()}><Icon name={playing ? "pause" : "play"} /></button>
      <Button icon="forward" label="One interval forward" keys="full stop" onClick={() => store.step(1)} />
      <Button icon="end" label="To the end" keys="End" onClick={() => { store.step(0); store.go(film.count - 1); }} />
      <label class="speed">speed
        <select value={speed} disabled={store.follow} onChange={(event) => store.set({ speed: Number(event.currentTarget.value) })}>
          {SPEEDS.map((one) => <option value={one}>{words.duration(one * step)} per second</option>)}
        </select></label>
      <span class="moments">
        <button type="button" title="Previous time that pauses or drops begin (shift n)" onClick={() => store.next_moment(-1)}>previous event</button>
        <button type="button" title="Next time that pauses or drops begin (n)" onClick={() => store.next_moment(1)}>next event</button>
      </span>
      <span class="grow" />
      <output class="clock num" aria-label="Time of the picture"><b>{at}</b> of {end}</output>
      <span class="num dim">interval {words.count(interval)}, {words.duration(step)} each</span>
      {live && <button type="button" class={`live${store.follow ? " on" : ""}`} title="Jump to live (l)"
        onClick={() => store.to_live()}>{store.follow ? "live" : "jump to live"}</button>}
    </div>
  </footer>;
}
