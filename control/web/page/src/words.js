// SPDX-License-Identifier: BSD-3-Clause
// Numbers and times as people read them. Every value keeps its width, so that nothing moves while a film runs.

const pad = (text, width) => text.padStart(width, " ");   // figure space

export function bytes(value) {
  if (value >= 1e9)
    return `${(value / 1e9).toFixed(2)} GB`;
  if (value >= 1e6)
    return `${(value / 1e6).toFixed(2)} MB`;
  if (value >= 1e3)
    return `${(value / 1e3).toFixed(value < 1e4 ? 1 : 0)} KB`;
  return `${Math.round(value)} B`;
}

export function rate(bits_per_second) {
  for (const [unit, name] of [[1e12, "Tb/s"], [1e9, "Gb/s"], [1e6, "Mb/s"], [1e3, "kb/s"]]) {
    const value = bits_per_second / unit;
    if (value >= 0.9995)
      return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${name}`;
  }
  return `${Math.round(bits_per_second)} b/s`;
}

export const percent = (share) => `${pad((100 * share).toFixed(share < 0.0995 ? 1 : 0), 3)} %`;

export function count(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, " ");
}

/** A time, with as many digits as an interval of `step` ns makes sense of. */
export function time(ns, step = 1) {
  const [unit, name] = ns >= 10e9 || step >= 1e8 ? [1e9, "s"] : step >= 1e5 ? [1e6, "ms"] : [1e3, "µs"];
  const digits = Math.max(0, Math.min(3, Math.ceil(Math.log10(unit / Math.max(1, step)))));
  const [whole, part] = (ns / unit).toFixed(digits).split(".");
  return `${whole.replace(/\B(?=(\d{3})+$)/g, " ")}${part ? `.${part}` : ""} ${name}`;
}

/** A duration on its own. */
export function duration(ns) {
  if (ns >= 1e9)
    return `${+(ns / 1e9).toPrecision(3)} s`;
  if (ns >= 1e6)
    return `${+(ns / 1e6).toPrecision(3)} ms`;
  if (ns >= 1e3)
    return `${+(ns / 1e3).toPrecision(3)} µs`;
  return `${ns} ns`;
}

const PAUSES = {
  paused: "paused", pausing: "sends pauses", figures: ["paused", "sends pauses"], columns: ["paused", "pausing"], ports: "paused ports", priority: "priority", strip: "pauses",
  begin: "Where pauses begin", holds: "It pauses", longest: "Longest paused", none: "No port is paused.", nothing: "Nothing is paused.",
  loop: "The pauses form a loop: every node that sends pauses is itself paused. This can be a PFC deadlock.",
  sent: "Sent traffic and received pauses", groups: "Priority groups and sent pauses", group: "group",
  host: "The band below the chart is coloured while the host is paused.",
};
const CREDITS = {
  paused: "waits for credit", pausing: "withholds credit", figures: ["no credit", "withholds"], columns: ["no credit", "withholds"],
  ports: "waiting ports", priority: "lane", strip: "no credit",
  begin: "Where credit runs out", holds: "It stops", longest: "Longest wait for credit", none: "No port waits for credit.",
  nothing: "Nothing waits for credit.",
  loop: "The waits form a loop: every node that withholds credit waits for credit itself. This can be a deadlock.",
  sent: "Sent traffic and waits for credit", groups: "Receive buffers and withheld credit", group: "lane",
  host: "The band below the chart is coloured while the host waits for credit.",
};

/** Words for what stops a port: pauses, or the lack of credit. */
export const stops = (film) => film?.meta?.credits ? CREDITS : PAUSES;

export function priorities(mask) {
  const list = [];
  for (let i = 0; i < 8; i++)
    if (mask & 1 << i)
      list.push(i);
  if (mask & 256)
    list.push("link");
  return list.join(", ");
}

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
