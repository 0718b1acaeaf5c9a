// SPDX-License-Identifier: BSD-3-Clause
// Values over time: the strip below the picture, and the charts of a port, a switch and a tenant. Both mark where the
// film stands. A column of pixels shows the highest value that falls into it, so that no peak is lost.
import { h, Fragment } from "preact";
import { Canvas } from "./canvas.jsx";
import { series_at } from "./decode.js";
import { FONT } from "./fabric.jsx";
import { PRIORITIES } from "./frame.js";
import { make_palette } from "./palette.js";
import { store, theme_now } from "./store.js";

/** The highest value of `values` in each of `width` columns. */
function columns_of(values, width) {
  const out = new Float64Array(width);
  const n = values.length;
  for (let x = 0; x < width; x++) {
    const from = Math.floor(x * n / width), to = Math.max(from + 1, Math.floor((x + 1) * n / width));
    for (let i = from; i < to && i < n; i++)
      if (values[i] > out[x])
        out[x] = values[i];
  }
  return out;
}

/** The intervals that charts show: `span` of them around the present one. */
export function window_of(film, interval) {
  const span = Math.min(store.span, Math.max(1, film.count - film.first));
  const from = Math.max(film.first, Math.min(film.count - span, interval - Math.floor(span / 2)));
  return { from, to: from + span };
}

/** A column of a place in a window; loads what is missing, and returns what there is. */
export function values_in(film, column, place, { from, to }) {
  const out = new Float64Array(to - from);
  for (let i = from; i < to;) {
    const chunk = film.peek(i);
    if (!chunk) {
      const entry = film.entry_of(i);
      film.load(i).then(() => store.changed(), () => {});
      i = entry ? entry.first + entry.count : to;
      continue;
    }
    const end = Math.min(to, chunk.first + chunk.count);
    const series = series_at(chunk, column, place);
    if (series)
      for (let k = i; k < end; k++)
        out[k - from] = series[k - chunk.first];
    i = end;
  }
  return out;
}

const lengths_in = (film, { from, to }) => Float64Array.from({ length: to - from }, (_, i) => film.length_of(from + i));

/** Bits per second, from the sum of a column of bytes at some places. */
export function rates_in(film, column, places, range) {
  const lists = places.map((place) => values_in(film, column, place, range));
  return lengths_in(film, range).map((length, i) => lists.reduce((sum, one) => sum + one[i], 0) * 8e9 / length);
}

/** The share of each interval that `paused` or `pausing` has for some ports: the most of any port and priority. */
export function pauses_in(film, column, ports, range) {
  const lists = ports.flatMap((p) => Array.from({ length: PRIORITIES }, (_, k) => values_in(film, column, p * PRIORITIES + k, range)));
  return lengths_in(film, range).map((length, i) => lists.reduce((most, one) => Math.max(most, one[i]), 0) / length);
}

const nice = (value) => {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((f) => f * power).find((v) => v >= value * 0.999);
};

/**
 * @param {object} props `film`, `interval`; `series`: {values, colour, dash, area}; `lines`: {value, label, colour}, drawn across;
 *   `bands`: {values, colour}, shares from 0 to 1, drawn where not 0; `format` of a value; `top`: the least upper end of the scale
 */
