// SPDX-License-Identifier: BSD-3-Clause
// What the page shows now. Parts of the page listen; `play` moves the time on.
import { useLayoutEffect, useState } from "preact/hooks";
import { make_frame } from "./frame.js";
import { lit_by } from "./flows.js";

export const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500];   // intervals a second

const remembered = (key, fallback) => {
  try {
    return localStorage.getItem(`roost-${key}`) ?? fallback;
  } catch {
    return fallback;
  }
};

export const remember = (key, value) => {
  try {
    localStorage.setItem(`roost-${key}`, value);
  } catch {
    // A page that may not store anything works all the same.
  }
};

export const store = {
  films: [],
  names: [],
  info: {},
  clock: 0,             // the film whose intervals the slider counts
  focus: 0,             // the film that the side is about
  interval: 0,          // of that film; the others show the same instant
  frames: [],           // one a film, or null while it is loaded
  playing: false,
  follow: false,        // live: always the newest interval
  speed: 10,
  selection: null,      // {kind: node|port|link|tenant|flow, index}
  hover: null,
  tab: "now",
  theme: remembered("theme", "auto"),
  span: 240,            // intervals in the charts
  help: false,
  find: false,
  connected: null,      // of a live fabric
  refused: "",          // why a live fabric sends no film
  notice: "",
  events: [],           // from a live fabric, in addition to those of films
  views: [],            // what the pictures were drawn from
  listeners: new Set(),

  set(patch) {
    Object.assign(this, patch);
    this.changed();
  },

  changed() {
    for (const listener of this.listeners)
      listener();
  },

  /** The film whose intervals are the clock: the longest. */
  get film() {
    return this.films[this.clock];
  },

  /** Goes to an interval; chunks that are missing are loaded, and shown when they are there. */
  go(interval) {
    const { film } = this;
    if (!film?.count)
      return;
    this.interval = Math.max(film.first, Math.min(film.count - 1, Math.round(interval)));
    this.refresh();
    this.changed();
  },

  refresh() {
    const at = this.film.time_of(this.interval);
    this.films.forEach((film, i) => {
      const interval = i === this.clock ? this.interval : film.interval_at(at);
      const frame = make_frame(film, interval);
      if (frame) {
        this.frames[i] = frame;
        film.load(frame.chunk.first + frame.chunk.count);     // the next one, ahead
        return;
      }
      film.load(interval).then((chunk) => {
        if (chunk && this.film.time_of(this.interval) === at) {
          this.frames[i] = make_frame(film, interval) ?? this.frames[i];
          this.changed();
        }
      }, (error) => this.set({ notice: `Part of the film cannot be read: ${error.message}` }));
    });
  },

  /** The film of a live fabric has begun again. `same`: with the same nodes and ports. */
  begin_again(same) {
    this.interval = 0;
    this.frames = [];
    this.events = [];
    this.playing = this.follow = true;
    this.hover = null;
    if (!same)
      this.select(null);
    this.notice = "The film of the fabric starts again from the beginning.";
  },

  get at_ns() {
    return this.frames[this.clock]?.start ?? 0;
  },

  /** Goes to an interval of any of the films, and stops there. */
  show(film, interval) {
    this.playing = this.follow = false;
    this.go(film === this.film ? interval : this.film.interval_at(film.time_of(interval)));
  },

  step(by) {
    this.playing = this.follow = false;
    this.go(this.interval + by);
  },

  play(on = !this.playing) {
    if (on && this.interval >= this.film.count - 1 && !this.film.source.live)
      this.interval = this.film.first;
    this.playing = on;
    this.follow = on && this.film.source.live && this.interval >= this.film.count - 2;
    this.changed();
  },

  to_live() {
    this.playing = true;
    this.follow = true;
    this.go(this.film.count - 1);
  },

  select(selection, tab) {
    this.selection = selection;
    this.tab = tab ?? (selection ? "selected" : this.tab === "selected" ? "now" : this.tab);
    this.changed();
  },

  lit(film) {
    const frame = this.frames[this.films.indexOf(film)];
    return lit_by(film, this.selection, frame?.start ?? 0) ?? lit_by(film, this.hover, frame?.start ?? 0);
  },

  /** The next moment at which pauses or drops begin, from the totals of the film. */
  next_moment(direction) {
    const totals = this.film.totals();
    const busy = (i) => (totals.values[1][i] > 0 ? 1 : 0) + (totals.values[2][i] > 0 ? 2 : 0);
    const n = totals.values[0].length || totals.values[1].length;
    let i = Math.floor((this.interval - totals.first) / totals.every);
    for (i += direction; i >= 0 && i < n; i += direction)
      if (busy(i) & ~(i > 0 ? busy(i - 1) : 0)) {
        this.playing = this.follow = false;
        this.go(totals.first + i * totals.every);
        return;
      }
    this.set({ notice: `No pauses or drops begin ${direction > 0 ? "after" : "before"} this.` });
  },
};

/** Moves the time on while it plays. Frames are skipped rather than shown late. */
export function start_clock() {
  let last = performance.now(), owed = 0;
  const tick = (now) => {
    const passed = Math.min(250, now - last);
    last = now;
    if (store.playing && store.film && !store.follow) {
      owed += passed / 1000 * store.speed;
      const steps = Math.floor(owed);
      owed -= steps;
      if (steps) {
        const next = store.interval + steps;
        if (next >= store.film.count - 1 && !store.film.source.live)
          store.playing = false;
        store.go(next);
      }
    } else
      owed = 0;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

/** Draws a component again whenever something has changed, at most once a picture. */
export function use_store() {
  const [, draw] = useState(0);
  // Before anything else happens: a film within the page is open before the first picture is drawn.
  useLayoutEffect(() => {
    let asked = 0;
    const listener = () => {
      asked ||= requestAnimationFrame(() => {
        asked = 0;
        draw((n) => n + 1);
      });
    };
    store.listeners.add(listener);
    return () => {
      store.listeners.delete(listener);
      cancelAnimationFrame(asked);
    };
  }, []);
  return store;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
export const theme_now = () => store.theme === "auto" ? (dark.matches ? "dark" : "light") : store.theme;

export function apply_theme() {
  document.documentElement.dataset.theme = theme_now();
}

dark.addEventListener("change", () => {
  apply_theme();
  store.changed();
});