export function Chart({ film, interval, series, lines = [], bands = [], format, top = 0, height = 96, label }) {
  const range = window_of(film, interval);
  let most = top;
  for (const one of series)
    for (const value of one.values)
      most = Math.max(most, value);
  // Thresholds belong into the picture unless they are far above all that happens.
  for (const one of lines)
    if (one.value <= Math.max(most, 1) * 4)
      most = Math.max(most, one.value);
  most = top && most <= top * 1.05 ? top : nice(most * 1.04) || 1;
  const above = lines.filter((one) => one.value > most);
  const draw = (context, width, full) => {
    const palette = make_palette(theme_now());
    context.clearRect(0, 0, width, full);
    const band_height = bands.length ? 9 : 0;
    const bottom = full - 1 - band_height, room = bottom - 13;
    const y = (value) => bottom - Math.min(1, value / most) * room;
    context.strokeStyle = palette.faint;
    context.lineWidth = 1;
    for (const share of [0, 0.5, 1]) {
      const at = Math.round(y(most * share)) + 0.5;
      context.beginPath();
      context.moveTo(0, at);
      context.lineTo(width, at);
      context.stroke();
    }
    const pixels = Math.max(1, Math.floor(width));
    for (const one of series) {
      const values = one.values.length > pixels ? columns_of(one.values, pixels) : one.values;
      const pitch = width / values.length;
      context.beginPath();
      for (let i = 0; i < values.length; i++) {
        const at = y(values[i]);
        context[i ? "lineTo" : "moveTo"](i * pitch, at);
        context.lineTo((i + 1) * pitch, at);
      }
      context.strokeStyle = one.colour;
      context.lineWidth = 1.4;
      context.setLineDash(one.dash ?? []);
      context.stroke();
      if (one.area) {
        context.lineTo(width, bottom);
        context.lineTo(0, bottom);
        context.globalAlpha = 0.18;
        context.fillStyle = one.colour;
        context.fill();
        context.globalAlpha = 1;
      }
    }
    context.font = `10px ${FONT}`;
    context.textBaseline = "bottom";
    const used = [];
    for (const one of lines) {
      if (one.value > most)
        continue;
      context.strokeStyle = one.colour;
      context.setLineDash(one.dash ?? [3, 3]);
      context.beginPath();
      context.moveTo(0, y(one.value));
      context.lineTo(width, y(one.value));
      context.stroke();
      context.textAlign = "right";
      let at = y(one.value) - 1;
      while (used.some((u) => Math.abs(u - at) < 11))
        at += 11;
      used.push(at);
      context.fillStyle = palette.ground;
      const text = `${one.label} ${format(one.value)}`;
      const w = context.measureText(text).width;
      context.globalAlpha = 0.75;
      context.fillRect(width - w - 5, at - 11, w + 4, 11);
      context.globalAlpha = 1;
      context.fillStyle = one.colour;
      context.fillText(text, width - 3, at);
    }
    context.setLineDash([]);
    context.fillStyle = palette.dim;
    context.textAlign = "left";
    context.fillText(most > 1 ? format(most) : "0", 2, 12);
    bands.forEach((band) => {
      const values = band.values.length > pixels ? columns_of(band.values, pixels) : band.values;
      const pitch = width / values.length;
      context.fillStyle = palette.faint;
      context.fillRect(0, full - band_height + 1, width, band_height - 2);
      context.fillStyle = band.colour;
      for (let i = 0; i < values.length; i++)
        if (values[i]) {
          context.globalAlpha = 0.45 + 0.55 * Math.min(1, values[i]);
          context.fillRect(i * pitch, full - band_height + 1, Math.max(1, pitch - (pitch > 3 ? 1 : 0)), band_height - 2);
        }
      context.globalAlpha = 1;
    });
    const now = (interval - range.from + 0.5) / (range.to - range.from) * width;
    context.strokeStyle = palette.ink;
    context.globalAlpha = 0.7;
    context.beginPath();
    context.moveTo(Math.round(now) + 0.5, 13);
    context.lineTo(Math.round(now) + 0.5, full);
    context.stroke();
    context.globalAlpha = 1;
    return false;
  };
  const click = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    store.show(film, range.from + Math.floor(share * (range.to - range.from)));
  };
  return <>
    <Canvas draw={draw} class="chart" role="img" aria-label={label} style={{ height: `${height}px` }} onClick={click} />
    {above.length > 0 && <p class="dim small">Above this scale: {above.map((one) => `${one.label} ${format(one.value)}`).join(", ")}.</p>}
  </>;
}

/** Draws the strip: load above, then pauses, then drops, over the whole film, of which `share` of the width is left. */
export function draw_strip(film, interval, share_of_width) {
  return (context, full, height) => {
    const palette = make_palette(theme_now());
    const totals = film.totals();
    const width = full * share_of_width;
    const pixels = Math.max(1, Math.floor(width));
    context.clearRect(0, 0, full, height);
    const lanes = [
      { values: totals.values[0], colour: palette.load[2], y: 2, h: height - 26, fill: true },
      { values: totals.values[1], colour: palette.pause, y: height - 22, h: 11 },
      { values: totals.values[2], colour: palette.drop, y: height - 9, h: 8 },
    ];
    for (const lane of lanes) {
      context.fillStyle = palette.faint;
      context.globalAlpha = 0.6;
      context.fillRect(0, lane.y, width, lane.h);
      context.globalAlpha = 1;
      if (!lane.values.length)
        continue;
      const values = columns_of(lane.values, pixels);
      let most = 0;
      for (const value of values)
        most = Math.max(most, value);
      if (!most)
        continue;
      context.fillStyle = lane.colour;
      for (let x = 0; x < pixels; x++) {
        if (!values[x])
          continue;
        const share = lane.fill ? values[x] / most : 0.35 + 0.65 * Math.sqrt(values[x] / most);
        const tall = Math.max(1, share * lane.h);
        context.fillRect(x, lane.y + lane.h - tall, 1, tall);
      }
      if (lane.colour === palette.pause) {      // hatched, as everything that is paused
        context.fillStyle = palette.ground;
        for (let x = 0; x < width; x += 4)
          context.fillRect(x, lane.y, 1, lane.h);
      }
    }
    const all = Math.max(1, film.count - film.first);
    const x_of = (i) => (i - film.first) / all * width;
    const range = window_of(film, interval);
    if (range.to - range.from < all) {
      context.strokeStyle = palette.dim;
      context.lineWidth = 1;
      context.strokeRect(x_of(range.from) + 0.5, 0.5, Math.max(2, x_of(range.to) - x_of(range.from) - 1), height - 1);
    }
    const now = x_of(interval + 0.5);
    context.fillStyle = palette.focus;
    context.fillRect(Math.round(now) - 1, 0, 2, height);
    context.beginPath();
    context.moveTo(now - 5, 0);
    context.lineTo(now + 5, 0);
    context.lineTo(now, 6);
    context.fill();
    return false;
  };
}
